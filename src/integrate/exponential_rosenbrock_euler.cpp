#include "integrate/exponential_rosenbrock_euler.h"

#include <algorithm>
#include <cmath>

#include "core/cancel_point.h"
#include "integrate/prescribe.h"
#include "integrate/solve_outcome.h"
#include "linalg/norm_bound.h"

namespace clothlab {

namespace {

constexpr double kLoosestTolerance = 1e-6;
constexpr std::size_t kBlendGrain = 1024;

}  // namespace

StepReport ExponentialRosenbrockEuler::advance(const DynamicSystem& system, State& state, double h,
                                               const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_, &force_, &more_}) scratch->resize(n);
  if (gives_up(context, report)) return report;
  for (auto* scratch : {&slope_, &change_}) scratch->resize(2 * n);
  if (gives_up(context, report)) return report;
  root_mass_.resize(n);
  std::ranges::transform(system.masses(), root_mass_.begin(), [](double m) { return std::sqrt(m); });

  if (!start_.take(system, state, h, context, report)) return report;
  const auto& [v0, a0] = start_;
  if (!have_matrix(system, context, k_, report) || !have_matrix(system, context, d_, report)) return report;
  SpringMatrix& K = *k_;
  SpringMatrix& D = *d_;
  system.assemble(state.x, v0, {0, 0, 1}, context.solver.jacobian, K);
  if (gives_up(context, report)) return report;
  system.assemble(state.x, v0, {0, 1, 0}, context.solver.jacobian, D);
  if (gives_up(context, report)) return report;
  const bool damped = !is_zero(D);
  if (gives_up(context, report)) return report;
  const double bound = norm_bound(K, system.masses(), scratch_);
  if (gives_up(context, report)) return report;
  const double omega = bound > 0 ? std::sqrt(bound / 2) : 1 / h;

  for (std::size_t i = 0; i < n; ++i) {
    slope_[i] = h * omega * root_mass_[i] * v0[i];
    slope_[n + i] = h * root_mass_[i] * a0[i];
  }
  const CancelPoint cancel(context.stop);
  // hJ: x' = h v, v' = h S M⁻¹ (K x + D v)
  const auto apply = [&](std::span<const vec3> in, std::span<vec3> out) {
    const auto for_particles = [&](auto&& body) {
      context.pool.for_chunks(n, kBlendGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) body(i);
      });
    };
    for_particles([&](std::size_t i) { x_[i] = in[i] / (omega * root_mass_[i]); });
    K.multiply(context.pool, x_, force_);
    cancel.look();
    if (damped) {
      for_particles([&](std::size_t i) { x_[i] = in[n + i] / root_mass_[i]; });
      D.multiply(context.pool, x_, more_);
      for_particles([&](std::size_t i) { force_[i] += more_[i]; });
    }
    cancel.look();
    system.projection().filter(force_);
    for_particles([&](std::size_t i) {
      out[i] = h * omega * in[n + i];
      out[n + i] = -h / root_mass_[i] * force_[i];
    });
  };
  const KrylovPhi::Operator hJ = [&apply](std::span<const vec3> in, std::span<vec3> out) { apply(in, out); };
  const double tolerance = std::min(kLoosestTolerance, context.solver.linear.cg.tolerance);
  const KrylovPhi::Result result = phi_.compute(context.pool, hJ, slope_, tolerance, change_, context.stop);
  report.stopped = result.stopped;
  if (gives_up(context, report)) return report;
  report.converged = result.converged;
  if (!result.converged) report.reason = "the Krylov subspaces did not reach the end of the step";

  for (std::size_t i = 0; i < n; ++i) {
    x_[i] = state.x[i] + change_[i] / (omega * root_mass_[i]);
    force_[i] = v0[i] + change_[n + i] / root_mass_[i];
  }
  finish_step(system.projection(), h, x_, force_, state);
  return report;
}

}  // namespace clothlab
