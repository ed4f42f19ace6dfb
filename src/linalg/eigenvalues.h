// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "core/stop_probe.h"

namespace clothlab {

/// All eigenvalues of the n x n matrix `a`, which is stored by columns: Householder's reduction to Hessenberg
/// form and Francis' QR iteration, some 10 n³ operations (n = 1200: seconds). Polls `stop` every few n²
/// operations; throws Cancelled. Empty if a value is not finite or the iteration fails.
std::vector<std::complex<double>> eigenvalues(std::size_t n, std::vector<double> a,
                                              const StopProbe& stop = {});

}  // namespace clothlab
