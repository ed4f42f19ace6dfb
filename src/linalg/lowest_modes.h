// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/memory.h"
#include "linalg/cholesky.h"
#include "linalg/small_dense.h"
#include "linalg/vector_basis.h"

namespace clothlab {

/// The s algebraically lowest modes of K x = λ M x on the free directions, XᵀMX = I; λ may be negative.
///
/// Davidson's method in blocks: Rayleigh–Ritz in a growing subspace, which the residuals of the wanted modes
/// extend after (K + σM)⁻¹ has been applied to them; with that the subspace is the block Krylov space of
/// shift-invert, from any start. σ is a little above −λ_1; where K + σM is not positive definite, σ grows,
/// and where it turns out to be far off, it is chosen again. A few modes more than wanted are followed too,
/// and a fixed pseudo-random vector takes part each time, so that a mode which comes down from above is
/// found. The start is what `keep` was called for last. When the subspace would be all there is, it is taken
/// whole: the answer is that of a dense solver.
///
/// Where λ_s = λ_{s+1}, X would not be unique. So whole eigenspaces are taken, or left: the cut lies at the
/// last gap λ_{c+1} − λ_c, c <= s, that is larger than 10⁻⁸ ω_max² and than the errors of the two, and X has
/// c modes, possibly none. The largest component of a mode is positive.
class LowestModes {
 public:
  struct Result {
    bool converged = false;  ///< all residuals are within the tolerance
    bool finite = true;      ///< false: K had no usable values, and there are no modes
    bool stopped = false;    ///< the stop probe asked to give up
    int iterations = 0;
    double residual = 0;  ///< largest ‖K x − λ M x‖ in the norm of M⁻¹ [1/s²]
  };

  struct Request {
    std::size_t count;
    double scale;  ///< what counts as a large λ, 1/h² for a step h [1/s²], > 0
    double tolerance;
  };

  /// Finds the lowest min(count, free directions) modes, or fewer (see above), with residuals ‖K x − λ M
  /// x‖_{M⁻¹} of at most tolerance · (scale + |λ|), or as small as rounding allows.
  Result compute(const SolveContext& context, const SpringMatrix& K, std::span<const double> masses,
                 const Projection& projection, const Request& request);

  std::size_t count() const { return count_; }
  /// Mode j of unit mass, X_j [kg^-1/2], and λ_j [1/s²]; j < count().
  std::span<const vec3> mode(std::size_t j) const { return modes_.column(j); }
  double eigenvalue(std::size_t j) const { return eigenvalues_[j]; }

  /// The next call starts from the modes of the last one. Without this it starts from where that one did,
  /// and gives the same bits for the same K.
  void keep();
  /// Appends what the next call starts from.
  void save(Memory& memory) const;
  /// The next call starts from what was saved, for n particles; afresh at the end of `memory`. Throws
  /// InputError.
  void load(MemoryReader& memory, std::size_t n);

 private:
  struct Problem;
  struct Range {
    double lowest = 0, highest = 0;  // λ_1 and λ_s, as far as they are known
  };
  // All that takes a Problem throws Cancelled when its probe asks.
  void search(Problem& p, Result& result);
  /// Everything at its largest, so that later calls allocate nothing.
  void make_room(const Problem& p);
  /// The first basis: of the whole space, or from the start and the known modes. False: there is no shift.
  bool begin_basis(const Problem& p);
  /// Extends the basis until the modes are found; false where a value is not finite.
  bool iterate(const Problem& p, Result& result);
  struct Growth {
    bool finite = true, accurate = true, grown = false;
  };
  /// Extends the basis by the residuals of the wanted modes, and of one more where it refines.
  Growth extend_by_residuals(const Problem& p, bool refines, Result& result);
  /// Factorises K + σM for a σ that makes it positive definite; w_ := (K + σM)^-1 M^1/2 start_. False: there
  /// is none.
  bool find_shift(const Problem& p, const Range& expected);
  /// w := M^1/2 (K + σM)^-1 M^1/2 w
  void precondition(const Problem& p, std::span<vec3> w);
  /// Orthonormalises and appends w; false if w is already in the span or the basis is full.
  bool extend(const Problem& p, std::span<vec3> w);
  /// Whether the c lowest Ritz values and the next one stand apart.
  bool is_gap(const Problem& p, std::size_t c);
  /// An estimate of how far Ritz value k is above its eigenvalue, where `limit` is no smaller than it; else
  /// an upper bound.
  double error(const Problem& p, std::size_t k, double limit);
  void compute_residual(const Problem& p, std::size_t k, std::span<vec3> r);  // K x − λ x of Ritz vector k
  void ritz();
  void restart(const Problem& p, std::size_t columns);
  void store_modes(const Problem& p);

  // In all of these a vector x stands as M^1/2 x, so that the problem is the ordinary one of
  // M^-1/2 K M^-1/2.
  VectorBasis basis_, product_, scratch_;  // V, K V, and room
  std::size_t size_ = 0;                   // vectors in V
  std::vector<double> reduced_;            // VᵀKV, capacity x capacity
  std::vector<double> packed_;             // the same, size x size
  SymmetricEigen eigen_;
  std::vector<double> coefficients_;
  std::vector<double> errors_;  // of Ritz values, where they are known
  std::vector<vec3> w_, t_, start_;
  std::vector<double> root_mass_, diagonal_;

  VectorBasis modes_;  // X
  std::size_t count_ = 0;
  std::vector<double> eigenvalues_;
  /// Where a call has ended, and the next one starts from it.
  struct Start {
    VectorBasis vectors;  // Ritz vectors, those of the modes first
    std::size_t count = 0;
    Range range;
  };
  Start found_, kept_;  // kept_: those of `keep`
  bool has_kept_ = false;

  CholeskySolver cholesky_;
  std::optional<SpringMatrix> shifted_;  // K + σM
  double sigma_ = 0;
};

}  // namespace clothlab
