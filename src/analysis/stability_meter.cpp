// SPDX-License-Identifier: MIT
#include "analysis/stability_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "analysis/free_directions.h"
#include "cloth/cloth_system.h"
#include "core/cancel_point.h"
#include "core/error.h"
#include "linalg/small_dense.h"

namespace clothlab {
namespace {

constexpr double kTolerance = 0.005;  // of an eigenvalue: 0.25 % of h
constexpr int kMostRefinements = 6;
constexpr double kRefined = 1e-3;  // relative gain below which refinement ends

double root(double square) { return std::sqrt(std::max(square, 0.0)); }

/// The oscillations that set the limit of some method of StepCoupling::eigenvalues, and of `running`.
std::vector<DampedOscillation> limiting(std::span<const DampedOscillation> all, const IntegratorInfo& running,
                                        const StopProbe& stop) {
  std::vector<DampedOscillation> result;
  const auto add = [&](const IntegratorInfo& info) {
    if (all.empty() || info.coupling != StepCoupling::eigenvalues || std::isinf(info.stability_limit) ||
        info.growth_of_slow_modes)
      return;
    CancelPoint(stop).poll();
    const IntegratorParameters values = default_parameters(info);
    const auto limit = [&](const DampedOscillation& o) { return largest_stable_step(info, values, o); };
    result.push_back(*std::ranges::min_element(all, {}, limit));
  };
  std::ranges::for_each(integrators(), add);
  if (running.tableau != nullptr) add(running);
  return result;
}

/// Double zeros (motions without force) come out as the square root of rounding.
constexpr double kZeroMotion = 1e-7;  // of the largest

/// The eigenvalues as oscillations, a conjugate pair as one. Growing solutions of the equations themselves
/// count as undamped.
std::vector<DampedOscillation> oscillations(const std::vector<std::complex<double>>& eigenvalues) {
  double largest = 0;
  for (const std::complex<double> l : eigenvalues) largest = std::max(largest, std::abs(l));
  std::vector<DampedOscillation> result;
  for (const std::complex<double> l : eigenvalues) {
    if (l.imag() < 0 || std::abs(l) < kZeroMotion * largest) continue;
    const double rate = std::max(-l.real(), 0.0);
    if (l.imag() > 0)
      result.push_back({std::hypot(rate, l.imag()), 2 * rate});
    else if (rate > 0)
      result.push_back({0, rate});
  }
  return result;
}

/// The eigenvalues of J = [[0, I], [−M⁻¹K, −M⁻¹C]] on the free directions: a dense problem of twice the free
/// directions, milliseconds for 50 of them, a second for 300, ten for 600. Throws Cancelled; empty if values
/// are not finite.
std::vector<std::complex<double>> jacobian_spectrum(const SpringMatrix& K, const SpringMatrix& C,
                                                    std::span<const double> masses, const Projection& held,
                                                    WorkerPool& pool, const StopProbe& stop) {
  const std::vector<FreeDirection> directions = free_directions(held);
  const std::size_t n = directions.size(), rows = 2 * n;
  std::vector<double> J(rows * rows, 0.0);
  // −A into the lower half, divided by `scale`.
  const auto fill = [&](const std::vector<double>& A, std::size_t first_column, double scale) {
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) J[(first_column + j) * rows + n + i] = -A[j * n + i] / scale;
  };
  const std::vector<double> dense_K = dense_on(directions, K, masses, pool, stop);
  double stiffest = 0;
  for (std::size_t j = 0; j < n; ++j) stiffest = std::max(stiffest, std::abs(dense_K[j * n + j]));
  // x is scaled by a frequency, so that both halves have one magnitude.
  const double scale = stiffest > 0 ? std::sqrt(stiffest) : 1;
  for (std::size_t j = 0; j < n; ++j) J[(n + j) * rows + j] = scale;
  fill(dense_K, 0, scale);
  fill(dense_on(directions, C, masses, pool, stop), n, 1);
  return eigenvalues(rows, std::move(J), stop);
}

}  // namespace

/// Rayleigh quotients and largest eigenvalues of combinations of K̃ and C̃.
struct StabilityMeter::Problem {
  using Quotients = LargestEigenvalue::Quotients;
  struct Critical {
    double value;
    Quotients at;
  };

  /// Throws Cancelled.
  double largest(double k, double c, double c2, UnitMode& mode) const {
    const auto result = lanczos.compute({pool, stop}, {&K, &C, k, c, c2}, masses, held, mode, kTolerance);
    if (result.stopped || !std::isfinite(result.value)) throw Cancelled();
    return result.value;
  }
  Quotients quotients(const UnitMode& mode) const {
    return lanczos.quotients(pool, {&K, &C}, masses, held, mode);
  }

  /// The combination k K̃ + c μ C̃ + c2 C̃², of which a critical μ is the one with the largest eigenvalue
  /// square μ².
  struct Combination {
    double k, c, c2, square;

    /// The larger root μ of square μ² = k K + c μ C + c2 C2; 0 if there is none.
    double critical_at(const Quotients& q) const {
      const double linear = c * q.C, discriminant = linear * linear + 4 * square * (k * q.K + c2 * q.C2);
      return discriminant < 0 ? 0 : (linear + std::sqrt(discriminant)) / (2 * square);
    }
  };

  /// The largest critical μ above `least`; `least` and no quotients if there is none. Starts from the best of
  /// `mode` and `others`; `mode` becomes its vector.
  Critical critical(double least, UnitMode& mode, std::span<const UnitMode* const> others,
                    const Combination& of) const {
    Critical best{least, {}};
    const UnitMode* start = &mode;
    const auto improves = [&](const UnitMode& candidate) {
      const Quotients q = quotients(candidate);
      const double value = of.critical_at(q);
      if (!(value > best.value)) return false;
      best = {value, q};
      start = &candidate;
      return true;
    };
    improves(mode);
    for (const UnitMode* other : others) improves(*other);
    if (start != &mode) mode = *start;
    for (int k = 0; k < kMostRefinements; ++k) {
      const double before = best.value;
      const double needed = of.square * before * before;
      if (!(largest(of.k, of.c * before, of.c2, mode) > needed)) break;
      if (!improves(mode) || best.value < before * (1 + kRefined)) break;
    }
    return best;
  }

  LargestEigenvalue& lanczos;
  WorkerPool& pool;
  const SpringMatrix& K;
  const SpringMatrix& C;
  std::span<const double> masses;
  const Projection& held;
  const StopProbe& stop;
};

JacobianMode stability_blocks(const IntegratorInfo& integrator, JacobianMode scene) {
  const bool ignores = integrator.family == IntegratorFamily::explicit_method ||
                       integrator.family == IntegratorFamily::position_based;
  return ignores ? JacobianMode::exact : scene;
}

void StabilityMeter::assemble_stiffness(const DynamicSystem& system, std::span<const vec3> x,
                                        JacobianMode mode, bool inextensible, const ComputeContext& context) {
  const std::shared_ptr<const SpringPattern> pattern = system.pattern();
  if (!stiffness_ || stiffness_->shared_pattern() != pattern) {
    *this = StabilityMeter();
    stiffness_.emplace(pattern, context.stop);
  }
  const CancelPoint cancel(context.stop);
  cancel.poll();
  // K does not depend on v: any vector will do.
  system.assemble(context.pool, x, x, {.mass = 0, .damping = 0, .stiffness = 1}, mode, *stiffness_);
  cancel.poll();
  if (!inextensible) return;
  const ElasticElements elements = system.elements();
  for (std::size_t s = 0; s < elements.size(); ++s)
    if (elements[s].stretch) stiffness_->spring(s) = {.b = elements[s].bending};
}

void StabilityMeter::assemble_damping(const Subject& subject, const ComputeContext& context) {
  const auto& [system, state, held, integrator, scene, without_distances] = subject;
  if (!damping_) damping_.emplace(system.pattern(), context.stop);
  const CancelPoint cancel(context.stop);
  cancel.poll();
  system.assemble(context.pool, state.x, state.v, {.mass = 0, .damping = 1, .stiffness = 0},
                  JacobianMode::exact, *damping_);
  cancel.poll();
  if (!integrator.inextensible) return;
  const ElasticElements elements = system.elements();
  for (std::size_t s = 0; s < elements.size(); ++s)
    if (elements[s].stretch) damping_->spring(s).u = vec3(0);  // no rod changes its length
}

std::optional<double> StabilityMeter::omega_max(const DynamicSystem& system, std::span<const vec3> x,
                                                JacobianMode mode, WorkerPool& pool, const StopProbe& stop,
                                                bool inextensible) {
  if (!run_unless_cancelled([&] { assemble_stiffness(system, x, mode, inextensible, {pool, stop}); }))
    return std::nullopt;
  const LargestEigenvalue::Result result = largest_.compute(
      {pool, stop}, {.K = &*stiffness_}, system.masses(), system.projection(), stiffest_, kTolerance);
  if (result.stopped || !std::isfinite(result.value)) return std::nullopt;
  return root(result.value);
}

std::optional<StabilityEstimate> StabilityMeter::estimate(const Subject& subject, WorkerPool& pool,
                                                          const StopProbe& stop) {
  StabilityEstimate e;
  if (!run_unless_cancelled([&] { measure(subject, pool, stop, nullptr, e); })) return std::nullopt;
  return e;
}

bool StabilityMeter::follow(StabilityEstimate& estimate, const Subject& subject, WorkerPool& pool,
                            const StopProbe& stop) {
  return run_unless_cancelled([&] { measure(subject, pool, stop, &subject.integrator, estimate); });
}

void StabilityMeter::measure(const Subject& subject, WorkerPool& pool, const StopProbe& stop,
                             const IntegratorInfo* method, StabilityEstimate& e) {
  const auto& [system, state, held, integrator, scene, without_distances] = subject;
  assemble_stiffness(system, state.x, stability_blocks(integrator, scene), integrator.inextensible,
                     {pool, stop});
  assemble_damping(subject, {pool, stop});
  measure({largest_, pool, *stiffness_, *damping_, system.masses(), held, stop}, method, e);
  e.without_distances = without_distances;
  e.wind_rate = system.wind_rate(pool, state.x, state.v, held);
  const double square = e.stiffest.omega * e.stiffest.omega;
  e.contact_in_stiffness = share_of_contact(subject, stiffest_, square, &StepContact::Quotients::stiffness);
  e.contact_in_damping =
      share_of_contact(subject, most_damped_, e.damping_max, &StepContact::Quotients::damping);
}

double StabilityMeter::share_of_contact(const Subject& subject, const UnitMode& mode, double whole,
                                        double StepContact::Quotients::*part) const {
  const auto& [system, state, held, integrator, scene, without_distances] = subject;
  if (system.contact() == nullptr || mode.empty() || !(whole > 0)) return 0;
  std::vector<vec3> way(state.x.size());
  for (std::size_t i = 0; i < way.size(); ++i)
    way[i] = unpadded(mode[system.pattern()->row[i]]) / std::sqrt(system.masses()[i]);
  return system.contact()->quotients(stability_blocks(integrator, scene), state.v, way).*part / whole;
}

void StabilityMeter::measure(const Problem& problem, const IntegratorInfo* method, StabilityEstimate& e) {
  using Quotients = LargestEigenvalue::Quotients;
  e.free_directions = count_free_directions(problem.held);
  // Of K̃ alone.
  e.stiffest.omega = root(problem.largest(1, 0, 0, stiffest_));
  e.stiffest.damping = std::max(problem.quotients(stiffest_).C, 0.0);
  if (method && std::isinf(method->stability_limit)) return;
  const auto decides = [&](StepCoupling coupling) { return !method || method->coupling == coupling; };

  // Of C̃ alone.
  e.damping_max = std::max(problem.largest(0, 1, 0, most_damped_), 0.0);
  e.others = {e.stiffest};
  e.others_are_exact = e.damping_max == 0;
  if (e.damping_max == 0) {
    e.symplectic_euler = e.velocity_verlet = e.stiffest;
    return;
  }
  const Quotients most_damped = problem.quotients(most_damped_);
  e.others.push_back({root(most_damped.K), e.damping_max});
  const std::array<const UnitMode*, 2> known{&stiffest_, &most_damped_};

  // The critical vectors: largest 4μ² = K̃ + 2μC̃ (symplectic Euler), K̃ + 2μC̃ − C̃² (Verlet), ρ² = ρC̃ − K̃.
  if (decides(StepCoupling::symplectic_euler) || decides(StepCoupling::eigenvalues)) {
    const auto critical = problem.critical(0, symplectic_, known, {.k = 1, .c = 2, .c2 = 0, .square = 4});
    e.symplectic_euler = {root(critical.at.K), critical.at.C};
    e.others.push_back(e.symplectic_euler);
  }
  if (decides(StepCoupling::velocity_verlet)) {
    const auto critical =
        problem.critical(e.damping_max / 2, verlet_, known, {.k = 1, .c = 2, .c2 = -1, .square = 4});
    // y² − s² on one oscillator, K̃ − C̃² on the cloth.
    const Quotients& v = critical.at;
    e.velocity_verlet =
        v.K > 0 ? DampedOscillation{root(v.K - v.C2 + v.C * v.C), v.C} : DampedOscillation{0, e.damping_max};
  }
  if (decides(StepCoupling::eigenvalues)) {
    const auto critical =
        problem.critical(e.damping_max / 2, real_, known, {.k = -1, .c = 1, .c2 = 0, .square = 1});
    if (critical.at.C > 0) e.others.push_back({0, critical.value});
  }
}

bool StabilityMeter::add_eigenvalues(StabilityEstimate& estimate, const Subject& subject, WorkerPool& pool,
                                     const StopProbe& stop) {
  if (!stiffness_ || !damping_) return false;
  std::vector<DampedOscillation> found;
  run_unless_cancelled([&] {
    const auto all =
        jacobian_spectrum(*stiffness_, *damping_, subject.system.masses(), subject.held, pool, stop);
    found = limiting(oscillations(all), subject.integrator, stop);
  });
  if (found.empty()) return false;
  estimate.others = std::move(found);
  estimate.others_are_exact = true;
  return true;
}

std::optional<Spectrum> StabilityMeter::spectrum(const Subject& subject, bool with_eigenvalues,
                                                 WorkerPool& pool, const StopProbe& stop,
                                                 std::size_t most_exact) {
  if (!stiffness_ || !damping_) return std::nullopt;
  const std::span<const double> masses = subject.system.masses();
  std::optional<Spectrum> result;
  const bool completed = run_unless_cancelled([&] {
    result = spectrum_.measure({pool, stop}, *stiffness_, *damping_, masses, subject.held, most_exact);
    if (result) result->without_distances = subject.without_distances;
    if (!result || !with_eigenvalues || result->free_directions > kExactDirections) return;
    result->jacobian = jacobian_spectrum(*stiffness_, *damping_, masses, subject.held, pool, stop);
    result->eigenvalues = oscillations(result->jacobian);
  });
  return completed ? result : std::nullopt;
}

bool needs_eigenvalues(const IntegratorInfo& integrator, const StabilityEstimate& estimate) {
  return !estimate.others_are_exact && estimate.free_directions <= kExactDirections &&
         integrator.coupling == StepCoupling::eigenvalues && !std::isinf(integrator.stability_limit) &&
         integrator.growth_of_slow_modes == nullptr;
}

}  // namespace clothlab
