// SPDX-License-Identifier: MIT
// Long random sequences of commands, many of them refused: what the window believes of the scene is what the
// simulation has, undo to the start gives the start, and what is saved opens to the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "runtime/edit_history.h"
#include "runtime/support.h"
#include "sim/parameters.h"
#include "sim/scene_difference.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using namespace testing;

std::shared_ptr<const LoadedScene> generated(const char* name, const char* integrator) {
  Scene scene;
  scene.title = name;
  scene.mesh = GeneratedSource{name};
  scene.pins = std::vector<std::uint32_t>{0};
  scene.integrator = integrator;
  return loaded(std::move(scene));
}

/// The window's side: what it sends it also records, as app/application.cpp does.
class Desk {
 public:
  explicit Desk(unsigned seed) : random_(seed) {}

  void act() {
    switch (below(12)) {
      case 0:
        return undo_or_redo(edits_.undo());
      case 1:
        return undo_or_redo(edits_.redo());
      case 2:
        return use_scene();
      case 3:
        return edits_.end_gesture();
      case 4: {
        const RunAgain again{some_integrator()};
        edits_.record(again);
        return edits_.sent(thread_.send(Control(again)));
      }
      default:
        return send(some_command());
    }
  }

  void settle() {
    shown_ = send_and_wait(thread_, SetSpeed{1});
    edits_.settle(shown_->applied, *shown_->refused);
  }

  void undo_all() {
    while (edits_.can_undo()) undo_or_redo(edits_.undo());
    settle();
  }

  void expect_one_scene() const {
    EXPECT_EQ(shown_->loaded.get(), &edits_.loaded());
    EXPECT_EQ(written(*shown_->frame.scene), written(edits_.version().whole()));
    EXPECT_EQ(written(parse_scene(written(*shown_->frame.scene), "a file")), written(edits_.scene()));
    Simulation opened(edits_.version().whole(), edits_.loaded().mesh, pool_);
    EXPECT_EQ(written(opened.scene()), written(*shown_->frame.scene));
  }
  void expect_start() const {
    EXPECT_EQ(&edits_.loaded(), scenes_[0].get());
    EXPECT_EQ(differences(edits_.scene(), scenes_[0]->scene, *scenes_[0]->mesh), std::vector<std::string>());
  }
  std::uint64_t refusals() const { return shown_->refused->size(); }

 private:
  static std::string written(const Scene& scene) { return write_scene(scene); }

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::uint32_t some_particle() { return static_cast<std::uint32_t>(below(12)); }
  std::string some_integrator() {
    return below(8) == 0
               ? "nonsense"
               : std::string(
                     integrators()[static_cast<std::size_t>(below(static_cast<int>(integrators().size())))]
                         .id);
  }

  Command some_parameter() {
    if (below(3) == 0) return SetParameter{"mass-model", below(2) * 1.0};
    const auto rows = scene_parameters();
    const ParameterSpec& spec = rows[static_cast<std::size_t>(below(static_cast<int>(rows.size())))].spec;
    const double most = std::min(spec.max, spec.min + 10);
    const double value = spec.kind == ParameterSpec::Kind::real
                             ? spec.min + (most - spec.min) * below(5) / 4
                             : spec.min + below(static_cast<int>(most) + 1);
    return SetParameter{std::string(spec.id), below(8) == 0 ? -1e9 : value};
  }

  Command some_command() {
    switch (below(8)) {
      case 0:
        return SetGravity{vec3(below(3), below(8) == 0 ? std::nan("") : 1, 0)};
      case 1:
        return SetIntegrator{some_integrator()};
      case 2:
        return SetPinned{{some_particle(), some_particle()}, below(2) == 0};
      case 3:
        return SetPinPreset{static_cast<PinPreset>(below(4))};
      case 4: {
        auto scene = std::make_shared<Scene>(edits_.scene());
        scene->material.mass = below(4) - 1;
        scene->pins = std::vector<std::uint32_t>{some_particle()};
        return SetScene{below(8) == 0 ? nullptr : scene};
      }
      case 5:
        return MovePins{{{some_particle(), vec3(below(3), 0, 0)}}, below(3) - 1.0};
      default:
        return some_parameter();
    }
  }

  void send(const Command& command) {
    edits_.record(command, std::shared_ptr<const Frame>(shown_, &shown_->frame));
    edits_.sent(thread_.send(command));
  }

  /// Another one, which may come too soon after the one before or be refused with its values.
  void use_scene() {
    const auto& next = scenes_[static_cast<std::size_t>(below(static_cast<int>(scenes_.size())))];
    auto bad = std::make_shared<Scene>(next->scene);
    bad->material.mass = -1;
    edits_.record_scene(next, EditHistory::Arrival::another);
    edits_.sent(thread_.send(Control(UseScene{next, below(4) == 0 ? bad : nullptr})));
  }

  void undo_or_redo(const std::optional<EditHistory::Step>& step) {
    if (!step) return;
    if (step->other_scene)
      edits_.sent(thread_.send(Control(UseScene{step->other_scene, step->scene})));
    else if (step->scene)
      edits_.sent(thread_.send(Command(SetScene{step->scene})));
    if (!step->pins.empty()) edits_.sent(thread_.send(Command(MovePins{step->pins, 0})));
  }

  std::mt19937 random_;
  const std::vector<std::shared_ptr<const LoadedScene>> scenes_{
      generated("pendulum", "explicit-euler"), loaded(sheet_scene(3)), loaded(sheet_scene(4))};
  mutable WorkerPool pool_{1};
  SimulationThread thread_{scenes_[0], paused(1)};
  EditHistory edits_{scenes_[0]};
  std::shared_ptr<const Snapshot> shown_ = thread_.latest();
};

void expect_one_meaning(unsigned seed, int rounds) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Desk desk(seed);
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    for (int burst = round % 4; burst >= 0; --burst) desk.act();
    desk.settle();
    desk.expect_one_scene();
  }
  EXPECT_GT(desk.refusals(), 0u);
}

TEST(CommandSequence, MeansTheSameToTheWindowAndTheSimulation) {
  const bool is_long = std::getenv("CLOTHLAB_LONG_TESTS") != nullptr;
  for (unsigned seed = 1; seed <= (is_long ? 200u : 3u); ++seed) expect_one_meaning(seed, is_long ? 300 : 40);
}

TEST(CommandSequence, IsUndoneToTheStart) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Desk desk(seed);
    for (int k = 0; k < 60; ++k) desk.act();
    desk.undo_all();
    desk.expect_one_scene();
    // While what was undone was under way, a refusal may have made an edit of it.
    desk.undo_all();
    desk.expect_one_scene();
    desk.expect_start();
  }
}

}  // namespace
}  // namespace clothlab
