// SPDX-License-Identifier: MIT
// Warnings of failures that are expected after the steps so far (docs/instruments.md, "Warnings").

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cancel_point.h"
#include "core/text.h"
#include "sim/contact.h"
#include "sim/contact_watch.h"
#include "sim/forecast.h"
#include "sim/look_ahead.h"
#include "sim/parameters.h"
#include "sim/passage_forecast.h"
#include "sim/simulation.h"
#include "sim/stiffest_mode.h"

namespace clothlab {
namespace {

constexpr double kPatience = 2;             // a warning is withdrawn so long after its last sign [s]
constexpr double kQuiet = 0.1;              // after a change: no warnings while a slider moves [s]
constexpr std::ptrdiff_t kMostOfAKind = 3;  // warnings by signs without a change

}  // namespace

/// What the warnings of a run are based on.
class Foresight {
 public:
  Foresight(const ClothSystem& system, const Scene& scene)
      : info_(method_info(scene)), values_(integrator_parameters(scene, info_)), passage_(system) {}

  /// After a change of anything but the mesh, at `time` [s]: forgets the trends. The mode remains, as it
  /// needs many steps.
  void restart(const Scene& scene, double time) {
    values_ = integrator_parameters(scene, info_);
    growth_ = energy_ = 0;
    stable_share_ = 1;
    passage_.restart();
    next_look_ = time;
    found_.reset();
    forecast_ = {};
    quiet_until_ = time + kQuiet;
  }
  bool is_of(const IntegratorInfo& info) const { return &info == &info_; }
  bool may_warn(double time) const { return time >= quiet_until_; }

  /// Measures the stiffest mode, often at first and then rarely, as its iteration converges slowly. Trends
  /// need several figures within their time. `h` of the last substep [s].
  void follow_mode(WorkerPool& pool, const ClothSystem& system, const State& state, double h,
                   Forecast::Figures& to) {
    constexpr double kFirstTime = 0.005, kTime = 0.05;  // between iterations, at most [s]
    constexpr double kRounding = 0.5;                   // of a step
    constexpr double kMostSteps = 128;                  // an iteration costs as much as about five
    if (info_.stability_limit == kNoStabilityLimit || info_.growth_of_slow_modes != nullptr) return;
    const bool first = iterations_ < kFirst;
    if (state.t >= next_mode_) {
      next_mode_ = state.t + std::min(first ? kFirstTime : kTime, kMostSteps * h) - kRounding * h;
      ++iterations_;
      const StiffestMode::Figures mode = measure_mode(pool, system, state, h);
      growth_ = 2 * std::log(info_.growth(h * mode.omega, h * mode.damping, values_)) / h;
      energy_ = mode.energy;
      if (!first && info_.stability_limit > 0) to.of_limit = 1 / stable_share_;
    }
    to.growth = growth_;
    to.mode = energy_;
  }
  /// Sets stable_share() at a state, whatever was followed before. Throws Cancelled.
  void measure_stable_share(WorkerPool& pool, const ClothSystem& system, const State& state, double h,
                            const StopProbe& stop) {
    const CancelPoint cancel(stop);
    if (info_.stability_limit == kNoStabilityLimit || info_.growth_of_slow_modes != nullptr) return;
    for (int k = 0; k < kFirst; ++k) {
      cancel.poll();
      measure_mode(pool, system, state, h);
    }
  }
  /// Looks for a passage every PassageForecast::kPeriod.
  void look_ahead(WorkerPool& pool, const PassageForecast::Cloth& cloth, Forecast::Figures& to) {
    if (cloth.state.t >= next_look_) {
      next_look_ = cloth.state.t + PassageForecast::kPeriod;
      found_ = passage_.look_ahead(pool, cloth);
    }
    if (found_) to.passage_in = found_->in;
  }

  Forecast::Warnings add(const Forecast::Figures& figures) { return forecast_.add(figures); }
  const PassageForecast::Passage& passage() const { return *found_; }
  double stable_share() const { return stable_share_; }

 private:
  static constexpr int kFirst = 40;  // iterations

  StiffestMode::Figures measure_mode(WorkerPool& pool, const ClothSystem& system, const State& state,
                                     double h) {
    const StiffestMode::Figures mode =
        stiffest_.follow(pool, system, state.x, state.v, h, info_.inextensible);
    stable_share_ = find_stable_share(h * mode.omega, h * mode.damping);
    return mode;
  }
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
  IntegratorParameters values_;
  StiffestMode stiffest_;
  int iterations_ = 0;
  double next_mode_ = 0;    // [s]
  double quiet_until_ = 0;  // [s]; the start is no change
  double stable_share_ = 1, growth_ = 0, energy_ = 0;
  PassageForecast passage_;
  double next_look_ = 0;  // [s]
  std::optional<PassageForecast::Passage> found_;
  Forecast forecast_;
};

namespace {

std::string seconds(double value) { return format_quantity(value, "s", 2); }

/// "2.3 s", to hundredths.
std::string moment(double time) { return format_plain(std::round(100 * time) / 100, 6) + " s"; }

std::string percent(double share) { return format_plain(std::round(100 * share)) + " %"; }

/// "h of 1 ms or less (--substeps 4)": `share` of h, the smallest of the last step [s].
std::string smaller_h(const Scene& scene, double h, double share) {
  constexpr double kRounding = 1e-9;
  const double substeps = std::ceil(scene.dt / (share * h) * (1 - kRounding));
  return "h of " + format_quantity(scene.dt / substeps, "s") + " or less (" +
         (substeps <= parameter_spec("substeps").max ? "--substeps " + format_plain(substeps)
                                                     : "a smaller dt") +
         ")";
}

std::string use(std::vector<std::string> cures) { return ". Use " + cures_text(std::move(cures)) + "."; }

std::string implicit_method(const IntegratorInfo& method) {
  return method.id == "backward-euler" ? "" : "an implicit method with numerical damping (backward Euler)";
}

constexpr double kMargin = 0.9;  // of the limit
constexpr double kLeast = 0.01;  // of h: with less, another method is the better advice

/// A smaller h for a stable share of h [s].
std::string stable_h(const Scene& scene, double h, double stable_share) {
  return stable_share > kLeast ? smaller_h(scene, h, kMargin * stable_share) : "a smaller h";
}

/// `h` of the last step [s].
std::string text_of(const Forecast::Warning& warning, const Scene& scene, double h, const Foresight& f) {
  const IntegratorInfo& method = method_info(scene);
  const std::string implicit = implicit_method(method);
  switch (warning.sign) {
    case Forecast::Sign::growth:
      return std::string(method.title) + " at h = " + format_quantity(h, "s") +
             " multiplies the energy of the stiffest oscillation by e every " + seconds(1 / warning.value) +
             use({stable_h(scene, h, f.stable_share()), implicit});
    case Forecast::Sign::limit:
      return "h is at " + percent(warning.value) +
             " of the stability limit of the stiffest oscillation, and the limit decreases as springs "
             "stretch" +
             use({smaller_h(scene, h, kMargin * f.stable_share()), implicit});
    case Forecast::Sign::energy:
      return "the spurious energy that the cloth holds grows by a factor of e every " +
             seconds(1 / warning.value) +
             use({"a smaller h", scene.adaptive ? "" : "adaptive steps", implicit});
    case Forecast::Sign::newton:
      return "Newton's method needs up to " + percent(warning.value) + " of its iterations" +
             use({"more (--newton-max-iterations)", "a smaller h"});
    case Forecast::Sign::linear:
      return "linear solves need up to " + percent(warning.value) + " of their iterations" +
             use({"more (--cg-max-iterations)", "a better preconditioner", "a smaller h"});
    case Forecast::Sign::passage:
      break;
  }
  const PassageForecast::Passage& passage = f.passage();
  const Obstacle& body = scene.obstacles.bodies[passage.surface - 1];
  const std::string towards =
      "the cloth moves towards " + surface_text(passage.surface, scene.obstacles.bodies);
  if (passage.is_thin(scene))
    return towards + ", which is " + percent(passage.share) +
           " as thick as its longest edge and can pass between particles" +
           use({"a finer cloth", triangle_contact(body, scene)});
  return towards + " at " + format_quantity(passage.speed, "m/s") + ", too fast for its contact stiffness" +
         use({"a larger one (--contact-stiffness)", contact_by({ContactModel::filter}, method)});
}

constexpr std::array<std::string_view, kWarnings.size()> kTitles{"A blow-up", "A step that does not converge",
                                                                 "Tunnelling"};
constexpr std::array<std::string_view, kWarnings.size()> kNames{"blow-up", "step without convergence",
                                                                "tunnelling"};

/// How a notice begins that withdraws a warning.
std::string withdrawal_of(std::size_t kind) { return "The expected " + std::string(kNames[kind]); }

/// Why a copy blew up, with cures.
std::string blow_up_text(WorkerPool& pool, const Simulation& copy, const StopProbe& stop) {
  const BlowUp& bad = *copy.blow_up();
  const Scene& scene = copy.scene();
  if (bad.cause == BlowUp::Cause::crowded)
    return "more contacts are possible within the step than contact can resolve" +
           use({"a smaller h", "a smaller thickness and contact distance"});
  if (bad.cause == BlowUp::Cause::squeezed)
    return "moving pins or obstacles squeeze the cloth" + use({"slower ones", "a smaller h"});
  Foresight foresight(copy.system(), scene);
  foresight.measure_stable_share(pool, copy.system(), copy.last_good_state().state, bad.h, stop);
  const std::string implicit = implicit_method(copy.integrator());
  if (const double share = foresight.stable_share(); share < 1)
    return (share > kLeast
                ? "h is at " + percent(1 / share) + " of the stability limit of the stiffest oscillation"
                : std::string(copy.integrator().title) + " at h = " + format_quantity(bad.h, "s") +
                      " amplifies the stiffest oscillation") +
           use({stable_h(scene, bad.h, share), implicit});
  if (bad.cause == BlowUp::Cause::not_finite)
    return "the step leaves numbers that are not finite" +
           use({"a smaller h", scene.adaptive ? "" : "adaptive steps", implicit});
  return "the cloth gains more than " + format_plain(scene.energy_limit) +
         " × the energy from gravity, the start and external work" +
         use({"a smaller h", scene.adaptive ? "" : "adaptive steps", implicit});
}

std::string tunnelling_text(const NoticeLog::List& notices) {
  const auto found = std::ranges::find_if(notices, [](const Notice& notice) {
    return notice.cause == NoticeCause::tunnelling || notice.cause == NoticeCause::behind_obstacle;
  });
  return found->text;
}

}  // namespace

std::array<bool, kWarnings.size()> failures_of(const Simulation& run) {
  const NoticeLog& notices = run.notices();
  return {run.blow_up().has_value(), notices.has(NoticeCause::not_converged),
          notices.has(NoticeCause::tunnelling) || notices.has(NoticeCause::behind_obstacle)};
}

std::string failure_text(WorkerPool& pool, const Simulation& copy, std::size_t kind, const StopProbe& stop) {
  const bool blown = copy.blow_up().has_value();
  const double time = blown ? copy.blow_up()->time : copy.state().t;
  return std::string(kTitles[kind]) + " will occur at t = " + format_plain(time, 5) + " s (step " +
         std::to_string(copy.steps() + (blown ? 1 : 0)) + "), computed by running ahead: " +
         (kind == 0   ? blow_up_text(pool, copy, stop)
          : kind == 1 ? std::string(copy.record().reason) + "."
                      : tunnelling_text(*copy.notices().list()));
}

void Simulation::warn(std::size_t kind, double until, std::string text, bool replaces) {
  if (replaces)
    notices_.remove_if([&](const Notice& each) {
      return each.cause == kWarnings[kind] ||
             (each.cause == NoticeCause::warning_withdrawn && each.text.starts_with(withdrawal_of(kind)));
    });
  notices_.add_again(kWarnings[kind], record_.step, std::move(text));
  warnings_[kind] = until;
  warned_[kind] = true;
}

void Simulation::withdraw_warning(std::size_t kind, const std::string& why) {
  warnings_[kind].reset();
  notices_.add_again(NoticeCause::warning_withdrawn, record_.step, withdrawal_of(kind) + why);
}

void Simulation::warn_of(const Prediction& found) {
  const auto happened = failures_of(*this);
  for (std::size_t k = 0; k < kWarnings.size(); ++k) {
    const std::optional<Prediction::Failure>& failure = found.failures[k];
    const std::optional<double>& until = warnings_[k];
    if (happened[k]) {
      warnings_[k].reset();
    } else if (failure) {
      const bool is_quiet = until && failure->time > *until && state_.t < found.begin + kQuiet;
      if (until != failure->time && !is_quiet) warn(k, failure->time, failure->text, true);
    } else if (until && found.reached >= *until) {
      withdraw_warning(k,
                       " no longer occurs: running ahead to t = " + moment(found.reached) + " finds none.");
    }
  }
}

void Simulation::restart_foresight() {
  warned_ = {};
  if (foresight_ && !foresight_->is_of(*info_)) foresight_.reset();
  if (foresight_) foresight_->restart(*scene_, state_.t);
}

void Simulation::notice_foresight(WorkerPool& pool) {
  if (!signs_warn_) return;
  if (!(record_.h > 0)) return foresight_.reset();
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
  // Solves with contacts have another limit and add up their rounds.
  if (figures.newton == 0 && !solves.empty() && !record_.contact_solves)
    figures.linear = share(std::ranges::max(solves), solver.linear.cg.max_iterations);
  foresight_->follow_mode(pool, system_, state_, record_.h, figures);
  foresight_->look_ahead(pool,
                         {*mesh_, system_, state_, *scene_, moves_, contact_->thickness(),
                          measured_.internal.kinetic + measured_.internal.drift, measured_.strain},
                         figures);
  const Forecast::Warnings signs = foresight_->add(figures);
  const auto happened = failures_of(*this);
  for (std::size_t k = 0; k < kWarnings.size(); ++k) {
    const std::optional<Forecast::Warning>& sign = signs[k];
    std::optional<double>& until = warnings_[k];
    if (happened[k]) {
      until.reset();
    } else if (sign && until && warned_[k]) {
      until = record_.time + kPatience;
    } else if (sign && foresight_->may_warn(record_.time) &&
               (!warned_[k] ||
                std::ranges::count(*notices_.list(), kWarnings[k], &Notice::cause) < kMostOfAKind)) {
      warn(k, record_.time + kPatience,
           std::string(kTitles[k]) + " is expected at about t = " + moment(record_.time + sign->in) + ": " +
               text_of(*sign, *scene_, record_.h, *foresight_),
           !warned_[k]);
    } else if (until && record_.time > *until) {
      withdraw_warning(k, " did not occur.");
    }
  }
}

}  // namespace clothlab
