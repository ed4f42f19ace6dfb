// SPDX-License-Identifier: MIT
// What is done to a run in the window, saved as a journal and repeated from the file, gives the same bits.

#include "documents/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>

#include "contact/contact_response.h"
#include "core/error.h"
#include "core/text_file.h"
#include "documents/load_job.h"
#include "documents/obstacle_meshes.h"
#include "documents/replay.h"
#include "documents/scene_file.h"
#include "session/support.h"
#include "temporary_folder.h"

namespace clothlab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// The journals of the repository; those of today instead of them with CLOTHLAB_WRITE_JOURNALS=1.
const fs::path kJournals = fs::path(CLOTHLAB_SOURCE_DIR) / "tests/documents/journals";

std::string text_of(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A window without a picture: what it sends, and steps.
class Session {
 public:
  explicit Session(Scene scene) : thread_(loaded(std::move(scene)), paused()) {}

  template <class Request>
  void send(Request request) {
    if constexpr (std::is_constructible_v<Command, Request>)
      last_ = send_and_wait(thread_, Command(std::move(request)));
    else
      last_ = send_and_wait(thread_, Control(std::move(request)));
    ASSERT_EQ(last_->errors, 0u) << last_->error;
  }
  void steps(int count) {
    for (int k = 0; k < count; ++k) send(StepOnce{});
  }
  /// A lane that comes back is there.
  void wait_for_lanes(std::size_t count) {
    last_ = wait_for(thread_, [count](const Snapshot& now) {
      const auto lanes = now.lanes();
      return lanes.size() == count && std::ranges::none_of(lanes, [](const LaneSnapshot* lane) {
               return lane->catching_up.has_value();
             });
    });
    ASSERT_EQ(last_->errors, 0u) << last_->error;
  }
  std::shared_ptr<const Snapshot> last() const { return last_; }

  void save(const fs::path& path) {
    const KeepJournal::Whole whole = thread_.keep_journal().get();
    whole.journal.write(whole.log, whole.now, path);
  }

 private:
  SimulationThread thread_;
  std::shared_ptr<const Snapshot> last_;
};

// In the window a journal opens as the run at its end, which goes on with the same bits.
void expect_to_open_at_its_end(const Session& session, const fs::path& journal) {
  LoadJob job(journal, UnitChoice::fit, false);
  const LoadJob::Result result = job.result();
  ASSERT_NE(result.scene, nullptr) << result.error;
  ASSERT_NE(result.scene->moment, nullptr);
  EXPECT_EQ(result.scene->moment->of(0).checkpoint->state.x, session.last()->frame.positions);
  EXPECT_THAT(result.remark, HasSubstr("repeated to its end"));
}

void drag(Session& session) {
  session.steps(5);
  session.send(StartGrab{{{27, 28, 34}, vec3(0.25, 0.25, 0.5), vec3(0.5, 0.0, 0.5)}});
  for (int k = 0; k < 12; ++k) {
    session.send(MoveCursor{vec3(0.5 + 0.02 * k, 0.01 * k, 0.5)});
    session.steps(1);
  }
  session.send(SetParameter{"stretch-stiffness", 400});  // during the grab
  session.steps(5);
  session.send(Release{});
  session.steps(15);
}

void pin(Session& session) {
  session.send(SetPinned{{30, 31}, true});
  session.send(MovePins{{{30, vec3(0.1, 0.1, 0.9)}}, 0.1});
  session.steps(8);
  session.send(SetPinned{{0, 31}, false});
  session.send(MovePins{{{30, vec3(0.2, 0, 0.8)}}, 0});
  session.steps(6);
  Obstacle slope = parse_obstacle("plane:0,1,0,-0.8");
  slope.path = {{{0, vec3(0), vec3(0)}, {2, vec3(0, 0.1, 0), vec3(0, 0, 20)}}, false};
  session.send(SetObstacles{{parse_obstacle("sphere:0.5,-0.45,0.5,0.2"), slope,
                             turned(parse_obstacle("box:2,0,0,1,1,1"), vec3(0, 9, 0))}});
  session.send(MoveObstacle{0, vec3(0.45, -0.2, 0.5), 0.15});
  session.steps(5);
  session.send(MoveObstacle{0, vec3(0.4, -0.2, 0.5), 0.1});  // under way
  session.send(MoveObstacle{1, vec3(0.2, -0.75, 0.1), 0.1});
  session.steps(6);
  session.send(MoveObstacle{0, vec3(0.4, -0.3, 0.5), 0});
  session.send(SetPinPreset{PinPreset::top_edge});
  session.steps(6);
  session.send(SetParameter{"grow-bodies", 0.2});
  session.send(SetObstacles{{parse_obstacle("sphere:0.5,-0.1,0.5,0.25")}});
  session.steps(8);
  session.send(SetParameter{"grow-bodies", 0.1});  // anew from where it is
  session.steps(8);
}

void switch_methods(Session& session) {
  for (const char* id : {"semi-implicit-bdf2", "newmark", "rattle", "xpbd", "siere", "symplectic-euler"}) {
    session.send(SetIntegrator{id});
    session.steps(6);
  }
}

void slide(Session& session) {
  for (int k = 1; k <= 10; ++k) {
    session.send(SetParameter{"stretch-stiffness", 100.0 * k});
    session.send(SetParameter{"newmark-beta", 0.25 + 0.01 * k});
    session.send(SetGravity{vec3(0, -9.8 + 0.3 * k, 0)});
    session.steps(1);
  }
  session.send(SetParameter{"energy-limit", std::numeric_limits<double>::infinity()});
  session.send(SetParameter{"floor", 1});
  session.send(SetParameter{"wind", 1});
  const auto undone = std::make_shared<Scene>(sheet_scene(6));
  undone->material.bend_stiffness = 0.3;
  session.steps(5);
  session.send(SetScene{undone});
  session.steps(20);
}

void load(Session& session) {
  session.steps(3);
  session.send(SetParameter{"mass", 0.4});
  session.steps(1);
  Scene mesh;
  mesh.mesh = FileSource{utf8_of(kJournals / "square.obj")};
  mesh.integrator = "backward-euler";
  const auto values = std::make_shared<Scene>(mesh);
  values->material.mass = 0.3;
  session.send(UseScene{.loaded = loaded(mesh), .lanes = {{0, values}}});
  session.steps(4);
  session.send(Reset{});
  session.steps(4);
}

void blow_up(Session& session) {
  session.send(SetParameter{"dt", 0.05});
  session.send(SetIntegrator{"explicit-euler"});
  for (int k = 0; k < 300 && session.last()->blow_up_sentence.empty(); ++k) session.steps(1);
  ASSERT_FALSE(session.last()->blow_up_sentence.empty());
  session.send(SetIntegrator{"semi-implicit-euler"});  // from the last sound state
  session.steps(5);
}

void rewind(Session& session) {
  session.steps(20);
  session.send(StepThroughPast{-8});
  session.send(SetPinned{{20}, true});  // goes on from there
  session.steps(10);
  session.send(SwapBranches{});
  session.steps(3);
  session.send(Rewind{});
  session.send(SetParameter{"mass", 0.5});
  session.steps(5);
  session.send(SetIntegrator{"rk4"});
  session.send(Reset{});
  session.send(SetParameter{"dt", 0.001});
  session.steps(10);
}

const LaneSnapshot& lane_in(const Snapshot& snapshot, LaneId id) {
  const auto lanes = snapshot.lanes();
  return **std::ranges::find(lanes, id, &LaneSnapshot::lane);
}

void lanes(Session& session) {
  session.send(SetParameter{"dt", 1.0 / 240});
  session.send(NewLane{"bdf2"});                         // B
  session.send(NewLane{"xpbd", false, 3});               // C
  session.send(NewLane{"explicit-euler"});               // D
  session.send(SetParameter{"newton-tolerance", 1e-4});  // of D alone
  session.send(SelectLane{1});
  session.send(SetParameter{"newton-tolerance", 1e-7});  // of B
  drag(session);
  session.send(SetParameter{"dt", 1.0 / 30});  // too much for D
  for (int k = 0; k < 200 && !lane_in(*session.last(), 3).frozen; ++k) session.steps(1);
  ASSERT_TRUE(lane_in(*session.last(), 3).frozen);
  session.send(SetPinned{{0}, false});
  session.steps(3);
  session.send(SelectLane{3});
  session.send(SetIntegrator{"backward-euler"});  // comes back by itself, through what was done meanwhile
  session.wait_for_lanes(4);
  ASSERT_FALSE(lane_in(*session.last(), 3).frozen);
  session.steps(4);
  session.send(ChangeLanes{HoldLane{2}});
  session.send(MovePins{{{5, vec3(0.9, 0.1, 0)}}, 0.1});
  session.send(SetObstacles{{parse_obstacle("sphere:0.5,-0.9,0.5,0.2")}});
  session.send(MoveObstacle{0, vec3(0.5, -0.7, 0.5), 0.3});
  session.steps(4);
  session.send(ChangeLanes{JoinLane{2, 1}});
  session.send(ChangeLanes{HoldLane{1}});
  session.steps(2);
  session.send(ReviveLane{1});
  session.wait_for_lanes(4);
  // From a moment of the past: what was done after it is left.
  session.send(StepThroughPast{-6});
  session.send(NewLane{"newmark"});
  session.steps(5);
  session.send(SwapBranches{});
  session.steps(2);
  session.send(NewLane{"semi-implicit-bdf2", true});
  session.wait_for_lanes(6);
  session.send(ChangeLanes{RemoveLane{0}});
  session.steps(5);
  const auto undone = std::make_shared<Scene>(*session.last()->frame.scene);
  undone->material.mass = 0.3;
  session.send(SetScene{undone});
  session.send(Reset{});
  session.steps(5);
  session.send(UseScene{.loaded = loaded(sheet_scene(5))});
  session.steps(5);
}

struct Story {
  const char* name;
  void (*tell)(Session&);
};

void PrintTo(const Story& story, std::ostream* out) { *out << story.name; }

class JournalOf : public ::testing::TestWithParam<Story> {};

void expect_repeats(const fs::path& path, int threads) {
  WorkerPool pool(threads);
  Replay replay(read_journal(path), {});
  while (replay.next(pool) != Replay::Event::ended) {
  }
  EXPECT_GE(replay.compared(), 1u);
  EXPECT_FALSE(replay.difference()) << "step " << replay.difference()->step;
}

TEST_P(JournalOf, IsRepeatedWithTheSameBits) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "today.journal";
  Session session(sheet_scene(6));
  GetParam().tell(session);
  session.save(path);
  for (const int threads : {1, 3}) expect_repeats(path, threads);

  const fs::path golden = kJournals / (std::string(GetParam().name) + ".journal");
  if (std::getenv("CLOTHLAB_WRITE_JOURNALS") != nullptr) {
    std::string text = text_of(path);
    const std::string folder_name = utf8_of(kJournals) + "/";
    if (const std::size_t at = text.find(folder_name); at != std::string::npos)
      text.erase(at, folder_name.size());
    std::ofstream(golden, std::ios::binary) << text;
  }
  expect_repeats(golden, 2);
}

TEST_P(JournalOf, IsPlayedToEveryOtherIntegrator) {
  const fs::path golden = kJournals / (std::string(GetParam().name) + ".journal");
  WorkerPool pool(1);
  for (const char* id : {"backward-euler", "xpbd", "symplectic-euler"}) {
    Replay replay(read_journal(golden), {.integrator = find_integrator(id), .mesh = {}});
    Replay::Event event = Replay::Event::loaded;
    while ((event = replay.next(pool)) != Replay::Event::ended) {
      EXPECT_EQ(replay.simulation().integrator().id, id);
    }
    if (!replay.simulation().blow_up()) {
      EXPECT_EQ(replay.step(), replay.last_step());
    }
    EXPECT_EQ(replay.compared(), 0u);
  }
}

TEST_P(JournalOf, IsReplayedWithAnotherStep) {
  const fs::path golden = kJournals / (std::string(GetParam().name) + ".journal");
  WorkerPool pool(1);
  for (const double dt : {1 / 120.0, 0.0123}) {
    Replay replay(read_journal(golden), {.integrator = {}, .mesh = {}, .dt = dt});
    while (replay.next(pool) != Replay::Event::ended) EXPECT_EQ(replay.simulation().scene().dt, dt);
    EXPECT_EQ(replay.compared(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, JournalOf,
                         ::testing::Values(Story{"drag", drag}, Story{"pin", pin},
                                           Story{"switch", switch_methods}, Story{"slider", slide},
                                           Story{"load", load}, Story{"blow-up", blow_up},
                                           Story{"rewind", rewind}, Story{"lanes", lanes}),
                         [](const auto& each) {
                           std::string name = each.param.name;
                           std::erase(name, '-');
                           return name;
                         });

// Commands, moments and the end lie at the same simulated times; changes of the step are left out.
TEST(Journal, KeepsTheTimesOfCommandsWithAnotherStep) {
  std::string text = text_of(kJournals / "drag.journal");
  text.erase(text.find('\n', text.find("\"load\"")) + 1);
  text +=
      "{\"step\":4,\"do\":\"set\",\"id\":\"stretch-stiffness\",\"value\":400}\n"
      "{\"step\":6,\"do\":\"set\",\"id\":\"dt\",\"value\":0.05}\n"          // at 0.1 s
      "{\"step\":8,\"do\":\"set\",\"id\":\"mass\",\"value\":0.3}\n"         // at 0.2 s
      "{\"step\":8,\"do\":\"go-to\",\"to-step\":7,\"after-commands\":0}\n"  // to 0.15 s
      "{\"step\":9,\"state\":\"0000000000000000\"}\n";
  constexpr double kStep = 1 / 120.0;
  WorkerPool pool(1);
  Replay replay(parse_journal(text, "it", {kJournals}), {.integrator = {}, .mesh = {}, .dt = kStep});
  while (replay.next(pool) != Replay::Event::ended) {
  }
  EXPECT_EQ(replay.step(), 30u);  // of 0.25 s
  EXPECT_EQ(replay.skipped(), (std::map<std::string, std::size_t>{{"changes of dt", 1}}));

  Scene scene = std::get<JournalEntry::Load>(parse_journal(text, "it", {kJournals}).front().what).scene;
  scene.dt = kStep;
  Simulation direct(scene, loaded(scene)->mesh, pool);
  const auto steps = [&](int count) {
    for (int k = 0; k < count; ++k) ASSERT_EQ(direct.step(pool), StepStatus::done);
  };
  steps(8);
  direct.apply(pool, SetParameter{"stretch-stiffness", 400});
  steps(10);
  Checkpoint moment;
  direct.save(pool, moment);
  steps(6);
  direct.apply(pool, SetParameter{"mass", 0.3});
  direct.apply(pool, GoBack{std::make_shared<Checkpoint>(moment)});
  steps(6);
  EXPECT_EQ(replay.simulation().state().x, direct.state().x);
}

// With another step the first lane blows up: the others go on, and so does it where the journal lets it join.
TEST(Journal, WithAnotherStepGoesOnAsLongAsALaneRuns) {
  std::string text = text_of(kJournals / "drag.journal");
  text.erase(text.find('\n', text.find("\"load\"")) + 1);
  text +=
      "{\"step\":1,\"do\":\"add-lane\",\"lane\":\"B\",\"from\":\"A\"}\n"
      "{\"step\":1,\"do\":\"set-integrator\",\"id\":\"explicit-euler\",\"lane\":\"A\"}\n"
      "{\"step\":30,\"do\":\"hold-lane\",\"lane\":\"B\"}\n"
      "{\"step\":31,\"do\":\"restore-sound-state\",\"lane\":\"A\"}\n"
      "{\"step\":40,\"do\":\"join-lane\",\"lane\":\"A\",\"from\":\"B\"}\n"
      "{\"step\":41,\"state\":\"0000000000000000\"}\n";
  WorkerPool pool(1);
  Replay replay(parse_journal(text, "it", {kJournals}), {.integrator = {}, .mesh = {}, .dt = 0.05});
  bool stood = false;
  while (replay.next(pool) != Replay::Event::ended) stood = stood || !replay.arena().lanes().front().runs();
  EXPECT_TRUE(stood);
  EXPECT_EQ(replay.step(), replay.last_step());
  EXPECT_TRUE(replay.arena().lanes().front().runs()) << "it has joined";
  EXPECT_EQ(replay.skipped().size(), 2U) << "the other one runs on, and needs no return";
  EXPECT_GT(replay.missing_steps(), 1U);
}

TEST(Journal, NamesTheFirstStateThatDiffers) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "other.journal";
  std::string text = text_of(kJournals / "drag.journal");
  const std::size_t cursor = text.rfind("\"move-cursor\"");
  ASSERT_NE(cursor, std::string::npos);
  const std::size_t digit = text.find_first_of("12345678", cursor);
  ++text[digit];
  std::ofstream(path, std::ios::binary) << text;
  WorkerPool pool(1);
  Replay replay(read_journal(path), {});
  while (replay.next(pool) != Replay::Event::ended) {
  }
  ASSERT_TRUE(replay.difference());
  EXPECT_EQ(replay.difference()->step, 30u);
}

TEST(Journal, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "broken.journal";
  const std::string good = text_of(kJournals / "rewind.journal");
  const auto refusal = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    try {
      read_journal(path);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return refusal(text.replace(at, from.size(), to));
  };
  EXPECT_THAT([&] { scene_from_path(kJournals / "drag.journal"); },
              ::testing::ThrowsMessage<InputError>(HasSubstr("`clothlab replay` repeats it")));
  const std::string head = good.substr(0, good.find('\n') + 1);
  EXPECT_THAT(refusal(""), HasSubstr("not a journal"));
  EXPECT_THAT(refusal(head), HasSubstr("not a journal"));
  EXPECT_THAT(refusal("{}\n"), HasSubstr("not a journal"));
  EXPECT_THAT(refusal(head + "{\"step\":0,\"do\":\"reset\"}\n"),
              HasSubstr("line 2: a journal must begin with a load"));
  EXPECT_THAT(refusal(head + std::string(1'000'000, '[')),
              HasSubstr("line 2: the JSON is nested too deeply"));
  EXPECT_THAT(changed("\"clothlab-journal\":1", "\"clothlab-journal\":4"), HasSubstr("versions 1 to 3"));
  EXPECT_THAT(changed("\"do\":\"pin\"", "\"do\":\"pim\""), HasSubstr("Unknown command \"pim\""));
  EXPECT_THAT(changed("\"particles\":[20]", "\"particles\":[-20]"), HasSubstr("whole number"));
  EXPECT_THAT(changed("\"particles\":[20]", "\"particles\":[20],\"x\":1"), HasSubstr("Unknown key \"x\""));
  EXPECT_THAT(changed("\"do\":\"load\"", "\"do\":\"load\",\"x\":1"), HasSubstr("line 2: a load has"));
  EXPECT_THAT(changed("\"do\":\"go-to\"", "\"do\":\"go-to\",\"to-stop\":1"),
              HasSubstr("Unknown key \"to-stop\""));
  EXPECT_THAT(changed("\"do\":\"pin\"", "\"do\":\"pin\",\"do\":\"pin\""),
              HasSubstr("the key \"do\" occurs twice"));
  EXPECT_THAT(changed("\"scene\":{", "\"scene\":{\"title\":\"\",\"title\":\"\","),
              HasSubstr("the key \"title\" occurs twice"));
  EXPECT_THAT(changed("\"to-step\":1", "\"to-step\":91"), HasSubstr("must be earlier"));
  EXPECT_THAT(changed("\"step\":20", "\"step\":2"), Not(HasSubstr("accepted")));
  // Every cut and every byte that is another one: refused, or played; nothing else happens.
  WorkerPool pool(1);
  for (std::size_t at = 0; at < good.size(); at += 61) {
    std::string text = good;
    text[at] = static_cast<char>(text[at] ^ 4);
    for (const std::string& each : {text, good.substr(0, at)}) {
      std::ofstream(path, std::ios::binary) << each;
      try {
        read_journal(path);
      } catch (const InputError&) {
      }
    }
  }
}

TEST(Journal, RefusesBrokenLinesOfLanes) {
  const std::string good = text_of(kJournals / "lanes.journal");
  const auto played = [&](const std::string& text) {
    try {
      WorkerPool pool(1);
      Replay replay(parse_journal(text, "it", {kJournals}), {});
      while (replay.next(pool) != Replay::Event::ended) {
      }
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return played(text);
  };
  EXPECT_EQ(played(good), "accepted");
  const std::string add = "\"do\":\"add-lane\",\"lane\":\"B\",\"from\":\"A\"";
  const auto added = [&](const std::string& members) {
    return changed(add, "\"do\":\"add-lane\"," + members);
  };
  EXPECT_EQ(added("\"lane\":\"A\",\"from\":\"A\""), "Step 0 of the journal: There is a lane A already.");
  EXPECT_EQ(added("\"lane\":\"C\",\"from\":\"B\""), "Step 0 of the journal: There is no lane B.");
  EXPECT_EQ(added("\"lane\":\"I\",\"from\":\"A\""), "it, line 4: A lane is one letter from A to H.");
  EXPECT_EQ(added("\"lane\":2,\"from\":\"A\""), "it, line 4: \"lane\" must name a lane.");
  EXPECT_EQ(added("\"lane\":\"B\",\"to\":\"A\""), "it, line 4: \"from\" must name a lane.");
  EXPECT_THAT(added("\"lane\":\"B\""), HasSubstr("it, line 4: "));
  EXPECT_THAT(added("\"lane\":\"B\",\"from\":\"A\",\"x\":1"), HasSubstr("Unknown key \"x\""));
  EXPECT_THAT(changed("\"do\":\"hold-lane\",\"lane\":\"C\"", "\"do\":\"hold-lane\",\"lane\":\"G\""),
              HasSubstr("There is no lane G."));
  EXPECT_THAT(changed("\"do\":\"hold-lane\"", "\"do\":\"hold-line\""),
              HasSubstr("Unknown command \"hold-line\""));
  EXPECT_THAT(changed("\"lane\":\"D\",\"do\":\"set-integrator\"", "\"lane\":\"E\",\"do\":\"set-integrator\""),
              HasSubstr("There is no lane E."));
  EXPECT_THAT(changed("\"do\":\"load\"", "\"lane\":\"A\",\"do\":\"load\""), HasSubstr("it, line 2: "));
  EXPECT_THAT(changed("\"do\":\"go-to\"", "\"lane\":\"A\",\"do\":\"go-to\""),
              HasSubstr("applies to all lanes"));
  EXPECT_THAT(changed("\"do\":\"come-back\",\"lane\":\"D\",\"to-step\":",
                      "\"do\":\"come-back\",\"lane\":\"D\",\"to-step\":9"),
              HasSubstr("must be earlier"));
  EXPECT_THAT(changed("\"do\":\"come-back\",\"lane\":\"D\",\"to-step\":",
                      "\"do\":\"come-back\",\"lane\":\"D\",\"to-stop\":"),
              HasSubstr("it, line "));
  EXPECT_THAT(changed("\"method\":{", "\"method\":1,\"x\":{"), HasSubstr("it, line "));
  EXPECT_THAT(
      changed("\"do\":\"remove-lane\",\"lane\":\"A\"", "\"do\":\"restore-sound-state\",\"lane\":\"A\""),
      HasSubstr("only if no other lane runs"));
}

TEST(Journal, BeginsAnewWithALoadBeforeTheFirstCommand) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "anew.journal";
  Session session(sheet_scene(4));
  session.steps(40);
  session.send(UseScene{.loaded = loaded(sheet_scene(6))});
  session.steps(2);
  session.save(path);
  const std::vector<JournalEntry> entries = read_journal(path);
  ASSERT_EQ(entries.size(), 2u);  // the load and the last state
  EXPECT_EQ(entries.back().step, 2u);
  EXPECT_FALSE(session.last()->needs_replay);
  expect_repeats(path, 1);
}

TEST(Journal, HasThatVelocitiesTurnedRound) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "turned.journal";
  Session session(sheet_scene(4));
  session.steps(8);
  session.send(ReverseVelocities{});
  EXPECT_TRUE(session.last()->needs_replay);
  session.steps(1);
  session.send(StepThroughPast{-1});  // the moment is that after the turn
  session.send(SetParameter{"mass", 0.3});
  session.steps(4);
  session.save(path);
  EXPECT_THAT(text_of(path), HasSubstr("{\"step\":8,\"do\":\"turn-round\"}"));
  expect_repeats(path, 1);
}

TEST(Journal, HasStepsBackAndStepsOfNegativeDt) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "back.journal";
  Scene scene = sheet_scene(4);
  scene.integrator = "implicit-midpoint";
  Session session(scene);
  session.steps(8);
  session.send(StepBack{});
  session.send(StepBack{});
  EXPECT_TRUE(session.last()->needs_replay);
  session.steps(1);
  session.send(SetParameter{"dt", -0.01});
  session.steps(12);
  session.send(StepThroughPast{-1});
  session.send(SetParameter{"dt", 0.01});
  session.steps(2);
  session.save(path);
  EXPECT_THAT(text_of(path), HasSubstr("{\"step\":8,\"do\":\"step-back\"}"));
  expect_repeats(path, 1);

  Replay::Options other;
  other.dt = 0.01;
  EXPECT_THAT([&] { Replay(read_journal(path), other); },
              ::testing::ThrowsMessage<InputError>(HasSubstr("steps back in time")));
}

TEST(Journal, SkipsStepsBackWithAMethodThatHasNone) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "back.journal";
  Session session(sheet_scene(4));
  session.steps(3);
  session.send(StepBack{});
  session.steps(2);
  session.save(path);
  for (const bool other_step : {false, true}) {
    Replay::Options other;
    if (other_step)
      other.dt = 0.01;
    else
      other.integrator = find_integrator("bdf2");
    Replay replay(read_journal(path), other);
    WorkerPool pool(1);
    while (replay.next(pool) != Replay::Event::ended) {
    }
    EXPECT_EQ(replay.skipped().count("steps back"), 1U);
  }
}

TEST(Journal, HasSwitchedDrivers) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "driven.journal";
  Scene scene = sheet_scene(4);
  scene.pins = PinPreset::none;
  ParticleGroup pole, rest;
  pole.name = "pole";
  pole.vertices = {0, 1, 2, 3};
  rest.name = "rest";
  rest.by = ParticleGroup::By::box;
  rest.high = vec3(1);
  DriverForce force;
  force.kind = DriverForce::Kind::harmonic;
  force.force = vec3(0, 0.1, 0);
  scene.groups = {pole, rest};
  scene.drivers = {{"pole", GroupPath{{{}, {1, vec3(0.2, 0, 0)}}, true, false}}, {"rest", force}};
  Session session(scene);
  session.steps(5);
  session.send(SetDriver{0, false});
  session.steps(5);
  session.send(StepThroughPast{-3});
  session.send(SetDriver{1, false});
  session.steps(5);
  session.send(SetDriver{0, true});
  session.steps(5);
  session.save(path);
  EXPECT_THAT(text_of(path), HasSubstr("{\"step\":5,\"do\":\"set-driver\",\"driver\":0,\"on\":false}"));
  expect_repeats(path, 1);
}

// The journal of a sheet that is let go above bodies, which appear in step 3.
void save_drop_on(std::vector<Obstacle> bodies, const fs::path& path) {
  Session session(sheet_scene(6));
  session.steps(3);
  read_obstacle_meshes(bodies);
  session.send(SetObstacles{bodies});
  session.send(SetPinPreset{PinPreset::none});
  session.steps(30);
  session.save(path);
}

// Their triangles are read anew.
TEST(Journal, AddsMeshObstaclesAgain) {
  const TemporaryFolder folder;
  const fs::path body = folder.path() / "wedge.obj", path = folder.path() / "mesh.journal";
  std::ofstream(body) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  save_drop_on({parse_obstacle("mesh:0.2,-0.7,0.2,0.6," + utf8_of(body))}, path);
  expect_repeats(path, 1);

  // As in a load, a relative path counts from the journal's folder.
  std::string text = text_of(path);
  const std::string absolute = utf8_of(folder.path()) + "/";
  const std::size_t at = text.find(absolute);
  ASSERT_NE(at, std::string::npos);
  std::ofstream(path, std::ios::binary) << text.erase(at, absolute.size());
  ASSERT_THAT(text, Not(HasSubstr(absolute)));
  expect_repeats(path, 1);
}

// Bodies that deform are played at the same times.
TEST(Journal, AddsSequencesAgain) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "walk.journal";
  for (int k = 1; k <= 3; ++k) {
    const std::string y = std::to_string(0.1 * k);
    std::ofstream(folder.path() / ("walk" + std::to_string(k) + ".obj"))
        << "v 0 0 0\nv 1 0 0\nv 0 1" << y.substr(1) << " 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  }
  std::vector<Obstacle> bodies{
      parse_obstacle("mesh:0.2,-0.7,0.2,0.6," + utf8_of(folder.path() / "walk#.obj"))};
  bodies[0].mesh.playback = {30, 0.1, true};
  save_drop_on(bodies, path);
  expect_repeats(path, 1);
  expect_repeats(path, 2);
  std::ofstream(folder.path() / "walk3.obj", std::ios::app) << "v 1 1 1\n";
  EXPECT_THROW(read_journal(path), InputError);
}

// Where the file of a body is another one, so is the run.
TEST(Journal, FindsMovedMeshesAndRefusesOthers) {
  const TemporaryFolder both;
  const fs::path folder = both.path() / "here", moved = both.path() / "there";
  fs::create_directory(folder);
  fs::create_directory(moved);
  const std::string wedge = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const fs::path body = folder / "wedge.obj", path = folder / "mesh.journal";
  std::ofstream(body) << wedge;
  Scene scene = sheet_scene(6);
  scene.obstacles.bodies = {parse_obstacle("mesh:0.2,-0.7,0.2,0.6," + utf8_of(body))};
  Session session(scene);
  session.steps(2);
  const std::shared_ptr<const Scene> before = session.last()->frame.scene;
  session.send(SetParameter{"mass", 0.5});
  session.send(SetObstacles{
      {before->obstacles.bodies[0], parse_obstacle("plane:0,1,0,-0.8"), before->obstacles.bodies[0]}});
  session.send(SetScene{before});
  session.steps(2);
  session.save(path);
  expect_repeats(path, 1);
  // Next to the journal, and where the user says.
  fs::rename(path, moved / "mesh.journal");
  fs::rename(body, moved / "wedge.obj");
  expect_repeats(moved / "mesh.journal", 1);
  fs::rename(moved / "mesh.journal", path);
  const auto played = [&](const fs::path& meshes) {
    try {
      WorkerPool pool(1);
      Replay replay(read_journal(path, {}, meshes), {});
      while (replay.next(pool) != Replay::Event::ended) {
      }
      return std::string(replay.difference() ? "differs" : "the same");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(played({}), HasSubstr("wedge.obj"));
  EXPECT_EQ(played(moved), "the same");

  // Another body: found at the first line that names it.
  std::string other = wedge;
  std::ofstream(body) << other.replace(other.find("0 1 0"), 5, "0 1.1 0");
  EXPECT_THAT(played({}),
              HasSubstr("line 4: " + shown_path(body) + " is not the mesh that was loaded then."));
  const std::string text = text_of(path);
  const auto without = [&](const std::string& command) {
    std::string lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      if (line.find(command) == std::string::npos) lines += line + "\n";
    std::ofstream(path, std::ios::binary) << lines;
    return played({});
  };
  EXPECT_THAT(without("set-obstacles"), HasSubstr("line 4: " + shown_path(body) + " is not the mesh"));
  EXPECT_THAT(without("set-"), HasSubstr("Step 0 of the journal: " + shown_path(body) + " is not the mesh"));
}

class JournalOfAScene : public ::testing::TestWithParam<const char*> {};

// An undo sends the whole scene, with its bodies.
TEST_P(JournalOfAScene, HasAnUndoAmongMeshObstacles) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "undone.journal";
  Session session(read_scene_file(fs::path(CLOTHLAB_SOURCE_DIR) / "assets/scenes" / GetParam()));
  session.steps(1);
  const std::shared_ptr<const Scene> before = session.last()->frame.scene;
  session.send(SetIntegrator{"symplectic-euler"});
  session.send(SetScene{before});
  session.steps(1);
  session.send(SetScene{std::make_shared<const Scene>(*before)});
  session.send(SetParameter{"mass", 0.5});
  session.send(SetScene{before});
  session.steps(1);
  session.save(path);
  expect_repeats(path, 1);
  // All lines share the triangles of a file.
  const TriangleSurface* surface = nullptr;
  for (const JournalEntry& entry : read_journal(path)) {
    const auto* command = std::get_if<Command>(&entry.what);
    const auto* set = command != nullptr ? std::get_if<SetScene>(command) : nullptr;
    if (set == nullptr) continue;
    const TriangleSurface* read = set->scene->obstacles.bodies.at(0).mesh.surface.get();
    ASSERT_NE(read, nullptr);
    EXPECT_TRUE(surface == nullptr || surface == read);
    surface = read;
  }
  EXPECT_NE(surface, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Mesh, JournalOfAScene, ::testing::Values("25-funnel.json", "31-dummy.json"),
                         [](const auto& row) {
                           const std::string file = row.param;
                           return file.substr(3, file.find('.') - 3);
                         });

// The window's only lane is a run alone; played to another method it is compared with that.
TEST(Journal, HasABarrierThatGetsStiffer) {
  const TemporaryFolder folder;
  const fs::path tip = folder.path() / "tip.obj", path = folder.path() / "barrier.journal";
  std::ofstream(tip)
      << "v -0.15 -0.4 -0.15\nv 0.15 -0.4 -0.15\nv 0.15 -0.4 0.15\nv -0.15 -0.4 0.15\nv 0 0 0\n"
         "f 1 2 3\nf 1 3 4\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n";
  Scene scene = sheet_scene(11);
  scene.contact.model = ContactModel::barrier;
  scene.pins = PinPreset::corners;
  scene.dt = 1.0 / 60;
  scene.obstacles.bodies = {parse_obstacle("mesh:0.503,-0.03,0.502,1," + utf8_of(tip))};
  scene.obstacles.bodies[0].path.keys = {{0, vec3(0), vec3(0)}, {0.5, vec3(0, 0.5, 0), vec3(0)}};
  Session session(scene);
  session.steps(30);
  session.save(path);
  expect_repeats(path, 1);
  const auto stiffness_by = [&](const char* integrator) {
    WorkerPool pool(1);
    Replay replay(read_journal(path), {.integrator = find_integrator(integrator), .mesh = {}});
    while (replay.next(pool) != Replay::Event::ended) {
    }
    return replay.simulation().contact().force().settings().law.stiffness;
  };
  EXPECT_GT(stiffness_by(""), stiffness_by("semi-implicit-euler"));
}

TEST(Journal, SaysWhereOnlyAReplayLeads) {
  Session session(sheet_scene(4));
  const auto needs_replay = [&] { return session.last()->needs_replay; };
  session.send(SetParameter{"mass", 0.4});
  EXPECT_FALSE(needs_replay());  // an option says that
  session.steps(1);
  EXPECT_FALSE(needs_replay());
  session.send(SetParameter{"mass", 0.3});
  EXPECT_TRUE(needs_replay());
  session.send(Reset{});
  EXPECT_FALSE(needs_replay());
  session.send(MovePins{{{0, vec3(0, 0.1, 0)}}, 0.1});
  EXPECT_TRUE(needs_replay());
}

TEST(Journal, SaysAtWhichStepItIsNotThatOfTheRun) {
  const TemporaryFolder folder;
  const fs::path mesh = folder.path() / "other.obj";
  std::ofstream(mesh) << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 2 0\nf 1 2 3 4\n";
  const auto refusal = [&](const char* name, const std::string& from, const std::string& to) {
    std::string text = text_of(kJournals / name);
    text.replace(text.find(from), from.size(), to);
    WorkerPool pool(1);
    Replay replay(parse_journal(text, name, {kJournals}), {.integrator = {}, .mesh = mesh});
    try {
      while (replay.next(pool) != Replay::Event::ended) {
      }
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("load.journal", "0.4", "0.3"),
              HasSubstr("Step 4 of the journal: " + shown_path(mesh) + " is not the mesh"));
  EXPECT_EQ(refusal("rewind.journal", "\"after-commands\":0", "\"after-commands\":7"),
            "Step 20 of the journal: The run had no moment after step 12 and 7 commands.");
  EXPECT_THAT(refusal("rewind.journal", "\"scene\"", "\"moment\":\"0000000000000000\",\"scene\""),
              HasSubstr("Step 0 of the journal: "));
  EXPECT_THAT(refusal("pin.journal", "[30,31]", "[30,36]"),
              HasSubstr("Step 0 of the journal: There is no particle 36"));
}

TEST(Journal, OpensInTheWindowAsTheRunAtItsEnd) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "drag.journal";
  Session session(sheet_scene(6));
  drag(session);
  session.save(path);
  expect_to_open_at_its_end(session, path);
  // All lanes.
  session.send(NewLane{"rk4"});
  session.wait_for_lanes(2);
  session.steps(3);
  session.save(path);
  LoadJob job(path, UnitChoice::fit, false);
  const std::shared_ptr<const LoadedScene> both = job.result().scene;
  ASSERT_NE(both, nullptr) << job.result().error;
  ASSERT_EQ(both->lanes.size(), 2U);
  EXPECT_EQ(both->lanes[1].method.integrator, "rk4");
  for (const LaneSnapshot* lane : session.last()->lanes())
    EXPECT_EQ(both->moment->of(lane->lane).checkpoint->state.x, lane->frame.positions);
  LoadJob broken(folder.write("broken.journal", "{}\n"), UnitChoice::fit, false);
  EXPECT_THAT(broken.result().error, HasSubstr("not a journal"));
}

}  // namespace
}  // namespace clothlab::testing
