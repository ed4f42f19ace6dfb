// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// Bytes per second [GB/s] of a[i] = b[i] + s c[i] on arrays of `bytes` in all, after McCalpin's STREAM: 24
/// bytes are counted for each i, the read of a line that is then written is not. Each thread stays on its
/// own part and waits for no other. The best of some rounds.
double triad_rate(WorkerPool& pool, std::size_t bytes);

/// Bytes of the arrays that one product y = A x goes through, each of them once: values, indices, x and y.
std::size_t product_bytes(const SpringPattern& pattern);
/// The same of the product in single precision that multigrid smooths with.
std::size_t single_product_bytes(const SpringPattern& pattern);

/// Time of one such product [ms], by row as the solvers call it. The best of some rounds.
double product_ms(WorkerPool& pool, const SpringMatrix& A);
double single_product_ms(WorkerPool& pool, const SpringMatrix& A);

}  // namespace clothlab
