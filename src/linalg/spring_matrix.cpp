// SPDX-License-Identifier: MIT
#include "linalg/spring_matrix.h"

#include <algorithm>
#include <cassert>

#include <glm/glm.hpp>

#include "core/cancel_point.h"
#include "linalg/symmetric.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define CLOTHLAB_AVX2_KERNEL
#include <immintrin.h>
#endif

namespace clothlab {

namespace {

// Access to a row's vectors: contiguous for the solvers, through the numbering for vectors by particle.
struct ByRow {
  const Padded* x_of;
  Padded* y_of;
  const Padded& x(std::size_t row) const { return x_of[row]; }
  Padded& y(std::size_t row) const { return y_of[row]; }
};

struct ByParticle {
  const std::uint32_t* particle;
  const vec3* x_of;
  vec3* y_of;
  const vec3& x(std::size_t row) const { return x_of[particle[row]]; }
  vec3& y(std::size_t row) const { return y_of[particle[row]]; }
};

struct Triple {
  double x, y, z;
};

template <class Vector>
Triple scaled(double s, const Vector& x) {
  return {s * x.x, s * x.y, s * x.z};
}

Triple operator+(const Triple& a, const Triple& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

// (u u^T + b I) (x_i - x_j)
template <class Vector>
Triple spring_force(const SpringMatrix::Spring& s, const Vector& xi, const Vector& xj) {
  const double dx = xi.x - xj.x;
  const double dy = xi.y - xj.y;
  const double dz = xi.z - xj.z;
  const double along = (s.u.x * dx + s.u.z * dz) + s.u.y * dy;  // in the order of the AVX2 kernel
  return {along * s.u.x + s.b * dx, along * s.u.y + s.b * dy, along * s.u.z + s.b * dz};
}

#if defined(CLOTHLAB_AVX2_KERNEL)

const bool kHasAvx2 = __builtin_cpu_supports("avx2");

// Distance of software prefetches: hardware prefetchers stop at the end of a page.
constexpr std::size_t kAheadBytes = 4096;

// SpringMatrix::multiply_rows with one vector per register, for processors with AVX2: the same operations in
// the same order, not fused, so the same bits. The fourth lane may hold b and is cleared when a row is
// complete. Calls begin(end) before anything is added to the rows up to `end`.
template <class Begin>
__attribute__((target("avx2"), flatten)) double multiply_rows_avx2(const SpringPattern& p, std::size_t chunk,
                                                                   const double* diagonal,
                                                                   const SpringMatrix::Spring* springs,
                                                                   const Padded* x_of, Padded* y_of,
                                                                   const Begin& begin) {
  // Local copies, since the compiler must assume that y aliases the pattern.
  const std::uint32_t* const uppers = p.upper.data();
  const std::uint32_t* const slot_begin = p.slot_begin.data();
  const std::uint32_t* const slot_outer = p.slot_outer.data();
  const __m256d three = _mm256_castsi256_pd(_mm256_set_epi64x(0, -1, -1, -1));
  __m256d x_dot_y = _mm256_setzero_pd();
  std::uint32_t i = p.chunk_begin[chunk];
  const std::uint32_t* upper = uppers + slot_begin[i];  // of the next spring
  const double* spring = &springs[slot_begin[i]].u.x;
  for (const SpringPattern::Block& block : p.blocks_of(chunk)) {
    begin(block.reach);
    for (const std::uint32_t end = block.end; i < end; ++i) {
      const __m256d x = _mm256_load_pd(&x_of[i].x);
      // The force of the next spring, which ends at row j.
      const auto force = [&](std::size_t j) __attribute__((target("avx2"), always_inline)) {
        _mm_prefetch(reinterpret_cast<const char*>(spring) + kAheadBytes, _MM_HINT_T0);
        const __m256d ub = _mm256_load_pd(spring);
        const __m256d b = _mm256_broadcast_sd(spring + 3);
        const __m256d d = _mm256_sub_pd(x, _mm256_load_pd(&x_of[j].x));
        const __m256d products = _mm256_mul_pd(ub, d);  // the fourth is b times 0
        const __m256d pairs = _mm256_add_pd(products, _mm256_permute2f128_pd(products, products, 1));
        const __m256d along = _mm256_add_pd(pairs, _mm256_permute_pd(pairs, 0b0101));
        ++upper;
        spring += 4;
        return _mm256_add_pd(_mm256_mul_pd(along, ub), _mm256_mul_pd(b, d));
      };
      // The terms from lower rows, then d_i x_i.
      const __m256d scaled = _mm256_mul_pd(_mm256_broadcast_sd(&diagonal[i]), x);
      __m256d sum = _mm256_add_pd(_mm256_load_pd(&y_of[i].x), scaled);
      const std::uint32_t* const outer = uppers + slot_outer[i];
      const std::uint32_t* const last = uppers + slot_begin[i + 1];
      // Inner springs: added to both rows.
      while (upper < outer) {
        const std::size_t j = *upper;
        const __m256d f = force(j);
        sum = _mm256_add_pd(sum, f);
        _mm256_store_pd(&y_of[j].x, _mm256_sub_pd(_mm256_load_pd(&y_of[j].x), f));
      }
      // Outer springs: the other chunk computes its own end.
      while (upper < last) sum = _mm256_add_pd(sum, force(*upper));
      // The row is complete.
      sum = _mm256_and_pd(sum, three);
      _mm256_store_pd(&y_of[i].x, sum);
      x_dot_y = _mm256_add_pd(x_dot_y, _mm256_mul_pd(x, sum));
    }
  }
  alignas(32) double parts[4];
  _mm256_store_pd(parts, x_dot_y);
  return parts[0] + parts[1] + parts[2];
}

// The same for y = A x + B v, without x . y, in one pass over indices and y.
template <class Begin>
__attribute__((target("avx2"), flatten)) void multiply_rows_avx2(
    const SpringPattern& p, std::size_t chunk, const double* diagonal_A, const double* diagonal_B,
    const SpringMatrix::Spring* springs_A, const SpringMatrix::Spring* springs_B, const Padded* x_of,
    const Padded* v_of, Padded* y_of, const Begin& begin) {
  const std::uint32_t* const uppers = p.upper.data();
  const std::uint32_t* const slot_begin = p.slot_begin.data();
  const std::uint32_t* const slot_outer = p.slot_outer.data();
  const __m256d three = _mm256_castsi256_pd(_mm256_set_epi64x(0, -1, -1, -1));
  std::uint32_t i = p.chunk_begin[chunk];
  const std::uint32_t* upper = uppers + slot_begin[i];
  const double* spring_A = &springs_A[slot_begin[i]].u.x;
  const double* spring_B = &springs_B[slot_begin[i]].u.x;
  for (const SpringPattern::Block& block : p.blocks_of(chunk)) {
    begin(block.reach);
    for (const std::uint32_t end = block.end; i < end; ++i) {
      const __m256d x = _mm256_load_pd(&x_of[i].x), v = _mm256_load_pd(&v_of[i].x);
      const auto force = [&](std::size_t j) __attribute__((target("avx2"), always_inline)) {
        _mm_prefetch(reinterpret_cast<const char*>(spring_A) + kAheadBytes, _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(spring_B) + kAheadBytes, _MM_HINT_T0);
        const __m256d A = _mm256_load_pd(spring_A), B = _mm256_load_pd(spring_B);
        const __m256d dx = _mm256_sub_pd(x, _mm256_load_pd(&x_of[j].x));
        const __m256d dv = _mm256_sub_pd(v, _mm256_load_pd(&v_of[j].x));
        const __m256d of_A = _mm256_mul_pd(A, dx), of_B = _mm256_mul_pd(B, dv);
        const __m256d pairs_A = _mm256_add_pd(of_A, _mm256_permute2f128_pd(of_A, of_A, 1));
        const __m256d pairs_B = _mm256_add_pd(of_B, _mm256_permute2f128_pd(of_B, of_B, 1));
        const __m256d along = _mm256_hadd_pd(pairs_A, pairs_B);  // of A, B, A, B
        const __m256d along_A = _mm256_unpacklo_pd(along, along), along_B = _mm256_unpackhi_pd(along, along);
        const __m256d f_A =
            _mm256_add_pd(_mm256_mul_pd(along_A, A), _mm256_mul_pd(_mm256_broadcast_sd(spring_A + 3), dx));
        const __m256d f_B =
            _mm256_add_pd(_mm256_mul_pd(along_B, B), _mm256_mul_pd(_mm256_broadcast_sd(spring_B + 3), dv));
        ++upper;
        spring_A += 4;
        spring_B += 4;
        return _mm256_add_pd(f_A, f_B);
      };
      const __m256d of_A = _mm256_mul_pd(_mm256_broadcast_sd(&diagonal_A[i]), x);
      const __m256d of_B = _mm256_mul_pd(_mm256_broadcast_sd(&diagonal_B[i]), v);
      __m256d sum = _mm256_add_pd(_mm256_load_pd(&y_of[i].x), _mm256_add_pd(of_A, of_B));
      const std::uint32_t* const outer = uppers + slot_outer[i];
      const std::uint32_t* const last = uppers + slot_begin[i + 1];
      while (upper < outer) {
        const std::size_t j = *upper;
        const __m256d f = force(j);
        sum = _mm256_add_pd(sum, f);
        _mm256_store_pd(&y_of[j].x, _mm256_sub_pd(_mm256_load_pd(&y_of[j].x), f));
      }
      while (upper < last) sum = _mm256_add_pd(sum, force(*upper));
      _mm256_store_pd(&y_of[i].x, _mm256_and_pd(sum, three));
    }
  }
}

#endif

}  // namespace

SpringMatrix::SpringMatrix(std::shared_ptr<const SpringPattern> pattern, const StopProbe& stop)
    : pattern_(std::move(pattern)), diagonal_(pattern_->particles(), 0.0) {
  // In parts: memory that is touched for the first time may be slow.
  constexpr std::size_t kPart = std::size_t{1} << 18;
  const std::size_t springs = pattern_->springs();
  values_.reserve(springs);
  const CancelPoint cancel(stop);
  while (values_.size() < springs) {
    cancel.look();
    values_.resize(std::min(values_.size() + kPart, springs));
  }
}

void SpringMatrix::clear_stencils() {
  stencils_.clear();
  points_.clear();
}

void SpringMatrix::add_stencils(std::span<const Stencil> added) {
  if (added.empty()) return;
  stencils_.insert(stencils_.end(), added.begin(), added.end());
  const auto for_points = [&](const auto& body) {
    for (std::uint32_t index = 0; index < stencils_.size(); ++index) {
      const Stencil& stencil = stencils_[index];
      assert(stencil.count >= 1 && stencil.count <= 4);
      for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k)
        body(StencilPoint{pattern_->row[stencil.particle[k]], index, stencil.weight[k]});
    }
  };
  // Sorted by row, within a row in the order in which they were added.
  point_begin_.assign(size() + 2, 0);
  for_points([&](const StencilPoint& point) { ++point_begin_[point.row + 2]; });
  for (std::size_t row = 2; row < point_begin_.size(); ++row) point_begin_[row] += point_begin_[row - 1];
  points_.resize(point_begin_.back());
  for_points([&](const StencilPoint& point) { points_[point_begin_[point.row + 1]++] = point; });
}

// Every row receives its terms in the order of the pattern: incoming springs, stencils, the chunk's own
// springs. This starts the rows up to `end` with all but the latter, from 0 or from what they are.
template <class Rows>
void SpringMatrix::begin_rows(std::uint32_t end, Begun& begun, const Rows& rows, bool clears) const {
  const std::vector<SpringPattern::Incoming>& incoming = pattern_->incoming;
  const std::uint32_t begin = begun.row;
  for (; begun.row < end; ++begun.row)
    if (clears) rows.y(begun.row) = {};
  for (; begun.incoming < incoming.size() && incoming[begun.incoming].upper < end; ++begun.incoming) {
    const SpringPattern::Incoming& in = incoming[begun.incoming];
    const Triple f = spring_force(values_[in.slot], rows.x(in.lower), rows.x(in.upper));
    auto& y = rows.y(in.upper);
    y.x -= f.x;
    y.y -= f.y;
    y.z -= f.z;
  }
  for_stencil_forces(
      begin, end,
      [&](std::uint32_t row) {
        const auto& x = rows.x(row);
        return vec3(x.x, x.y, x.z);
      },
      [&](std::uint32_t row, const vec3& f) {
        auto& y = rows.y(row);
        y.x += f.x;
        y.y += f.y;
        y.z += f.z;
      });
}

// The rows of a chunk; returns the sum of x . y. Calls begin(end) as multiply_rows_avx2; own(i) is d_i x_i,
// force(k, i, j) the force of the spring in slot k on row i.
template <class Rows, class Begin, class Own, class Force>
double SpringMatrix::multiply_rows(std::size_t chunk, const Rows& rows, const Begin& begin, const Own& own,
                                   const Force& force) const {
  const SpringPattern& p = *pattern_;
  Triple x_dot_y{0, 0, 0};
  std::uint32_t i = p.chunk_begin[chunk];
  for (const SpringPattern::Block& block : p.blocks_of(chunk)) {
    begin(block.reach);
    for (; i < block.end; ++i) {
      const Triple d_x = own(i);
      auto sum = rows.y(i);  // with the terms from lower rows
      sum.x += d_x.x;
      sum.y += d_x.y;
      sum.z += d_x.z;
      const std::uint32_t outer = p.slot_outer[i];
      const std::uint32_t last = p.slot_begin[i + 1];
      for (std::uint32_t k = p.slot_begin[i]; k < outer; ++k) {
        const std::uint32_t j = p.upper[k];
        const Triple f = force(k, i, j);
        sum.x += f.x;
        sum.y += f.y;
        sum.z += f.z;
        auto& y = rows.y(j);
        y.x -= f.x;
        y.y -= f.y;
        y.z -= f.z;
      }
      for (std::uint32_t k = outer; k < last; ++k) {
        const Triple f = force(k, i, p.upper[k]);
        sum.x += f.x;
        sum.y += f.y;
        sum.z += f.z;
      }
      rows.y(i) = sum;
      const auto& x = rows.x(i);
      x_dot_y.x += x.x * sum.x;
      x_dot_y.y += x.y * sum.y;
      x_dot_y.z += x.z * sum.z;
    }
  }
  return x_dot_y.x + x_dot_y.y + x_dot_y.z;
}

template <class Rows>
double SpringMatrix::multiply_rows(std::size_t chunk, const Rows& rows) const {
  Begun begun{pattern_->chunk_begin[chunk], pattern_->incoming_begin[chunk]};
  return multiply_rows(
      chunk, rows, [&](std::uint32_t end) { begin_rows(end, begun, rows); },
      [&](std::size_t i) { return scaled(diagonal_[i], rows.x(i)); },
      [&](std::size_t k, std::size_t i, std::size_t j) {
        return spring_force(values_[k], rows.x(i), rows.x(j));
      });
}

double SpringMatrix::multiply_chunk(std::size_t chunk, const Padded* x, Padded* y) const {
  const ByRow rows{x, y};
#if defined(CLOTHLAB_AVX2_KERNEL)
  if (kHasAvx2) {
    Begun begun{pattern_->chunk_begin[chunk], pattern_->incoming_begin[chunk]};
    return multiply_rows_avx2(*pattern_, chunk, diagonal_.data(), values_.data(), x, y,
                              [&](std::uint32_t end) { begin_rows(end, begun, rows); });
  }
#endif
  return multiply_rows(chunk, rows);
}

void SpringMatrix::multiply_chunk(std::size_t chunk, const Padded* x, const SpringMatrix& B, const Padded* v,
                                  Padded* y) const {
  const ByRow of_A{x, y}, of_B{v, y};
  Begun begun_A{pattern_->chunk_begin[chunk], pattern_->incoming_begin[chunk]}, begun_B = begun_A;
  const auto begin = [&](std::uint32_t end) {
    begin_rows(end, begun_A, of_A);
    B.begin_rows(end, begun_B, of_B, false);
  };
#if defined(CLOTHLAB_AVX2_KERNEL)
  if (kHasAvx2) {
    return multiply_rows_avx2(*pattern_, chunk, diagonal_.data(), B.diagonal_.data(), values_.data(),
                              B.values_.data(), x, v, y, begin);
  }
#endif
  multiply_rows(
      chunk, of_A, begin,
      [&](std::size_t i) { return scaled(diagonal_[i], x[i]) + scaled(B.diagonal_[i], v[i]); },
      [&](std::size_t k, std::size_t i, std::size_t j) {
        return spring_force(values_[k], x[i], x[j]) + spring_force(B.values_[k], v[i], v[j]);
      });
}

double SpringMatrix::relative_stiffness(WorkerPool& pool) const {
  constexpr std::size_t kGrain = 4096;
  const double stiffness = pool.sum(values_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t s = begin; s < end; ++s) sum += values_[s].stiffness();
    return sum;
  });
  const double diagonal = pool.sum(diagonal_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += diagonal_[i];
    return sum;
  });
  return stiffness / diagonal;
}

void SpringMatrix::multiply(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> y) const {
  assert(x.size() == size() && y.size() == size() && x.data() != y.data());
  const ByParticle rows{pattern_->particle.data(), x.data(), y.data()};
  pool.for_chunks(pattern_->chunks(), 1, [&](std::size_t chunk, std::size_t) { multiply_rows(chunk, rows); });
}

// For the rows of a chunk: blocks.start(row, d) makes a block d I, blocks.add(row, B) adds to it.
template <class Blocks, class StencilFactor, class BlockOf>
void SpringMatrix::add_blocks(std::size_t chunk, const Blocks& blocks, const StencilFactor& factor_of,
                              const BlockOf& block_of) const {
  const SpringPattern& p = *pattern_;
  const std::uint32_t begin = p.chunk_begin[chunk];
  const std::uint32_t end = p.chunk_begin[chunk + 1];
  for (std::uint32_t i = begin; i < end; ++i) blocks.start(i, diagonal_[i]);
  for (std::uint32_t k = p.incoming_begin[chunk]; k < p.incoming_begin[chunk + 1]; ++k) {
    blocks.add(p.incoming[k].upper, block_of(values_[p.incoming[k].slot]));
  }
  for (std::uint32_t i = begin; i < end; ++i) {
    Symmetric own;
    for (std::uint32_t k = p.slot_begin[i]; k < p.slot_begin[i + 1]; ++k) {
      const Symmetric shared = block_of(values_[k]);
      own.add(1, shared);
      if (k < p.slot_outer[i]) blocks.add(p.upper[k], shared);
    }
    blocks.add(i, own);
  }
  if (points_.empty()) return;
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

void SpringMatrix::diagonal_blocks(WorkerPool& pool, std::span<mat3> blocks) const {
  struct {
    const std::uint32_t* particle;
    mat3* block;
    void start(std::uint32_t row, double d) const { block[particle[row]] = mat3(d); }
    void add(std::uint32_t row, const Symmetric& B) const { block[particle[row]] += full(B); }
  } by_particle{pattern_->particle.data(), blocks.data()};
  assert(blocks.size() == size());
  pool.for_chunks(pattern_->chunks(), 1, [&](std::size_t chunk, std::size_t) {
    add_blocks(
        chunk, by_particle, [](int) { return 1; }, [](const Spring& s) { return spring_block(s.u, s.b); });
  });
}

void SpringMatrix::bounding_blocks(std::size_t chunk, Padded* diagonal, Padded* rest) const {
  // (a + b + c)^2 <= 3 (a^2 + b^2 + c^2), with half of that and likewise for four.
  constexpr auto kOfPoints = [](int count) { return count > 3 ? 2 : 1.5; };
  struct {
    Padded* diagonal;
    Padded* rest;
    void start(std::uint32_t row, double d) const {
      diagonal[row] = {d, d, d, 0};
      rest[row] = {};
    }
    void add(std::uint32_t row, const Symmetric& B) const {
      (Lanes(diagonal[row]) + Lanes({B.xx, B.yy, B.zz, 0})).store(diagonal[row]);
      (Lanes(rest[row]) + Lanes({B.xy, B.xz, B.yz, 0})).store(rest[row]);
    }
  } by_row{diagonal, rest};
  add_blocks(chunk, by_row, kOfPoints, [](const Spring& s) { return spring_block(s.u, std::max(s.b, 0.0)); });
}

}  // namespace clothlab
