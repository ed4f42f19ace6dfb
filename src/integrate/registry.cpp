#include "integrate/registry.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>

#include "integrate/backward_euler.h"
#include "integrate/bdf2.h"
#include "integrate/dirk2.h"
#include "integrate/explicit_euler.h"
#include "integrate/exponential_rosenbrock_euler.h"
#include "integrate/generalized_alpha.h"
#include "integrate/growth.h"
#include "integrate/implicit_midpoint.h"
#include "integrate/pbd_proj2.h"
#include "integrate/projective_dynamics.h"
#include "integrate/rattle.h"
#include "integrate/rk4.h"
#include "integrate/semi_implicit_bdf2.h"
#include "integrate/semi_implicit_bdf2_ere.h"
#include "integrate/semi_implicit_euler.h"
#include "integrate/siere.h"
#include "integrate/str_sbdf2_ere.h"
#include "integrate/symplectic_euler.h"
#include "integrate/trapezoidal.h"
#include "integrate/velocity_verlet.h"
#include "integrate/xpbd.h"

// To add an integrator: write its pair of files, list them in CMakeLists.txt, include the header above and
// add a row below. The generic tests, the menu, the command line and the docs table iterate the rows.

namespace clothlab {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

template <class Method>
std::unique_ptr<Integrator> make(const IntegratorParameters& /*values*/) {
  return std::make_unique<Method>();
}

template <const Dirk2::Constants& constants>
std::unique_ptr<Integrator> make_dirk2(const IntegratorParameters& /*values*/) {
  return std::make_unique<Dirk2>(constants);
}

std::unique_ptr<Integrator> make_generalized_alpha(const IntegratorParameters& values) {
  return std::make_unique<GeneralizedAlpha>(values.at(0));
}

constexpr std::array kGeneralizedAlphaParameters{
    ParameterSpec{
        .id = "rho-inf",
        .title = "Spectral radius ρ∞",
        .unit = "",
        .min = 0,
        .max = 1,
        .fallback = 0.5,
        .help = "Factor by which generalized-α multiplies the fastest oscillations per step: 0 removes them "
                "at once, 1 keeps them.",
    },
};

constexpr std::array kModes{
    ParameterSpec{
        .id = "modes",
        .title = "Modes",
        .unit = "",
        .kind = ParameterSpec::Kind::integer,
        .min = 0,
        .max = 100,
        .fallback = 5,
        .help = "How many of the slowest modes are integrated exponentially, without numerical damping; "
                "fewer where the last one has the same frequency as the next.",
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
        .help = "The modes are computed again every so many steps and reused in between.",
    },
};

template <class Method>
std::unique_ptr<Integrator> make_split(const IntegratorParameters& values) {
  return std::make_unique<Method>(static_cast<std::size_t>(values.at(0)), static_cast<int>(values.at(1)));
}

std::unique_ptr<Integrator> make_pbd_proj2(const IntegratorParameters& values) {
  return std::make_unique<PbdProj2>(static_cast<int>(values.at(0)), values.at(1) != 0);
}

constexpr std::array kPbdParameters{
    ParameterSpec{
        .id = "pbd-iterations",
        .title = "PBD iterations",
        .unit = "",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 10000,
        .fallback = 20,
        .logarithmic = true,
        .help = "Sweeps over all stretch springs per step; more sweeps bring each closer to its length.",
    },
    ParameterSpec{
        .id = "velocity-projection",
        .title = "Velocity projection",
        .unit = "",
        .kind = ParameterSpec::Kind::boolean,
        .min = 0,
        .max = 1,
        .fallback = 1,
        .help = "Removes the part of the velocities that would change the lengths; off is plain PBD, which "
                "drifts.",
    },
};

constexpr std::array kXpbdParameters{
    ParameterSpec{
        .id = "xpbd-iterations",
        .title = "XPBD iterations",
        .unit = "",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 1000,
        .fallback = 20,
        .logarithmic = true,
        .help =
            "Sweeps over all springs in each substep. With too few, the cloth is softer than its springs.",
    },
    ParameterSpec{
        .id = "xpbd-substeps",
        .title = "XPBD substeps",
        .unit = "",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 1000,
        .fallback = 1,
        .logarithmic = true,
        .help = "Substeps per step, each with its own sweeps. More substeps with fewer sweeps usually give "
                "more accuracy for the same cost.",
    },
};

std::unique_ptr<Integrator> make_xpbd(const IntegratorParameters& values) {
  return std::make_unique<Xpbd>(static_cast<int>(values.at(0)), static_cast<int>(values.at(1)));
}

constexpr std::array kProjectiveDynamicsParameters{
    ParameterSpec{
        .id = "pd-iterations",
        .title = "PD iterations",
        .unit = "",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 10000,
        .fallback = 10,
        .logarithmic = true,
        .help = "Local and global iterations of projective dynamics per step, at most.",
    },
    ParameterSpec{
        .id = "pd-tolerance",
        .title = "PD tolerance",
        .unit = "",
        .min = 0,
        .max = 0.1,
        .fallback = 0,
        .logarithmic = true,
        .help = "Projective dynamics ends early at this residual, relative as in Newton's method; 0: all "
                "iterations are done. Whether the step counts as converged is for the Newton tolerance to "
                "say.",
    },
};

// The wind alone is explicit: v1 = (1 − h d) v0 for a particle that nothing else holds.
double explicit_wind_limit(const IntegratorParameters& /*values*/) { return 2; }
double xpbd_wind_limit(const IntegratorParameters& values) { return 2 * values.at(1); }  // in every substep

std::unique_ptr<Integrator> make_projective_dynamics(const IntegratorParameters& values) {
  return std::make_unique<ProjectiveDynamics>(static_cast<int>(values.at(0)), values.at(1));
}

template <const Dirk2::Constants& constants>
double dirk2_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return dirk2_growth(constants, y, s);
}

const std::array kIntegrators{
    IntegratorInfo{
        .id = "explicit-euler",
        .title = "Explicit Euler",
        .letters = "EE",
        .family = IntegratorFamily::explicit_method,
        .order = 1,
        .formula = "x1 = x0 + h v0; v1 = v0 + h M⁻¹ f(x0, v0)",
        .summary = "The simplest method. It gains energy at every step size, so undamped cloth always blows "
                   "up sooner or later; damped cloth holds at very small ones. Shown for what it teaches.",
        .cost = "One evaluation of the forces per step.",
        .use = "To see what goes wrong; never for work.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section 3",
        .stability_limit = 0,
        .growth = explicit_euler_growth,
        .make = make<ExplicitEuler>,
    },
    IntegratorInfo{
        .id = "symplectic-euler",
        .title = "Symplectic Euler",
        .letters = "SE",
        .family = IntegratorFamily::explicit_method,
        .order = 1,
        .formula = "v1 = v0 + h M⁻¹ f(x0, v0); x1 = x0 + h v1",
        .summary =
            "As cheap as explicit Euler, but its energy stays bounded while h·ω_max < 2, less "
            "with damping; above, it blows up at once. The method of choice for soft cloth and small steps.",
        .cost = "One evaluation of the forces per step.",
        .use = "Soft cloth at small steps; long runs without energy drift.",
        .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section I.1",
        .stability_limit = 2,
        .coupling = StepCoupling::symplectic_euler,
        .growth = symplectic_euler_growth,
        .make = make<SymplecticEuler>,
    },
    IntegratorInfo{
        .id = "velocity-verlet",
        .title = "Velocity Verlet",
        .letters = "VV",
        .family = IntegratorFamily::explicit_method,
        .order = 2,
        .formula = "x1 = x0 + h v0 + h²/2 a0; v1 = v0 + h/2 (a0 + a(x1, v0 + h a0))",
        .summary =
            "Symplectic Euler with positions and velocities at the same times: second order, two evaluations "
            "of the forces per step, the same stability limit. The standard method of molecular dynamics.",
        .cost = "Two evaluations of the forces per step.",
        .use = "As symplectic Euler, at second order.",
        .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section I.1.4",
        .stability_limit = 2,
        .coupling = StepCoupling::velocity_verlet,
        .growth = velocity_verlet_growth,
        .make = make<VelocityVerlet>,
    },
    IntegratorInfo{
        .id = "rk4",
        .title = "Runge–Kutta 4",
        .letters = "RK",
        .family = IntegratorFamily::explicit_method,
        .order = 4,
        .formula = "k1 = F(u0); k2 = F(u0 + h/2 k1); k3 = F(u0 + h/2 k2); k4 = F(u0 + h k3); "
                   "u1 = u0 + h/6 (k1 + 2 k2 + 2 k3 + k4)",
        .summary = "The classical method of order four: the most accurate one here while h·ω_max stays well "
                   "below its limit of 2√2, at four evaluations of the forces per step. It damps what is "
                   "fast for the step.",
        .cost = "Four evaluations of the forces per step.",
        .use = "Reference solutions at steps well below its limit.",
        .reference = "Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, section II.1",
        .stability_limit = 2 * std::numbers::sqrt2,
        .growth = rk4_growth,
        .make = make<Rk4>,
    },
    IntegratorInfo{
        .id = "semi-implicit-euler",
        .title = "Semi-implicit Euler",
        .letters = "SI",
        .family = IntegratorFamily::linearly_implicit,
        .order = 1,
        .uses_linear_solver = true,
        .formula = "(M − hD − h²K) Δv = h (f0 + hK v0); v1 = v0 + Δv; x1 = x0 + h v1",
        .summary = "Backward Euler with a single Newton iteration: one linear solve per step, stable at "
                   "large steps. It "
                   "damps motion that is fast for the step, physical or not. The usual choice for "
                   "interactive cloth.",
        .cost = "One evaluation of the forces, one matrix and one linear solve of size 3n per step.",
        .use = "Interactive cloth at frame-length steps (1/60 s).",
        .reference = "Baraff, Witkin: Large Steps in Cloth Simulation, SIGGRAPH 1998",
        .stability_limit = kNoLimit,
        .growth = implicit_euler_growth,
        .make = make<SemiImplicitEuler>,
    },
    IntegratorInfo{
        .id = "backward-euler",
        .title = "Backward Euler",
        .letters = "BE",
        .family = IntegratorFamily::implicit,
        .order = 1,
        .uses_newton = true,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + h F(u1), by Newton's method",
        .summary = "Solves the implicit equations to a tolerance instead of once, so it also holds where the "
                   "forces change direction within a step. The same damping as semi-implicit Euler at "
                   "several times its cost.",
        .cost = "A matrix and a linear solve of size 3n in every Newton iteration.",
        .use = "Stiff cloth that must stay stable, where damping is welcome.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
            "3.3, (14)",
        .stability_limit = kNoLimit,
        .growth = implicit_euler_growth,
        .make = make<BackwardEuler>,
    },
    IntegratorInfo{
        .id = "implicit-midpoint",
        .title = "Implicit midpoint",
        .letters = "IM",
        .family = IntegratorFamily::implicit,
        .order = 2,
        .uses_newton = true,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + h F((u0 + u1)/2), by Newton's method",
        .summary = "Symplectic, and stable at every step size on an oscillator: it damps nothing, so cloth "
                   "keeps its energy, and what is too fast for the step keeps shaking. At large steps on "
                   "stiff cloth its equations can become hard to solve.",
        .cost = "As backward Euler, per iteration.",
        .use = "Undamped motion at steps that resolve most of it.",
        .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, sections II.1 and VI.4",
        .stability_limit = kNoLimit,
        .growth = trapezoidal_growth,
        .make = make<ImplicitMidpoint>,
    },
    IntegratorInfo{
        .id = "trapezoidal",
        .title = "Trapezoidal rule",
        .letters = "TR",
        .family = IntegratorFamily::implicit,
        .order = 2,
        .uses_newton = true,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + h/2 (F(u0) + F(u1)), by Newton's method",
        .summary = "The twin of the midpoint rule: constant amplitude on an oscillator, the same cost. It "
                   "takes the forces at both ends of the step instead of in its middle, so a stiff force at "
                   "the start is answered in full.",
        .cost = "As backward Euler, per iteration.",
        .use = "As the midpoint rule, with the forces at the start of a step in full.",
        .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section II.1",
        .stability_limit = kNoLimit,
        .growth = trapezoidal_growth,
        .make = make<Trapezoidal>,
    },
    IntegratorInfo{
        .id = "bdf2",
        .title = "BDF2",
        .letters = "B2",
        .family = IntegratorFamily::implicit,
        .order = 2,
        .uses_newton = true,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + ⅓ (u0 − u₋₁ + 2h F(u1)), by Newton's method; first step backward Euler",
        .summary =
            "Backward Euler's cost and stability at second order, by using the previous step too. It damps "
            "what is fast for the step and little else. Every change of h, pins or a parameter restarts it.",
        .cost = "As backward Euler, plus one stored state.",
        .use = "Smooth motion while h, pins and parameters stay the same.",
        .reference = "Hairer, Wanner: Solving Ordinary Differential Equations II, section V.1",
        .stability_limit = kNoLimit,
        .growth = bdf2_growth,
        .make = make<Bdf2>,
    },
    IntegratorInfo{
        .id = "semi-implicit-bdf2",
        .title = "Semi-implicit BDF2",
        .letters = "SB",
        .family = IntegratorFamily::linearly_implicit,
        .order = 2,
        .order_needs_exact_jacobian = true,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + ⅓ (I − ⅔ h J0)⁻¹ (u0 − u₋₁ + 2h F(u0)); first step semi-implicit Euler",
        .summary = "BDF2 with a single linear solve per step. Second order with the exact Jacobian and "
                   "without damping that depends on positions, otherwise first; less damped than "
                   "semi-implicit Euler at the same cost.",
        .cost = "One evaluation of the forces, one matrix and one linear solve of size 3n per step.",
        .use = "Interactive cloth, less damped than with semi-implicit Euler.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
            "3.3",
        .stability_limit = kNoLimit,
        .growth = bdf2_growth,
        .make = make<SemiImplicitBdf2>,
    },
    IntegratorInfo{
        .id = "tr-bdf2",
        .title = "TR-BDF2",
        .letters = "TB",
        .family = IntegratorFamily::implicit,
        .order = 2,
        .uses_newton = true,
        .uses_linear_solver = true,
        .formula =
            "u½ = u0 + h/4 (F(u0) + F(u½)); u1 = u0 + 4/3 (u½ − u0) + h/3 F(u1), both by Newton's method",
        .summary = "The trapezoidal rule over half a step, then BDF2 over both halves: second order without "
                   "a history, little damping of what the step resolves, full damping of what it does not. "
                   "Twice the cost of backward Euler, and usually worth it.",
        .cost = "Two nonlinear solves per step, each as backward Euler's.",
        .use = "Accurate motion of stiff cloth; damps only what h cannot resolve.",
        .reference = "Bank et al.: Transient simulation of silicon devices and circuits, IEEE 1985",
        .stability_limit = kNoLimit,
        .growth = dirk2_growth<kTrBdf2>,
        .make = make_dirk2<kTrBdf2>,
    },
    IntegratorInfo{
        .id = "sdirk2",
        .title = "SDIRK2",
        .letters = "SD",
        .family = IntegratorFamily::implicit,
        .order = 2,
        .uses_newton = true,
        .uses_linear_solver = true,
        .formula = "γ = 2 − √2, β = √2/4: uγ = u0 + γh/2 (F(u0) + F(uγ)); "
                   "u1 = u0 + (2β/γ)(uγ − u0) + γh/2 F(u1), both by Newton's method",
        .summary = "TR-BDF2 with the stages placed so that both need the same matrix, evaluated at different "
                   "positions. The same order and damping of fast motion at the same cost.",
        .cost = "Two nonlinear solves per step, each as backward Euler's.",
        .use = "As TR-BDF2.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
            "3.2",
        .stability_limit = kNoLimit,
        .growth = dirk2_growth<kSdirk2>,
        .make = make_dirk2<kSdirk2>,
    },
    IntegratorInfo{
        .id = "generalized-alpha",
        .title = "Generalized-α",
        .letters = "GA",
        .family = IntegratorFamily::implicit,
        .order = 2,
        .uses_newton = true,
        .uses_linear_solver = true,
        .formula = "x1 = x0 + h v0 + h²((½ − β)a0 + βa1); v1 = v0 + h((1 − γ)a0 + γa1); "
                   "(1 − α_m) M a1 + α_m M a0 = f((1 − α_f) u1 + α_f u0)",
        .summary = "ρ∞ sets how much of the fastest oscillations a step leaves, from all to nothing; slow "
                   "motion is hardly damped.",
        .cost = "One nonlinear solve per step, as backward Euler's.",
        .use = "Chosen damping of what is too fast for h; slow motion kept.",
        .reference = "Chung, Hulbert: A time integration algorithm for structural dynamics with improved "
                     "numerical dissipation, Journal of Applied Mechanics 60, 1993",
        .parameters = kGeneralizedAlphaParameters,
        .stability_limit = kNoLimit,
        .growth = generalized_alpha_growth,
        .make = make_generalized_alpha,
    },
    IntegratorInfo{
        .id = "exponential-rosenbrock-euler",
        .title = "Exponential Rosenbrock–Euler",
        .letters = "EX",
        .family = IntegratorFamily::exponential,
        .order = 2,
        .order_needs_exact_jacobian = true,
        .formula = "u1 = u0 + h φ1(hJ0) F(u0), φ1(Z) = Z⁻¹(e^Z − I), in Krylov subspaces",
        .summary = "Solves the equation linearised at the start of the step exactly: no numerical damping in "
                   "any mode, at any step size. Needs several products with J per oscillation of the fastest "
                   "mode, so stiff cloth is expensive.",
        .cost =
            "Products with J alone, several per oscillation of the fastest mode within h; no linear solve.",
        .use = "Undamped cloth of moderate stiffness.",
        .reference =
            "Chen, Ascher, Pai: Exponential Rosenbrock-Euler Integrators for Elastodynamic "
            "Simulation, IEEE TVCG 24(10), 2018; Niesen, Wright: Algorithm 919, ACM TOMS 38(3), 2012",
        .stability_limit = kNoLimit,
        .growth = exponential_growth,
        .make = make<ExponentialRosenbrockEuler>,
    },
    IntegratorInfo{
        .id = "siere",
        .title = "SIERE",
        .letters = "SX",
        .family = IntegratorFamily::exponential,
        .order = 1,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + (I − hJ_H)⁻¹ h (H(u0) + E(u0, h))",
        .summary = "Keeps the energy of the s slowest modes and damps the rest like semi-implicit Euler. One "
                   "solve per step, up to s more with damping, and the search for the modes.",
        .cost = "One linear solve per step, up to s more with damping, and the search for s modes.",
        .use = "Stiff cloth whose slow swing must not be damped.",
        .reference = "Chen, Sheen, Ascher, Pai: SIERE, ACM Transactions on Graphics 40(1), 2020",
        .parameters = kModes,
        .stability_limit = kNoLimit,
        .growth = implicit_euler_growth,
        .growth_of_slow_modes = siere_mode_growth,
        .make = make_split<Siere>,
    },
    IntegratorInfo{
        .id = "semi-implicit-bdf2-ere",
        .title = "Semi-implicit BDF2 + ERE",
        .letters = "BX",
        .family = IntegratorFamily::exponential,
        .order = 1,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h (H(u0) + E(u0, h)))",
        .summary = "SIERE with BDF2, which damps less, for the rest. The modes gain energy: (hω)²/2 of the "
                   "amplitude per step. Implemented as published.",
        .cost = "As SIERE.",
        .use = "Comparison with the publication; its slow modes gain energy.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
            "3.5.2, (23)",
        .parameters = kModes,
        .stability_limit = 0,
        .growth = bdf2_growth,
        .growth_of_slow_modes = bdf2_ere_mode_growth,
        .make = make_split<SemiImplicitBdf2Ere>,
    },
    IntegratorInfo{
        .id = "str-sbdf2-ere",
        .title = "Semi-implicit TR-BDF2 + ERE",
        .letters = "TX",
        .family = IntegratorFamily::exponential,
        .order = 1,
        .uses_linear_solver = true,
        .formula = "u½ trapezoidal; u1 = u½ + ⅓ (I − h/3 J_H)⁻¹ (u½ − u0 + h (H + E))",
        .summary = "Less damped than SIERE. Its modes gain energy: (hω)²/12 of the amplitude per step.",
        .cost = "Two linear solves per step, up to s more with damping, and the search for s modes.",
        .use = "Comparison with the publication; gains less than with BDF2.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
            "4, (27)",
        .parameters = kModes,
        .stability_limit = 0,
        .growth = dirk2_growth<kTrBdf2>,
        .growth_of_slow_modes = tr_bdf2_ere_mode_growth,
        .make = make_split<StrSbdf2Ere>,
    },
    IntegratorInfo{
        .id = "xpbd",
        .title = "XPBD",
        .letters = "XP",
        .family = IntegratorFamily::position_based,
        .order = 0,
        .formula =
            "n_s substeps h_s: v += h_s M⁻¹f_ext, x̃ = x + h_s v; sweeps of Δλ = (−C − α̃λ − γ∇C·(x − x_n)) / "
            "((1 + γ)(w_i + w_j) + α̃); v = (x − x_n)/h_s",
        .summary =
            "Moves positions until the springs agree, one after the other, without a linear solve. Swept to "
            "convergence it damps like backward Euler with the substep for h; ended before, it makes cloth "
            "soft and may create energy: take substeps. Spring damping is projected whatever is chosen, "
            "without Rayleigh's α. For games.",
        .cost = "Iterations times substeps sweeps over all springs; no linear system.",
        .use = "Games: a bounded cost, with many substeps of few sweeps.",
        .reference = "Macklin, Müller, Chentanez: XPBD, Position-Based Simulation of Compliant Constrained "
                     "Dynamics, Motion in Games 2016",
        .parameters = kXpbdParameters,
        .stability_limit = kNoLimit,
        .stability_condition = "when swept to convergence",
        .growth = xpbd_growth,
        .wind_limit = xpbd_wind_limit,
        .make = make_xpbd,
    },
    IntegratorInfo{
        .id = "projective-dynamics",
        .title = "Projective dynamics",
        .letters = "PD",
        .family = IntegratorFamily::position_based,
        .order = 0,
        .formula = "(M/h² + Σ k GᵀG) x = M/h² (x0 + h v0 + h² M⁻¹f_ext) + Σ k Gᵀp, p = L·d/‖d‖, in turn",
        .summary =
            "Backward Euler by another road: springs find their lengths one by one, then a linear system, "
            "factorised once while h, k, mass and pins stand, joins them. Quick to look right, slow to the "
            "end. Damping is isotropic whatever is chosen, without Rayleigh's α.",
        .cost = "Per iteration a sweep over all springs and a solve with a stored factor; a factorisation "
                "when h, stiffness, mass or pins change.",
        .use = "Pictures that look right soon, with parameters left alone.",
        .reference =
            "Bouaziz, Martin, Liu, Kavan, Pauly: Projective Dynamics, ACM Transactions on Graphics 33(4), "
            "2014; Liu, Bargteil, O'Brien, Kavan: Fast Simulation of Mass-Spring Systems, 32(6), 2013",
        .parameters = kProjectiveDynamicsParameters,
        .stability_limit = kNoLimit,
        .stability_condition = "when iterated to convergence",
        .growth = implicit_euler_growth,
        .wind_limit = explicit_wind_limit,
        .make = make_projective_dynamics,
    },
    IntegratorInfo{
        .id = "rattle",
        .title = "RATTLE",
        .letters = "RA",
        .family = IntegratorFamily::position_based,
        .order = 2,
        .uses_newton = true,
        .inextensible = true,
        .formula = "v½ = v0 + h/2 M⁻¹ (f0 − J0ᵀλ); x1 = x0 + h v½ with C(x1) = l − L = 0; "
                   "v1 = v½ + h/2 M⁻¹ (f1 − J1ᵀμ) with J1 v1 = 0",
        .summary =
            "Verlet's method for inextensible cloth: stretch springs are taken as rods, whatever their "
            "stiffness, lengths and velocities are held exactly, and energy shows no trend. Of second order "
            "against that motion; bending springs and the hand are explicit and limit h. A mesh with more "
            "edges than it has freedom can only come as close as it can, and is reported.",
        .cost = "Newton's method on the lengths, a linear system with an unknown per stretch spring in each "
                "iteration, and one more for the velocities.",
        .use = "Chains and nets that must not stretch at all.",
        .reference = "Andersen: Rattle, Journal of Computational Physics 52, 1983; Hairer, Lubich, Wanner: "
                     "Geometric Numerical Integration, section VII.1.4",
        .stability_limit = 2,
        .coupling = StepCoupling::velocity_verlet,
        .growth = velocity_verlet_growth,
        .make = make<Rattle>,
    },
    IntegratorInfo{
        .id = "pbd-proj2",
        .title = "PBD + velocity projection",
        .letters = "PB",
        .family = IntegratorFamily::position_based,
        .inextensible = true,
        .formula = "x1 = x0 + h (v0 + h M⁻¹ f0), moved to C = l − L = 0 by Gauss–Seidel sweeps; "
                   "v1 = (x1 − x0)/h; v1 −= M⁻¹Jᵀ(J M⁻¹Jᵀ)⁺ J v1",
        .summary =
            "Position-based dynamics with stretch springs as rods, whatever their stiffness: cheap sweeps "
            "that never fail, lengths held as well as their number allows. The second projection takes out "
            "the velocities that would stretch the cloth again, which plain PBD keeps; bending springs and "
            "the hand are explicit and limit h.",
        .cost = "Sweeps over the stretch springs, and one linear solve for the velocities.",
        .use = "Cloth that hardly stretches, where exact motion does not count.",
        .reference = "Müller, Heidelberger, Hennix, Ratcliff: Position based dynamics, Journal of Visual "
                     "Communication and Image Representation 18, 2007; Ascher, Petzold: Computer Methods "
                     "for Ordinary Differential Equations and Differential-Algebraic Equations, "
                     "section 10.2",
        .parameters = kPbdParameters,
        .stability_limit = 2,
        .coupling = StepCoupling::symplectic_euler,
        .growth = symplectic_euler_growth,
        .make = make_pbd_proj2,
    },
};

}  // namespace

std::span<const IntegratorInfo> integrators() { return kIntegrators; }

std::string_view family_title(IntegratorFamily family) {
  switch (family) {
    case IntegratorFamily::explicit_method:
      return "Explicit";
    case IntegratorFamily::linearly_implicit:
      return "Linearly implicit";
    case IntegratorFamily::implicit:
      return "Implicit";
    case IntegratorFamily::exponential:
      return "Exponential";
    case IntegratorFamily::position_based:
      break;
  }
  return "Position-based";
}

const IntegratorInfo* find_integrator(std::string_view id) {
  const auto row = std::ranges::find(kIntegrators, id, &IntegratorInfo::id);
  return row == kIntegrators.end() ? nullptr : &*row;
}

double slow_growth(const IntegratorInfo& info, double h_omega, const IntegratorParameters& values) {
  return info.growth_of_slow_modes ? info.growth_of_slow_modes(h_omega, values)
                                   : info.growth(h_omega, 0, values);
}

IntegratorParameters default_parameters(const IntegratorInfo& info) {
  IntegratorParameters values;
  for (const ParameterSpec& spec : info.parameters) values.push_back(spec.fallback);
  return values;
}

}  // namespace clothlab
