// SPDX-License-Identifier: MIT
// Warnings of failures that the steps so far foretell (docs/instruments.md, "Warnings").

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "sim/contact.h"
#include "sim/forecast.h"
#include "sim/parameters.h"
#include "sim/passage_forecast.h"
#include "sim/simulation.h"
#include "sim/stiffest_mode.h"

namespace clothlab {
namespace {

constexpr double kThin = 1;      // body, over the longest edge: a thinner one passes between particles
constexpr double kPatience = 2;  // after which a warning without its failure is withdrawn [s]
constexpr std::ptrdiff_t kMostOfAKind = 3;  // warnings in a run

/// True if contact of the scene will not stop cloth that would pass through a body. `mass` of a particle
/// [kg].
bool is_unstopped(const PassageForecast::Passage& passage, const Scene& scene, double mass) {
  constexpr double kWeak = 4;  // depth at which a penalty stops particles, over half the body
  if (passage.between && passage.share < kThin && scene.contact.points == ContactPoints::particles)
    return true;
  if (scene.contact.model != ContactModel::penalty) return false;
  const Obstacle& body = scene.obstacles.bodies[passage.surface - 1];
  return passage.speed * std::sqrt(mass / scene.contact.stiffness) > kWeak * least_passage_of(body);
}

}  // namespace

/// What the warnings of a run are based on.
class Foresight {
 public:
  Foresight(const ClothSystem& system, const Scene& scene)
      : info_(method_info(scene)), values_(integrator_parameters(scene, info_)), passage_(system) {}

  /// Measures the stiffest mode, in the first steps and then rarely, as its iteration converges slowly.
  void follow_mode(const ClothSystem& system, const State& state, double h, Forecast::Figures& to) {
    constexpr int kFirst = 40, kEvery = 32;  // steps
    if (info_.stability_limit == kNoStabilityLimit || info_.growth_of_slow_modes != nullptr) return;
    if (steps_ < kFirst || steps_ % kEvery == 0) {
      const StiffestMode::Figures mode = stiffest_.follow(system, state.x, state.v, h, info_.inextensible);
      const double h_omega = h * mode.omega, h_damping = h * mode.damping;
      stable_share_ = find_stable_share(h_omega, h_damping);
      growth_ = 2 * std::log(info_.growth(h_omega, h_damping, values_)) / h;
      energy_ = mode.energy;
      if (steps_ >= kFirst && info_.stability_limit > 0) to.of_limit = 1 / stable_share_;
    }
    ++steps_;
    to.growth = growth_;
    to.mode = energy_;
  }
  /// Looks for a passage now and then. `mass` of a particle [kg].
  void look_ahead(WorkerPool& pool, const PassageForecast::Cloth& cloth, Forecast::Figures& to) {
    if (cloth.state.t >= next_look_) {
      next_look_ = cloth.state.t + PassageForecast::kPeriod;
      found_ = passage_.look_ahead(pool, cloth);
      const double mass = cloth.system.material().mass / static_cast<double>(cloth.state.x.size());
      if (found_ && !is_unstopped(*found_, cloth.scene, mass)) found_.reset();
    }
    if (found_) to.passage_in = found_->in;
  }

  Forecast::Warnings add(const Forecast::Figures& figures) {
    return std::exchange(last_, forecast_.add(figures));
  }
  const Forecast::Warnings& last() const { return last_; }
  const PassageForecast::Passage& passage() const { return *found_; }
  double stable_share() const { return stable_share_; }

 private:
  /// The largest stable share of h, by bisection; at most kMost.
  double find_stable_share(double h_omega, double h_damping) const {
    constexpr int kHalvings = 20;
    constexpr double kMost = 4, kRounding = 1e-9;
    double low = 0, high = kMost;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = (low + high) / 2;
      const bool stable = info_.growth(middle * h_omega, middle * h_damping, values_) <= 1 + kRounding;
      (stable ? low : high) = middle;
    }
    return std::max(low, kRounding);
  }

  const IntegratorInfo& info_;
  const IntegratorParameters values_;
  StiffestMode stiffest_;
  int steps_ = 0;
  double stable_share_ = 1, growth_ = 0, energy_ = 0;
  PassageForecast passage_;
  double next_look_ = 0;  // [s]
  std::optional<PassageForecast::Passage> found_;
  Forecast forecast_;
  Forecast::Warnings last_;
};

namespace {

std::string seconds(double value) { return format_quantity(value, "s", 2); }

std::string percent(double share) { return format_plain(std::round(100 * share)) + " %"; }

/// "h of 1 ms or less (--substeps 4)"
std::string smaller_h(const Scene& scene, double share) {
  const double substeps = std::ceil(scene.substeps / share);
  return "h of " + format_quantity(scene.dt / substeps, "s") + " or less (--substeps " +
         format_plain(substeps) + ")";
}

std::string text_of(const Forecast::Warning& warning, const Scene& scene, const Foresight& f) {
  constexpr double kMargin = 0.9;  // of the limit
  const IntegratorInfo& method = method_info(scene);
  const std::string implicit = "an implicit method with numerical damping (backward Euler)";
  switch (warning.sign) {
    case Forecast::Sign::growth:
      return std::string(method.title) + " at h = " + format_quantity(scene.h(), "s") +
             " multiplies the energy of the stiffest oscillation by e every " + seconds(1 / warning.value) +
             ". Use " +
             (f.stable_share() > 0.01 ? smaller_h(scene, kMargin * f.stable_share()) + ", or "
                                      : "a smaller h, or ") +
             implicit + ".";
    case Forecast::Sign::limit:
      return "h is at " + percent(warning.value) +
             " of the stability limit of the stiffest oscillation, and the "
             "limit decreases as springs stretch. Use " +
             smaller_h(scene, kMargin * f.stable_share()) + ", or " + implicit + ".";
    case Forecast::Sign::energy:
      return "the spurious energy that the cloth holds grows by a factor of e every " +
             seconds(1 / warning.value) + ". Use a smaller h, " + (scene.adaptive ? "" : "adaptive steps, ") +
             "or " + implicit + ".";
    case Forecast::Sign::newton:
      return "Newton's method needs up to " + percent(warning.value) +
             " of its iterations. Use more "
             "(--newton-max-iterations), or a smaller h.";
    case Forecast::Sign::linear:
      return "linear solves need up to " + percent(warning.value) +
             " of their iterations. Use more "
             "(--cg-max-iterations), a better preconditioner, or a smaller h.";
    case Forecast::Sign::passage:
      break;
  }
  const std::string body = surface_text(f.passage().surface, scene.obstacles.bodies);
  if (f.passage().between && f.passage().share < kThin)
    return "the cloth moves towards " + body + ", which is " + percent(f.passage().share) +
           " as thick as its longest edge and can pass between particles. Use a finer cloth, or contact of "
           "its "
           "triangles (--contact-points triangles).";
  return "the cloth moves towards " + body + " at " + format_quantity(f.passage().speed, "m/s") +
         ", too fast for its contact stiffness. Use a larger one (--contact-stiffness), or contact by "
         "filter.";
}

constexpr std::array<std::string_view, 3> kTitles{"A blow-up", "A step that does not converge", "Tunnelling"};

}  // namespace

void Simulation::restart_foresight() { foresight_.reset(); }

void Simulation::notice_foresight(WorkerPool& pool) {
  if (!(record_.h > 0)) return restart_foresight();
  if (!foresight_) foresight_ = std::make_shared<Foresight>(system_, *scene_);
  const SolverSettings& solver = scene_->solver;
  const std::span<const int> solves = record_.solves.all();
  // One iteration more than the largest number is a failure.
  const auto share = [](int iterations, int most) { return static_cast<double>(iterations) / (most + 1); };
  Forecast::Figures figures{.time = record_.time,
                            .gained = std::min(record_.ledger.spurious(), measured_.internal.shaking()),
                            .given = account_.given(),
                            .allowed = account_.allowed(scene_->energy_limit),
                            .newton = share(record_.most_newton_iterations, solver.newton_max_iterations)};
  if (figures.newton == 0 && !solves.empty())
    figures.linear = share(std::ranges::max(solves), solver.linear.cg.max_iterations);
  foresight_->follow_mode(system_, state_, record_.h, figures);
  foresight_->look_ahead(pool,
                         {*mesh_, system_, state_, *scene_, moves_, contact_->thickness(),
                          measured_.internal.kinetic + measured_.internal.drift, measured_.strain},
                         figures);
  const Forecast::Warnings before = foresight_->add(figures);
  const std::array<bool, 3> happened{
      false, notices_.has(NoticeCause::not_converged),
      notices_.has(NoticeCause::tunnelling) || notices_.has(NoticeCause::behind_obstacle)};
  for (std::size_t k = 0; k < kWarnings.size(); ++k) {
    const std::optional<Forecast::Warning>& sign = foresight_->last()[k];
    std::optional<double>& until = warnings_[k];
    if (happened[k]) {
      until.reset();
    } else if (until && record_.time > *until) {
      until.reset();
      notices_.add_again(
          NoticeCause::warning_withdrawn, record_.step,
          std::string(kTitles[k]) + " was foretold and has not come within " + seconds(kPatience) + ".");
    } else if (sign && !before[k] && !until &&
               std::ranges::count(*notices_.list(), kWarnings[k], &Notice::cause) < kMostOfAKind) {
      until = record_.time + kPatience;
      notices_.add_again(kWarnings[k], record_.step,
                         std::string(kTitles[k]) + " is foretold for about " +
                             seconds(record_.time + sign->in) + ": " + text_of(*sign, *scene_, *foresight_));
    }
  }
}

}  // namespace clothlab
