// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/memory.h"
#include "linalg/cholesky_factor.h"
#include "linalg/multigrid.h"
#include "linalg/row_space.h"
#include "linalg/small_dense.h"
#include "linalg/vector_basis.h"

namespace clothlab {

/// (K + σM)⁻¹ on the free directions, for shift-invert methods: exact for small systems, by a Cholesky
/// factor, otherwise a V-cycle, which is symmetric positive definite for every σ.
class ShiftedInverse {
 public:
  /// Prepares the inverse for K, M and σ [1/s²]; K, the projection, the pool and the probe must remain until
  /// the last `apply`. False if K + σM is found not to be positive definite. Throws Cancelled.
  bool prepare(const ComputeContext& context, const SpringMatrix& K, std::span<const double> masses,
               const Projection& projection, double sigma);
  /// w := the inverse times w; returns wᵀ · inverse · w. Throws Cancelled.
  double apply(const ComputeContext& context, const Projection& projection, std::span<vec3> w);

  double sigma() const { return sigma_; }
  /// Assumed bound of wᵀ (K + σM)⁻¹ w over wᵀ · inverse · w: the condition number for which conjugate
  /// gradients need few iterations.
  double underestimate() const { return exact_ ? 1 : 4; }

 private:
  std::optional<SpringMatrix> shifted_;  // K + σM
  double sigma_ = 0;
  bool exact_ = true;
  CholeskyFactor factor_;
  std::vector<vec3> right_;
  Multigrid multigrid_;
  RowFilter filter_;
  RowVector r_, z_;
};

/// The s algebraically lowest modes of K x = λ M x on the free directions, XᵀMX = I; λ may be negative.
///
/// Block Davidson method: Rayleigh–Ritz in a subspace extended by (K + σM)⁻¹ times the residuals of the
/// wanted modes, or by a V-cycle for the inverse (ShiftedInverse). σ is a little above −λ_1; it grows if K
/// + σM is not positive definite, and is chosen again if it is far off. A few more modes and a fixed
/// pseudo-random vector are included, so that a mode whose λ has decreased is found. The start comes from
/// the last `keep`. A subspace as large as the problem gives the result of a dense solver.
///
/// If λ_s = λ_{s+1}, X is not unique. X therefore consists of whole eigenspaces: the c modes below the last
/// gap λ_{c+1} − λ_c, c <= s, that is larger than 10⁻⁸ ω_max² and than the errors of both values. c may be 0.
/// The largest component of a mode is positive.
class LowestModes {
 public:
  struct Result {
    bool converged = false;  ///< all residuals are within the tolerance
    bool finite = true;      ///< false: K is not finite; there are no modes
    bool stopped = false;    ///< by the stop probe
    int iterations = 0;
    double lowest = 0;    ///< λ_1 [1/s²], a Ritz value, also if no mode is unique
    double residual = 0;  ///< largest ‖K x − λ M x‖ in the norm of M⁻¹ [1/s²]
  };

  struct Request {
    std::size_t count;
    double scale;  ///< size of a large λ, 1/h² for a step h [1/s²], > 0
    double tolerance;
  };

  /// Finds the lowest min(count, free directions) modes, or fewer (see above), with residuals r = K x − λ M x
  /// that are as small as rounding allows or, B being the inverse or the V-cycle, of
  ///   √(rᵀ B r) ≤ tolerance √(scale + |λ|)   or   ‖r‖_{M⁻¹} ≤ tolerance (scale + |λ|).
  /// As B ≈ (K + σM)⁻¹, stiff parts of r have little weight, as in an implicit step of h = scale^−½: r
  /// changes its matrix (K + M/h²)/scale by a share of `tolerance`.
  Result compute(const ComputeContext& context, const SpringMatrix& K, std::span<const double> masses,
                 const Projection& projection, const Request& request);

  std::size_t count() const { return count_; }
  /// Mode j of unit mass, X_j [kg^-1/2], and λ_j [1/s²]; j < count().
  std::span<const vec3> mode(std::size_t j) const { return modes_.column(j); }
  double eigenvalue(std::size_t j) const { return eigenvalues_[j]; }

  /// The next call starts from the modes of the last one. Otherwise it starts as the last one did and gives
  /// the same bits for the same K.
  void keep();
  /// Appends the start of the next call.
  void save(Memory& memory) const;
  /// Restores the start of the next call, for n particles; none at the end of `memory`. Throws InputError.
  void load(MemoryReader& memory, std::size_t n);

 private:
  struct Problem;
  struct Range {
    double lowest = 0, highest = 0;  // λ_1 and λ_s, as far as they are known
  };
  // Members taking a Problem throw Cancelled.
  void search(Problem& p, Result& result);
  /// Allocates the largest sizes, so later calls allocate nothing.
  void make_room(const Problem& p);
  /// The first basis: of the whole space, or from the start and the known modes. False: no shift.
  bool begin_basis(const Problem& p);
  /// Extends the basis until the modes are found; false if a value is not finite.
  bool iterate(const Problem& p, Result& result);
  struct Growth {
    bool finite = true, accurate = true, grown = false;
  };
  /// Extends the basis by the residuals of the wanted modes that are not small yet, and, with `refines`, by
  /// the residuals of the last and the next mode.
  Growth extend_by_residuals(const Problem& p, bool refines, Result& result);
  /// Prepares the inverse for a σ above −λ_1, as far as that is known. False: none exists.
  bool find_shift(const Problem& p, const Range& expected);
  /// w := B w, B = M^1/2 (K + σM)^-1 M^1/2; returns the old wᵀ B w.
  double precondition(const Problem& p, std::span<vec3> w);
  /// Kv := M^-1/2 K M^-1/2 v
  void multiply(const Problem& p, std::span<const vec3> v, std::span<vec3> Kv);
  /// Orthonormalises and appends w; false if w is already in the span or the basis is full.
  bool extend(const Problem& p, std::span<vec3> w);
  /// True if there is a gap between the c lowest Ritz values and the next one.
  bool is_gap(const Problem& p, std::size_t c);
  /// The estimated error of Ritz value k if it is at most `limit`; otherwise an upper bound.
  double error(const Problem& p, std::size_t k, double limit);
  void compute_residual(const Problem& p, std::size_t k, std::span<vec3> r);  // K x − λ x of Ritz vector k
  void ritz();
  void restart(const Problem& p, std::size_t columns);
  void store_modes(const Problem& p);

  // Vectors are stored as M^1/2 x, for the ordinary eigenproblem of M^-1/2 K M^-1/2.
  VectorBasis basis_, product_, scratch_;  // V, K V, and scratch
  std::size_t size_ = 0;                   // vectors in V
  std::vector<double> reduced_;            // VᵀKV, capacity x capacity
  std::vector<double> packed_;             // the same, size x size
  SymmetricEigen eigen_;
  std::vector<double> coefficients_;
  std::vector<double> energies_;  // rᵀ B r of the Ritz vectors, if known
  std::vector<double> small_;     // ‖r‖ of wanted modes if it is small; else 0
  std::vector<vec3> w_, start_;
  RowVector in_, out_;
  std::vector<double> root_mass_, diagonal_;

  VectorBasis modes_;  // X
  std::size_t count_ = 0;
  std::vector<double> eigenvalues_;
  /// The end of a call, from which the next one may start.
  struct Start {
    VectorBasis vectors;  // Ritz vectors, the modes first
    std::size_t count = 0;
    Range range;
  };
  Start found_, kept_;  // kept_: of `keep`
  bool has_kept_ = false;

  ShiftedInverse inverse_;
};

}  // namespace clothlab
