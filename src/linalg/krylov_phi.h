// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "linalg/linear_system.h"
#include "linalg/vector_basis.h"

namespace clothlab {

/// φ1(L) b, φ1(Z) = Z⁻¹(e^Z − I), for a linear operator L given by its products.
///
/// u = t φ1(t L) b solves u' = L u + b, u(0) = 0. The interval [0, 1] is crossed in substeps,
///   u(t + τ) = u(t) + τ φ1(τ L) r,  r = L u(t) + b,
/// each in a Krylov subspace of at most 32 vectors, by Arnoldi's method with incomplete orthogonalisation
/// [Gaudreault 2018]: a new vector is made orthogonal to the previous two, which is nearly sufficient for a
/// nearly skew-symmetric L. With V the basis, L V = V H + h_{m+1,m} v_{m+1} e_mᵀ and β = ‖r‖, τ φ1(τ L) r ≈ β
/// V τφ1(τH)e₁. The error estimate is the next term of its expansion, β h_{m+1,m} [τ²φ2(τH)]_{m,1} v_{m+1},
/// and that term is added [Niesen 2012, §2, §3]; neither needs an orthogonal V. Unlike there, τ is chosen
/// after the subspace is built, as large as the estimate allows, so that no product is wasted: the small
/// problem is integrated in time until then.
class KrylovPhi {
 public:
  /// out := L in; both have the length of b and are different. May throw Cancelled.
  using Operator = std::function<void(std::span<const vec3> in, std::span<vec3> out)>;

  struct Result {
    bool converged = false;  ///< also false if values are not finite
    bool stopped = false;    ///< by the stop probe
    int products = 0;        ///< with L
    int substeps = 0;
  };

  /// Reserves memory for vectors of that length without touching it.
  void reserve(std::size_t n);
  /// u := φ1(L) b with an estimated error of tolerance · max(‖b‖, ‖L u + b‖) in the Euclidean norm, > 0.
  /// After 20 000 products it ends without convergence, with u at the time reached.
  Result compute(const ComputeContext& context, const Operator& L, std::span<const vec3> b, double tolerance,
                 std::span<vec3> u);

 private:
  struct Problem {
    const ComputeContext& context;
    const Operator& L;
    std::span<const vec3> b;
    double tolerance;
    Result& result;
  };
  /// One substep from a slope of norm β.
  struct Substep {
    double beta;
    double rest;           // of the interval
    double allowed;        // error per unit of τ
    bool whole;            // every vector is made orthogonal to all previous ones
    std::size_t m = 0;     // vectors in the subspace
    double norm_of_H = 0;  // in the 1-norm
    double tau = 0;        // 0: none
  };
  /// The new column of H of one more vector.
  struct Column {
    double norm;  // in the 1-norm
    bool finite, exhausted;
  };
  // Members with a Problem throw Cancelled.
  void cross(const Problem& p, std::span<vec3> u);
  /// Builds the subspace until the rest of the interval fits, it is exhausted, or as large as it may be.
  void build_subspace(const Problem& p, Substep& s);
  /// Appends L v_m, made orthogonal.
  Column append(const Problem& p, const Substep& s);
  /// w := scale w − V c over the columns [first, last), as they are stored; returns ‖w‖².
  double subtract(WorkerPool& pool, std::size_t first, std::size_t last, double scale, std::span<vec3> w);
  /// Solves y' = H y + e₁, y(0) = 0, so y(t) = tφ1(tH)e₁ and ∫₀ᵗ y_m = [t²φ2(tH)]_{m,1}, by Taylor's series,
  /// to the last of its steps within `end` and the allowed error; returns that time.
  double march(const Substep& s, double end);

  VectorBasis basis_;  // not normalised: column j is lengths_[j] v_j; first the slope r
  std::vector<double> lengths_;
  std::vector<double> hessenberg_;  // H with its last row h_{m+1,m}
  std::vector<double> coefficients_;
  std::vector<double> y_, next_, term_, image_;
  double y_integral_ = 0;  // of y_m
};

}  // namespace clothlab
