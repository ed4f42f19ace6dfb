// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>
#include <memory>
#include <span>
#include <vector>

#include "core/compressed_rows.h"
#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace clothlab {

// A spring between the particles i and j adds one block B = u uᵀ + b I to four blocks of the matrix, with the
// signs of a graph's Laplacian, so a product needs no stored blocks: f = B (x_i − x_j), y_i += f, y_j −= f.
//
//             i    j           rows    0 1 2 3 4 5 | 6 7 8 9 10 11 | 12 13 ...
//       i  [ +B   −B ]         chunks  [    0    ]   [     1     ]   [   2
//       j  [ −B   +B ]         inner spring (1, 4): chunk 0 computes f and adds it to both rows
//                              outer spring (4, 8): chunk 0 computes f for row 4, chunk 1 again for row 8
//
// Every chunk writes its own rows only and adds the terms of a row in a fixed order (springs from other
// chunks, stencils, its own springs): no locks, and the same bits for any number of threads. Few springs are
// outer ones, because joined rows are close together. Values lie in slot order (by lower row, then
// upper row), so that a product reads memory once, front to back.

/// Which particles the springs join; built once per mesh and shared by all matrices on it.
///
/// Particles are renumbered into *rows*, with joined particles close together for any order in the file,
/// and rows are cut into *chunks*, the unit of work of a thread. Both depend only on the mesh. Solvers use
/// rows; other code uses particles.
struct SpringPattern {
  using Pair = std::array<std::uint32_t, 2>;

  /// Every pair joins two different particles below `particles`; several springs may join the same two.
  /// Throws Cancelled on request of `stop`.
  static std::shared_ptr<const SpringPattern> build(std::size_t particles, std::span<const Pair> springs,
                                                    const StopProbe& stop = {});

  std::size_t particles() const { return particle.size(); }
  std::size_t springs() const { return slot.size(); }
  std::size_t chunks() const { return chunk_begin.size() - 1; }
  /// The two particles that spring s joins.
  Pair ends(std::size_t s) const { return {particle[lower[slot[s]]], particle[upper[slot[s]]]}; }
  std::size_t chunk_of(std::size_t row) const;

  std::vector<std::uint32_t> particle;     ///< row -> particle
  std::vector<std::uint32_t> row;          ///< particle -> row
  std::vector<std::uint32_t> part;         ///< row -> its connected part
  std::size_t parts = 0;                   ///< how many there are
  std::vector<std::uint32_t> chunk_begin;  ///< chunk c owns the rows [chunk_begin[c], chunk_begin[c + 1])

  /// A spring is kept in the *slot* given by its lower row, then its upper row.
  std::vector<std::uint32_t> slot;        ///< spring -> slot
  std::vector<std::uint32_t> slot_begin;  ///< row -> first slot whose lower row it is; one more at the end
  std::vector<std::uint32_t> slot_outer;  ///< row -> first of its slots whose upper row is in another chunk
  std::vector<std::uint32_t> lower;       ///< slot -> lower row
  std::vector<std::uint32_t> upper;       ///< slot -> upper row

  /// Outer springs from a lower chunk, which this chunk computes again for its own end.
  struct Incoming {
    std::uint32_t slot, lower, upper;
  };
  CompressedRows<Incoming> incoming;  ///< of each chunk, sorted by upper row, then slot

  /// A product traverses a chunk in short blocks of rows and clears only the rows to which the next block
  /// adds, so these stay in the first-level cache until they are complete.
  struct Block {
    std::uint32_t end;    ///< end of its rows, which begin at the end of the block before
    std::uint32_t reach;  ///< no row below `end` is joined to a row of the chunk from here on
  };
  CompressedRows<Block> blocks;  ///< of each chunk
};

/// A symmetric matrix on the particles of a mesh, matrix-free: four numbers per spring instead of blocks,
///   A = diag(d_i I) + sum_s (e_i - e_j)(e_i - e_j)^T (x) (u_s u_s^T + b_s I) + sum_p w_p w_p^T (x) C_p.
/// A spring of stiffness k, length l, rest length L and direction n puts u = sqrt(k L/l) n and
/// b = k (1 - L/l) (negative under compression unless clamped), both times the factor of the equation. Point
/// stencils p (the mouse spring, contacts) couple up to four particles.
///
/// One product of a 128 x 128 sheet, one thread, in ms (bench/matrix_forms.cpp measures them): 0.20 in this
/// form, 0.40 with stored symmetric 3x3 blocks, 0.64 with all blocks of a row, 0.72 and 0.96 with Eigen's.
class SpringMatrix {
 public:
  struct alignas(32) Spring {
    vec3 u{0.0};   ///< the block is u u^T + b I
    double b = 0;  ///< may be negative

    /// Along the spring: the largest eigenvalue of the block if b >= 0.
    double stiffness() const { return u.x * u.x + u.y * u.y + u.z * u.z + b; }
  };
  /// w w^T (x) C for up to four particles; with one particle and weight 1, a block on its diagonal.
  struct Stencil {
    std::array<std::uint32_t, 4> particle{};
    std::array<double, 4> weight{};
    int count = 0;  ///< how many of the four are used
    mat3 C{0.0};    ///< symmetric

    /// At least the largest absolute eigenvalue of C: its Frobenius norm.
    double size() const {
      return std::sqrt(glm::dot(C[0], C[0]) + glm::dot(C[1], C[1]) + glm::dot(C[2], C[2]));
    }
  };

  /// Zero. Throws Cancelled on request of `stop`.
  explicit SpringMatrix(std::shared_ptr<const SpringPattern> pattern, const StopProbe& stop = {});

  const SpringPattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const SpringPattern>& shared_pattern() const { return pattern_; }
  std::size_t size() const { return diagonal_.size(); }

  /// d_i of particle i.
  double& diagonal(std::size_t i) { return diagonal_[pattern_->row[i]]; }
  double diagonal(std::size_t i) const { return diagonal_[pattern_->row[i]]; }
  /// The same by row.
  std::span<double> diagonal_by_row() { return diagonal_; }
  std::span<const double> diagonal_by_row() const { return diagonal_; }
  /// The four numbers of a spring, in the order in which the pattern was built.
  Spring& spring(std::size_t s) { return values_[pattern_->slot[s]]; }
  const Spring& spring(std::size_t s) const { return values_[pattern_->slot[s]]; }
  /// The same by slot (see SpringPattern).
  Spring& spring_in(std::size_t slot) { return values_[slot]; }
  const Spring& spring_in(std::size_t slot) const { return values_[slot]; }
  void clear_stencils() { replace_stencils(0, {}); }
  /// In time linear in the size of the matrix.
  void add_stencils(std::span<const Stencil> added) { replace_stencils(stencils_.size(), added); }
  void add_stencil(const Stencil& stencil) { add_stencils({&stencil, 1}); }
  /// Replaces all stencils after the first `kept` of them.
  void replace_stencils(std::size_t kept, std::span<const Stencil> by);
  std::span<const Stencil> stencils() const { return stencils_; }

  /// The sum of the springs' stiffnesses over the sum of the d_i. For A = M - hD - h²K it is about h²K/M,
  /// which determines the convergence of an iteration for A.
  double relative_stiffness(WorkerPool& pool) const;

  /// y := A x, by particle; x and y are different and have one vector per particle.
  void multiply(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> y) const;
  /// The 3x3 block of every row on the diagonal of A.
  void diagonal_blocks(WorkerPool& pool, std::span<Symmetric> blocks) const;
  /// For smoothers, blocks D_i of the rows of one chunk with x . A x <= 2 sum_i x_i . D_i x_i for every x:
  /// the block of a spring is at most twice its diagonal part, and b < 0 is ignored. By row: xx, yy, zz in
  /// `diagonal`, xy, xz, yz in `rest`.
  void bounding_blocks(std::size_t chunk, Padded* diagonal, Padded* rest) const;

  /// For solvers: y := A x on the rows of one chunk, x and y by row; returns the sum of x . y over them.
  double multiply_chunk(std::size_t chunk, const Padded* x, Padded* y) const;
  /// y := A x + B v on the rows of one chunk, in one pass; B has the same pattern.
  void multiply_chunk(std::size_t chunk, const Padded* x, const SpringMatrix& B, const Padded* v,
                      Padded* y) const;
  /// Calls add(row, (sum_p w_p w_p^T (x) C_p x)_row) for every row of [begin, end) that a stencil p reaches,
  /// once for each of its points; x_of(row) is x there.
  template <class VectorOf, class Add>
  void for_stencil_forces(std::uint32_t begin, std::uint32_t end, const VectorOf& x_of,
                          const Add& add) const {
    for (const StencilPoint& point : points_of(begin, end)) {
      const Stencil& stencil = stencils_[point.stencil];
      vec3 mean(0.0);
      for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k)
        mean += stencil.weight[k] * x_of(pattern_->row[stencil.particle[k]]);
      add(point.row, point.weight * (stencil.C * mean));
    }
  }

  bool has_stencils_in(std::size_t chunk) const {
    return !points_of(pattern_->chunk_begin[chunk], pattern_->chunk_begin[chunk + 1]).empty();
  }
  /// Calls visit(stencil, w) for the stencils that reach particle i, w its weight there. A stencil that has i
  /// at several points is visited once for each.
  template <class Visit>
  void for_stencils_at(std::size_t i, const Visit& visit) const {
    const std::uint32_t row = pattern_->row[i];
    for (const StencilPoint& point : points_of(row, row + 1)) visit(stencils_[point.stencil], point.weight);
  }

 private:
  /// One particle of one stencil.
  struct StencilPoint {
    std::uint32_t row, stencil;
    double weight;
  };
  template <class Four, class Rows>
  struct Product;
  template <class Four>
  struct ProductOfTwo;
  /// The points of the rows [begin, end); empty without stencils.
  std::span<const StencilPoint> points_of(std::uint32_t begin, std::uint32_t end) const {
    if (points_.items.empty()) return {};
    return std::span(points_.items).subspan(points_.begin[begin], points_.begin[end] - points_.begin[begin]);
  }
  template <class Blocks, class StencilFactor, class BlockOf>
  void add_blocks(std::size_t chunk, const Blocks& blocks, const StencilFactor& factor_of,
                  const BlockOf& block_of) const;

  std::shared_ptr<const SpringPattern> pattern_;
  std::vector<double> diagonal_;  // by row
  std::vector<Spring> values_;    // by slot
  std::vector<Stencil> stencils_;
  CompressedRows<StencilPoint> points_;  // of each row, in the order in which they were added
};

}  // namespace clothlab
