// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cancel_point.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "linalg/registers.h"
#include "linalg/row_space.h"
#include "linalg/spring_matrix.h"
#include "linalg/spring_product.h"
#include "linalg/vectors.h"

namespace clothlab {

/// An Octet in memory, so that a vector of them is aligned.
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
  /// Allocates only for another pattern. Throws Cancelled.
  void resize(const std::shared_ptr<const SpringPattern>& pattern, const StopProbe& stop) {
    if (pattern_ == pattern) return;
    const CancelPoint cancel(stop);
    springs_.clear();
    resize_in_parts(springs_, pattern->springs(), cancel);
    diagonal_.resize(pattern->particles());
    cancel.poll();
    pattern_ = pattern;
  }
  /// Copies A and B, of that pattern, which must outlive the products.
  void assign(WorkerPool& pool, const SpringMatrix& A, const SpringMatrix& B) {
    A_ = &A;
    B_ = &B;
    const SpringPattern& p = *pattern_;
    const auto single = [](double value) { return static_cast<float>(value); };
    for_rows(pool, p, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t k = p.slot_begin[begin]; k < p.slot_begin[end]; ++k) {
        const SpringMatrix::Spring &a = A.spring_in(k), &b = B.spring_in(k);
        springs_[k].values = Octet{single(a.u.x), single(a.u.y), single(a.u.z), single(a.b),
                                   single(b.u.x), single(b.u.y), single(b.u.z), single(b.b)};
      }
      for (std::size_t i = begin; i < end; ++i) {
        const float a = single(A.diagonal_by_row()[i]), b = single(B.diagonal_by_row()[i]);
        diagonal_[i].values = Octet{a, a, a, a, b, b, b, b};
      }
    });
  }

  /// Calls finish(i, y) for every row i of the chunk, ascending: y has (A x + B v)_i in both halves, each
  /// with an unspecified fourth number. `finish` may write to any vector but `in` at row i. `sums` is scratch
  /// on the rows of the chunk. Chunks may run concurrently.
  template <class Finish>
  void multiply_chunk(std::size_t chunk, const PhaseVector& in, PhaseVector& sums,
                      const Finish& finish) const {
    with_best_registers([&](auto) {
      Product<Finish> product{
          *this, in.data(), sums.data(), finish, {pattern_->chunk_begin[chunk], pattern_->incoming[chunk]}};
      multiply_spring_rows(*pattern_, chunk, product);
    });
  }

 private:
  /// See multiply_spring_rows.
  template <class Finish>
  struct Product {
    const PhaseMatrix& matrix;
    const Phase* in;
    Phase* sums;
    const Finish& done;
    BegunRows begun;
    const Phase* springs = matrix.springs_.data();
    const Phase* diagonal = matrix.diagonal_.data();

    void begin(std::uint32_t end) {
      const std::uint32_t first = begun.begin(
          end, [&](std::uint32_t row) { sums[row] = {}; },
          [&](const SpringPattern::Incoming& spring) {
            subtract(spring.upper, force(spring.slot, at(spring.lower), spring.upper));
          });
      const auto add = [&](std::uint32_t row, const vec3& f) {
        sums[row].values = sums[row].values + Phase(f, vec3(0.0)).values;
      };
      matrix.A_->for_stencil_forces(
          first, end, [&](std::uint32_t row) { return in[row].x(); }, add);
      matrix.B_->for_stencil_forces(
          first, end, [&](std::uint32_t row) { return in[row].v(); }, add);
    }
    CLOTHLAB_INLINED Octet at(std::size_t i) const { return in[i].values; }
    CLOTHLAB_INLINED Octet start(std::size_t i, const Octet& at) const {
      return sums[i].values + diagonal[i].values * at;
    }
    CLOTHLAB_INLINED Octet force(std::size_t k, const Octet& at, std::size_t j) const {
      return spring_force(springs[k].values, at - in[j].values);
    }
    CLOTHLAB_INLINED void subtract(std::size_t j, const Octet& force) const {
      sums[j].values = sums[j].values - force;
    }
    CLOTHLAB_INLINED void finish(std::size_t i, const Octet&, const Octet& sum) const {
      done(i, sum + shuffled<4, 5, 6, 7, 0, 1, 2, 3>(sum, sum));
    }
  };

  const SpringMatrix* A_ = nullptr;
  const SpringMatrix* B_ = nullptr;
  std::shared_ptr<const SpringPattern> pattern_;
  PhaseVector springs_;   // by slot: u, b of A, then of B
  PhaseVector diagonal_;  // by row: d_i of A four times, then of B
};

}  // namespace clothlab
