#include "integrate/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "integrate/backward_euler.h"
#include "integrate/explicit_euler.h"
#include "integrate/exponential_rosenbrock_euler.h"
#include "integrate/rk4.h"
#include "integrate/semi_implicit_bdf2_ere.h"
#include "integrate/semi_implicit_euler.h"
#include "integrate/siere.h"
#include "integrate/str_sbdf2_ere.h"
#include "integrate/symplectic_euler.h"
#include "integrate/velocity_verlet.h"

// To add an integrator: write its pair of files, list them in CMakeLists.txt, include the header above and
// add a row below. The generic tests, the menu, the command line and the docs table iterate the rows.

namespace clothlab {

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

template <class Method>
std::unique_ptr<Integrator> make(const IntegratorParameters& /*values*/) {
  return std::make_unique<Method>();
}

constexpr std::array kModes{
    ParameterSpec{
        .id = "modes",
        .title = "Modes",
        .unit = "",
        .kind = ParameterSpec::Kind::integer,
        .min = 0,
        .max = 100,
        .fallback = 5,
        .help = "How many of the slowest modes move by exponentials, without numerical damping.",
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
        .help = "The modes are found anew after so many steps; between, old ones are used.",
    },
};

template <class Method>
std::unique_ptr<Integrator> make_split(const IntegratorParameters& values) {
  return std::make_unique<Method>(static_cast<std::size_t>(values.at(0)), static_cast<int>(values.at(1)));
}

// Spectral radii for x'' = −ω²x, as functions of y = hω.
template <double (*radius)(double y)>
double growth(double y, const IntegratorParameters& /*values*/) {
  return radius(y);
}

double explicit_euler_growth(double y) { return std::hypot(1.0, y); }

double implicit_euler_growth(double y) { return 1 / std::hypot(1.0, y); }

// Symplectic Euler and Verlet: the eigenvalues have product 1 and sum 2 − y²: a conjugate pair on the unit
// circle up to y = 2, two real numbers beyond.
double leapfrog_growth(double y) {
  if (y <= 2) return 1;
  const double half_sum = y * y / 2 - 1;
  return half_sum + std::sqrt(half_sum - 1) * std::sqrt(half_sum + 1);
}

// |1 + z + z²/2 + z³/6 + z⁴/24| at z = iy: 1 − y⁶/72 + y⁸/576, squared.
double rk4_growth(double y) { return std::sqrt(1 - std::pow(y, 6) / 72 * (1 - y * y / 8)); }

double no_growth(double /*y*/) { return 1; }

// (3 − 2z) ζ² − 4 ζ + 1 = 0 at z = iy. The one Newton iteration of the semi-implicit method is exact here.
double bdf2_growth(double y) {
  const std::complex<double> root = std::sqrt(std::complex(1.0, 2 * y)), lead(3, -2 * y);
  return std::max(std::abs((2.0 + root) / lead), std::abs((2.0 - root) / lead));
}

// The split methods, in a mode that they take by exponentials and in one that they do not.
template <double (*inside)(double y), double (*outside)(double y)>
double split_growth(double y, const IntegratorParameters& values) {
  return values.at(0) > 0 ? inside(y) : outside(y);
}

// ζ² − ⅔ (1 + e^z) ζ + ⅓ = 0
double bdf2_ere_growth(double y) {
  const std::complex<double> half_sum = (1.0 + std::polar(1.0, y)) / 3.0;
  const std::complex<double> root = std::sqrt(half_sum * half_sum - 1.0 / 3);
  return std::max(std::abs(half_sum + root), std::abs(half_sum - root));
}

// R(z) = (12 + 5z) / (12 − 7z + z²)
double tr_bdf2_growth(double y) {
  return std::abs(std::complex(12.0, 5 * y) / std::complex(12 - y * y, -7 * y));
}

// R(z) = ⅔ (1 + e^{z/2}) (1 + z/4) / (1 − z/4) − ⅓
double tr_bdf2_ere_growth(double y) {
  const std::complex half = std::complex(1.0, y / 4) / std::complex(1.0, -y / 4);
  return std::abs(2.0 / 3 * (1.0 + std::polar(1.0, y / 2)) * half - 1.0 / 3);
}

const std::array kIntegrators{
    IntegratorInfo{
        .id = "explicit-euler",
        .title = "Explicit Euler",
        .family = IntegratorFamily::explicit_method,
        .order = 1,
        .formula = "x1 = x0 + h v0; v1 = v0 + h M⁻¹ f(x0, v0)",
        .summary = "The simplest method. It gains energy at every step size, so that undamped cloth always "
                   "blows up, "
                   "only sooner or later. Shown for what it teaches, never to be used.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section 3",
        .stability_limit = 0,
        .growth = growth<explicit_euler_growth>,
        .make = make<ExplicitEuler>,
    },
    IntegratorInfo{
        .id = "symplectic-euler",
        .title = "Symplectic Euler",
        .family = IntegratorFamily::explicit_method,
        .order = 1,
        .formula = "v1 = v0 + h M⁻¹ f(x0, v0); x1 = x0 + h v1",
        .summary = "As cheap as explicit Euler, yet it keeps the energy near its value for ever while "
                   "h·ω_max < 2, and "
                   "blows up at once above. The method of choice for soft cloth and small steps.",
        .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section I.1",
        .stability_limit = 2,
        .growth = growth<leapfrog_growth>,
        .make = make<SymplecticEuler>,
    },
    IntegratorInfo{
        .id = "velocity-verlet",
        .title = "Velocity Verlet",
        .family = IntegratorFamily::explicit_method,
        .order = 2,
        .formula = "x1 = x0 + h v0 + h²/2 a0; v1 = v0 + h/2 (a0 + a(x1, v0 + h a0))",
        .summary =
            "Symplectic Euler with positions and velocities at the same times: second order, two evaluations "
            "of the forces per step, the same limit of stability. The standard method of molecular dynamics.",
        .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section I.1.4",
        .stability_limit = 2,
        .growth = growth<leapfrog_growth>,
        .make = make<VelocityVerlet>,
    },
    IntegratorInfo{
        .id = "rk4",
        .title = "Runge–Kutta 4",
        .family = IntegratorFamily::explicit_method,
        .order = 4,
        .formula = "k1 = F(u0); k2 = F(u0 + h/2 k1); k3 = F(u0 + h/2 k2); k4 = F(u0 + h k3); "
                   "u1 = u0 + h/6 (k1 + 2 k2 + 2 k3 + k4)",
        .summary =
            "The classical method of order four: the most accurate one here while h·ω_max stays well "
            "below its limit of 2√2, at four evaluations of the forces per step. It damps what is fast "
            "for the step, a little. Useful as a reference.",
        .reference = "Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, section II.1",
        .stability_limit = 2 * std::numbers::sqrt2,
        .growth = growth<rk4_growth>,
        .make = make<Rk4>,
    },
    IntegratorInfo{
        .id = "semi-implicit-euler",
        .title = "Semi-implicit Euler",
        .family = IntegratorFamily::linearly_implicit,
        .order = 1,
        .uses_linear_solver = true,
        .formula = "(M − hD − h²K) Δv = h (f0 + hK v0); v1 = v0 + Δv; x1 = x0 + h v1",
        .summary = "Backward Euler with a single Newton iteration: one linear solve per step, stable at "
                   "large steps. It "
                   "damps motion that is fast for the step, physical or not. The usual choice for "
                   "interactive cloth.",
        .reference = "Baraff, Witkin: Large Steps in Cloth Simulation, SIGGRAPH 1998",
        .stability_limit = kNoLimit,
        .growth = growth<implicit_euler_growth>,
        .make = make<SemiImplicitEuler>,
    },
    IntegratorInfo{
        .id = "backward-euler",
        .title = "Backward Euler",
        .family = IntegratorFamily::implicit,
        .order = 1,
        .uses_newton = true,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + h F(u1), by Newton's method",
        .summary =
            "Solves the implicit equations to a tolerance instead of once, so that it also holds where the "
            "forces turn within one step. The same damping as semi-implicit Euler at several times its cost.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
            "3.3, (14)",
        .stability_limit = kNoLimit,
        .growth = growth<implicit_euler_growth>,
        .make = make<BackwardEuler>,
    },
    IntegratorInfo{
        .id = "exponential-rosenbrock-euler",
        .title = "Exponential Rosenbrock–Euler",
        .family = IntegratorFamily::exponential,
        .order = 2,
        .order_needs_exact_jacobian = true,
        .formula = "u1 = u0 + h φ1(hJ0) F(u0), φ1(Z) = Z⁻¹(e^Z − I), in Krylov subspaces",
        .summary = "Solves the equation linearised at the start of the step exactly: no numerical damping in "
                   "any mode, at any step size. Needs some products with J per vibration of the fastest "
                   "mode, so that stiff cloth is expensive.",
        .reference =
            "Chen, Ascher, Pai: Exponential Rosenbrock-Euler Integrators for Elastodynamic "
            "Simulation, IEEE TVCG 24(10), 2018; Niesen, Wright: Algorithm 919, ACM TOMS 38(3), 2012",
        .stability_limit = kNoLimit,
        .growth = growth<no_growth>,
        .make = make<ExponentialRosenbrockEuler>,
    },
    IntegratorInfo{
        .id = "siere",
        .title = "SIERE",
        .family = IntegratorFamily::exponential,
        .order = 1,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + (I − hJ_H)⁻¹ h (H(u0) + E(u0, h))",
        .summary = "Keeps the energy of the s slowest modes, damps the rest like semi-implicit Euler. One "
                   "solve per step.",
        .reference = "Chen, Sheen, Ascher, Pai: SIERE, ACM Transactions on Graphics 40(1), 2020",
        .parameters = kModes,
        .stability_limit = kNoLimit,
        .growth = split_growth<no_growth, implicit_euler_growth>,
        .growth_of_the_rest = implicit_euler_growth,
        .make = make_split<Siere>,
    },
    IntegratorInfo{
        .id = "semi-implicit-bdf2-ere",
        .title = "Semi-implicit BDF2 + ERE",
        .family = IntegratorFamily::exponential,
        .order = 1,
        .uses_linear_solver = true,
        .formula = "u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h (H(u0) + E(u0, h)))",
        .summary = "SIERE with BDF2, which damps less, for the rest. The modes gain energy, (hω)²/2 of the "
                   "amplitude "
                   "per step. Shown as published.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
            "3.5.2, (23)",
        .parameters = kModes,
        .stability_limit = 0,
        .growth = split_growth<bdf2_ere_growth, bdf2_growth>,
        .growth_of_the_rest = bdf2_growth,
        .make = make_split<SemiImplicitBdf2Ere>,
    },
    IntegratorInfo{
        .id = "str-sbdf2-ere",
        .title = "Semi-implicit TR-BDF2 + ERE",
        .family = IntegratorFamily::exponential,
        .order = 1,
        .uses_linear_solver = true,
        .formula = "u½ trapezoidal; u1 = u½ + ⅓ (I − h/3 J_H)⁻¹ (u½ − u0 + h (H + E))",
        .summary = "Livelier than SIERE. Its modes gain energy, (hω)²/12 of the amplitude per step.",
        .reference =
            "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
            "4, (27)",
        .parameters = kModes,
        .stability_limit = 0,
        .growth = split_growth<tr_bdf2_ere_growth, tr_bdf2_growth>,
        .growth_of_the_rest = tr_bdf2_growth,
        .make = make_split<StrSbdf2Ere>,
    },
};

}  // namespace

std::span<const IntegratorInfo> integrators() { return kIntegrators; }

const IntegratorInfo* find_integrator(std::string_view id) {
  const auto row = std::ranges::find(kIntegrators, id, &IntegratorInfo::id);
  return row == kIntegrators.end() ? nullptr : &*row;
}

double stiffest_growth(const IntegratorInfo& info, double h_omega_max, const IntegratorParameters& values) {
  return info.growth_of_the_rest ? info.growth_of_the_rest(h_omega_max) : info.growth(h_omega_max, values);
}

IntegratorParameters default_parameters(const IntegratorInfo& info) {
  IntegratorParameters values;
  for (const ParameterSpec& spec : info.parameters) values.push_back(spec.fallback);
  return values;
}

}  // namespace clothlab
