// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/worker_pool.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"
#include "linalg/vectors.h"

namespace clothlab {

// Vectors of the solvers: by row instead of by particle (see SpringPattern), in chunks.

/// Calls body(chunk, begin, end) for every chunk of rows, concurrently.
template <class Body>
void for_rows(WorkerPool& pool, const SpringPattern& pattern, Body&& body) {
  pool.for_chunks(pattern.chunks(), 1, [&](std::size_t chunk, std::size_t) {
    body(chunk, pattern.chunk_begin[chunk], pattern.chunk_begin[chunk + 1]);
  });
}

/// The same with a sum over the rows; added up in the order of the chunks.
template <class Body>
double sum_rows(WorkerPool& pool, const SpringPattern& pattern, Body&& body) {
  return pool.sum(pattern.chunks(), 1, [&](std::size_t chunk, std::size_t) {
    return body(chunk, pattern.chunk_begin[chunk], pattern.chunk_begin[chunk + 1]);
  });
}

/// Calls body(row) for every row, concurrently.
template <class Body>
void for_each_row(WorkerPool& pool, const SpringPattern& pattern, const Body& body) {
  for_rows(pool, pattern, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) body(row);
  });
}

/// The sum of term(row) over the rows; added up in the order of the chunks.
template <class Term>
double sum_over_rows(WorkerPool& pool, const SpringPattern& pattern, const Term& term) {
  return sum_rows(pool, pattern, [&](std::size_t, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t row = begin; row < end; ++row) sum += term(row);
    return sum;
  });
}

/// The projection's entries by row.
class RowFilter {
 public:
  struct Entry {
    std::uint32_t row;
    mat3 S;
    bool fixed;    ///< S = 0
    bool passing;  ///< Projection::Entry::passing
  };

  void assign(const SpringPattern& pattern, const Projection& projection);

  std::span<const Entry> entries() const { return entries_.items; }
  /// Those with rows in this chunk, ascending.
  std::span<const Entry> entries(std::size_t chunk) const { return entries_[chunk]; }
  /// a := S a on the rows of one chunk.
  void filter(std::size_t chunk, Padded* a) const;

 private:
  CompressedRows<Entry> entries_;  // of each chunk, sorted by row
  std::vector<std::uint32_t> entry_of_row_;
};

}  // namespace clothlab
