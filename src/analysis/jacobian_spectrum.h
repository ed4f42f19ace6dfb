// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "analysis/stability.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// The eigenvalues of J = [[0, I], [−M⁻¹K, −M⁻¹C]] on the free directions as oscillations, a conjugate pair
/// as one: a dense problem of twice the free directions, milliseconds for 50 of them, a second for 300, ten
/// for 600. Growing solutions of the equations themselves count as undamped. Throws
/// Cancelled; empty where values are not finite.
std::vector<DampedOscillation> jacobian_spectrum(const SpringMatrix& K, const SpringMatrix& C,
                                                 std::span<const double> masses, const Projection& held,
                                                 WorkerPool& pool, const StopProbe& stop);

}  // namespace clothlab
