// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/worker_pool.h"

namespace clothlab {

/// Calls body(i) for every i below n, concurrently in chunks of `grain`; each i writes its own data.
template <class Body>
void for_each(WorkerPool& pool, std::size_t n, std::size_t grain, const Body& body) {
  pool.for_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// The sum of term(i) over every i below n, in chunks of `grain`.
template <class Term>
double sum_over(WorkerPool& pool, std::size_t n, std::size_t grain, const Term& term) {
  return pool.sum(n, grain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += term(i);
    return sum;
  });
}

}  // namespace clothlab
