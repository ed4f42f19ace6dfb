// SPDX-License-Identifier: MIT
#include "experiments/method_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>
#include <string>
#include <utility>

#include "arena/arena.h"
#include "core/error.h"
#include "core/stop_probe.h"
#include "documents/scene_loader.h"
#include "experiments/recorded_run.h"
#include "experiments/step_trial.h"
#include "one_thread.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ChoicePoint point(double processor, double error, std::string failure = {}) {
  ChoicePoint p;
  p.processor = p.wall = processor;
  p.error_x = error;
  p.failure = std::move(failure);
  return p;
}

TEST(ParetoFront, HasThePointsThatNoOtherBeats) {
  const std::vector<ChoicePoint> points{point(4, 1), point(1, 9), point(2, 3),
                                        point(3, 5), point(1, 8), point(0.5, 0, "blew up")};
  EXPECT_THAT(pareto_front(points, {}), ElementsAre(4, 2, 0));
  EXPECT_THAT(pareto_front({}, {}), IsEmpty());
}

TEST(ParetoFront, HasOnlyRunsWithinTheLimits) {
  std::vector<ChoicePoint> points{point(1, 2), point(2, 1)};
  points[0].max_strain = 0.3;
  EXPECT_THAT(pareto_front(points, {.strain = 0.2}), ElementsAre(1));
  points[1].gains_energy = true;
  EXPECT_THAT(pareto_front(points, {.strain = 0.2}), ElementsAre(1));
  EXPECT_THAT(pareto_front(points, {.strain = 0.2, .no_energy_gain = true}), IsEmpty());
}

TEST(ParetoFront, FollowsTheMeasure) {
  std::vector<ChoicePoint> points{point(1, 3), point(2, 2), point(3, 1)};
  for (ChoicePoint& p : points) {
    p.largest_x = 4 - p.error_x;
    p.largest_energy = p.error_x == 2 ? 1 : 5;
    p.error_path = p.error_x == 1 ? 1 : 5;
  }
  EXPECT_THAT(pareto_front(points, {}), ElementsAre(0, 1, 2));
  EXPECT_THAT(pareto_front(points, {.measure = ErrorMeasure::largest}), ElementsAre(0));
  EXPECT_THAT(pareto_front(points, {.measure = ErrorMeasure::energy}), ElementsAre(0, 1));
  EXPECT_THAT(pareto_front(points, {.measure = ErrorMeasure::path}), ElementsAre(0, 2));
}

TEST(BestFor, FollowsTheMeasure) {
  ChoiceFigures choice;
  choice.variants.resize(2);
  choice.variants[0].title = "A";
  choice.variants[1].method.integrator = "bdf2";
  choice.points = {point(1, 1), point(2, 0.1)};
  choice.points[1].variant = 1;
  choice.points[0].largest_energy = 0.1;
  choice.points[1].largest_energy = 1;
  choice.displacement = 10;
  choice.exchanged = 10;
  choice.change.error_x = choice.change.largest_energy = 0.3;
  const ChoiceGoal by_energy{.error = 0.02, .measure = ErrorMeasure::energy};
  EXPECT_EQ(best_for(choice, {.error = 0.02}).best, 1u);
  EXPECT_EQ(best_for(choice, by_energy).best, 0u);
  EXPECT_EQ(best_for(choice, {.error = {}, .budget = 3}).best, 1u);
  EXPECT_EQ(best_for(choice, {.error = {}, .budget = 3, .measure = ErrorMeasure::energy}).best, 0u);
  EXPECT_THAT(text_of(choice, by_energy), HasSubstr("Cheapest for an energy error of 2 %: A at h"));
  EXPECT_THAT(text_of(choice, by_energy), HasSubstr("(1 %"));
  EXPECT_THAT(text_of(choice, by_energy), HasSubstr("Errors below 3 % are not significant"));
  choice.change.largest_energy = 0;
  EXPECT_THAT(text_of(choice, by_energy), Not(HasSubstr("not significant")));
}

/// An undamped sheet that swings down from two corners for a tenth of a second.
LoadedScene sheet(const char* id, double stiffness = 10) {
  Scene scene;
  scene.mesh = GridSource{5, 5, 1, 1};
  scene.material.spring_damping = 0;
  scene.material.stretch_stiffness = stiffness;
  set_integrator(scene, *find_integrator(id));
  LoadedScene loaded = load_scene(std::move(scene));
  measure_omega_max(loaded, one_thread(), {});
  return loaded;
}

ChoiceFigures chosen_among(const LoadedScene& loaded, std::initializer_list<const char*> ids,
                           MethodChoice::Settings settings) {
  std::vector<const IntegratorInfo*> methods;
  for (const char* id : ids) methods.push_back(find_integrator(id));
  MethodChoice choice(loaded, variants_of(loaded.scene, methods),
                      make_reference(loaded, settings.duration, one_thread(), {}, settings.script), settings);
  while (choice.next(one_thread(), {})) {
  }
  return choice.figures();
}

constexpr std::array kAllMeasures{ErrorMeasure::rms, ErrorMeasure::largest, ErrorMeasure::energy,
                                  ErrorMeasure::path};

/// The orders that the two finest runs of each variant have in a measure.
std::map<std::size_t, double> orders_of(const ChoiceFigures& choice, ErrorMeasure measure) {
  std::map<std::size_t, std::vector<double>> errors;
  for (const ChoicePoint& p : choice.points)
    if (p.failure.empty()) errors[p.variant].push_back(choice.error_of(p, measure));
  std::map<std::size_t, double> orders;
  for (const auto& [variant, of] : errors)
    if (of.size() >= 2) orders[variant] = std::log2(of[of.size() - 2] / of.back());
  return orders;
}

TEST(Reference, HasShorterStepsWhereDampersLimitThem) {
  LoadedScene loaded = sheet("semi-implicit-euler");
  const Reference undamped = make_reference(loaded, 0.05, one_thread(), {});
  EXPECT_EQ(undamped.info, &most_accurate_method());
  loaded.scene.material.spring_damping = 2;
  measure_omega_max(loaded, one_thread(), {});
  const Reference damped = make_reference(loaded, 0.05, one_thread(), {});
  EXPECT_EQ(damped.info, &most_accurate_method());
  EXPECT_GT(damped.steps, undamped.steps);
  EXPECT_LT(damped.change_x, 1e-6 * damped.displacement);
}

TEST(MethodChoice, HasErrorsOfTheOrderOfEachMethod) {
  const LoadedScene loaded = sheet("symplectic-euler", 200);
  const ChoiceFigures choice = chosen_among(loaded, {"velocity-verlet"}, {.duration = 0.1});
  EXPECT_LT(choice.change.error_x, 1e-8);
  std::map<std::size_t, std::vector<double>> errors;
  for (const ChoicePoint& p : choice.points) {
    if (!p.failure.empty()) continue;  // steps above the limit
    EXPECT_NEAR(p.h * static_cast<double>(p.steps), 0.1, 1e-15);
    EXPECT_LE(p.error_x, p.largest_x);
    errors[p.variant].push_back(p.error_x);
  }
  ASSERT_EQ(errors.size(), 2u);
  for (const auto& [variant, of] : errors) {
    ASSERT_GE(of.size(), 2u);
    EXPECT_NEAR(std::log2(of[of.size() - 2] / of.back()), variant == 0 ? 1 : 2, 0.2);
  }
  EXPECT_EQ(choice.fraction, 1);
}

TEST(MethodChoice, HasThoseOrdersInEveryMeasure) {
  const LoadedScene loaded = sheet("symplectic-euler", 200);
  const ChoiceFigures choice =
      chosen_among(loaded, {"velocity-verlet"}, {.duration = 0.1, .script = {.particle = 12}});
  for (const ErrorMeasure measure : kAllMeasures) {
    const auto orders = orders_of(choice, measure);
    ASSERT_EQ(orders.size(), 2u);
    // Verlet's energy error at the shared times is of second order as well.
    EXPECT_NEAR(orders.at(0), 1, 0.25) << choice.axis_title(measure);
    EXPECT_NEAR(orders.at(1), 2, 0.25) << choice.axis_title(measure);
    EXPECT_GT(choice.scale(measure), 0);
    EXPECT_LT(choice.least_error(measure), 1e-6);
  }
  EXPECT_EQ(choice.axis_title(ErrorMeasure::path), "path error of particle 12 [% of the displacement]");
}

// Against states that were computed step by step.
TEST(MethodChoice, ComparesPathAndEnergyAtTheTimesOfTheCoarsestSteps) {
  const LoadedScene loaded = sheet("symplectic-euler", 200);
  constexpr std::uint32_t kParticle = 7;
  constexpr double kDuration = 0.1;  // 6 coarsest steps
  const auto run = [&](std::uint64_t steps) {
    return run_to(loaded, loaded.scene, kDuration, steps, one_thread(), {}, {.particle = kParticle});
  };
  const auto states = [&](std::uint64_t steps) {
    Scene scene = loaded.scene;
    scene.dt = kDuration / static_cast<double>(steps);
    Simulation simulation(scene, loaded.mesh, one_thread());
    std::vector<std::pair<vec3, double>> all;
    for (std::uint64_t k = 1; k <= steps; ++k) {
      simulation.step(one_thread());
      if (k % (steps / 6) == 0)
        all.emplace_back(simulation.state().x[kParticle], simulation.record().energy.total);
    }
    return all;
  };
  const auto a = states(48), b = states(96);
  double square = 0, largest = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    square += glm::dot(a[k].first - b[k].first, a[k].first - b[k].first);
    largest = std::max(largest, std::abs(a[k].second - b[k].second));
  }
  const RunErrors errors = errors_between(run(48), run(96));
  EXPECT_GT(square, 0);
  EXPECT_NEAR(errors.error_path, std::sqrt(square / 6), 1e-12 * errors.error_path);
  EXPECT_NEAR(errors.largest_energy, largest, 1e-12 * largest);
}

// A particle that falls freely exchanges the work of gravity.
TEST(MethodChoice, ScalesEnergyByWhatIsExchanged) {
  Scene scene;
  scene.mesh = GridSource{4, 4, 1, 1};
  scene.pins = PinPreset::none;
  LoadedScene loaded = load_scene(std::move(scene));
  const double t = 0.5, g = 9.8, mass = loaded.scene.material.mass;
  const RunEnd end = run_to(loaded, loaded.scene, t, 30, one_thread(), {});
  EXPECT_NEAR(end.exchanged, 0.5 * mass * g * t * g * t, 0.05 * end.exchanged);
}

TEST(MethodChoice, EndsALadderByItsMeasure) {
  const LoadedScene loaded = sheet("semi-implicit-euler", 2000);
  const auto finest = [&](std::optional<ErrorMeasure> measure) {
    const ChoiceFigures choice = chosen_among(
        loaded, {},
        {.duration = 0.2, .accurate_enough = 0.02, .measure = measure, .script = {.particle = 12}});
    for (const ErrorMeasure m : kAllMeasures)
      if (measure.value_or(m) == m) {
        EXPECT_LE(choice.error_of(choice.points.back(), m), 0.02);
      }
    return choice.points.back().steps;
  };
  std::uint64_t most = 0;
  for (const ErrorMeasure measure : kAllMeasures) most = std::max(most, finest(measure));
  EXPECT_LT(finest(ErrorMeasure::rms), most) << "no measure is harder";
  EXPECT_EQ(finest({}), most);
}

TEST(MethodChoice, TriesTolerancesAndSubstepsWithLargeSteps) {
  const LoadedScene loaded = sheet("bdf2", 5000);
  const ChoiceFigures choice =
      chosen_among(loaded, {"semi-implicit-euler", "bdf2", "xpbd", "rk4"}, {.duration = 0.1});
  std::vector<std::string> tuned;
  for (const MethodVariant& variant : choice.variants)
    if (variant.is_tuned) tuned.push_back(variant.title);
  EXPECT_THAT(tuned,
              ElementsAre("Semi-implicit Euler with CG tolerance 0.0001",
                          "Semi-implicit Euler with CG tolerance 0.01", "BDF2 with Newton tolerance 0.0001",
                          "BDF2 with Newton tolerance 0.01", "S-BDF2 with CG tolerance 0.0001",
                          "S-BDF2 with CG tolerance 0.01", "XPBD with 3 substeps", "XPBD with 40 substeps"));
  std::map<std::size_t, std::size_t> runs;
  for (const ChoicePoint& p : choice.points) ++runs[p.variant];
  for (std::size_t k = 0; k < choice.variants.size(); ++k)
    EXPECT_EQ(runs[k] <= 3, choice.variants[k].is_tuned) << choice.variants[k].title;
  EXPECT_EQ(choice.fraction, 1);
  Scene direct = loaded.scene;
  direct.solver.linear.kind = LinearSolverSettings::Kind::cholesky;
  const IntegratorInfo* const euler = find_integrator("semi-implicit-euler");
  for (const MethodVariant& variant : variants_of(direct, std::span(&euler, 1)))
    EXPECT_FALSE(variant.is_tuned) << variant.title;
}

TEST(MethodChoice, RunsCoarseStepsOfAllVariantsFirstAndStopsWhereTheyAreAccurateEnough) {
  const LoadedScene loaded = sheet("semi-implicit-euler");
  const ChoiceFigures choice =
      chosen_among(loaded, {"semi-implicit-euler", "bdf2"}, {.duration = 0.2, .accurate_enough = 0.05});
  EXPECT_EQ(std::ranges::count(choice.variants, false, &MethodVariant::is_tuned), 3);  // BDF2 in both forms
  std::vector<double> last(choice.variants.size(), 1);
  double coarsest = 1;
  for (const ChoicePoint& p : choice.points) {
    EXPECT_LE(p.h, coarsest);
    coarsest = p.h;
    EXPECT_GT(last[p.variant], 0.05) << "it was accurate enough";
    last[p.variant] = choice.error_of(p);
  }
  for (std::size_t k = 0; k < last.size(); ++k)
    if (!choice.variants[k].is_tuned) {
      EXPECT_LE(last[k], 0.05);
    }
}

TEST(MethodChoice, NamesTheCheapestMethodForAnErrorAndTheOneOfTheScene) {
  const LoadedScene loaded = sheet("semi-implicit-euler");
  const ChoiceFigures choice = chosen_among(loaded, {"bdf2"}, {.duration = 0.2, .accurate_enough = 0.05});
  const ChoiceGoal goal{.error = 0.05};
  const Chosen chosen = best_for(choice, goal);
  ASSERT_TRUE(chosen.best && chosen.runner_up);
  const ChoicePoint &best = choice.points[*chosen.best], &second = choice.points[*chosen.runner_up];
  EXPECT_LE(choice.error_of(best), 0.05);
  EXPECT_LE(best.processor, second.processor);
  EXPECT_NE(choice.variants[best.variant].method.integrator,
            choice.variants[second.variant].method.integrator);
  EXPECT_THAT(text_of(choice, goal), HasSubstr("Cheapest for an error of 5 %: "));
  EXPECT_THAT(text_of(choice, {.error = 1e-12}), HasSubstr("No method reached an error of 1e-10 %; "));
  EXPECT_THAT(text_of(choice, {.error = 0.05, .strain = 1e-9}), HasSubstr("within the limits"));
  EXPECT_THAT(text_of(choice, {.error = {}}), HasSubstr("Most accurate in real time: "));
}

TEST(MethodChoice, MarksRunsThatBlewUp) {
  const LoadedScene loaded = sheet("explicit-euler");
  const ChoiceFigures choice = chosen_among(loaded, {}, {.duration = 1});
  EXPECT_THAT(choice.points.front().failure, HasSubstr("blew up at "));
  EXPECT_FALSE(is_allowed(choice.points.front(), {}));
}

TEST(MethodChoice, RefusesClothThatDoesNotMove) {
  Scene scene;
  scene.mesh = GridSource{4, 4, 1, 1};
  scene.material.gravity = vec3(0);
  LoadedScene loaded = load_scene(std::move(scene));
  measure_omega_max(loaded, one_thread(), {});
  EXPECT_THROW(make_reference(loaded, 0.05, one_thread(), {}), InputError);
}

TEST(MethodChoice, OmitsTheOwnMethodIfItHasRods) {
  const LoadedScene loaded = sheet("rattle");
  const IntegratorInfo* const bdf2 = find_integrator("bdf2");
  for (const MethodVariant& variant : variants_of(loaded.scene, std::span(&bdf2, 1)))
    EXPECT_EQ(variant.method.integrator, "bdf2");
}

// A file of 10 cm per unit, whose rows are vertices and not particles.
TEST(MethodChoice, MeasuresTheDisplacementFromAnInitialStateOfAFile) {
  Scene scene;
  scene.mesh = FileSource{std::string(CLOTHLAB_SOURCE_DIR) + "/assets/seam.obj"};
  scene.scale = 0.1;
  LoadedScene loaded = load_scene(scene);
  measure_omega_max(loaded, one_thread(), {});
  const double moved = make_reference(loaded, 0.02, one_thread(), {}).displacement;
  const Simulation start(loaded.scene, loaded.mesh, one_thread(), {});
  loaded.scene.initial_state = start.export_state();
  EXPECT_NEAR(make_reference(loaded, 0.02, one_thread(), {}).displacement, moved, 1e-9 * moved);
}

TEST(MethodChoice, EndsOnCancellation) {
  const LoadedScene loaded = sheet("bdf2");
  const StopProbe stop([] { return true; });
  EXPECT_THROW(make_reference(loaded, 1, one_thread(), stop), Cancelled);
}

// ---- Recorded runs

/// A run of `scene` in which a pin was dragged from the third step to the tenth, and another particle grabbed
/// at the fifth.
std::unique_ptr<Arena> dragged_run(const LoadedScene& loaded, std::uint64_t steps) {
  auto arena = std::make_unique<Arena>(
      std::make_unique<Simulation>(loaded.scene, loaded.mesh, one_thread(), StopProbe(), loaded.model));
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (step >= 3 && step < 10)
      arena->apply(one_thread(), 0,
                   MovePins{{{0, vec3(0, 0, 0.02 * static_cast<double>(step))}}, loaded.scene.dt});
    if (step == 5)
      arena->apply(one_thread(), 0, Grab{{18, 19, 23}, vec3(0.2, 0.3, 0.5), vec3(0.6, 0.4, 0.9), 5, 0.01, 1});
    if (step == 6) arena->apply(one_thread(), 0, SetParameter{"stage-solve", 1});  // of the method
    arena->step(one_thread());
  }
  return arena;
}

TEST(RecordedRun, HasTheBitsOfTheRunByItsOwnMethod) {
  LoadedScene loaded = sheet("rk4", 200);
  loaded.scene.solver.stage_solve = StageSolve::linear;  // which RK4 does not use
  const auto arena = dragged_run(loaded, 12);
  const RecordedRun run = recorded_run(loaded, arena->log(), 12, {});
  EXPECT_EQ(run.script.changes.size(), 8u) << "without the change of the method";
  EXPECT_EQ(run.duration, 12 * loaded.scene.dt);
  const std::vector<vec3>& recorded = (*arena)[0].state().x;
  EXPECT_EQ(run_to(loaded, loaded.scene, run.duration, 12, one_thread(), {}, run.script).state.x, recorded);
  const RunEnd undisturbed = run_to(loaded, loaded.scene, run.duration, 12, one_thread(), {});
  EXPECT_GT(largest_distance(undisturbed.state.x, recorded), 0.05);
}

TEST(RecordedRun, LeavesEachMethodItsOrder) {
  LoadedScene loaded = sheet("symplectic-euler", 200);
  RecordedRun run = recorded_run(loaded, dragged_run(loaded, 6)->log(), 6, {});
  run.script.particle = 12;
  run.loaded.omega_max = loaded.omega_max;
  const ChoiceFigures choice =
      chosen_among(run.loaded, {"velocity-verlet"}, {.duration = run.duration, .script = run.script});
  EXPECT_EQ(choice.points.front().steps, 6u);
  EXPECT_EQ(choice.points.front().h, loaded.scene.dt);
  for (const ErrorMeasure measure : {ErrorMeasure::rms, ErrorMeasure::path}) {
    const auto orders = orders_of(choice, measure);
    ASSERT_EQ(orders.size(), 2u);
    EXPECT_NEAR(orders.at(0), 1, 0.25);
    EXPECT_NEAR(orders.at(1), 2, 0.25);
  }
  const std::string csv = csv_of(choice, run.loaded.scene, {});
  EXPECT_THAT(csv, HasSubstr("--substeps 2"));
}

TEST(RecordedRun, BeginsAtTheLastResetWithTheValuesOfThen) {
  const LoadedScene loaded = sheet("bdf2", 200);
  const auto arena = dragged_run(loaded, 4);
  arena->apply(one_thread(), 0, SetParameter{"mass", 0.4});
  arena->apply(one_thread(), 0, Reset{});
  arena->step(one_thread());
  arena->apply(one_thread(), 0, SetParameter{"mass", 0.5});
  arena->step(one_thread());
  const RecordedRun run = recorded_run(loaded, arena->log(), 2, {});
  EXPECT_EQ(run.loaded.scene.material.mass, 0.4);
  ASSERT_EQ(run.script.changes.size(), 1u);
  EXPECT_EQ(run.script.changes.front().step, 1u);
  EXPECT_EQ(run.loaded.scene.integrator, "bdf2");
}

TEST(RecordedRun, HasTheStepOfItsFirstStep) {
  const LoadedScene loaded = sheet("rk4", 200);
  Arena arena(std::make_unique<Simulation>(loaded.scene, loaded.mesh, one_thread()));
  for (const double dt : {0.02, 0.01}) arena.apply(one_thread(), 0, SetParameter{"dt", dt});
  for (int step = 0; step < 3; ++step) arena.step(one_thread());
  const RecordedRun run = recorded_run(loaded, arena.log(), 3, {});
  EXPECT_EQ(run.loaded.scene.dt, 0.01);
  EXPECT_EQ(run.duration, 0.03);
  EXPECT_EQ(run_to(run.loaded, loaded.scene, run.duration, 3, one_thread(), {}, run.script).state.x,
            arena[0].state().x);
}

TEST(RecordedRun, BeginsBeforeAMomentWhosePastIsKnown) {
  LoadedScene loaded = sheet("rk4", 200);
  const auto first = dragged_run(loaded, 6);
  Moment moment;
  first->save(one_thread(), moment);
  LoadedScene continued = loaded;
  continued.scene = (*first)[0].scene();
  continued.moment = std::make_shared<const Moment>(std::move(moment));
  continued.past = std::make_shared<const PastRun>(PastRun{loaded.scene, first->log(), 6});
  Arena second(lanes_of(continued, one_thread()), {});
  second.apply(one_thread(), 0, SetGravity{vec3(0, -5, 0)});
  for (int step = 0; step < 4; ++step) second.step(one_thread());
  const RecordedRun run = recorded_run(continued, second.log(), 10, {});
  EXPECT_EQ(run.duration, 10 * loaded.scene.dt);
  EXPECT_EQ(run_to(run.loaded, run.loaded.scene, run.duration, 10, one_thread(), {}, run.script).state.x,
            second[0].state().x);
  // After a reset what was before counts no more.
  continued.past = nullptr;
  second.apply(one_thread(), 0, Reset{});
  second.step(one_thread());
  EXPECT_EQ(recorded_run(continued, second.log(), 1, {}).loaded.scene.material.gravity, vec3(0, -5, 0));
}

TEST(RecordedRun, RefusesWhatOtherStepsCannotRepeat) {
  const LoadedScene loaded = sheet("bdf2", 200);
  const auto arena = dragged_run(loaded, 12);
  arena->apply(one_thread(), 0, SetParameter{"dt", 0.01});
  arena->step(one_thread());
  const auto refusal = [&](const LoadedScene& start, std::optional<double> duration) -> std::string {
    try {
      recorded_run(start, arena->log(), 13, duration);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(loaded, {}), HasSubstr("At 200 ms of the recorded run the step dt changes"));
  EXPECT_EQ(refusal(loaded, 0.2), "");
  LoadedScene continued = loaded;
  continued.moment = std::make_shared<const Moment>();
  EXPECT_THAT(refusal(continued, {}), HasSubstr("saved moment"));
}

}  // namespace
}  // namespace clothlab
