// SPDX-License-Identifier: MIT
#include "linalg/cholesky_factor.h"

#include <algorithm>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <vector>

#include "core/cancel_point.h"
#include "core/error.h"
#include "linalg/nested_dissection.h"

namespace clothlab {

namespace {

constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();
// Polls the stop probe in proportion to the work, every few milliseconds.
class Watch {
 public:
  explicit Watch(const StopProbe& stop) : stop_(stop) {}

  /// After so many blocks have been worked on: whether to stop.
  bool stopped_after(std::size_t blocks) {
    unpolled_ += blocks;
    if (unpolled_ < kPollEvery) return false;
    unpolled_ = 0;
    return stop_requested(stop_);
  }

 private:
  static constexpr std::size_t kPollEvery = 100'000;

  const StopProbe& stop_;
  std::size_t unpolled_ = 0;
};

// The inverse of a symmetric 3x3 matrix; false where it is not positive definite, by the signs of its pivots.
bool invert_positive(const mat3& D, mat3& inverse) {
  const double d1 = D[0][0];
  const double d2 = D[1][1] - D[1][0] * D[1][0] / d1;
  const double l32 = D[2][1] - D[2][0] * D[1][0] / d1;
  const double d3 = D[2][2] - D[2][0] * D[2][0] / d1 - l32 * l32 / d2;
  if (d1 <= 0 || d2 <= 0 || d3 <= 0) return false;  // NaN passes and shows in the residual
  inverse = glm::inverse(D);
  return true;
}

}  // namespace

// A column of the factor is a particle.
struct CholeskyFactor::Parts {
  // The structure.
  std::shared_ptr<const SpringPattern> pattern;
  std::vector<std::uint32_t> particle;    // column -> particle
  std::vector<std::uint32_t> column;      // particle -> column
  std::vector<std::size_t> above_begin;   // column -> its first block above the diagonal; one more at the end
  std::vector<std::uint32_t> above;       // their rows, ascending
  std::vector<std::size_t> spring_block;  // spring -> its block above the diagonal
  std::vector<std::uint32_t> parent;      // elimination tree
  std::vector<std::size_t> below_begin;   // column of L -> its first block below the diagonal

  // The values.
  std::unique_ptr<mat3[]> blocks;  // of the filtered matrix, above the diagonal
  std::vector<mat3> diagonal;
  std::unique_ptr<std::uint32_t[]> below;  // rows of L
  std::unique_ptr<mat3[]> L;
  std::vector<mat3> inverse_D;
  std::vector<std::size_t> below_end;  // column of L -> as far as it is filled
  bool factored = false;               // L and inverse_D belong to the matrix of the last solve

  std::vector<mat3> work, by_particle;
  std::vector<std::uint32_t> mark, stack, path;
  std::vector<vec3> permuted;

  // Calls body(i, j, block) for the couplings of different particles by stencils.
  template <class Body>
  static void for_stencil_couplings(const SpringMatrix& A, const Body& body) {
    for (const SpringMatrix::Stencil& stencil : A.stencils()) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
        for (std::size_t l = 0; l < k; ++l) {
          if (stencil.particle[k] == stencil.particle[l]) continue;  // is part of the diagonal block
          body(stencil.particle[k], stencil.particle[l], (stencil.weight[k] * stencil.weight[l]) * stencil.C);
        }
      }
    }
  }

  // The block above the diagonal that joins two particles, or above.size() where there is none.
  std::size_t find(std::uint32_t i, std::uint32_t j) const {
    const auto [row, col] = std::minmax(column[i], column[j]);
    const auto begin = above.begin() + static_cast<std::ptrdiff_t>(above_begin[col]);
    const auto end = above.begin() + static_cast<std::ptrdiff_t>(above_begin[col + 1]);
    const auto at = std::lower_bound(begin, end, row);
    return at != end && *at == row ? static_cast<std::size_t>(at - above.begin()) : above.size();
  }

  bool fits(const SpringMatrix& A) const {
    if (pattern != A.shared_pattern()) return false;
    bool fits = true;
    for_stencil_couplings(
        A, [&](std::uint32_t i, std::uint32_t j, const mat3&) { fits = fits && find(i, j) < above.size(); });
    return fits;
  }

  // Throws Cancelled when stopped; `pattern` is null then, so that nothing fits.
  void analyse(const SpringMatrix& A, const StopProbe& stop) {
    CancelPoint cancel(stop);
    pattern.reset();
    factored = false;
    const std::size_t n = A.size();
    find_order(A, stop, cancel);
    find_tree(n, cancel);

    // Arrays of the factor's size are not initialised here: that would delay a stop.
    const std::size_t size_of_L = below_begin[n];
    blocks.reset();
    below.reset();
    L.reset();
    blocks = std::make_unique_for_overwrite<mat3[]>(above.size());
    below = std::make_unique_for_overwrite<std::uint32_t[]>(size_of_L);
    L = std::make_unique_for_overwrite<mat3[]>(size_of_L);
    for (std::vector<mat3>* v : {&diagonal, &inverse_D, &work, &by_particle}) {
      cancel.look();
      v->resize(n);
    }
    cancel.look();
    permuted.resize(n);
    below_end.resize(n);
    stack.resize(n);
    path.resize(n);
    cancel.look();
    pattern = A.shared_pattern();
  }

  // The order of elimination, and the blocks above the diagonal in it.
  void find_order(const SpringMatrix& A, const StopProbe& stop, CancelPoint& cancel) {
    const SpringPattern& of_springs = A.pattern();
    const std::size_t n = A.size();
    std::vector<SpringPattern::Pair> pairs;
    pairs.reserve(of_springs.springs());
    for (std::size_t s = 0; s < of_springs.springs(); ++s) {
      cancel.pass();
      pairs.push_back(of_springs.ends(s));
    }
    for_stencil_couplings(A, [&](std::uint32_t i, std::uint32_t j, const mat3&) { pairs.push_back({i, j}); });
    const Graph graph = Graph::build(n, pairs, stop);
    particle = nested_dissection(graph, stop);
    column.resize(n);
    for (std::uint32_t k = 0; k < n; ++k) column[particle[k]] = k;

    above.clear();
    above_begin.assign(1, 0);
    for (std::uint32_t k = 0; k < n; ++k) {
      for (std::uint32_t neighbour : graph.neighbours(particle[k])) {
        cancel.pass();
        if (column[neighbour] < k) above.push_back(column[neighbour]);
      }
      std::sort(above.begin() + static_cast<std::ptrdiff_t>(above_begin.back()), above.end());
      above_begin.push_back(above.size());
    }
    spring_block.resize(of_springs.springs());
    for (std::size_t s = 0; s < spring_block.size(); ++s) {
      cancel.pass();
      const auto [i, j] = of_springs.ends(s);
      spring_block[s] = find(i, j);
    }
  }

  // The elimination tree, and the number of blocks in each column of L.
  void find_tree(std::size_t n, CancelPoint& cancel) {
    parent.assign(n, kNoColumn);
    mark.assign(n, kNoColumn);
    below_begin.assign(n + 1, 0);
    for (std::uint32_t k = 0; k < n; ++k) {
      mark[k] = k;
      for (std::size_t b = above_begin[k]; b < above_begin[k + 1]; ++b) {
        for (std::uint32_t i = above[b]; mark[i] != k; i = parent[i]) {
          cancel.pass();
          if (parent[i] == kNoColumn) parent[i] = k;
          mark[i] = k;
          ++below_begin[i + 1];
        }
      }
    }
    for (std::size_t k = 0; k < n; ++k) below_begin[k + 1] += below_begin[k];
  }

  // The values of S A S + I - S; false when stopped.
  bool assemble(WorkerPool& pool, const SpringMatrix& A, const Projection& projection, Watch& watch) {
    for (std::size_t k = 0; k < diagonal.size(); ++k) {
      std::fill(blocks.get() + above_begin[k], blocks.get() + above_begin[k + 1], mat3(0.0));
      if (watch.stopped_after(above_begin[k + 1] - above_begin[k])) return false;
    }
    for (std::size_t s = 0; s < spring_block.size(); ++s) {
      const SpringMatrix::Spring& spring = A.spring(s);
      blocks[spring_block[s]] -= glm::outerProduct(spring.u, spring.u) + mat3(spring.b);
      if (watch.stopped_after(1)) return false;
    }
    for_stencil_couplings(
        A, [&](std::uint32_t i, std::uint32_t j, const mat3& block) { blocks[find(i, j)] += block; });
    A.diagonal_blocks(pool, by_particle);
    for (std::size_t k = 0; k < diagonal.size(); ++k) diagonal[k] = by_particle[particle[k]];

    for (const Projection::Entry& entry : projection.entries()) {
      mat3& block = diagonal[column[entry.particle]];
      block = entry.S * block * entry.S + (mat3(1.0) - entry.S);
    }
    if (projection.entries().empty()) return true;
    for (std::size_t k = 0; k < diagonal.size(); ++k) {
      const Projection::Entry* of_column = projection.find(particle[k]);
      for (std::size_t b = above_begin[k]; b < above_begin[k + 1]; ++b) {
        const Projection::Entry* of_row = projection.find(particle[above[b]]);
        if (of_row != nullptr) blocks[b] = of_row->S * blocks[b];
        if (of_column != nullptr) blocks[b] = blocks[b] * of_column->S;
      }
      if (watch.stopped_after(above_begin[k + 1] - above_begin[k])) return false;
    }
    return true;
  }

  // Row k of L from the columns before it: the blocks y_i = D_i L_ki^T solve a triangular system whose
  // nonzeros are the nodes of the elimination tree that the column of A reaches.
  Outcome factorise(Watch& watch) {
    const std::size_t n = diagonal.size();
    std::copy(below_begin.begin(), below_begin.end() - 1, below_end.begin());
    std::fill(work.begin(), work.end(), mat3(0.0));
    std::fill(mark.begin(), mark.end(), kNoColumn);
    for (std::uint32_t k = 0; k < n; ++k) {
      std::size_t top = n;
      mark[k] = k;
      for (std::size_t b = above_begin[k]; b < above_begin[k + 1]; ++b) {
        work[above[b]] = blocks[b];
        std::size_t length = 0;
        for (std::uint32_t i = above[b]; mark[i] != k; i = parent[i]) {
          path[length++] = i;
          mark[i] = k;
        }
        while (length > 0) stack[--top] = path[--length];
      }
      mat3 D = diagonal[k];
      for (; top < n; ++top) {
        const std::uint32_t i = stack[top];
        const mat3 yi = work[i];
        work[i] = mat3(0.0);
        for (std::size_t e = below_begin[i]; e < below_end[i]; ++e) work[below[e]] -= L[e] * yi;
        // A late column of a large cloth may take long.
        if (watch.stopped_after(1 + below_end[i] - below_begin[i])) return Outcome::stopped;
        const mat3 lki = glm::transpose(inverse_D[i] * yi);
        D -= lki * yi;
        below[below_end[i]] = k;
        L[below_end[i]] = lki;
        ++below_end[i];
      }
      if (!invert_positive(D, inverse_D[k])) return Outcome::indefinite;
    }
    return Outcome::done;
  }

  bool add_solution(std::span<const vec3> r, std::span<vec3> y, Watch& watch) {
    const std::size_t n = diagonal.size();
    for (std::size_t k = 0; k < n; ++k) permuted[k] = r[particle[k]];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t e = below_begin[i]; e < below_end[i]; ++e) permuted[below[e]] -= L[e] * permuted[i];
      if (watch.stopped_after(1 + below_end[i] - below_begin[i])) return false;
    }
    for (std::size_t i = n; i-- > 0;) {
      permuted[i] = inverse_D[i] * permuted[i];
      for (std::size_t e = below_begin[i]; e < below_end[i]; ++e) permuted[i] -= permuted[below[e]] * L[e];
      if (watch.stopped_after(1 + below_end[i] - below_begin[i])) return false;
    }
    for (std::size_t k = 0; k < n; ++k) y[particle[k]] += permuted[k];
    return true;
  }
};

CholeskyFactor::CholeskyFactor() : parts_(std::make_unique<Parts>()) {}
CholeskyFactor::~CholeskyFactor() = default;

bool CholeskyFactor::analyse(const SpringMatrix& A, const StopProbe& stop) {
  try {
    if (!parts_->fits(A)) parts_->analyse(A, stop);
  } catch (const Cancelled&) {
    return false;
  }
  return true;
}

CholeskyFactor::Outcome CholeskyFactor::compute(const ComputeContext& context, const LinearSystem& system) {
  Watch watch(context.stop);
  parts_->factored = false;
  if (!parts_->assemble(context.pool, system.A, system.projection, watch)) return Outcome::stopped;
  const Outcome outcome = parts_->factorise(watch);
  parts_->factored = outcome == Outcome::done;
  return outcome;
}

bool CholeskyFactor::holds(const SpringMatrix& A) const {
  return parts_->factored && parts_->pattern == A.shared_pattern();
}

void CholeskyFactor::forget() { parts_->factored = false; }

bool CholeskyFactor::add_solution(std::span<const vec3> r, std::span<vec3> y, const StopProbe& stop) {
  Watch watch(stop);
  return parts_->add_solution(r, y, watch);
}

}  // namespace clothlab
