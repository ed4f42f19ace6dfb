// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/memory.h"
#include "integrate/contact_correction.h"
#include "integrate/implicit_stage.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"
#include "linalg/free_parts.h"
#include "linalg/lowest_modes.h"

namespace clothlab {

/// The parameters of every method with a ModalSplit.
inline constexpr std::array kModeParameters{
    ParameterSpec{
        .id = "modes",
        .title = "Modes",
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

// The split F = G + H of SIERE and related methods [Ascher 2022, §3.5.2, §4; Chen 2020]
//
// Implicit methods also damp the slow swing of a cloth. The split integrates the motion G in the s lowest
// modes by exponentials, without damping, and all other motion H by an implicit method:
//
//    λ₁ λ₂ … λ_s │ gap │ λ_s+1  λ_s+2  …………………………………  ω_max²      of K_s x = λ M x
//    └─── G ────┘       └────────────── H ──────────────┘
//    φ1 of 2×2 blocks    one solve with A = M − γD − γ²K, and with damping a correction of rank s
//
// With the modes X, Y = MX, Z = K_sX (free directions only), Λ = XᵀK_sX, P = XYᵀ and J = [0 I; M⁻¹K M⁻¹D]:
//   J_G = [0 P; −XΛYᵀ 0],   J_H = J − J_G.
//
// 1. `compute`: X by a block Davidson method (LowestModes), or from the previous step (mode refresh), rotated
//    within its span until Λ is diagonal. Modes of free parts become translations or lose their linear
//    momentum (separate_translations), so the split preserves the momentum of free parts.
// 2. `slope`: H(u) + E(u, τ), E = diag(X, X) φ1(τ [0 I; −Λ 0]) (Yᵀv, Xᵀf).
// 3. `solve`: (I − γJ_H)(δx, δv) = (r, s). The first row is δx = r + γ(I − P)δv. With Yᵀ(I − P) = 0 the
//    second row is
//      B δv = b,   B = A − γ²Z Yᵀ,   b = M s + γ(K + YΛYᵀ) r.
//    B is a rank-s update of A, symmetric only for exact modes. With δv = X a + w and C = (M − γD)X, so that
//    A X = C + γ²Z, this means A w = b − C a and Yᵀw = 0:
//    - (XᵀC) a₀ = Xᵀb, then one solve A w = b − C a₀. Yᵀw = 0 for exact modes with Rayleigh damping or none.
//    - Otherwise (YᵀU) Δa = Yᵀw with A U = C removes Yᵀw (Sherman–Morrison–Woodbury). These s solves are
//      skipped if γ²‖Z Yᵀw‖, the residual of B δv = b, is within the solver's tolerance.
// 4. `solve_by_newton` instead of 3: u1 = û + γ H(u1) for H = F − G with the linear motion G(u1) = G(u) + J_G
//    (u1 − u) that E integrates, so 3 is its first iteration. Yᵀ(x1 − x) = Yᵀr does not depend on v1:
//      x1 = x + r + γ(I − P)(v1 − v),   M (v1 − v̂) = γ f(x1, v1),   v̂ = v + s − γ a + γ XΛYᵀr.
//    For given velocities of the modes, the rest is an ImplicitStage with Yᵀδv = 0. They follow from the
//    force on the modes, and the two are solved in turn: only damping couples them.

/// The s lowest modes of a step and the split that they define; see above.
class ModalSplit {
 public:
  /// `values` are those of kModeParameters. There may be fewer modes, see LowestModes. `last_stage`:
  /// end_step() solves its stage by one linear solve or by Newton's method.
  explicit ModalSplit(const IntegratorParameters& values, StageSolve last_stage = StageSolve::linear)
      : wanted_(static_cast<std::size_t>(values.at(0))),
        refresh_(static_cast<int>(values.at(1))),
        last_stage_(last_stage) {}

  /// The split at u = (x, v), with prescribed velocities in v and a = S M⁻¹f(x, v); these must outlive the
  /// following calls. Reports a failure to converge. Throws Cancelled, as all members with a context.
  void compute(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v,
               std::span<const vec3> a, double h, const StepContext& context, StepReport& report);

  /// H(u) + E(u, τ), E the average of the motion in the modes over a time τ.
  void slope(double tau, WorkerPool& pool, std::span<vec3> of_x, std::span<vec3> of_v) const;

  /// += E(u, h) − E', E' = φ1(2hJ_G) G(before) the average of the motion in the modes over 2h from an earlier
  /// state, of this split.
  void add_lawson(double h, std::span<const vec3> x_before, std::span<const vec3> v_before, WorkerPool& pool,
                  std::span<vec3> of_x, std::span<vec3> of_v);

  /// (δx, δv) := (I − γJ_H)⁻¹ (r, s); prescribed directions are 0 in s, and have their displacement in r and
  /// δx. Reports as any linear solve.
  void solve(const DynamicSystem& system, double gamma, std::span<const vec3> r, std::span<const vec3> s,
             const StepContext& context, std::span<vec3> dx, std::span<vec3> dv, StepReport& report);

  /// Reports, times `weight`, the residual of M δv = M s + γ (K δx + D δv) outside the modes, and on
  /// constrained particles the impulse of K and D, without the impulse M s of the forces.
  void report(const DynamicSystem& system, const StepContext& context, double weight, double gamma,
              std::span<const vec3> r, std::span<const vec3> s, std::span<const vec3> dx,
              std::span<const vec3> dv);

  /// The last stage of a step from `start`, Coulomb's law, and the end of the step. γ = times.damping [s].
  /// r [m] and s [m/s] are as in `solve`: u1 = u + (δx, δv), or by Newton's method u1 = û + γ H(u1) with û =
  /// u + (r, s) − γ H(u). Contacts change positions in the modes by `modal` [s] times the change of velocity.
  /// r and s are overwritten. x1 and v1, of the size of the system, receive u0. The next step starts from
  /// these modes.
  void end_step(const DynamicSystem& system, State& state, const StepStart& start, const StepContext& context,
                const ContactCorrection::Times& times, double modal, std::vector<vec3>& r,
                std::vector<vec3>& s, std::vector<vec3>& x1, std::vector<vec3>& v1, StepReport& report);

  /// As Integrator::save and Integrator::load.
  void save(Memory& memory) const;
  void load(MemoryReader& memory, std::size_t n);

 private:
  /// += factor (φ1(τ [0 I; −Λ 0]) − less) (v, a) in the modes
  void add_average(double tau, double less, double factor, std::span<const double> v,
                   std::span<const double> a, WorkerPool& pool, std::span<vec3> of_x,
                   std::span<vec3> of_v) const;
  /// X, Y, Z and λ from the new modes, or from the previous step.
  void project(const DynamicSystem& system, const StepContext& context, bool fresh);
  /// C_ := a basis of nearly the span of `start`, each vector of which is a translation of the FreeParts or
  /// M-orthogonal to all of them. False, unchanged, if there are no such parts.
  bool separate_translations(const DynamicSystem& system, const StepContext& context,
                             const VectorBasis& start);
  /// small_ := XᵀC, with C = S (M − γD) X at (x, v)
  void assemble_modal_matrix(const DynamicSystem& system, double gamma, const StepContext& context,
                             std::span<const vec3> x, std::span<const vec3> v);
  /// (x1, v1) := u1 = û + γ H(u1), with r and s as in `solve`: û = u + (r, s) − γ H(u). `scale` as in
  /// StageEquation. Without contacts. w_ is its residual.
  void solve_by_newton(const DynamicSystem& system, double gamma, std::span<const vec3> r,
                       std::span<const vec3> s, double scale, const StepContext& context, std::span<vec3> x1,
                       std::span<vec3> v1, StepReport& report);
  /// Sets v̂, the equation of the stage and its guess.
  void begin_newton(const DynamicSystem& system, double gamma, std::span<const vec3> r,
                    std::span<const vec3> s, WorkerPool& pool);
  /// w_ := M (v1 − v̂) − γ f(x1, v1) on the free directions; returns its norm.
  double residual_of_newton(const DynamicSystem& system, double gamma, const StepContext& context,
                            std::span<const vec3> x1, std::span<const vec3> v1);
  /// Changes the end (x1, v1) of the step without contact to one that satisfies Coulomb's law. In the modes
  /// the positions change by `modal` times the velocities. times.damping is the γ of the last `solve`.
  /// Afterwards `report` has another matrix.
  void solve_contacts(const DynamicSystem& system, const StepContext& context,
                      const ContactCorrection::Times& times, double modal, std::span<const vec3> x0,
                      std::span<const vec3> v0, std::span<vec3> x1, std::span<vec3> v1, StepReport& report);
  /// The correction for Yᵀw = left_over_ of dv and of its modal part in right_.
  void remove_left_over(const DynamicSystem& system, double gamma, const StepContext& context,
                        std::span<vec3> scratch, std::span<vec3> dv, StepReport& report);

  std::size_t wanted_;
  int refresh_;
  StageSolve last_stage_;
  int age_ = 0;            // steps since the modes were computed; 0: compute them
  bool searched_ = false;  // by the last `compute`
  std::size_t count_ = 0;  // s

  LowestModes modes_;
  LinearSolver solver_;
  ContactCorrection contacts_;
  std::optional<SpringMatrix> k_;  // K_s
  std::optional<SpringMatrix> a_;
  std::span<const vec3> x_, v_, acceleration_;
  VectorBasis X_, Y_, Z_, C_, U_;
  VectorBasis kept_;  // X of the last step that was kept, if age_ > 0
  VectorBasis scratch_;
  std::vector<double> lambda_;
  std::vector<double> modal_v_, modal_a_;  // Yᵀv, Xᵀf = Yᵀa
  std::vector<double> small_, right_, left_over_;
  FreeParts free_parts_;
  mutable std::vector<double> coefficients_;
  SymmetricEigen eigen_;
  std::vector<vec3> b_, w_;
  bool solved_ = false;  // by the last `solve`: a_ is its matrix
  // Newton's method. v̂ of the stage has the current velocities of the modes.
  ImplicitStage stage_;
  ModeFilter filter_;
  std::vector<vec3> x_hat_, v_hat_, stage_v_hat_, guess_;
};

}  // namespace clothlab
