// SPDX-License-Identifier: MIT
// Every integrator after every other in the middle of a run, while the grab pulls the cloth.

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <string>

#include "sim/support.h"
#include "slowdown.h"

namespace clothlab::testing {
namespace {

constexpr int kSteps = 3;         // by each of the two
constexpr double kSpeed = 2;      // of the cursor [m/s]
constexpr double kLargest = 100;  // model.md, "Blow-up"

bool finite(const State& state) {
  for (const auto* values : {&state.x, &state.v})
    for (const vec3& value : *values)
      if (!std::isfinite(glm::dot(value, value))) return false;
  return std::isfinite(state.t);
}

/// Whether the method is stable at every h in theory.
bool holds(const IntegratorInfo& info) { return std::isinf(info.stability_limit); }

class Switching : public ::testing::TestWithParam<const char*> {
 protected:
  Switching() {
    const std::string name = GetParam();
    if (kSlowdown == 1) every_ = name == "grid" ? 1 : 3;
    mesh_ = name == "grid" ? grid_mesh(6, 6) : built(find_generated_mesh(name).make());
    scene_.pins = name == "grid" ? PinSelection(PinPreset::top_corners)
                                 : PinSelection(find_generated_mesh(name).pins());
  }

  /// A run in which something moves already.
  void start(double h) {
    scene_.dt = h;
    simulation_ = std::make_unique<Simulation>(scene_, mesh_, pool_, StopProbe{}, model_);
    model_ = simulation_->system().shared_model();
  }

  /// The middle of a triangle half way through the mesh, held by a grab that sets off to the side.
  void grab() {
    const auto& triangle = mesh_->triangles[mesh_->triangles.size() / 2];
    const std::vector<vec3>& x = simulation_->state().x;
    cursor_ = (x[triangle[0]] + x[triangle[1]] + x[triangle[2]]) / 3.0;
    way_ = 0;
    simulation_->apply(pool_, Grab{triangle, vec3(1.0 / 3), cursor_, 50, 0.1});
  }

  /// One step while the grab moves. What comes of it is a good state, or a blow-up that is said to be one
  /// and leaves the state from before. Returns which.
  StepStatus pull_on() {
    const vec3 move = kSpeed * simulation_->scene().dt * vec3(0.6, 0.64, 0.48);
    cursor_ += move;
    way_ += glm::length(move);
    simulation_->apply(pool_, MoveCursor{cursor_});
    const State before = simulation_->state();
    const std::uint64_t step = simulation_->steps();
    const StepStatus status = simulation_->step(pool_);

    const State& after = simulation_->state();
    EXPECT_TRUE(finite(after));
    if (status == StepStatus::blown_up) {
      EXPECT_TRUE(same_bits(after, before));
      EXPECT_EQ(simulation_->steps(), step);
      const std::optional<BlowUp>& bad = simulation_->blow_up();
      EXPECT_TRUE(bad);
      EXPECT_EQ(bad ? bad->step : 0, step + 1);
      EXPECT_FALSE(bad && bad->cause == BlowUp::Cause::energy && bad->energy <= bad->allowed);
      return status;
    }
    EXPECT_EQ(status, StepStatus::done);
    EXPECT_FALSE(simulation_->blow_up());
    EXPECT_EQ(simulation_->steps(), step + 1);
    EXPECT_LE(shaking(), kLargest * source());
    const StepRecord& record = simulation_->record();
    EXPECT_TRUE(std::isfinite(record.energy.total + record.max_strain + record.cg_residual));
    EXPECT_EQ(record.converged, record.reason.empty());
    for (const std::uint32_t pinned : pinned_particles_of(*simulation_))
      EXPECT_EQ(after.x[pinned], mesh_->positions[pinned]);
    return status;
  }

  /// Kinetic and elastic energy of the state [J], from the formulas. A part that falls as a whole adds to
  /// what the program counts, nothing to speak of in a few steps.
  double shaking() const {
    const ClothSystem& system = simulation_->system();
    const State& state = simulation_->state();
    double sum = 0;
    for (std::size_t i = 0; i < state.v.size(); ++i)
      sum += system.masses()[i] / 2 * glm::dot(state.v[i], state.v[i]);
    for (const ElasticElement e : system.elements()) {
      const double stretch = glm::length(state.x[e.i] - state.x[e.j]) - e.rest_length;
      sum += e.stiffness / 2 * stretch * stretch;
    }
    return sum;
  }

  /// Bound of that energy by its sources: a fall through the mesh's diagonal, and the grab, which pulls with
  /// ten times the weight at most [J]. All starts at rest.
  double source() const {
    const Material& material = scene_.material;
    const double weight = material.mass * glm::length(material.gravity);
    return weight * mesh_->diagonal + 10 * weight * way_;
  }

  static std::vector<std::uint32_t> pinned_particles_of(const Simulation& simulation) {
    std::vector<std::uint32_t> pinned;
    for (std::uint32_t i = 0; i < simulation.state().x.size(); ++i)
      if (simulation.is_pinned(i)) pinned.push_back(i);
    return pinned;
  }

  struct Outcome {
    int blow_ups = 0;
    int of_holding = 0;  // with methods on both sides of the switch that hold at any h
  };

  Outcome switch_between_all_pairs(double h) {
    Outcome outcome;
    start(h);
    for (const IntegratorInfo& first : integrators()) {
      for (const IntegratorInfo& second : integrators()) {
        if ((&first - &second) % every_ != 0) continue;
        SCOPED_TRACE(std::string(first.id) + ", then " + std::string(second.id));
        simulation_->apply(pool_, Reset{});
        simulation_->apply(pool_, SetIntegrator{std::string(first.id)});
        grab();
        bool bad = false;
        for (int k = 0; k < 2 * kSteps; ++k) {
          if (k == kSteps) {
            const State before = simulation_->state();
            simulation_->apply(pool_, SetIntegrator{std::string(second.id)});
            EXPECT_FALSE(simulation_->blow_up());
            EXPECT_TRUE(same_bits(simulation_->state(), before));
          }
          bad = pull_on() == StepStatus::blown_up || bad;
        }
        outcome.blow_ups += bad ? 1 : 0;
        outcome.of_holding += bad && holds(first) && holds(second) ? 1 : 0;
        if (::testing::Test::HasFailure()) return outcome;
      }
    }
    return outcome;
  }

  WorkerPool pool_{1};
  std::shared_ptr<const ClothMesh> mesh_;
  std::shared_ptr<const ClothModel> model_;
  Scene scene_;
  std::unique_ptr<Simulation> simulation_;
  vec3 cursor_{0};
  double way_ = 0;  // of the cursor [m]
  int every_ = 4;   // pair is tried, each integrator with a few others
};

TEST_P(Switching, BetweenAnyTwoKeepsTheStateGoodOrSaysThatItBlewUp) {
  const Outcome outcome = switch_between_all_pairs(1.0 / 60);
  EXPECT_EQ(outcome.of_holding, 0);
  EXPECT_GT(outcome.blow_ups, 0);  // else no blow-up was tested
}

TEST_P(Switching, BetweenAnyTwoIsQuietWithStepsThatSuitAll) {
  start(1.0 / 60);
  const Outcome outcome = switch_between_all_pairs(0.5 / omega_max(*simulation_, pool_));
  EXPECT_EQ(outcome.blow_ups, 0);
}

// A sheet, a mesh with edges of more than two triangles, and one of three parts.
INSTANTIATE_TEST_SUITE_P(Meshes, Switching, ::testing::Values("grid", "nonmanifold", "parts"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace clothlab::testing
