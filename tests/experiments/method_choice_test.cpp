// SPDX-License-Identifier: MIT
#include "experiments/method_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "core/error.h"
#include "core/stop_probe.h"
#include "documents/scene_loader.h"
#include "experiments/step_trial.h"
#include "one_thread.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
                      make_reference(loaded, settings.duration, one_thread(), {}), settings);
  while (choice.next(one_thread(), {})) {
  }
  return choice.figures();
}

TEST(MethodChoice, HasErrorsOfTheOrderOfEachMethod) {
  const LoadedScene loaded = sheet("symplectic-euler", 200);
  const ChoiceFigures choice = chosen_among(loaded, {"velocity-verlet"}, {.duration = 0.1});
  EXPECT_LT(choice.change_x, 1e-8);
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

TEST(MethodChoice, RunsCoarseStepsOfAllVariantsFirstAndStopsWhereTheyAreAccurateEnough) {
  const LoadedScene loaded = sheet("semi-implicit-euler");
  const ChoiceFigures choice =
      chosen_among(loaded, {"semi-implicit-euler", "bdf2"}, {.duration = 0.2, .accurate_enough = 0.05});
  EXPECT_EQ(choice.variants.size(), 3u);  // BDF2 in both forms
  std::vector<double> last(choice.variants.size(), 1);
  double coarsest = 1;
  for (const ChoicePoint& p : choice.points) {
    EXPECT_LE(p.h, coarsest);
    coarsest = p.h;
    EXPECT_GT(last[p.variant], 0.05) << "it was accurate enough";
    last[p.variant] = choice.error_of(p);
  }
  for (const double error : last) EXPECT_LE(error, 0.05);
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

}  // namespace
}  // namespace clothlab
