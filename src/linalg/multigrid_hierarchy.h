// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "linalg/block_matrix.h"
#include "linalg/galerkin.h"
#include "linalg/linear_system.h"
#include "linalg/row_space.h"
#include "linalg/single_spring_matrix.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace clothlab {

/// A step of the Chebyshev iteration for A x = r after its first:
///   x_k+1 = x_k + again (x_k - x_k-1) + second D⁻¹ (r - A x_k).
struct ChebyshevStep {
  float again, second;
};
/// Four steps for the part [lambda / part, lambda] of the spectrum of D⁻¹A. The first is
///   x_1 = x_0 + first D⁻¹ (r - A x_0).
struct Chebyshev {
  float first;
  std::array<ChebyshevStep, 3> steps;

  Chebyshev(double lambda, double part) {
    const double low = lambda / part;
    const double theta = (lambda + low) / 2;
    const double delta = (lambda - low) / 2;
    const double sigma = theta / delta;
    first = static_cast<float>(1 / theta);
    double rho = 1 / sigma;
    for (ChebyshevStep& step : steps) {
      const double next = 1 / (2 * sigma - rho);
      step = {static_cast<float>(next * rho), static_cast<float>(2 * next / delta)};
      rho = next;
    }
  }
};

/// One level: its smoother, for A x = r, and the interpolation from the next coarser level. Row i of its
/// vectors belongs to node i; `previous` and `x` are the last two iterates.
struct MultigridLevel {
  std::vector<SingleSymmetric> inverse;  // D⁻¹
  Chebyshev chebyshev;
  SingleVector r, x, previous;
  Prolongation P;  // empty on the coarsest level
  Restriction transposed;

  explicit MultigridLevel(double part) : chebyshev(2.0, part) {}

  // Row i of the next iterate, given row i of A x: the first step from x_0 = 0 (without a product), the
  // second step after it, the first step from any x_0, and every later step.
  Quad first_from_zero(std::size_t i) const { return chebyshev.first * (inverse[i] * r[i]); }
  Quad second_from_zero(std::size_t i, Quad Ax) const {
    const auto [again, second] = chebyshev.steps[0];
    return (1 + again) * x[i] + second * (inverse[i] * (r[i] - Ax));
  }
  Quad first(std::size_t i, Quad Ax) const { return x[i] + chebyshev.first * (inverse[i] * (r[i] - Ax)); }
  Quad next_iterate(const ChebyshevStep& step, std::size_t i, Quad Ax) const {
    return x[i] + step.again * (x[i] - previous[i]) + step.second * (inverse[i] * (r[i] - Ax));
  }
};

/// The direct solver of multigrid's coarsest level: a dense Cholesky factor.
class CoarsestSolver {
 public:
  /// Largest number of nodes of a level that is solved directly.
  static constexpr std::size_t kMostNodes = 48;

  /// Allocates for this number of nodes.
  void reserve(std::size_t nodes);
  /// Factorises scale A; false if it is not positive definite.
  bool factorise(const BlockMatrix& A, double scale);
  /// x := (scale A)⁻¹ r
  void solve(const SingleVector& r, SingleVector& x);

 private:
  Eigen::MatrixXd dense_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd vector_;
};

/// The levels of multigrid: their structure, built once (`build`), and their values for the current matrix
/// (`compute_values`).
struct MultigridHierarchy {
  // Rows of a coarse level per task of a thread; smaller levels are not distributed.
  static constexpr std::size_t kCoarseGrain = 128;
  // The part [1/part, 1] of the spectrum that the smoother damps before and after a correction. Chosen, as
  // the number of its steps, for the shortest solves, then for the fewest iterations.
  static constexpr double kFinestPart = 10;
  static constexpr double kCoarsePart = 16;

  /// The finest level, in single precision.
  struct Finest : MultigridLevel {
    struct Part {
      std::uint32_t row_begin, row_end = 0;
      std::span<const std::uint32_t> slots;
      RankOneTerms terms;  // of the numbers d of the rows, then of the springs
      PartialSums sums;
      Part(std::uint32_t first_row, std::size_t coarse_blocks) : row_begin(first_row), sums(coarse_blocks) {}
      bool has_room() const { return sums.has_room_for(RankOneTerms::kMostTargets); }
    };

    Finest() : MultigridLevel(kFinestPart) {}

    SingleSpringMatrix A;
    SingleVector next;        // of iterates: a product needs a vector for its sums
    std::vector<Part> parts;  // of the next coarser matrix
  };
  struct CoarseLevel : MultigridLevel {
    CoarseLevel() : MultigridLevel(kCoarsePart) {}

    BlockMatrix A;
    SingleBlockMatrix single;  // the same, scaled as the finest level
    GalerkinTerms from_finer;  // empty on the first coarse level: see Finest::parts
  };

  /// Two vectors, by row, that may be overwritten.
  struct Scratch {
    RowVector &first, &second;
  };

  // The structure, and its inputs.
  std::shared_ptr<const SpringPattern> pattern;
  std::vector<std::uint32_t> constrained;  // rows, without passing entries
  std::vector<std::uint8_t> exponent;      // by slot: the spring's strength, see StrengthScale
  Finest finest;
  std::vector<CoarseLevel> coarser;
  std::vector<char> has_temporary;  // by chunk: stencils or passing entries in the values of the smoother
  CoarsestSolver coarsest_solver;

  // Of the current solve.
  WorkerPool* pool = nullptr;
  const SpringMatrix* A = nullptr;
  const RowFilter* filter = nullptr;
  const StopProbe* stop = nullptr;
  bool direct = false;  // the coarsest level has its factor

  /// Computes the values of A; throws Cancelled. With a million particles each stage costs 0.1 s.
  void compute_values(const Scratch& scratch);
  /// Only the smoother of the finest level, for other stencils and passing entries.
  void compute_smoother(const Scratch& scratch);

  template <class Body>
  void for_nodes(std::size_t n, const Body& body) const {
    for_each(*pool, n, kCoarseGrain, body);
  }

 private:
  bool may_fit() const;
  float strength(std::size_t slot) const;
  std::vector<char> strong_springs(CancelPoint& cancel) const;
  CouplingGraph finest_graph(CancelPoint& cancel) const;
  void make_finest_parts(const BlockMatrix& coarse, CancelPoint& cancel);
  void build();
  void build_levels(std::vector<char> active, CancelPoint& cancel);

  bool find_temporary(std::size_t chunk);
  bool assign_finest(const Scratch& scratch);
  void invert(std::uint32_t begin, std::uint32_t end, const Scratch& scratch);
  void add_finest(CoarseLevel& level);
  void add_passing(CoarseLevel& level, const Scratch& scratch);
  void add_pair(CoarseLevel& level, const SpringMatrix::Stencil& stencil, std::size_t k, std::size_t l);
  void prepare_smoother(CoarseLevel& level) const;
};

}  // namespace clothlab
