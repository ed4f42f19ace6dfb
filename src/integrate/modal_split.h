// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/memory.h"
#include "integrate/integrator_info.h"
#include "linalg/free_parts.h"
#include "linalg/lowest_modes.h"

namespace clothlab {

/// The parameters of every method with a ModalSplit.
inline constexpr std::array kModeParameters{
    ParameterSpec{
        .id = "modes",
        .title = "Modes",
        .unit = "",
        .kind = ParameterSpec::Kind::integer,
        .min = 0,
        .max = 100,
        .fallback = 5,
        .help =
            "Number of slowest modes that are integrated exponentially, without numerical damping. There are "
            "fewer if the last one has the same frequency as the next.",
    },
    ParameterSpec{
        .id = "mode-refresh",
        .title = "Mode refresh",
        .unit = "steps",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 1000,
        .fallback = 1,
        .logarithmic = true,
        .help = "The modes are computed again after this many steps and reused in between.",
    },
};

// Implicit methods damp what is fast for h, and with it the slow swing that one wants to see. The split
// treats the slowest modes exactly and leaves the rest to the implicit method:
//
//    λ₁ λ₂ … λ_s │ gap │ λ_s+1  λ_s+2  ………………………………………  ω_max²
//    └─── G ────┘       └────────────── H ──────────────────┘
//    φ1 of 2×2 blocks    one solve with A = M − γD − γ²K, and with damping a correction of rank s

/// The split F = G + H behind SIERE and its relatives [Ascher 2022, §3.5.2, §4; Chen 2020]: G is the motion
/// in the s lowest modes X of K_s x = λ M x, by exponentials, H the rest, implicit.
///
/// With P = X XᵀM, Λ = XᵀK_sX, Y = MX, Z = K_sX (free directions alone) and J = [0 I; M⁻¹K M⁻¹D]:
///   J_G = [0 P; −XΛYᵀ 0],   J_H = J − J_G.
/// The equation (I − γJ_H)(δx, δv) = (r, s) is one of size 3n: its first row is δx = r + γ(I − P)δv, and the
/// second, with that put in and Yᵀ(I − P) = 0,
///   B δv = b,   B = A − γ²Z Yᵀ,   A = M − γD − γ²K,   b = M s + γ(K + YΛYᵀ) r.
/// B is A with a correction of rank s, symmetric for exact modes only. Put δv = X a + w. Then, with
/// C = (M − γD)X, A X = C + γ²Z, and δv solves the equation when
///   A w = b − C a,   Yᵀw = 0.
/// So (XᵀC) a₀ = Xᵀb gives a₀, one solve with A gives w, and (YᵀU) Δa = Yᵀw with A U = C removes the rest of
/// Yᵀw (Sherman–Morrison–Woodbury). With exact modes and no damping, or Rayleigh's, the rest is 0. The s
/// solves for U are skipped where γ²‖ZYᵀw‖, the residual of B δv = b, is within the solver's tolerance. All
/// of this holds for old modes too (mode refresh); Λ is made diagonal by rotating X within its span.
///
/// Exact modes that are not translations have no linear momentum. Inexact ones get theirs removed
/// (separate_translations), so that the split preserves that of free parts.
class ModalSplit {
 public:
  /// `values` are those of kModeParameters. There may be fewer modes than asked for, see LowestModes.
  explicit ModalSplit(const IntegratorParameters& values)
      : wanted_(static_cast<std::size_t>(values.at(0))), refresh_(static_cast<int>(values.at(1))) {}

  /// The split at u = (x, v), with prescribed velocities in v and a = S M⁻¹f(x, v); these must outlive the
  /// following calls. False when stopped; a failure to converge is put into the report.
  bool compute(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v,
               std::span<const vec3> a, double h, const StepContext& context, StepReport& report);

  /// H(u) + E(u, τ), E the average of the motion in the modes over a time τ:
  /// E = diag(X, X) φ1(τ [0 I; −Λ 0]) (Yᵀv, Xᵀf).
  void slope(double tau, WorkerPool& pool, std::span<vec3> of_x, std::span<vec3> of_v) const;

  /// (δx, δv) := (I − γJ_H)⁻¹ (r, s); prescribed directions are 0 in s, and have their displacement in r and
  /// δx. False when stopped; the report is as for any linear solve.
  bool solve(const DynamicSystem& system, double gamma, std::span<const vec3> r, std::span<const vec3> s,
             const StepContext& context, std::span<vec3> dx, std::span<vec3> dv, StepReport& report);

  /// Reports what that left of M δv = M s + γ (K δx + D δv) outside the modes, and on held particles the
  /// impulse of K and D, times `weight`; the impulse M s of the forces is left out.
  void report(const DynamicSystem& system, const StepContext& context, double weight, double gamma,
              std::span<const vec3> r, std::span<const vec3> s, std::span<const vec3> dx,
              std::span<const vec3> dv);

  /// Ends the step: the next one starts from these modes.
  void keep();
  /// As Integrator::save and Integrator::load.
  void save(Memory& memory) const;
  void load(MemoryReader& memory, std::size_t n);

 private:
  /// X, Y, Z and λ from the modes found last, or from those of the step before. False when stopped.
  bool project(const DynamicSystem& system, const StepContext& context, bool fresh, StepReport& report);
  /// C_ := a basis of nearly the span of `start`, each vector of which is a translation of the FreeParts or
  /// M-orthogonal to all of them. False, with nothing done, where there are no such parts.
  bool separate_translations(const DynamicSystem& system, const StepContext& context,
                             const VectorBasis& start);
  /// Takes from dv, and from what right_ holds of it in the modes, what Yᵀw = left_over_ is left with. False
  /// when stopped.
  bool remove_left_over(const DynamicSystem& system, double gamma, const StepContext& context,
                        std::span<vec3> scratch, std::span<vec3> dv, StepReport& report);

  std::size_t wanted_;
  int refresh_;
  int age_ = 0;            // steps since the modes were found; 0: they have to be
  bool searched_ = false;  // by the last `compute`
  std::size_t count_ = 0;  // s

  LowestModes modes_;
  LinearSolver solver_;
  std::optional<SpringMatrix> k_;  // K_s
  std::optional<SpringMatrix> a_;
  std::span<const vec3> x_, v_, acceleration_;
  VectorBasis X_, Y_, Z_, C_, U_;
  VectorBasis kept_;  // X of the last step that was kept, where age_ > 0
  VectorBasis scratch_;
  std::vector<double> lambda_;
  std::vector<double> modal_v_, modal_a_;  // Yᵀv, Xᵀf = Yᵀa
  std::vector<double> small_, right_, left_over_;
  FreeParts free_parts_;
  mutable std::vector<double> coefficients_;
  SymmetricEigen eigen_;
  std::vector<vec3> b_, w_;
};

}  // namespace clothlab
