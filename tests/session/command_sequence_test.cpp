// SPDX-License-Identifier: MIT
// Long random sequences of commands, many of which are refused or find no memory, with one lane and with
// several: the edit history's scene is that of the active lane, undoing all edits restores the start, a saved
// file opens to the same scene, the cloth can still be grabbed, lanes that run are at one step, and the
// journal leads to the same bits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <latch>
#include <new>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "allocation_counter.h"
#include "documents/replay.h"
#include "session/edit_history.h"
#include "session/support.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

using namespace testing;

std::shared_ptr<const LoadedScene> generated(const char* name, const char* integrator) {
  Scene scene;
  scene.title = name;
  scene.mesh = GeneratedSource{name};
  scene.pins = std::vector<std::uint32_t>{0};
  scene.integrator = integrator;
  ParticleGroup some;
  some.name = "some";
  some.vertices = {1};
  DriverForce push;
  push.force = vec3(0, 0.01, 0);
  scene.groups = {some};
  scene.drivers = {{"some", GroupPath{{{0, vec3(0)}, {1, vec3(0, 0.1, 0)}}, true, false}}, {"some", push}};
  return loaded(std::move(scene));
}

/// The window's side: what it sends it also records, as app/application.cpp does.
class Desk {
 public:
  explicit Desk(unsigned seed, bool lanes = false) : random_(seed), lanes_(lanes) {}

  /// Now and then memory runs out: for the window's part of it or for the simulation's.
  void act() {
    const int who = below(9);
    if (who > 2) return do_something();
    if (who == 0) {
      hungry_ = true;
      do_something();
      hungry_ = false;
      return;
    }
    // With the next request, once that is there, and no longer.
    const auto come = std::make_shared<std::latch>(1);
    thread_.send(Control(KeepMoment{[come, n = some_allocation()](const KeepMoment::Kept&) {
      come->wait();
      fail_allocation(n);
    }}));
    do_something();
    thread_.send(
        Control(KeepMoment{[this](const KeepMoment::Kept&) { failures_ += fail_allocation(0) == 0; }}));
    come->count_down();
  }

  void settle() {
    const std::uint64_t last = thread_.send(Control(SetSpeed{1}));
    shown_ = wait_for(thread_, [&](const Snapshot& s) {
      return s.applied >= last && std::ranges::none_of(s.lanes(), [](const LaneSnapshot* lane) {
               return lane->catching_up.has_value();
             });
    });
    while (!edit([this] {
      edits_.resolve(shown_->applied, *shown_->refused);
      if (&edits_.loaded() != shown_->loaded.get()) return;
      LaneScenes lanes;
      for (const LaneSnapshot* lane : shown_->lanes()) lanes.push_back({lane->lane, lane->frame.scene});
      edits_.follow(lanes, shown_->lane);
    })) {
    }
  }

  void undo_all() {
    while (edits_.can_undo()) undo_or_redo(&EditHistory::undo);
    settle();
  }

  void expect_one_scene() const {
    EXPECT_EQ(shown_->loaded.get(), &edits_.loaded());
    EXPECT_EQ(shown_->frame.mesh, edits_.loaded().mesh);
    const LaneScenes& lanes = edits_.version().lanes;
    ASSERT_EQ(lanes.size(), shown_->lanes().size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      EXPECT_EQ(lanes[i].lane, shown_->lanes()[i]->lane);
      EXPECT_EQ(written(*shown_->lanes()[i]->frame.scene), written(*lanes[i].scene));
    }
    EXPECT_EQ(written(parse_scene(written(*shown_->frame.scene), "a file")), written(edits_.scene()));
    try {
      Simulation opened(edits_.version().whole(), edits_.loaded().mesh, pool_);
      EXPECT_EQ(written(opened.scene()), written(*lanes[0].scene));
    } catch (const InputError& refused) {  // a body has been put where the cloth starts
      EXPECT_EQ(edits_.scene().contact.model, ContactModel::barrier) << refused.what();
    }
  }
  void expect_lanes_at_one_step() {
    const std::vector<const LaneSnapshot*> lanes = shown_->lanes();
    most_lanes_ = std::max(most_lanes_, lanes.size());
    for (std::size_t i = 1; i < lanes.size(); ++i) {
      EXPECT_LT(lanes[i - 1]->lane, lanes[i]->lane);
    }
    if (shown_->replay) return;  // of the past: what stood then may run now
    const LaneSnapshot* running = nullptr;
    for (const LaneSnapshot* lane : lanes) {
      EXPECT_EQ(lane->frame.mesh, shown_->frame.mesh);
      if (lane->frozen) continue;
      if (running == nullptr) running = lane;
      EXPECT_EQ(lane->frame.record.time, running->frame.record.time);
      EXPECT_EQ(lane->frame.record.step, running->frame.record.step);
      EXPECT_EQ(lane->frame.grab.has_value(), running->frame.grab.has_value());
      EXPECT_EQ(written(with_method(*lane->frame.scene, *running->frame.scene)),
                written(*running->frame.scene));
    }
  }
  /// The journal of all that was done leads to the same bits.
  void expect_journal() const {
    const TemporaryFolder folder;
    const KeepJournal::Whole whole = const_cast<SimulationThread&>(thread_).keep_journal().get();
    whole.journal.write(whole.log, whole.now, folder.path() / "all.journal");
    for (const int threads : {1, 3}) {
      WorkerPool pool(threads);
      Replay replay(read_journal(folder.path() / "all.journal"), {});
      while (replay.next(pool) != Replay::Event::ended) {
      }
      EXPECT_GE(replay.compared(), 1u);
      EXPECT_FALSE(replay.difference()) << "step " << replay.difference()->step;
    }
  }
  std::size_t most_lanes() const { return most_lanes_; }
  void expect_start() const {
    EXPECT_EQ(&edits_.loaded(), scenes_[0].get());
    EXPECT_EQ(differences(edits_.scene(), scenes_[0]->scene, *scenes_[0]->mesh), std::vector<std::string>());
  }
  void expect_grab() {
    const auto holds = [](const Snapshot& s) {  // nobody pulls at a lane that stands while others run
      const auto lanes = s.lanes();
      const auto is_held = [](const LaneSnapshot* lane) { return !lane->frozen && lane->frame.grab; };
      return std::ranges::any_of(lanes, is_held);
    };
    EXPECT_TRUE(holds(*send_and_wait(thread_, StartGrab{{{0, 1, 1}, vec3(0.25, 0.25, 0.5), vec3(1)}})))
        << thread_.latest()->error;
    EXPECT_FALSE(holds(*send_and_wait(thread_, Release{})));
  }
  std::uint64_t refusals() const { return shown_->refused->size(); }
  /// To find memory: of the simulation, and of the edits.
  std::pair<int, int> failures() const { return {failures_, failed_edits_}; }

 private:
  static std::string written(const Scene& scene) { return write_scene(scene); }

  LaneId some_lane() { return static_cast<LaneId>(below(static_cast<int>(kMostLanes))); }

  void do_something_to_lanes() {
    switch (below(9)) {
      case 0:
      case 1:
      case 7: {
        NewLane lane{below(2) == 0 ? "" : some_integrator(), below(3) == 0};
        if (below(2) == 0) lane.substeps = below(4);
        lane.is_reference = below(4) == 0;
        return send_control(lane);
      }
      case 6:
        thread_.send(Control(SetReference{below(2) == 0 ? std::nullopt : std::optional(some_lane())}));
        return;
      case 2:
        return send_control(ChangeLanes{RemoveLane{some_lane()}});
      case 3:
        thread_.send(Control(ChangeLanes{JoinLane{some_lane(), some_lane()}}));
        return;
      case 4:
        thread_.send(Control(ChangeLanes{HoldLane{some_lane()}}));
        return;
      case 5:
        thread_.send(Control(ReviveLane{some_lane()}));
        return;
      default:
        return send_control(SelectLane{some_lane()});
    }
  }

  void do_something() {
    if (lanes_ && below(4) == 0) return do_something_to_lanes();
    if (lanes_ && below(4) == 0) {
      thread_.send(Control(StepOnce{}));
      return;
    }
    switch (below(16)) {
      case 0:
        return undo_or_redo(&EditHistory::undo);
      case 1:
        return undo_or_redo(&EditHistory::redo);
      case 2:
        return use_scene();
      case 3:
        return edits_.end_gesture();
      case 4: {
        const Command command = SetIntegrator{some_integrator()};
        return send([&] { edits_.record(command); }, command);
      }
      case 5:
        return do_what_is_no_edit();
      default: {
        const Command command = some_command();
        return send([&] { edits_.record(command, std::shared_ptr<const Frame>(shown_, &shown_->frame)); },
                    command);
      }
    }
  }

  void do_what_is_no_edit() {
    switch (below(8)) {
      case 0:
        thread_.send(Command(Reset{}));
        return;
      case 6:
        thread_.send(Command(StepBack{}));
        return;
      case 5:
        thread_.send(Command(ReverseVelocities{}));
        return;
      case 1:
        thread_.send(Control(StepOnce{}));
        return;
      case 2:
        thread_.send(Control(Rewind{}));
        return;
      case 3:
        thread_.send(Control(StepThroughPast{-1}));
        return;
      case 4:
        thread_.send(Control(SwapBranches{}));
        return;
      default:
        thread_.send(Control(StartGrab{{{0, 1, 1}, vec3(0.25, 0.25, 0.5), vec3(1)}}));
    }
  }

  /// Part of the edits; false when it found no memory, and has changed nothing.
  template <class Part>
  bool edit(const Part& part) {
    if (hungry_) fail_allocation(some_allocation());
    try {
      part();
    } catch (const std::bad_alloc&) {
      ++failed_edits_;
      return false;
    }
    fail_allocation(0);
    return true;
  }

  /// What finds no memory for its edit is not sent.
  template <class Part, class Request>
  void send(const Part& part, const Request& request) {
    if (edit(part)) edits_.sent(thread_.send(request));
  }

  void send_control(Control control) {
    if (edit([&] { edits_.record(control); })) edits_.sent(thread_.send(std::move(control)));
  }

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  /// The first ones more often.
  long some_allocation() { return 1 + below(1 << below(11)); }
  std::uint32_t some_particle() { return static_cast<std::uint32_t>(below(12)); }
  std::string some_integrator() {
    return below(8) == 0
               ? "nonsense"
               : std::string(
                     integrators()[static_cast<std::size_t>(below(static_cast<int>(integrators().size())))]
                         .id);
  }

  std::vector<Obstacle> some_bodies() {
    Obstacle body;
    body.shape = static_cast<Obstacle::Shape>(below(5));
    body.from = vec3(0.5, -0.1 * below(4), 0.5);
    body.to = has_axis(body.shape) ? body.from + vec3(0, 0, 1) : body.from;
    body.radius = 0.1 * below(4);  // none is refused
    return std::vector<Obstacle>(static_cast<std::size_t>(below(3)), body);
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
    switch (below(10)) {
      case 8:
        return SetDriver{static_cast<std::uint32_t>(below(3)), below(2) == 0};
      case 7:
        return MoveObstacle{some_particle() / 6, vec3(0.5, -0.1 * below(4), 0.5), below(3) * 0.1 - 0.1};
      case 6:
        return SetObstacles{some_bodies()};
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

  /// Another one, which may come too soon after the one before or be refused with its values.
  void use_scene() {
    const auto& next = scenes_[static_cast<std::size_t>(below(static_cast<int>(scenes_.size())))];
    auto bad = std::make_shared<Scene>(next->scene);
    bad->material.mass = -1;
    send([&] { edits_.record_scene(next, EditHistory::Arrival::another); },
         Control(UseScene{next, below(4) == 0 ? LaneScenes{{0, bad}} : LaneScenes()}));
  }

  void undo_or_redo(std::optional<EditHistory::Step> (EditHistory::*travel)()) {
    std::optional<EditHistory::Step> step;
    if (!edit([&] { step = (edits_.*travel)(); }) || !step) return;
    if (step->other_scene)
      edits_.sent(thread_.send(Control(UseScene{step->other_scene, step->lanes})));
    else if (!step->lanes.empty())
      edits_.sent(thread_.send(Control(SetLanes{step->lanes})));
    if (!step->pins.empty()) edits_.sent(thread_.send(Command(MovePins{step->pins, 0})));
  }

  std::mt19937 random_;
  const bool lanes_;
  std::size_t most_lanes_ = 1;
  const std::vector<std::shared_ptr<const LoadedScene>> scenes_{
      generated("pendulum", "explicit-euler"), loaded(sheet_scene(3)), loaded(sheet_scene(4))};
  mutable WorkerPool pool_{1};
  SimulationThread thread_{scenes_[0], paused(1)};
  EditHistory edits_{scenes_[0]};
  std::shared_ptr<const Snapshot> shown_ = thread_.latest();
  bool hungry_ = false;
  int failures_ = 0, failed_edits_ = 0;
};

void expect_one_meaning(unsigned seed, int rounds, bool lanes) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Desk desk(seed, lanes);
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    for (int burst = round % 4; burst >= 0; --burst) desk.act();
    desk.settle();
    desk.expect_one_scene();
    desk.expect_lanes_at_one_step();
  }
  desk.expect_grab();
  desk.expect_journal();
  EXPECT_GT(desk.refusals(), 0u);
  EXPECT_GT(desk.failures().first, 0);
  EXPECT_GT(desk.failures().second, 0);
  if (lanes) {
    EXPECT_GT(desk.most_lanes(), 3u);
  }
}

TEST(CommandSequence, MeansTheSameToTheWindowAndTheSimulation) {
  const bool is_long = std::getenv("CLOTHLAB_LONG_TESTS") != nullptr;
  for (unsigned seed = 1; seed <= (is_long ? 200u : 3u); ++seed)
    expect_one_meaning(seed, is_long ? 300 : 40, false);
}

TEST(CommandSequence, MeansTheSameToTheWindowAndToAllLanes) {
  const bool is_long = std::getenv("CLOTHLAB_LONG_TESTS") != nullptr;
  for (unsigned seed = 1; seed <= (is_long ? 200u : 3u) && !HasFailure(); ++seed)
    expect_one_meaning(seed, is_long ? 300 : 60, true);
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
