// SPDX-License-Identifier: MIT
#include "analysis/amplification.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/glm.hpp>
#include <memory>
#include <utility>

#include "cloth/cloth_system.h"
#include "core/worker_pool.h"
#include "linalg/small_dense.h"

namespace clothlab {
namespace {

using Complex = std::complex<double>;

/// x and v of the oscillator with ω = 1.
struct Point {
  double x = 0, v = 0;
};

/// A mass of 1 kg on a spring of 1 N/m and no length to a pin at the origin: f = −x exactly, however far out.
/// It is a bending spring, which is elastic for methods with rods too. Rayleigh's β damps it. For
/// ModeKind::rest, further slower oscillators at rest are the slow modes.
class Oscillator {
 public:
  Oscillator(std::size_t slow_modes, double damping)
      : slower_((slow_modes + 2) / 3), system_(model(slower_), material(slower_, damping)) {
    system_.projection().fix(0, vec3(0));
    state_.x.assign(slower_ + 2, vec3(0));
    state_.v = state_.x;
  }

  void set(Point u) {
    state_.x[1] = vec3(u.x, 0, 0);
    state_.v[1] = vec3(u.v, 0, 0);
  }

  /// A constant force on the mass [N].
  void push(double force) { system_.set_drivers({{{1}, {.force = vec3(force, 0, 0)}}}); }

  Point advance(Integrator& integrator, double h, const StopProbe& stop) {
    integrator.advance(system_, state_, h, {kExact, pool_, stop});
    return {state_.x[1].x, state_.v[1].x};
  }

 private:
  static std::shared_ptr<const ClothModel> model(std::size_t slower) {
    const std::vector<vec3> rest(slower + 2, vec3(0));
    const std::vector<ClothModel::Ends> fast{{0, 1}};
    std::vector<ClothModel::Ends> slow;
    for (std::uint32_t i = 0; i < slower; ++i) slow.push_back({0, i + 2});
    return std::make_shared<const ClothModel>(rest, slow, fast);
  }

  static Material material(std::size_t slower, double damping) {
    Material material;
    material.mass = static_cast<double>(slower + 2);
    material.stretch_stiffness = 1e-4;
    material.bend_stiffness = 1;
    material.spring_damping = 0;
    material.rayleigh_mass = damping;
    material.gravity = vec3(0);
    return material;
  }

  static inline const SolverSettings kExact = [] {
    SolverSettings settings;
    settings.linear.cg.tolerance = 1e-15;
    settings.newton_tolerance = 1e-14;
    settings.jacobian = JacobianMode::exact;
    return settings;
  }();

  std::size_t slower_;  // particles; each has three modes
  WorkerPool pool_;
  ClothSystem system_;
  State state_;
};

using Vector = glm::dvec4;

/// Column-major n × n matrix T of the map from each `from` to its `to`, on the span of the `from`: both are
/// combined equally until the `from` are orthonormal, then T = fromᵀ to.
std::vector<double> map_between(std::vector<Vector> from, std::vector<Vector> to) {
  constexpr double kNothingLeft = 1e-9;  // of a unit vector: above rounding, below a method's memory
  std::size_t n = 0;
  for (; n < from.size(); ++n) {
    std::size_t longest = n;
    for (std::size_t j = n; j < from.size(); ++j)
      if (glm::length(from[j]) > glm::length(from[longest])) longest = j;
    std::swap(from[n], from[longest]);
    std::swap(to[n], to[longest]);
    const double length = glm::length(from[n]);
    if (length < kNothingLeft) break;
    from[n] /= length;
    to[n] /= length;
    for (std::size_t j = n + 1; j < from.size(); ++j) {
      const double share = glm::dot(from[n], from[j]);
      from[j] -= share * from[n];
      to[j] -= share * to[n];
    }
  }
  std::vector<double> map(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) map[j * n + i] = glm::dot(from[i], to[j]);
  return map;
}

/// True if the ends of two steps from a sum of states are the sums of their ends.
bool is_linear(const IntegratorInfo& info, const IntegratorParameters& values, double h_omega,
               Oscillator& oscillator, const StopProbe& stop) {
  constexpr double kRounding = 1e-7;
  Vector sum(0), of_sum(0);
  for (const Point& start : {Point{1, 0}, Point{0, 1}, Point{1, 1}}) {
    const std::unique_ptr<Integrator> integrator = info.make(values);
    oscillator.set(start);
    const Point first = oscillator.advance(*integrator, h_omega, stop);
    const Point second = oscillator.advance(*integrator, h_omega, stop);
    (start.x == start.v ? of_sum : sum) += Vector(first.x, first.v, second.x, second.v);
  }
  // The caller handles non-finite values.
  return !glm::any(glm::greaterThan(glm::abs(of_sum - sum), Vector(kRounding * (1 + glm::length(sum)))));
}

}  // namespace

std::size_t slow_modes(const IntegratorInfo& info, const IntegratorParameters& values) {
  for (std::size_t p = 0; p < info.parameters.size(); ++p)
    if (info.parameters[p].id == "modes") return static_cast<std::size_t>(values[p]);
  return 0;
}

std::vector<Complex> measure_amplification(const IntegratorInfo& info, const IntegratorParameters& values,
                                           double h_omega, ModeKind kind, const StopProbe& stop,
                                           double h_damping) {
  Oscillator oscillator(kind == ModeKind::rest ? slow_modes(info, values) : 0, h_damping / h_omega);
  if (!is_linear(info, values, h_omega, oscillator, stop)) return {};
  std::vector<Vector> from, to;
  for (const auto& [before, start] :
       {std::pair<Point, Point>{{}, {1, 0}}, {{}, {0, 1}}, {{1, 0}, {}}, {{0, 1}, {}}}) {
    const std::unique_ptr<Integrator> integrator = info.make(values);
    oscillator.set(before);
    oscillator.advance(*integrator, h_omega, stop);
    oscillator.set(start);  // no reset: the method keeps its memory of `before`
    const Point first = oscillator.advance(*integrator, h_omega, stop);
    const Point second = oscillator.advance(*integrator, h_omega, stop);
    if (stop_requested(stop)) return {};
    const Vector z0{start.x, start.v, first.x, first.v}, z1{first.x, first.v, second.x, second.v};
    const double length = glm::length(z0);
    if (!std::isfinite(length + glm::length(z1))) return {};
    if (length < 1e-12) continue;  // no memory
    from.push_back(z0 / length);
    to.push_back(z1 / length);
  }
  const std::vector<double> map = map_between(std::move(from), std::move(to));
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(map.size()))));
  std::vector<Complex> result = eigenvalues(n, map);
  std::ranges::sort(result, std::greater<>(), [](Complex z) { return std::abs(z); });
  return result;
}

std::optional<ForceResponse> measure_response(const IntegratorInfo& info, const IntegratorParameters& values,
                                              double h_omega, ModeKind kind, double ratio,
                                              const StopProbe& stop, double h_damping) {
  const std::vector<Complex> eigenvalues =
      measure_amplification(info, values, h_omega, kind, stop, h_damping);
  if (eigenvalues.empty()) return std::nullopt;
  Oscillator oscillator(kind == ModeKind::rest ? slow_modes(info, values) : 0, h_damping / h_omega);
  const std::unique_ptr<Integrator> integrator = info.make(values);
  oscillator.set({});
  oscillator.push(0);
  oscillator.advance(*integrator, h_omega, stop);  // a multistep method remembers the rest
  oscillator.push(1);
  const Point first = oscillator.advance(*integrator, h_omega, stop);
  oscillator.push(0);
  // A method may also remember a force of the step before, or of two.
  constexpr std::size_t kRemembered = 2;
  std::vector<double> g{0, first.x};
  while (g.size() <= eigenvalues.size() + kRemembered)
    g.push_back(oscillator.advance(*integrator, h_omega, stop).x);
  if (stop_requested(stop)) return std::nullopt;

  std::vector<Complex> p{1};  // Π (ζ − λ)
  for (const Complex& eigenvalue : eigenvalues) {
    p.insert(p.begin(), 0);
    for (std::size_t k = 0; k + 1 < p.size(); ++k) p[k] -= eigenvalue * p[k + 1];
  }
  const double angle = ratio * h_omega;
  Complex above = 0, below = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    below += p[j] * std::polar(1.0, static_cast<double>(j) * angle);
    for (std::size_t k = 1; k <= j + kRemembered && k < g.size(); ++k)
      above += p[j] * g[k] * std::polar(1.0, (static_cast<double>(j) - static_cast<double>(k)) * angle);
  }
  const double force_time = info.force_time ? info.force_time(values) : 0.5;
  constexpr double kGrowth = 1 + 1e-6;  // above rounding
  const Complex steady =
      std::abs(eigenvalues[0]) > kGrowth ? NAN : above / below * std::polar(1.0, force_time * angle);
  return ForceResponse{steady, first.v / h_omega};
}

double phase_error(Complex eigenvalue, double h_omega) {
  const Complex exact = std::polar(1.0, h_omega);
  const double one = std::arg(eigenvalue / exact), other = std::arg(std::conj(eigenvalue) / exact);
  return std::abs(one) < std::abs(other) ? one : other;
}

double equivalent_damping(double amplitude_factor, double h_omega) {
  return -2 * std::log(amplitude_factor) / h_omega;
}

}  // namespace clothlab
