// SPDX-License-Identifier: MIT
#include "linalg/spring_matrix.h"

#include <algorithm>
#include <cassert>

#include <glm/glm.hpp>

#include "core/cancel_point.h"
#include "linalg/registers.h"
#include "linalg/spring_product.h"
#include "linalg/symmetric.h"

namespace clothlab {

namespace {

// Access to a row's vectors: contiguous for the solvers, through the numbering for vectors by particle.
struct ByRow {
  const Padded* x_of;
  Padded* y_of;

  template <class Four>
  CLOTHLAB_INLINED Four x(std::size_t row) const {
    return load<Four>(&x_of[row].x);
  }
  template <class Four>
  CLOTHLAB_INLINED Four y(std::size_t row) const {
    return load<Four>(&y_of[row].x);
  }
  template <class Four>
  CLOTHLAB_INLINED void set_y(std::size_t row, const Four& value) const {
    store(value, y_of[row]);
  }
};

struct ByParticle {
  const std::uint32_t* particle;
  const vec3* x_of;
  vec3* y_of;

  template <class Four>
  Four x(std::size_t row) const {
    return lanes(x_of[particle[row]]);
  }
  template <class Four>
  Four y(std::size_t row) const {
    return lanes(y_of[particle[row]]);
  }
  void set_y(std::size_t row, const Lanes& value) const { y_of[particle[row]] = vec3_of(value); }
};

}  // namespace

// y := A x of a chunk; see multiply_spring_rows.
template <class Four, class Rows>
struct SpringMatrix::Product {
  const SpringMatrix& A;
  const Rows& rows;
  BegunRows begun;
  const Spring* springs = A.values_.data();
  const double* diagonal = A.diagonal_.data();
  Four x_dot_y{};

  Product(const SpringMatrix& of, std::size_t chunk, const Rows& on)
      : A(of), rows(on), begun{of.pattern_->chunk_begin[chunk], of.pattern_->incoming[chunk]} {}

  void begin(std::uint32_t end, bool clears = true) {
    const auto clear = [&](std::uint32_t row) {
      if (clears) rows.set_y(row, Four{});
    };
    const auto subtract_incoming = [&](const SpringPattern::Incoming& in) {
      subtract(in.upper, force(in.slot, at(in.lower), in.upper));
    };
    const std::uint32_t first = begun.begin(end, clear, subtract_incoming);
    A.for_stencil_forces(
        first, end, [&](std::uint32_t row) { return vec3_of(rows.template x<Lanes>(row)); },
        [&](std::uint32_t row, const vec3& f) {
          const Padded force = padded(f);
          rows.set_y(row, rows.template y<Four>(row) + load<Four>(&force.x));
        });
  }
  CLOTHLAB_INLINED Four at(std::size_t i) const { return rows.template x<Four>(i); }
  CLOTHLAB_INLINED Four start(std::size_t i, const Four& x) const {
    return rows.template y<Four>(i) + diagonal[i] * x;
  }
  CLOTHLAB_INLINED Four force(std::size_t k, const Four& x, std::size_t j) const {
    prefetch_next_page(&springs[k]);
    return spring_force(load<Four>(&springs[k].u.x), x - at(j));
  }
  CLOTHLAB_INLINED void subtract(std::size_t j, const Four& force) const {
    rows.set_y(j, rows.template y<Four>(j) - force);
  }
  CLOTHLAB_INLINED void finish(std::size_t i, const Four& x, const Four& sum) {
    const Four y = without_fourth(sum);
    rows.set_y(i, y);
    x_dot_y = x_dot_y + x * y;
  }
};

// y := A x + B v of a chunk, without x . y, in one pass over indices and y.
template <class Four>
struct SpringMatrix::ProductOfTwo {
  Product<Four, ByRow> A, B;

  struct Both {
    Four x, v;
  };
  void begin(std::uint32_t end) {
    A.begin(end);
    B.begin(end, false);
  }
  CLOTHLAB_INLINED Both at(std::size_t i) const { return {A.at(i), B.at(i)}; }
  CLOTHLAB_INLINED Four start(std::size_t i, const Both& at) const {
    return A.rows.template y<Four>(i) + (A.diagonal[i] * at.x + B.diagonal[i] * at.v);
  }
  CLOTHLAB_INLINED Four force(std::size_t k, const Both& at, std::size_t j) const {
    return A.force(k, at.x, j) + B.force(k, at.v, j);
  }
  CLOTHLAB_INLINED void subtract(std::size_t j, const Four& force) const { A.subtract(j, force); }
  CLOTHLAB_INLINED void finish(std::size_t i, const Both&, const Four& sum) const {
    A.rows.set_y(i, without_fourth(sum));
  }
};

SpringMatrix::SpringMatrix(std::shared_ptr<const SpringPattern> pattern, const StopProbe& stop)
    : pattern_(std::move(pattern)), diagonal_(pattern_->particles(), 0.0) {
  resize_in_parts(values_, pattern_->springs(), CancelPoint(stop));
}

void SpringMatrix::replace_stencils(std::size_t kept, std::span<const Stencil> by) {
  if (kept == stencils_.size() && by.empty()) return;
  stencils_.resize(kept);
  if (kept == 0 && by.empty()) return points_.items.clear();
  stencils_.insert(stencils_.end(), by.begin(), by.end());
  points_.fill(size(), [&](const auto& add) {
    for (std::uint32_t index = 0; index < stencils_.size(); ++index) {
      const Stencil& stencil = stencils_[index];
      assert(stencil.count >= 1 && stencil.count <= 4);
      for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
        const std::uint32_t row = pattern_->row[stencil.particle[k]];
        add(row, {row, index, stencil.weight[k]});
      }
    }
  });
}

double SpringMatrix::multiply_chunk(std::size_t chunk, const Padded* x, Padded* y) const {
  return with_best_registers([&](auto registers) {
    const ByRow rows{x, y};
    Product<typename decltype(registers)::Four, ByRow> product(*this, chunk, rows);
    multiply_spring_rows(*pattern_, chunk, product);
    Padded sums;
    store(product.x_dot_y, sums);
    return sums.x + sums.y + sums.z;
  });
}

void SpringMatrix::multiply_chunk(std::size_t chunk, const Padded* x, const SpringMatrix& B, const Padded* v,
                                  Padded* y) const {
  with_best_registers([&](auto registers) {
    const ByRow of_A{x, y}, of_B{v, y};
    ProductOfTwo<typename decltype(registers)::Four> product{{*this, chunk, of_A}, {B, chunk, of_B}};
    multiply_spring_rows(*pattern_, chunk, product);
  });
}

double SpringMatrix::relative_stiffness(WorkerPool& pool) const {
  constexpr std::size_t kGrain = 4096;
  const double stiffness =
      sum_over(pool, values_.size(), kGrain, [&](std::size_t s) { return values_[s].stiffness(); });
  const double diagonal =
      sum_over(pool, diagonal_.size(), kGrain, [&](std::size_t i) { return diagonal_[i]; });
  return stiffness / diagonal;
}

void SpringMatrix::multiply(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> y) const {
  assert(x.size() == size() && y.size() == size() && x.data() != y.data());
  const ByParticle rows{pattern_->particle.data(), x.data(), y.data()};
  pool.for_chunks(pattern_->chunks(), 1, [&](std::size_t chunk, std::size_t) {
    Product<Lanes, ByParticle> product(*this, chunk, rows);
    multiply_spring_rows(*pattern_, chunk, product);
  });
}

// For the rows of a chunk: blocks.start(row, d) makes a block d I, blocks.add(row, B) adds to it.
template <class Blocks, class StencilFactor, class BlockOf>
void SpringMatrix::add_blocks(std::size_t chunk, const Blocks& blocks, const StencilFactor& factor_of,
                              const BlockOf& block_of) const {
  const SpringPattern& p = *pattern_;
  const std::uint32_t begin = p.chunk_begin[chunk];
  const std::uint32_t end = p.chunk_begin[chunk + 1];
  for (std::uint32_t i = begin; i < end; ++i) blocks.start(i, diagonal_[i]);
  for (const SpringPattern::Incoming& spring : p.incoming[chunk])
    blocks.add(spring.upper, block_of(values_[spring.slot]));
  for (std::uint32_t i = begin; i < end; ++i) {
    Symmetric own;
    for (std::uint32_t k = p.slot_begin[i]; k < p.slot_begin[i + 1]; ++k) {
      const Symmetric shared = block_of(values_[k]);
      own.add(1, shared);
      if (k < p.slot_outer[i]) blocks.add(p.upper[k], shared);
    }
    blocks.add(i, own);
  }
  // The weights of all of a stencil's points that fall on one particle act together.
  for (const StencilPoint& point : points_of(p.chunk_begin[chunk], p.chunk_begin[chunk + 1])) {
    const Stencil& stencil = stencils_[point.stencil];
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
      if (p.row[stencil.particle[k]] != point.row) continue;
      Symmetric block;
      block.add(factor_of(stencil.count) * point.weight * stencil.weight[k], symmetric_part(stencil.C));
      blocks.add(point.row, block);
    }
  }
}

void SpringMatrix::diagonal_blocks(WorkerPool& pool, std::span<Symmetric> blocks) const {
  struct {
    Symmetric* block;
    void start(std::uint32_t row, double d) const { block[row] = {d, d, d, 0, 0, 0}; }
    void add(std::uint32_t row, const Symmetric& B) const { block[row].add(1, B); }
  } by_row{blocks.data()};
  assert(blocks.size() == size());
  pool.for_chunks(pattern_->chunks(), 1, [&](std::size_t chunk, std::size_t) {
    add_blocks(
        chunk, by_row, [](int) { return 1; }, [](const Spring& s) { return spring_block(s.u, s.b); });
  });
}

void SpringMatrix::bounding_blocks(std::size_t chunk, Padded* diagonal, Padded* rest) const {
  // (a + b + c)^2 <= 3 (a^2 + b^2 + c^2), with half of that, and the same for four.
  constexpr auto kOfPoints = [](int count) { return count > 3 ? 2 : 1.5; };
  struct {
    Padded* diagonal;
    Padded* rest;
    void start(std::uint32_t row, double d) const {
      diagonal[row] = {d, d, d, 0};
      rest[row] = {};
    }
    void add(std::uint32_t row, const Symmetric& B) const {
      store(lanes(diagonal[row]) + lanes(vec3(B.xx, B.yy, B.zz)), diagonal[row]);
      store(lanes(rest[row]) + lanes(vec3(B.xy, B.xz, B.yz)), rest[row]);
    }
  } by_row{diagonal, rest};
  add_blocks(chunk, by_row, kOfPoints, [](const Spring& s) { return spring_block(s.u, std::max(s.b, 0.0)); });
}

}  // namespace clothlab
