#include "integrate/growth.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "integrate/generalized_alpha.h"

namespace clothlab {
namespace {

using Complex = std::complex<double>;

/// The larger of size(μ) for both eigenvalues of the oscillator, times h.
template <class Size>
double largest(double y, double s, const Size& size) {
  const double discriminant = s * s - 4 * y * y;
  if (discriminant < 0) return size(Complex(-s / 2, std::sqrt(-discriminant) / 2));  // |R(z̄)| = |R(z)|
  const double fast = -(s + std::sqrt(discriminant)) / 2;
  return std::max(size(Complex(fast)), size(Complex(fast < 0 ? y * y / fast : 0.0)));
}

/// Of the roots of λ² − 2 (1 − q) λ + e, where q² − g = (1 − q)² − e is known without cancellation.
double quadratic_radius(double q, double g, double e) {
  const double discriminant = q * q - g;
  return discriminant < 0 ? std::sqrt(e) : std::abs(1 - q) + std::sqrt(discriminant);
}

}  // namespace

double explicit_euler_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest(y, s, [](Complex z) { return std::abs(1.0 + z); });
}

double rk4_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest(y, s, [](Complex z) {
    return std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))));
  });
}

double implicit_euler_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest(y, s, [](Complex z) { return 1 / std::abs(1.0 - z); });
}

double trapezoidal_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest(y, s, [](Complex z) { return std::abs(2.0 + z) / std::abs(2.0 - z); });
}

double exponential_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest(y, s, [](Complex z) { return std::exp(z.real()); });
}

// (3 − 2z) ζ² − 4 ζ + 1 = 0. The one Newton iteration of the semi-implicit method is exact here.
double bdf2_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest(y, s, [](Complex z) {
    const Complex root = std::sqrt(1.0 + 2.0 * z), lead = 3.0 - 2.0 * z;
    return std::max(std::abs((2.0 + root) / lead), std::abs((2.0 - root) / lead));
  });
}

// R = (1 + weight (Rc − 1)) / (1 − end z), Rc = (1 + node z/2) / (1 − node z/2).
double dirk2_growth(const Dirk2::Constants& c, double y, double s) {
  return largest(y, s, [&](Complex z) {
    const Complex half = c.node * z / 2.0;
    return std::abs((1.0 + c.weight * 2.0 * half / (1.0 - half)) / (1.0 - c.end * z));
  });
}

// Largest |ζ| of ((1 − α_m) ζ + α_m) (ζ − 1)² + ((1 − α_f) ζ + α_f) (y² (βζ² + (½ + γ − 2β) ζ + ½ − γ + β)
// + s (ζ − 1) (γζ + 1 − γ)), which is at most 1 for every ρ∞. One root is real: found by bisection, it leaves
// a quadratic.
double generalized_alpha_growth(double y, double s, const IntegratorParameters& values) {
  const auto [alpha_m, alpha_f, gamma, beta] = GeneralizedAlpha::Constants::of(values.at(0));
  const double m1 = 1 - alpha_m, m0 = alpha_m, f1 = 1 - alpha_f, f0 = alpha_f;
  const double n2 = y * y * beta + s * gamma;
  const double n1 = y * y * (0.5 + gamma - 2 * beta) + s * (1 - 2 * gamma);
  const double n0 = y * y * (0.5 - gamma + beta) - s * (1 - gamma);
  const double p3 = m1 + f1 * n2, p2 = m0 - 2 * m1 + f0 * n2 + f1 * n1;
  const double p1 = m1 - 2 * m0 + f0 * n1 + f1 * n0, p0 = m0 + f0 * n0;

  double below = -2, above = 2;  // the polynomial is negative at the one, positive at the other
  for (double middle = 0; below < middle && middle < above; middle = (below + above) / 2) {
    (((p3 * middle + p2) * middle + p1) * middle + p0 < 0 ? below : above) = middle;
  }
  const double real = above;
  const double q1 = p2 + p3 * real, q0 = p1 + q1 * real;  // p3 ζ² + q1 ζ + q0
  const double discriminant = q1 * q1 - 4 * p3 * q0;
  const double other =
      discriminant < 0 ? std::sqrt(q0 / p3) : (std::abs(q1) + std::sqrt(discriminant)) / (2 * p3);
  return std::min(1.0, std::max(std::abs(real), other));
}

// A spring to a pin is solved by the first sweep: backward Euler in every substep.
double xpbd_growth(double y, double s, const IntegratorParameters& values) {
  const double substeps = values.at(1);
  return std::pow(implicit_euler_growth(y / substeps, s / substeps, values), substeps);
}

double symplectic_euler_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return quadratic_radius((y * y + s) / 2, y * y, 1 - s);
}

double velocity_verlet_growth(double y, double s, const IntegratorParameters& /*values*/) {
  const double q = (y * y + s - s * s / 2 - s * y * y / 4) / 2;
  return quadratic_radius(q, y * y * (1 - s / 2), 1 - s + s * s / 2 - s * y * y / 4);
}

double siere_mode_growth(double y, const IntegratorParameters& values) {
  return values.at(0) > 0 ? 1 : implicit_euler_growth(y, 0, values);
}

// ζ² − ⅔ (1 + e^z) ζ + ⅓ = 0 at z = iy
double bdf2_ere_mode_growth(double y, const IntegratorParameters& values) {
  if (!(values.at(0) > 0)) return bdf2_growth(y, 0, values);
  const Complex half_sum = (1.0 + std::polar(1.0, y)) / 3.0;
  const Complex root = std::sqrt(half_sum * half_sum - 1.0 / 3);
  return std::max(std::abs(half_sum + root), std::abs(half_sum - root));
}

// R(z) = ⅔ (1 + e^{z/2}) (1 + z/4) / (1 − z/4) − ⅓ at z = iy
double tr_bdf2_ere_mode_growth(double y, const IntegratorParameters& values) {
  if (!(values.at(0) > 0)) return dirk2_growth(kTrBdf2, y, 0);
  const Complex half = Complex(1.0, y / 4) / Complex(1.0, -y / 4);
  return std::abs(2.0 / 3 * (1.0 + std::polar(1.0, y / 2)) * half - 1.0 / 3);
}

}  // namespace clothlab
