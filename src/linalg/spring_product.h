// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linalg/registers.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

// What products with all kinds of spring matrices share; see SpringMatrix for the order of a row's terms.

/// (u uᵀ + b I) d of the springs of a register, which has u and b of each; the fourth number of a d is 0. The
/// fourth number of the result is not specified.
template <class Register>
CLOTHLAB_INLINED inline Register spring_force(const Register& ub, const Register& d) {
  const Register products = ub * d;  // the fourth is b times 0
  const Register pairs = products + in_fours<2, 3, 0, 1>(products);
  const Register along = pairs + in_fours<1, 0, 3, 2>(pairs);
  return along * ub + in_fours<3, 3, 3, 3>(ub) * d;
}

/// How far a product has begun the rows of a chunk.
struct BegunRows {
  std::uint32_t row;
  std::span<const SpringPattern::Incoming> incoming;  // springs of the rows from there on

  /// Calls clear(row) for the rows up to `end`, and then subtract(spring) for the springs that reach them
  /// from other chunks. Returns the first of these rows.
  template <class Clear, class Subtract>
  std::uint32_t begin(std::uint32_t end, const Clear& clear, const Subtract& subtract) {
    const std::uint32_t first = row;
    for (; row < end; ++row) clear(row);
    for (; !incoming.empty() && incoming.front().upper < end; incoming = incoming.subspan(1))
      subtract(incoming.front());
    return first;
  }
};

/// The rows of a chunk, with `product` for its numbers:
///   begin(end)          adds all terms but those of the chunk's own springs to the rows up to `end`
///   at(i)               what springs of row i need of it
///   start(i, at)        the sum of row i so far, with the diagonal's term
///   force(k, at, j)     of the spring in slot k between a row and row j
///   subtract(j, force)  from the sum of row j
///   finish(i, at, sum)
template <class Product>
CLOTHLAB_INLINED inline void multiply_spring_rows(const SpringPattern& p, std::size_t chunk,
                                                  Product& product) {
  // Local copies, since the compiler must assume that the sums alias the pattern.
  const std::uint32_t* const uppers = p.upper.data();
  const std::uint32_t* const slot_begin = p.slot_begin.data();
  const std::uint32_t* const slot_outer = p.slot_outer.data();
  std::uint32_t i = p.chunk_begin[chunk], k = slot_begin[i];
  for (const SpringPattern::Block& block : p.blocks[chunk]) {
    product.begin(block.reach);
    for (const std::uint32_t end = block.end; i < end; ++i) {
      const auto at = product.at(i);
      auto sum = product.start(i, at);
      // Inner springs: added to both rows.
      for (const std::uint32_t outer = slot_outer[i]; k < outer; ++k) {
        const std::uint32_t j = uppers[k];
        const auto force = product.force(k, at, j);
        sum = sum + force;
        product.subtract(j, force);
      }
      // Outer springs: the other chunk computes its own end.
      for (const std::uint32_t last = slot_begin[i + 1]; k < last; ++k)
        sum = sum + product.force(k, at, uppers[k]);
      product.finish(i, at, sum);
    }
  }
}

}  // namespace clothlab
