// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "linalg/row_space.h"
#include "linalg/spring_matrix.h"
#include "linalg/vectors.h"

namespace clothlab {

/// An Octet in memory: a vector of bare ones need not be aligned.
struct alignas(32) Phase {
  Octet values{};  ///< x, 0, v, 0 of a particle

  Phase() = default;
  explicit Phase(const Octet& octet) : values(octet) {}
  Phase(const vec3& x, const vec3& v)
      : values{static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), 0.0f,
               static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), 0.0f} {}

  vec3 x() const { return {values[0], values[1], values[2]}; }
  vec3 v() const { return {values[4], values[5], values[6]}; }
};

/// By row.
using PhaseVector = std::vector<Phase>;

/// A x + B v of two SpringMatrices on one pattern, in single precision: one register holds x and v of a
/// particle, another one u, b of A and B for a spring. As in SingleSpringMatrix, springs act on differences.
class PhaseMatrix {
 public:
  /// Allocates for another pattern only. Throws Cancelled when the probe asks.
  void resize(const std::shared_ptr<const SpringPattern>& pattern, const StopProbe& stop);
  /// Copies A and B, of that pattern, which must outlive the products.
  void assign(WorkerPool& pool, const SpringMatrix& A, const SpringMatrix& B);

  /// Calls finish(i, y) for every row i of the chunk, ascending: y has (A x + B v)_i in both halves, each
  /// with an unspecified fourth number. `finish` may write to any vector but `in` at row i. `sums` is scratch
  /// on the rows of the chunk. Chunks may run concurrently.
  template <class Finish>
  void multiply_chunk(std::size_t chunk, const PhaseVector& in, PhaseVector& sums,
                      const Finish& finish) const {
#if defined(__GNUC__) && defined(__x86_64__)
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return multiply_avx2(chunk, in.data(), sums.data(), finish);
#endif
    multiply_rows(chunk, in.data(), sums.data(), finish);
  }

 private:
  template <int A, int B, int C, int D>
  static void shuffle_halves(const Octet& from, Octet& to) {
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
    to = __builtin_shufflevector(from, from, A, B, C, D, A + 4, B + 4, C + 4, D + 4);
#else
    to = Octet{from[A], from[B], from[C], from[D], from[A + 4], from[B + 4], from[C + 4], from[D + 4]};
#endif
  }

  // (u uᵀ + b I) d in both halves.
  static void compute_force(const Octet& ub, const Octet& d, Octet& force) {
    const Octet products = ub * d;  // the fourth is b times 0
    Octet swapped, b;
    shuffle_halves<2, 3, 0, 1>(products, swapped);
    const Octet pairs = products + swapped;
    shuffle_halves<1, 0, 3, 2>(pairs, swapped);
    const Octet along = pairs + swapped;
    shuffle_halves<3, 3, 3, 3>(ub, b);
    force = along * ub + b * d;
  }

  // How far a product has begun the rows of a chunk.
  struct Begun {
    std::uint32_t row, incoming;
  };
  // sums := the terms of springs from other chunks and of stencils on the rows up to `end`.
  void begin_rows(std::uint32_t end, Begun& begun, const Phase* in, Phase* sums) const {
    const std::vector<SpringPattern::Incoming>& incoming = pattern_->incoming;
    const std::uint32_t begin = begun.row;
    for (; begun.row < end; ++begun.row) sums[begun.row] = {};
    for (; begun.incoming < incoming.size() && incoming[begun.incoming].upper < end; ++begun.incoming) {
      const auto& [slot, lower, upper] = incoming[begun.incoming];
      Octet force;
      compute_force(springs_[slot].values, in[lower].values - in[upper].values, force);
      sums[upper].values = sums[upper].values - force;
    }
    const auto add = [&](std::uint32_t row, const vec3& f) {
      sums[row].values = sums[row].values + Phase(f, vec3(0.0)).values;
    };
    A_->for_stencil_forces(
        begin, end, [&](std::uint32_t row) { return in[row].x(); }, add);
    B_->for_stencil_forces(
        begin, end, [&](std::uint32_t row) { return in[row].v(); }, add);
  }

  template <class Finish>
  void multiply_rows(std::size_t chunk, const Phase* in, Phase* sums, const Finish& finish) const {
    const SpringPattern& p = *pattern_;
    // Local copies, since the compiler must assume that the sums alias them.
    const std::uint32_t* const uppers = p.upper.data();
    const std::uint32_t* const slot_begin = p.slot_begin.data();
    const std::uint32_t* const slot_outer = p.slot_outer.data();
    const Phase* const springs = springs_.data();
    const Phase* const diagonal = diagonal_.data();
    Begun begun{p.chunk_begin[chunk], p.incoming_begin[chunk]};
    std::uint32_t i = begun.row, k = slot_begin[i];
    for (const SpringPattern::Block& block : p.blocks_of(chunk)) {
      begin_rows(block.reach, begun, in, sums);
      for (const std::uint32_t end = block.end; i < end; ++i) {
        const Octet own = in[i].values;
        Octet sum = sums[i].values + diagonal[i].values * own, force;
        for (const std::uint32_t outer = slot_outer[i]; k < outer; ++k) {
          const std::uint32_t j = uppers[k];
          compute_force(springs[k].values, own - in[j].values, force);
          sum = sum + force;
          sums[j].values = sums[j].values - force;
        }
        for (const std::uint32_t last = slot_begin[i + 1]; k < last; ++k) {
          compute_force(springs[k].values, own - in[uppers[k]].values, force);
          sum = sum + force;
        }
        finish(i, sum + Octet{sum[4], sum[5], sum[6], sum[7], sum[0], sum[1], sum[2], sum[3]});
      }
    }
  }

#if defined(__GNUC__) && defined(__x86_64__)
  template <class Finish>
  __attribute__((target("avx2"), flatten)) void multiply_avx2(std::size_t chunk, const Phase* in, Phase* sums,
                                                              const Finish& finish) const {
    multiply_rows(chunk, in, sums, finish);
  }
#endif

  const SpringMatrix* A_ = nullptr;
  const SpringMatrix* B_ = nullptr;
  std::shared_ptr<const SpringPattern> pattern_;
  PhaseVector springs_;   // by slot: u, b of A, then of B
  PhaseVector diagonal_;  // by row: d_i of A four times, then of B
};

}  // namespace clothlab
