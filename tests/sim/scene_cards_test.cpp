// SPDX-License-Identifier: MIT
// Every claim on the cards of the scenes in assets/scenes, in the order in which the card makes them. Whoever
// changes a scene or a card changes its test.

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/support.h"

namespace clothlab::testing {
namespace {

class Card {
 public:
  explicit Card(const std::string& name) : scene_(scene_asset(name)), mesh_(mesh_of(scene_)) {}

  Card& with(std::string_view id, double value) {
    set_parameter(scene_, id, value);
    return *this;
  }
  Card& by(const std::string& integrator) {
    scene_.integrator = integrator;
    return *this;
  }
  const Scene& scene() const { return scene_; }
  std::unique_ptr<Simulation> start() { return std::make_unique<Simulation>(scene_, mesh_, one_thread()); }
  double omega() { return omega_max(*start(), one_thread()); }
  StabilityEstimate stability(const IntegratorInfo& info) {
    const auto simulation = start();
    const Projection held = simulation->constraints(simulation->state().x);
    return StabilityMeter()
        .estimate({simulation->system(), simulation->state(), held, info}, one_thread())
        .value();
  }

 private:
  Scene scene_;
  std::shared_ptr<const ClothMesh> mesh_;
};

double total_after(Simulation& simulation, double seconds) {
  const int steps = static_cast<int>(std::lround(seconds / simulation.scene().stepping.dt));
  EXPECT_EQ(run(simulation, steps), steps);
  return simulation.record().energy.total;
}

double most_energy(Simulation& simulation, int steps) {
  double most = simulation.record().energy.total;
  for (int k = 0; k < steps && simulation.step(one_thread()) == StepStatus::done; ++k)
    most = std::max(most, simulation.record().energy.total);
  return most;
}

int most_iterations(Simulation& simulation, int steps) {
  int most = 0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(simulation.step(one_thread()), StepStatus::done);
    EXPECT_TRUE(simulation.record().converged);
    most = std::max(most, simulation.record().cg_iterations);
  }
  return most;
}

TEST(SceneCards, EverySceneIsOneOfThese) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "assets" / "scenes"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names,
            (std::vector<std::string>{"01-sheet", "02-pendulum", "03-why-implicit", "04-curtain", "05-drum",
                                      "06-tube", "07-chain", "08-flag", "09-handkerchief"}));
  for (const std::string& name : names) {
    const Scene scene = scene_asset(name);
    EXPECT_FALSE(scene.title.empty()) << name;
    const auto sentences = std::count(scene.description.begin(), scene.description.end(), '.');
    EXPECT_GE(sentences, 3) << name;
  }
}

TEST(SceneCards, Sheet) {
  Card card("01-sheet");
  EXPECT_EQ(card.scene().integrator, "semi-implicit-euler");
  EXPECT_EQ(card.scene().stepping.dt, 1e-3);
  const IntegratorInfo& symplectic = *find_integrator("symplectic-euler");
  const StabilityEstimate stability = card.stability(symplectic);
  EXPECT_NEAR(deciding_growth(*find_integrator("explicit-euler"), {}, 1e-3, stability), 1.7, 0.05);
  EXPECT_LT(run(*card.by("explicit-euler").start(), 1000), 100);  // a tenth of a second
  EXPECT_NEAR(2 / stability.omega_max(), 1.4e-3, 0.005e-3);
  EXPECT_NEAR(largest_stable_step(symplectic, {}, stability).value(), 1.31e-3, 0.005e-3);
  EXPECT_LT(total_after(*card.by("symplectic-euler").with("dt", 1.3e-3).start(), 2), 0);
  EXPECT_GT(most_energy(*card.with("dt", 1.32e-3).start(), 200), 1);
  EXPECT_LT(run(*card.by("symplectic-euler").with("dt", 1.5e-3).start(), 2000), 100);

  const double lost_small = -total_after(*card.by("semi-implicit-euler").with("dt", 1e-3).start(), 1);
  const double lost_large = -total_after(*card.with("dt", 1.0 / 60).start(), 1);
  EXPECT_NEAR(lost_large / lost_small, 6, 0.3);
  total_after(*card.by("backward-euler").start(), 1);
}

TEST(SceneCards, Pendulum) {
  Card card("02-pendulum");
  EXPECT_EQ(card.scene().integrator, "explicit-euler");
  EXPECT_EQ(card.scene().stepping.dt, 1.0 / 240);
  EXPECT_DOUBLE_EQ(card.start()->system().masses()[1], 0.1);
  EXPECT_EQ(card.scene().material.stretch_stiffness, 100);
  EXPECT_NEAR(find_integrator("explicit-euler")->growth(card.omega() / 240, 0, {}) - 1, 0.009, 0.0005);

  const int survived = run(*card.start(), 2400);
  EXPECT_GT(survived, 2.5 * 240);
  EXPECT_LT(survived, 3.5 * 240);

  const auto symplectic = card.by("symplectic-euler").start();
  const double start = symplectic->record().energy.total;
  double off = 0, most_kinetic = 0;
  for (int k = 0; k < 2400; ++k) {
    ASSERT_EQ(symplectic->step(one_thread()), StepStatus::done);
    const EnergyReport& energy = symplectic->record().energy;
    off = std::max(off, std::abs(energy.total - start));
    most_kinetic = std::max(most_kinetic, energy.kinetic);
  }
  EXPECT_LT(off, 0.01 * most_kinetic);
  // The swing: lost energy of an implicit method goes on falling long after the spring is quiet.
  for (const char* implicit : {"semi-implicit-euler", "backward-euler"}) {
    const auto simulation = card.by(implicit).start();
    const double after2 = total_after(*simulation, 2);
    const double after10 = total_after(*simulation, 8);
    EXPECT_LT(after2, start - 0.02) << implicit;
    EXPECT_LT(after10, after2 - 0.05) << implicit;
  }
}

TEST(SceneCards, WhyImplicit) {
  Card card("03-why-implicit");
  EXPECT_EQ(card.scene().stepping.dt, 1.0 / 60);
  EXPECT_EQ(card.scene().material.stretch_stiffness, 1000);
  EXPECT_NEAR(card.omega() / 60, 98, 0.5);
  EXPECT_LT(run(*card.by("explicit-euler").start(), 10), 5);
  EXPECT_LT(run(*card.by("symplectic-euler").start(), 10), 5);
  EXPECT_EQ(run(*card.with("dt", 0.3e-3).start(), 1000), 1000);
  EXPECT_GT(1.0 / 60 / 0.3e-3, 50);
  EXPECT_LT(run(*card.with("dt", 0.4e-3).start(), 1000), 100);

  // Next to nothing is lost to the springs' own damping: the half joule is the method's.
  EXPECT_GT(total_after(*card.with("dt", 0.3e-3).start(), 0.99), -0.1);
  const auto implicit = card.by("semi-implicit-euler").with("dt", 1.0 / 60).start();
  EXPECT_LT(total_after(*implicit, 1), -0.5);
  EXPECT_TRUE(implicit->record().converged);
}

TEST(SceneCards, Curtain) {
  Card card("04-curtain");
  EXPECT_EQ(std::get<VertexList>(card.scene().pins).size(), 7u);
  const int small = most_iterations(*card.with("dt", 1e-3).start(), 20);
  const int large = most_iterations(*card.with("dt", 1.0 / 60).start(), 20);
  EXPECT_NEAR(small, 4, 2);
  EXPECT_NEAR(large, 33, 8);
  EXPECT_GT(16 * small, large);
  card.with("preconditioner", static_cast<double>(PreconditionerKind::block_jacobi));
  EXPECT_NEAR(most_iterations(*card.with("dt", 1e-3).start(), 20), 30, 5);
  EXPECT_NEAR(most_iterations(*card.with("dt", 1.0 / 60).start(), 20), 360, 40);
}

TEST(SceneCards, Drum) {
  Card card("05-drum");
  EXPECT_EQ(card.scene().material.spring_damping, 0);
  EXPECT_EQ(card.scene().integrator, "semi-implicit-euler");
  EXPECT_EQ(card.scene().stepping.dt, 1.0 / 60);
  const auto implicit = card.start();
  EXPECT_EQ(run(*implicit, 30), 30);
  EXPECT_LT(implicit->record().energy.kinetic, 1e-5);

  EXPECT_NEAR(2 / card.omega(), 0.448e-3, 0.001e-3);
  const auto symplectic = card.by("symplectic-euler").with("dt", 0.4e-3).start();
  double most_kinetic = 0;
  for (int k = 0; k < 5000; ++k) {
    ASSERT_EQ(symplectic->step(one_thread()), StepStatus::done);
    if (k > 4000) most_kinetic = std::max(most_kinetic, symplectic->record().energy.kinetic);
  }
  // Nothing is left of 0.023 J that semi-implicit Euler takes away; here the total stays near 0.
  EXPECT_GT(most_kinetic, 0.01);
  EXPECT_NEAR(symplectic->record().energy.total, 0, 5e-4);
  EXPECT_LT(run(*card.with("dt", 0.5e-3).start(), 200), 200);
}

TEST(SceneCards, Tube) {
  Card card("06-tube");
  const double stiff = card.omega();
  EXPECT_NEAR(2 / stiff, 0.042e-3, 0.0005e-3);
  EXPECT_NEAR(1.0 / 60 / (2 / stiff), 400, 5);
  const int hard = most_iterations(*card.start(), 30);
  card.with("stretch-stiffness", 1000);
  EXPECT_NEAR(stiff / card.omega(), 10, 0.1);
  EXPECT_GT(hard, 2 * most_iterations(*card.start(), 30));
}

TEST(SceneCards, Chain) {
  Card card("07-chain");
  EXPECT_EQ(card.scene().material.damping_model, DampingModel::projected);
  const double projected = -total_after(*card.start(), 2);
  const double isotropic = -total_after(*card.with("damping-model", 1).start(), 2);
  EXPECT_NEAR(projected, 0.2, 0.05);
  EXPECT_NEAR(isotropic / projected, 2, 0.4);
}

// How high the free end of the flag is, on average from 3 s to 5 s [m].
double free_end(Simulation& simulation) {
  EXPECT_EQ(run(simulation, 180), 180);
  double sum = 0;
  for (int k = 0; k < 120; ++k) {
    EXPECT_EQ(simulation.step(one_thread()), StepStatus::done);
    for (std::size_t row = 0; row < 28; ++row) sum += simulation.state().x[42 * row + 41].y;
  }
  return sum / (120 * 28);
}

TEST(SceneCards, Flag) {
  Card card("08-flag");
  EXPECT_EQ(card.scene().wind.speed, 8);
  EXPECT_EQ(card.scene().wind.gusts, 40);
  EXPECT_EQ(card.scene().material.mass, 0.15);
  const double high = free_end(*card.start());
  EXPECT_GT(high, free_end(*card.with("wind-speed", 3).start()) + 0.05);
  EXPECT_EQ(run(*card.with("wind-speed", 40).start(), 300), 300);
  EXPECT_LT(run(*card.by("xpbd").start(), 60), 6);

  Card gusts("08-flag");
  const auto one = gusts.start(), again = gusts.start(), other = gusts.with("wind-seed", 2).start();
  for (Simulation* each : {one.get(), again.get(), other.get()}) EXPECT_EQ(run(*each, 60), 60);
  EXPECT_TRUE(same_bits(again->state(), one->state()));
  EXPECT_FALSE(same_bits(other->state(), one->state()));
}

double height_of(const Simulation& simulation) {
  const auto [low, high] = std::ranges::minmax(simulation.state().x, {}, [](const vec3& x) { return x.y; });
  EXPECT_EQ(low.y, simulation.scene().floor.height);
  return high.y - low.y;
}

TEST(SceneCards, Handkerchief) {
  Card card("09-handkerchief");
  EXPECT_EQ(card.scene().material.mass, 0.02);
  EXPECT_TRUE(card.start()->system().projection().entries().empty());
  const auto rough = card.start();
  double smallest = 1;
  for (int k = 0; k < 60; ++k) {
    ASSERT_EQ(rough->step(one_thread()), StepStatus::done);
    smallest = std::min(smallest, rough->record().dt);
  }
  EXPECT_EQ(smallest, 1.0 / 240);
  EXPECT_LT(rough->record().energy.kinetic, 1e-5);
  EXPECT_GT(height_of(*rough), 0.02);

  const auto smooth = card.with("floor-friction", 0).start();
  ASSERT_EQ(run(*smooth, 120), 120);
  EXPECT_LT(height_of(*smooth), 1e-3);
  EXPECT_GT(smooth->record().energy.kinetic, 1e-3);

  // A particle of the corner falls farther than the rows of the mesh are apart.
  const auto falling = card.start();
  ASSERT_EQ(run(*falling, 17), 17);
  double fastest = 0;
  for (const vec3& v : falling->state().v) fastest = std::max(fastest, -v.y);
  EXPECT_GT(fastest / 60, 2 * 0.4 / 24 / std::sqrt(2.0));
}

}  // namespace
}  // namespace clothlab::testing
