// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/compressed_rows.h"
#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/dynamic_system.h"
#include "integrate/integrator.h"
#include "linalg/contact_solver.h"
#include "linalg/linear_solver.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// The stretch springs of a system as constraints C_e(x) = l_e − L_e = 0, with J = ∂C/∂x. Another target
/// length may replace L_e.
///
/// Both projections move along W Jᵀ, W = S M⁻¹ S, by solving J W Jᵀ λ = C with conjugate gradients for least
/// squares (CGLS) [Björck 1996, §7.4] on B = D J W^½, D the diagonal that gives every row of B length 1:
/// matrix-free, at the cost of conjugate gradients on J W Jᵀ but with the condition of B. Redundant
/// constraints get the solution of least mass-weighted norm, contradicting ones the least-squares solution, Σ
/// C_e²/(w_i + w_j) = min.
///
/// On a large sheet of triangles, whose lengths contradict each other, this needs hundreds of iterations, and
/// its remainder pulls the sheet apart. There the rods are compliant instead (`are_compliant`), and one
/// linear solve with multigrid minimises for positions and velocities
///   ε/2 ‖δx‖²_M + ½ ‖D (C + J δx)‖²   and   ε/2 ‖δv‖²_M + ½ ‖D J (v + δv)‖²,
/// the first also with the transverse stiffness of taut rods, as in semi-implicit Euler [Baraff 1998]. A rod
/// is then an implicit spring of stiffness D²/(ε h²) from its target (`approach`), linearised at x + h v.
///
/// Springs without a direction (l = 0) or whose ends cannot move along them are skipped.
/// The same bits for any number of threads; nothing is allocated while the cloth is the same.
class LengthConstraints {
 public:
  /// Reads the stretch springs, masses and projection, which must outlive the calls below; the targets are
  /// the rest lengths. Throws Cancelled, as all members with a context.
  void update(const DynamicSystem& system, const StepContext& context);

  /// Sets targets that remove the share min(1, h/τ) of C(x0), τ = 0.3 s; rounding is ignored. Contradicting
  /// springs always leave a part of C. Removing all of it in one step would add a velocity C/h, and spurious
  /// energy. For compliant rods the share is min(1, (h/τ)²), τ = 4 ms: a static load lengthens them as if
  /// their stiffness were D²/(ε max(h, τ)²).
  void approach(std::span<const vec3> x0, double h);

  /// J := J(x)
  void linearise(const StepContext& context, std::span<const vec3> x);

  enum class Linearisation {
    /// J of the last linearise(), to be called before: a quasi-Newton method on λ. J stays, and Broyden's
    /// updates make up for it [Deuflhard 2004, §2.1.4, QNERR].
    as_linearised,
    /// J of each iterate, by itself. Newton's method: fast projection [Goldenthal 2007]. Every iteration is
    /// the shortest step ‖δx‖_M to C + J δx = 0.
    at_iterates
  };
  /// Moves x by `push` in the range of W Jᵀ to where C(x) = 0. |C| is brought below 10⁻¹² of the longest L,
  /// and every step is halved until ‖DC‖ falls. Compliant rods get one linear solve, ε = 10⁻³, with J at x
  /// instead. Reports the remaining error.
  void project_positions(const StepContext& context, Linearisation linearisation, std::span<vec3> x,
                         std::span<vec3> push, StepReport& report);

  /// The same for the end of a step of h from x0 that may touch surfaces: one linear solve of compliant rods
  /// with the contacts of the step (linalg/contact_solver.h), x1 += δx.
  void project_onto_contacts(const StepContext& context, double h, std::span<const vec3> x0,
                             std::span<vec3> x1, StepReport& report);

  /// v −= W Jᵀ (J W Jᵀ)⁺ J v, J as linearised, until |J v| is below 10⁻¹² of the largest speed. For
  /// compliant rods, one linear solve with ε = `softness`, which never adds kinetic energy.
  void project_velocities(const StepContext& context, std::span<vec3> v, double softness, StepReport& report);

  /// v −= W Jᵀμ with (J W Jᵀ + mixing) μ = J v + rate C(x), J as linearised: J v = −rate C(x) + mixing μ
  /// afterwards. `rate` [1/s], `mixing` [1/kg]. forces() has μ [kg m/s]. Not for compliant rods, which it
  /// treats as the others.
  void stabilise_velocities(const StepContext& context, std::span<const vec3> x, std::span<vec3> v,
                            double rate, double mixing, StepReport& report);

  /// Integrator::enter: projects x to the lengths as closely as possible, then v to their tangent space.
  /// Returns the largest displacement [m].
  double enter(const DynamicSystem& system, State& state, double h, const StepContext& context,
               StepReport& report);

  /// Largest |l − L| of all springs [m].
  double violation(WorkerPool& pool, std::span<const vec3> x);

  /// One Gauss–Seidel sweep over the springs in their order, x moved to C_e = 0 along W ∇C_e one by one
  /// [Müller 2007, (10), (11)].
  void sweep(std::span<vec3> x);

  /// The multipliers μ of the last call of project_positions or project_onto_contacts, or of all sweeps since
  /// update(): positions were moved by −W Jᵀμ. Of compliant rods, without their transverse stiffness. Times
  /// `factor`, such as 1/h², they are forces: one for each stretch spring, in their order, positive in
  /// tension [N]. Where the lengths do not determine them, the smallest ‖D⁻¹μ‖. Valid until the next call.
  std::span<const double> forces(double factor);

 private:
  struct Edge {
    std::uint32_t i = 0;
    std::uint32_t j = 0;
    double length = 0;  // L [m]
    double target = 0;  // length [m]
    vec3 row{0.0};      // D n, n from j to i; 0: the spring is skipped
    double scale = 0;   // D
  };
  struct Incidence {
    std::uint32_t edge = 0;
    double sign = 0;  // +1 at the edge's end i, −1 at j
  };
  /// The remainder of the constraints.
  struct Remainder {
    double largest = 0;  // of |C_e| or |(Jv)_e|
    double norm = 0;     // ‖DC‖ or ‖DJv‖
  };
  static constexpr std::size_t kMemory = 8;

  /// True if the rods are compliant: there are more than two per particle, more than a flat sheet has degrees
  /// of freedom in its plane, and the mesh is large enough for multigrid.
  bool are_compliant() const;
  /// matrix_ := ε M + Σ D² n nᵀ, and with positions x + Σ D² (1 − L/l) (I − n nᵀ) of the taut springs.
  /// p_ := −JᵀD error_
  void assemble(const StepContext& context, double softness, std::span<const vec3> x = {});
  void measure_soft_multipliers(const StepContext& context);  // of step_
  void soften_positions(const StepContext& context, std::span<vec3> x, std::span<vec3> push,
                        StepReport& report);
  void soften_velocities(const StepContext& context, std::span<vec3> v, double softness, StepReport& report);
  void report_lengths(double largest, double enough, StepReport& report) const;  // |C| [m]
  void list_springs(const DynamicSystem& system, CancelPoint& cancel);
  double rounding_of_lengths(std::span<const vec3> x) const;  // [m]
  vec3 free(std::size_t particle, const vec3& a) const;       // S a
  Remainder measure_lengths(WorkerPool& pool, std::span<const vec3> x);
  Remainder measure_rates(WorkerPool& pool, std::span<const vec3> v);
  Remainder summary(WorkerPool& pool) const;
  double largest_error() const;  // of raw_
  /// step_ := W^½ y with the shortest y of least ‖error_ + B y‖, to the relative tolerance, and its z.
  void solve(const StepContext& context, double tolerance, int max_iterations, StepReport& report);
  /// Broyden's update of step_ from the previous steps.
  void turn_step(WorkerPool& pool);
  double dot(WorkerPool& pool, std::span<const vec3> a, std::span<const vec3> b) const;  // aᵀMb
  double transpose(WorkerPool& pool);  // s_ := Bᵀ r_; returns s·s
  double gradient(WorkerPool& pool);   // the same, s·s with the columns of mixing

  std::shared_ptr<const SpringPattern> pattern_;  // of the system that the springs were listed for
  std::vector<Edge> edges_;
  CompressedRows<Incidence> incident_;  // by particle
  double longest_ = 0;                  // L [m]
  const Projection* projection_ = nullptr;
  std::vector<std::uint32_t> entry_;  // 1 + index of the projection's entry; 0: free
  std::vector<double> root_;          // √(1/m)
  std::vector<double> raw_;           // C or Jv
  std::vector<double> error_;         // D C or D J v
  std::vector<double> r_, q_, d_;     // by edge
  std::vector<double> z_;             // by edge, step_ = W Jᵀ D z
  std::vector<double> multiplier_, force_;
  double mixing_ = 0;            // c/h [1/kg]
  std::vector<vec3> s_, p_, y_;  // by particle
  std::vector<vec3> step_, trial_;
  std::vector<vec3> entered_from_, push_;          // of enter
  std::array<std::vector<vec3>, kMemory> memory_;  // the last steps of project_positions
  std::array<std::vector<double>, kMemory> memory_z_;
  std::size_t steps_ = 0;               // how many
  std::optional<SpringMatrix> matrix_;  // of compliant rods
  LinearSolver solver_;
  ContactSolver contact_solver_;
  std::vector<vec3> displacement_, forces_;
};

}  // namespace clothlab
