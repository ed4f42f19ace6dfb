// SPDX-License-Identifier: MIT
#include "linalg/cholesky_factor.h"

#include <algorithm>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/cancel_point.h"
#include "linalg/nested_dissection.h"

namespace clothlab {

namespace {

constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();

// A block as mat3, or as the number c if all blocks are c I.
template <class Block>
Block as_block(const mat3& block) {
  if constexpr (std::is_same_v<Block, mat3>) {
    return block;
  } else {
    return block[0][0];
  }
}

// True if all blocks of S A S + I - S are multiples of I.
bool is_scalar(const SpringMatrix& A, const Projection& projection) {
  const auto multiple_of_identity = [](const mat3& block) { return block == mat3(block[0][0]); };
  for (std::size_t slot = 0; slot < A.pattern().springs(); ++slot) {
    if (A.spring_in(slot).u != vec3(0.0)) return false;
  }
  return std::ranges::all_of(A.stencils(), [&](const auto& s) { return multiple_of_identity(s.C); }) &&
         std::ranges::all_of(projection.entries(), [&](const auto& e) { return multiple_of_identity(e.S); });
}

double transposed(double block) { return block; }
mat3 transposed(const mat3& block) { return glm::transpose(block); }

bool invert_positive(double d, double& inverse) {
  if (d <= 0) return false;  // NaN passes and shows in the residual
  inverse = 1 / d;
  return true;
}

// The inverse of a symmetric 3x3 matrix; false if the signs of its pivots show that it is not positive
// definite.
bool invert_positive(const mat3& D, mat3& inverse) {
  const double d1 = D[0][0];
  const double d2 = D[1][1] - D[1][0] * D[1][0] / d1;
  const double l32 = D[2][1] - D[2][0] * D[1][0] / d1;
  const double d3 = D[2][2] - D[2][0] * D[2][0] / d1 - l32 * l32 / d2;
  if (d1 <= 0 || d2 <= 0 || d3 <= 0) return false;  // NaN passes and shows in the residual
  inverse = glm::inverse(D);
  return true;
}

// Calls body(i, j, block) for the couplings of different particles by stencils.
template <class Body>
void for_stencil_couplings(const SpringMatrix& A, const Body& body) {
  for (const SpringMatrix::Stencil& stencil : A.stencils()) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
      for (std::size_t l = 0; l < k; ++l) {
        if (stencil.particle[k] == stencil.particle[l]) continue;  // is part of the diagonal block
        body(stencil.particle[k], stencil.particle[l], (stencil.weight[k] * stencil.weight[l]) * stencil.C);
      }
    }
  }
}

// The elimination order and the nonzeros of the factor. A column of the factor is a particle.
struct Structure {
  std::shared_ptr<const SpringPattern> pattern;
  std::vector<std::uint32_t> particle;    // column -> particle
  std::vector<std::uint32_t> column;      // particle -> column
  std::vector<std::size_t> above_begin;   // column -> its first block above the diagonal; one more at the end
  std::vector<std::uint32_t> above;       // their rows, ascending
  std::vector<std::size_t> spring_block;  // spring -> its block above the diagonal
  std::vector<std::uint32_t> parent;      // elimination tree
  std::vector<std::size_t> below_begin;   // column of L -> its first block below the diagonal

  std::unique_ptr<std::uint32_t[]> below;  // rows of L, which a factorisation writes
  std::vector<std::size_t> below_end;      // column of L -> as far as it is filled
  std::vector<Symmetric> by_row;
  std::vector<std::uint32_t> mark, stack, path;
  std::vector<vec3> permuted;

  // The block above the diagonal that joins two particles, or above.size() if there is none.
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

  // Throws Cancelled when stopped; `pattern` is null then and fits no matrix.
  void analyse(const SpringMatrix& A, const StopProbe& stop) {
    CancelPoint cancel(stop);
    pattern.reset();
    const std::size_t n = A.size();
    find_order(A, stop, cancel);
    find_tree(n, cancel);

    // Not initialised: that would delay a stop.
    below.reset();
    below = std::make_unique_for_overwrite<std::uint32_t[]>(below_begin[n]);
    cancel.poll();
    by_row.resize(n);
    cancel.poll();
    permuted.resize(n);
    below_end.resize(n);
    stack.resize(n);
    path.resize(n);
    cancel.poll();
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
    const Graph graph = simple_graph(n, pairs, stop);
    particle = nested_dissection(graph, stop);
    column.resize(n);
    for (std::uint32_t k = 0; k < n; ++k) column[particle[k]] = k;

    above.clear();
    above_begin.assign(1, 0);
    for (std::uint32_t k = 0; k < n; ++k) {
      for (std::uint32_t neighbour : graph[particle[k]]) {
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
};

// The values of a factor, allocated at its first factorisation on a structure, because only one of the two
// kinds may be needed.
template <class Block>
struct Values {
  std::unique_ptr<Block[]> blocks;  // of the filtered matrix, above the diagonal
  std::vector<Block> diagonal;
  std::unique_ptr<Block[]> L;
  std::vector<Block> inverse_D;
  std::vector<Block> work;

  bool compute(Structure& s, const ComputeContext& context, const LinearSystem& system) {
    CancelPoint cancel(context.stop);
    make_room(s, cancel);
    assemble(s, context.pool, system.A, system.projection, cancel);
    return factorise(s, cancel);
  }

  // Arrays of the factor's size are not initialised here: that would delay a stop.
  void make_room(const Structure& s, const CancelPoint& cancel) {
    if (L != nullptr) return;
    blocks = std::make_unique_for_overwrite<Block[]>(s.above.size());
    for (std::vector<Block>* v : {&diagonal, &inverse_D, &work}) {
      cancel.poll();
      v->resize(s.column.size());
    }
    L = std::make_unique_for_overwrite<Block[]>(s.below_begin.back());
  }

  // The values of S A S + I - S.
  void assemble(Structure& s, WorkerPool& pool, const SpringMatrix& A, const Projection& projection,
                CancelPoint& cancel) {
    const std::size_t n = diagonal.size();
    for (std::size_t k = 0; k < n; ++k) {
      std::fill(blocks.get() + s.above_begin[k], blocks.get() + s.above_begin[k + 1], Block(0.0));
      cancel.pass(s.above_begin[k + 1] - s.above_begin[k]);
    }
    for (std::size_t spring = 0; spring < s.spring_block.size(); ++spring) {
      const auto& [u, b] = A.spring(spring);
      blocks[s.spring_block[spring]] -= as_block<Block>(full(spring_block(u, b)));
      cancel.pass();
    }
    for_stencil_couplings(A, [&](std::uint32_t i, std::uint32_t j, const mat3& block) {
      blocks[s.find(i, j)] += as_block<Block>(block);
    });
    A.diagonal_blocks(pool, s.by_row);
    for (std::size_t k = 0; k < n; ++k)
      diagonal[k] = as_block<Block>(full(s.by_row[A.pattern().row[s.particle[k]]]));

    for (const Projection::Entry& entry : projection.entries()) {
      Block& block = diagonal[s.column[entry.particle]];
      const Block S = as_block<Block>(entry.S);
      block = S * block * S + (Block(1.0) - S);
    }
    if (projection.entries().empty()) return;
    for (std::size_t k = 0; k < n; ++k) {
      const Projection::Entry* of_column = projection.find(s.particle[k]);
      for (std::size_t b = s.above_begin[k]; b < s.above_begin[k + 1]; ++b) {
        const Projection::Entry* of_row = projection.find(s.particle[s.above[b]]);
        if (of_row != nullptr) blocks[b] = as_block<Block>(of_row->S) * blocks[b];
        if (of_column != nullptr) blocks[b] = blocks[b] * as_block<Block>(of_column->S);
      }
      cancel.pass(s.above_begin[k + 1] - s.above_begin[k]);
    }
  }

  // Row k of L from the columns before it: the blocks y_i = D_i L_ki^T solve a triangular system whose
  // nonzeros are the nodes of the elimination tree that the column of A reaches. False if a pivot block is
  // not positive definite.
  bool factorise(Structure& s, CancelPoint& cancel) {
    const std::size_t n = diagonal.size();
    std::uint32_t* const below = s.below.get();
    std::copy(s.below_begin.begin(), s.below_begin.end() - 1, s.below_end.begin());
    std::fill(work.begin(), work.end(), Block(0.0));
    std::fill(s.mark.begin(), s.mark.end(), kNoColumn);
    for (std::uint32_t k = 0; k < n; ++k) {
      std::size_t top = n;
      s.mark[k] = k;
      for (std::size_t b = s.above_begin[k]; b < s.above_begin[k + 1]; ++b) {
        work[s.above[b]] = blocks[b];
        std::size_t length = 0;
        for (std::uint32_t i = s.above[b]; s.mark[i] != k; i = s.parent[i]) {
          s.path[length++] = i;
          s.mark[i] = k;
        }
        while (length > 0) s.stack[--top] = s.path[--length];
      }
      Block D = diagonal[k];
      for (; top < n; ++top) {
        const std::uint32_t i = s.stack[top];
        const std::size_t begin = s.below_begin[i], end = s.below_end[i];
        const Block yi = work[i];
        work[i] = Block(0.0);
        for (std::size_t e = begin; e < end; ++e) work[below[e]] -= L[e] * yi;
        // A late column of a large cloth may take long.
        cancel.pass(1 + end - begin);
        const Block lki = transposed(inverse_D[i] * yi);
        D -= lki * yi;
        below[end] = k;
        L[end] = lki;
        ++s.below_end[i];
      }
      if (!invert_positive(D, inverse_D[k])) return false;
    }
    return true;
  }

  void add_solution(Structure& s, std::span<const vec3> r, std::span<vec3> y, CancelPoint& cancel) const {
    const std::size_t n = diagonal.size();
    const std::uint32_t* const below = s.below.get();
    vec3* const x = s.permuted.data();
    for (std::size_t k = 0; k < n; ++k) x[k] = r[s.particle[k]];
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t begin = s.below_begin[i], end = s.below_end[i];
      const vec3 xi = x[i];
      for (std::size_t e = begin; e < end; ++e) x[below[e]] -= L[e] * xi;
      cancel.pass(1 + end - begin);
    }
    for (std::size_t i = n; i-- > 0;) {
      const std::size_t begin = s.below_begin[i], end = s.below_end[i];
      vec3 xi = inverse_D[i] * x[i];
      for (std::size_t e = begin; e < end; ++e) xi -= x[below[e]] * L[e];
      x[i] = xi;
      cancel.pass(1 + end - begin);
    }
    for (std::size_t k = 0; k < n; ++k) y[s.particle[k]] += x[k];
  }
};

}  // namespace

struct CholeskyFactor::Parts {
  Structure structure;
  Values<mat3> by_blocks;
  Values<double> by_numbers;
  bool scalar = false;    // by_numbers is used
  bool factored = false;  // the values belong to the matrix of the last solve
};

CholeskyFactor::CholeskyFactor() : parts_(std::make_unique<Parts>()) {}
CholeskyFactor::~CholeskyFactor() = default;

void CholeskyFactor::analyse(const SpringMatrix& A, const StopProbe& stop) {
  Parts& p = *parts_;
  if (p.structure.fits(A)) return;
  p.factored = false;
  p.by_blocks = {};
  p.by_numbers = {};
  p.structure.analyse(A, stop);
}

bool CholeskyFactor::compute(const ComputeContext& context, const LinearSystem& system) {
  Parts& p = *parts_;
  p.factored = false;
  p.scalar = is_scalar(system.A, system.projection);
  p.factored = p.scalar ? p.by_numbers.compute(p.structure, context, system)
                        : p.by_blocks.compute(p.structure, context, system);
  return p.factored;
}

bool CholeskyFactor::holds(const SpringMatrix& A) const {
  return parts_->factored && parts_->structure.pattern == A.shared_pattern();
}

void CholeskyFactor::forget() { parts_->factored = false; }

void CholeskyFactor::add_solution(std::span<const vec3> r, std::span<vec3> y, const StopProbe& stop) {
  CancelPoint cancel(stop);
  Parts& p = *parts_;
  p.scalar ? p.by_numbers.add_solution(p.structure, r, y, cancel)
           : p.by_blocks.add_solution(p.structure, r, y, cancel);
}

}  // namespace clothlab
