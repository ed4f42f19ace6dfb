// SPDX-License-Identifier: MIT
#include "documents/recorder.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/text_file.h"
#include "io/free_path.h"
#include "session/support.h"
#include "sim/diagnostics.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;
using testing::loaded;
using testing::sheet_scene;

class RecorderTest : public ::testing::Test {
 protected:
  void use(double dt) {
    Scene scene = sheet_scene(3);
    scene.dt = dt;
    start_ = loaded(std::move(scene));
    simulation_.emplace(start_->scene, start_->mesh, pool_);
  }
  std::array<RunningLane, 1> lane() const { return {{{0, &*simulation_}}}; }
  void step(Recorder& recorder) {
    simulation_->step(pool_);
    recorder.add_step(pool_, lane(), {}, 1.5);
  }
  static Recorder::Progress finished(const Recorder& recorder) {
    const auto begin = testing::Clock::now();
    while (!recorder.progress().finished && testing::seconds_since(begin) < testing::kPatience)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return recorder.progress();
  }
  static std::size_t count(const fs::path& folder, const std::string& extension) {
    std::size_t n = 0;
    for (const auto& entry : fs::directory_iterator(folder)) n += entry.path().extension() == extension;
    return n;
  }

  TemporaryFolder folder_;
  WorkerPool pool_{1};
  std::shared_ptr<const LoadedScene> start_;
  std::optional<Simulation> simulation_;
};

TEST_F(RecorderTest, WritesAMeshPerFrameAndARowPerStep) {
  use(1.0 / 60);
  Recorder recorder(folder_.path(), {false, true, 60});
  recorder.begin(pool_, lane(), {}, {});
  std::string rows(kDiagnosticsHeader);
  for (int i = 0; i < 5; ++i) {
    step(recorder);
    rows += diagnostics_row(simulation_->record(), 1.5);
  }
  recorder.stop();
  step(recorder);  // too late
  const Recorder::Progress end = finished(recorder);
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(end.frames, 6U);
  EXPECT_DOUBLE_EQ(end.seconds, 0.1);
  EXPECT_EQ(count(folder_.path(), ".obj"), 6U);
  EXPECT_TRUE(fs::exists(folder_.path() / "frame-000005.obj"));
  EXPECT_EQ(read_text_file(folder_.path() / "diagnostics.csv", 1 << 20), rows);
}

// Frames follow simulated time, whatever h is; a state is shown again where steps are longer than frames.
TEST_F(RecorderTest, FramesAreEvenInSimulatedTime) {
  for (const auto& [dt, steps, frames] : {std::tuple{0.001, 100, 7}, {0.1, 2, 13}, {1.0 / 60, 12, 13}}) {
    use(dt);
    const fs::path folder = make_free_folder(folder_.path(), "even");
    Recorder recorder(folder, {false, true, 60});
    recorder.begin(pool_, lane(), {}, {});
    for (int i = 0; i < steps; ++i) step(recorder);
    simulation_->apply(pool_, Reset{});
    step(recorder);  // goes on from the time that it was set back to
    recorder.stop();
    EXPECT_GE(finished(recorder).frames, static_cast<std::uint64_t>(frames)) << dt;
    EXPECT_LE(finished(recorder).frames, static_cast<std::uint64_t>(frames) + 2) << dt;
  }
}

TEST_F(RecorderTest, IsFullUntilPicturesAreDrawnAndLeavesNoneOut) {
  use(1.0 / 60);
  Recorder recorder(folder_.path(), {true, false, 60});
  std::atomic<int> told = 0;
  recorder.begin(pool_, lane(), {}, [&] { ++told; });
  EXPECT_FALSE(recorder.full());
  std::uint64_t steps = 0;
  for (; !recorder.full(); ++steps) step(recorder);
  EXPECT_EQ(steps + 1, Recorder::kMostWaiting);
  recorder.stop();
  EXPECT_FALSE(recorder.progress().finished);
  const auto begin = testing::Clock::now();
  while (!recorder.progress().finished && testing::seconds_since(begin) < testing::kPatience)
    if (recorder.next_picture()) recorder.add_picture(2, 2, std::vector<std::uint8_t>(16, 100));
  EXPECT_EQ(recorder.progress().error, "");
  EXPECT_EQ(count(folder_.path(), ".png"), Recorder::kMostWaiting);
  EXPECT_GT(told.load(), 0);
}

TEST_F(RecorderTest, AFolderThatCannotBeWrittenToAndAFullDiskAreSentences) {
  EXPECT_THROW(Recorder(folder_.path() / "missing", {}), InputError);
  EXPECT_THROW(make_free_folder(folder_.path() / "missing", "take"), InputError);
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  use(1.0 / 60);
  fs::create_symlink("/dev/full", folder_.path() / "frame-000001.obj");
  Recorder recorder(folder_.path(), {false, true, 60});
  recorder.begin(pool_, lane(), {}, {});
  for (int i = 0; i < 30; ++i) step(recorder);
  const Recorder::Progress end = finished(recorder);
  EXPECT_TRUE(end.finished);
  EXPECT_NE(end.error.find("frame-000001.obj"), std::string::npos) << end.error;
  EXPECT_EQ(end.frames, 1U);
  EXPECT_FALSE(recorder.full());
}

// After a failure no picture is drawn any more: frames must not pile up.
TEST_F(RecorderTest, TakesNothingInAfterAFailure) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  use(1.0 / 60);
  fs::create_symlink("/dev/full", folder_.path() / "frame-000000.png");
  Recorder recorder(folder_.path(), {true, false, 60});
  recorder.begin(pool_, lane(), {}, {});
  ASSERT_NE(recorder.next_picture(), nullptr);
  recorder.add_picture(2, 2, std::vector<std::uint8_t>(16, 100));
  EXPECT_NE(finished(recorder).error, "");
  step(recorder);
  EXPECT_EQ(recorder.next_picture(), nullptr);
}

TEST_F(RecorderTest, WritesAVideoOfItsPicturesOrNone) {
  use(1.0 / 60);
  for (const bool fails : {false, true}) {
    if (fails && !fs::exists("/dev/full")) continue;
    const fs::path folder = make_free_folder(folder_.path(), "video");
    Recorder recorder(folder, {.pictures = fails, .frames_per_second = 60, .video = true});
    if (fails) fs::create_symlink("/dev/full", folder / "frame-000002.png");
    recorder.begin(pool_, lane(), {}, {});
    for (int i = 0; i < 5; ++i) step(recorder);
    recorder.stop();
    const auto begin = testing::Clock::now();
    while (!recorder.progress().finished && testing::seconds_since(begin) < testing::kPatience)
      if (recorder.next_picture()) recorder.add_picture(16, 16, std::vector<std::uint8_t>(16 * 16 * 4, 100));
    const Recorder::Progress end = finished(recorder);
    EXPECT_EQ(end.error.empty(), !fails) << end.error;
    EXPECT_EQ(end.frames, fails ? 2U : 6U);
    EXPECT_EQ(count(folder, ".png"), fails ? 3U : 0U);
    EXPECT_EQ(fs::exists(recorder.video().path), !fails);
    EXPECT_TRUE(fails || end.bytes > fs::file_size(recorder.video().path));
  }
}

TEST_F(RecorderTest, PicturesHaveTheArrowsThatTheViewShows) {
  use(1.0 / 60);
  Recorder recorder(folder_.path(), {true, false, 60});
  recorder.begin(pool_, lane(), {.velocities = true, .forces = false}, {});
  const auto picture = recorder.next_picture();
  ASSERT_NE(picture, nullptr);
  const std::shared_ptr<const Frame> frame = picture->lanes.at(0).frame;
  EXPECT_EQ(frame->velocities.size(), frame->positions.size());
  EXPECT_TRUE(frame->forces.empty());
}

// The simulation waits for a recording that cannot keep up, and still handles requests meanwhile.
TEST_F(RecorderTest, HoldsTheSimulationUpButNotItsRequests) {
  const auto recorder = std::make_shared<Recorder>(folder_.path(), Recorder::Settings{true, false, 60});
  SimulationThread thread(loaded(sheet_scene(3)), {.threads = 1, .playing = true, .speed = 4});
  thread.send(Control(Record{{{{0}, recorder}}}));
  testing::wait_for(thread, [&](const Snapshot&) { return recorder->full(); });
  const auto before = testing::send_and_wait(thread, Command(SetParameter{"mass", 3}));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto after = testing::send_and_wait(thread, Command(SetParameter{"mass", 4}));
  EXPECT_EQ(after->frame.record.step, before->frame.record.step);
  EXPECT_EQ(after->frame.scene->material.mass, 4);
  // Once pictures are drawn it goes on.
  testing::wait_for(thread, [&](const Snapshot& now) {
    if (recorder->next_picture()) recorder->add_picture(2, 2, std::vector<std::uint8_t>(16, 100));
    return now.frame.record.step > after->frame.record.step + Recorder::kMostWaiting;
  });
  // Another scene ends it.
  thread.send(Control(UseScene{loaded(sheet_scene(4))}));
  testing::wait_for(thread, [&](const Snapshot&) { return recorder->progress().stopped; });
}

// A comparison is a video of all its lanes, and nothing else; its last frame shows that all have blown up.
TEST_F(RecorderTest, AComparisonShowsItsLanesUntilAllHaveBlownUp) {
  Recorder::Settings settings{.pictures = false, .frames_per_second = 60, .video = true, .comparison = true};
  const auto recorder = std::make_shared<Recorder>(folder_.path(), settings);
  Scene scene = sheet_scene(6);
  scene.dt = 0.002;
  scene.integrator = "explicit-euler";
  SimulationThread thread(loaded(scene), testing::paused(1));
  testing::send_and_wait(thread, NewLane{"rk4"});
  testing::send_and_wait(thread, SetParameter{"substeps", 1});
  testing::send_and_wait(thread, SetParameter{"dt", 0.03});
  testing::send_and_wait(thread, Record{{{{0, 1}, recorder}}});
  std::vector<Recorder::Picture> pictures;
  const auto draw = [&] {
    for (auto next = recorder->next_picture(); next; next = recorder->next_picture()) {
      pictures.push_back(*next);
      recorder->add_picture(16, 16, std::vector<std::uint8_t>(16 * 16 * 4, 100));
    }
  };
  bool played = false;
  testing::send_and_wait(thread, SetPlaying{true});
  testing::wait_for(thread, [&](const Snapshot& now) {
    draw();
    played = played || now.playing;
    return !now.playing && !now.blow_up_sentence.empty() && !now.others.at(0).blow_up_sentence.empty();
  });
  recorder->stop();
  const auto begin = testing::Clock::now();
  while (!recorder->progress().finished && testing::seconds_since(begin) < testing::kPatience) draw();
  EXPECT_EQ(finished(*recorder).error, "");
  ASSERT_GT(pictures.size(), 2U);
  std::size_t points = 0;
  for (const Recorder::Picture& each : pictures) {
    ASSERT_EQ(each.lanes.size(), 2U);
    EXPECT_EQ(each.lanes[1].lane, 1U);
    points += each.points.size();
  }
  EXPECT_GE(points, 3U);
  EXPECT_TRUE(pictures.front().points.at(0).at(1));
  EXPECT_FALSE(pictures.front().lanes[0].blow_up || pictures.front().lanes[1].blow_up);
  EXPECT_TRUE(pictures.back().lanes[0].blow_up && pictures.back().lanes[1].blow_up);
  EXPECT_FALSE(pictures.back().points.back().at(0));  // the curve ended
  EXPECT_EQ(recorder->progress().frames, pictures.size());
  EXPECT_TRUE(fs::exists(recorder->video().path));
  EXPECT_EQ(recorder->video().path.stem(), "comparison");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(RecorderTest, TheRemovalOfALaneEndsItsComparison) {
  Recorder::Settings settings{.pictures = false, .frames_per_second = 60, .video = true, .comparison = true};
  const auto recorder = std::make_shared<Recorder>(folder_.path(), settings);
  SimulationThread thread(loaded(sheet_scene(3)), testing::paused(1));
  testing::send_and_wait(thread, NewLane{"rk4"});
  testing::send_and_wait(thread, Record{{{{0, 1}, recorder}}});
  EXPECT_FALSE(recorder->progress().stopped);
  testing::send_and_wait(thread, ChangeLanes{RemoveLane{0}});
  EXPECT_TRUE(recorder->progress().stopped);
  const auto after = testing::send_and_wait(thread, StepOnce{});
  EXPECT_EQ(after->error, "");
}

// The time axis of a run without a known end begins with its first point and doubles.
TEST(LanePictureTest, TheTimeAxisGrows) {
  const PictureRequest request{.width = 400, .height = 300};
  const auto make_painter = [](const PictureRequest& tile) {
    return [tile](const Frame&, double) {
      const std::size_t size =
          4U * static_cast<std::size_t>(tile.width) * static_cast<std::size_t>(tile.height);
      return Image{tile.width, tile.height, std::vector<std::uint8_t>(size, 50)};
    };
  };
  const auto start = loaded(sheet_scene(3));
  WorkerPool pool(1);
  const Simulation simulation(start->scene, start->mesh, pool);
  const auto drawn = [&](std::optional<double> ends, double last) {
    LanePicture picture(request, 1, make_painter, LanePlot::kinetic_energy, ends);
    for (int k = 0; k * 0.1 <= last; ++k) picture.add_step({PlotPoint{k * 0.1, k * k * 1.0}});
    const std::vector<ShownLane> lanes{show_lane({0, &simulation})};
    return picture.draw(lanes, 0).rgba;
  };
  EXPECT_EQ(drawn({}, 0.95), drawn(1, 0.95));
  EXPECT_EQ(drawn({}, 1.15), drawn(2, 1.15));
  EXPECT_EQ(drawn({}, 3.05), drawn(4, 3.05));
  EXPECT_NE(drawn({}, 3.05), drawn(2, 3.05));
}

TEST_F(RecorderTest, StaysWithTheLaneInWhichItBegan) {
  const auto recorder = std::make_shared<Recorder>(folder_.path(), Recorder::Settings{false, true, 60});
  Scene scene = sheet_scene(3);
  scene.dt = 1.0 / 60;
  SimulationThread thread(loaded(scene), testing::paused(1));
  testing::send_and_wait(thread, Record{{{{0}, recorder}}});
  testing::send_and_wait(thread, StepOnce{});
  testing::send_and_wait(thread, NewLane{"rk4"});  // the active one from now on
  testing::send_and_wait(thread, StepOnce{});
  testing::send_and_wait(thread, SelectLane{0});
  testing::send_and_wait(thread, SelectLane{1});
  testing::send_and_wait(thread, StepOnce{});
  recorder->stop();
  EXPECT_EQ(finished(*recorder).error, "");
  std::ifstream table(folder_.path() / "diagnostics.csv");
  std::vector<std::string> rows;
  for (std::string line; std::getline(table, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 4u) << "a heading and three steps";
  constexpr int kCgIterations = 12;  // column; rk4 has none
  for (std::size_t i = 2; i < rows.size(); ++i) {
    std::istringstream row(rows[i]);
    std::string value;
    for (int column = 0; column <= kCgIterations; ++column) std::getline(row, value, ',');
    EXPECT_GT(std::stoi(value), 0) << rows[i];
  }
}

TEST(FreePath, NumbersCountUp) {
  const TemporaryFolder folder;
  EXPECT_EQ(free_file(folder.path(), "a", ".png").filename(), "a-001.png");
  std::ofstream(folder.path() / "a-001.png") << "x";
  EXPECT_EQ(free_file(folder.path(), "a", ".png").filename(), "a-002.png");
  EXPECT_EQ(make_free_folder(folder.path(), "b").filename(), "b-001");
  EXPECT_EQ(make_free_folder(folder.path(), "b").filename(), "b-002");
  EXPECT_EQ(file_stem("A sheet, on two/corners"), "clothlab-a-sheet-on-two-corners");
  EXPECT_EQ(file_stem(""), "clothlab");
}

}  // namespace
}  // namespace clothlab
