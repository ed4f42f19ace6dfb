// SPDX-License-Identifier: MIT
// The file from which a killed window restores its session.
#include "session/session_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>

#include "documents/load_job.h"
#include "session/background.h"
#include "session/support.h"
#include "temporary_folder.h"

namespace {
bool locks_fail = false;
}

/// Replaces that of the system, which this test lets fail as on a file system without locks.
extern "C" int flock(int file, int operation) noexcept {
  if (!locks_fail) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = ENOLCK;
  return -1;
}

namespace clothlab {
namespace {

namespace fs = std::filesystem;
using namespace testing;
using ::testing::HasSubstr;

/// A window without a picture.
struct Window {
  explicit Window(const fs::path& folder, const Scene& scene = sheet_scene(6),
                  const SessionJournal::Limits& limits = {})
      : journal(std::make_shared<SessionJournal>(folder, limits)),
        thread(loaded(scene), {.threads = 1, .playing = false, .session_journal = journal}) {}

  void steps(int count) {
    for (int i = 0; i < count; ++i) send_and_wait(thread, Control(StepOnce{}));
  }
  std::uint64_t step() const { return thread.latest()->frame.record.step; }
  /// Waits until the file has the present.
  void wait_until_written() const {
    const Clock::time_point start = Clock::now();
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
      if (journal->has_written(thread.latest()->loaded.get()) &&
          summarize_journal(journal->file()).steps == step())
        break;
      ASSERT_LT(seconds_since(start), kPatience) << "step " << step() << " was not written";
    }
    // A command without a step, after it.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }

  std::shared_ptr<SessionJournal> journal;
  SimulationThread thread;
};

LoadJob::Result restored(const fs::path& session) {
  return LoadJob(session, UnitChoice::as_is, false).result();
}

/// Compares all lanes with those of a restored session, bit by bit.
void expect_same(const Snapshot& now, const LoadJob::Result& result) {
  ASSERT_TRUE(result.scene) << result.error;
  EXPECT_EQ(result.remark.find("differ"), std::string::npos) << result.remark;
  const std::vector<const LaneSnapshot*> lanes = now.lanes();
  const Moment& moment = *result.scene->moment;
  ASSERT_EQ(moment.lanes.size(), lanes.size());
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Checkpoint& checkpoint = *moment.lanes[i].checkpoint;
    EXPECT_EQ(moment.lanes[i].lane, lanes[i]->lane);
    EXPECT_EQ(checkpoint.state.x, lanes[i]->frame.positions);
    EXPECT_EQ(checkpoint.record.step, lanes[i]->frame.record.step);
    EXPECT_EQ(checkpoint.scene->integrator, lanes[i]->frame.scene->integrator);
    EXPECT_TRUE(checkpoint.scene->world() == lanes[i]->frame.scene->world());
  }
}

/// What a window leaves that is killed now.
std::shared_ptr<const Snapshot> kill(std::unique_ptr<Window> window) {
  window->wait_until_written();
  return window->thread.latest();
}

TEST(SessionFile, RestoresWhatWasDoneToTheLastStep) {
  const TemporaryFolder folder;
  auto window = std::make_unique<Window>(folder.path());
  SimulationThread& thread = window->thread;
  const auto check = [&] {
    window->wait_until_written();
    const fs::path copy = folder / "copy.session";
    fs::copy_file(window->journal->file(), copy, fs::copy_options::overwrite_existing);
    expect_same(*thread.latest(), restored(copy));
  };
  window->steps(40);  // past a hash
  check();
  thread.send(Control(StartGrab{{{0, 1, 6}, {0.2, 0.3, 0.5}, vec3(0.1, 0.2, 0.3)}}));
  window->steps(5);
  thread.send(Command(MoveCursor{vec3(0.3, 0.4, 0.1)}));
  thread.send(Command(SetParameter{"ks", 300}));
  window->steps(5);
  check();
  thread.send(Command(Release{}));
  thread.send(Control(NewLane{"rk4"}));
  window->steps(7);
  thread.send(Command(SetIntegrator{"bdf2"}));
  window->steps(3);
  check();
  thread.send(Control(Rewind{}));
  window->steps(4);
  check();
  thread.send(Command(SetParameter{"ks", 200}));
  window->steps(35);  // past a hash, in a file that began later than the log
  check();
  thread.send(Control(ChangeLanes{RemoveLane{0}}));
  window->steps(2);
  check();
  thread.send(Command(Reset{}));
  window->steps(3);
  check();
  thread.send(Control(UseScene{loaded(sheet_scene(4))}));
  window->steps(6);
  const auto last = kill(std::move(window));
  const auto lost = LostSession::find(folder.path());
  const auto found =
      std::ranges::find_if(lost, [](const LostSession& each) { return each.file().stem() != "copy"; });
  ASSERT_NE(found, lost.end());
  EXPECT_EQ(found->summary().steps, 6u);
  expect_same(*last, restored(found->file()));
}

TEST(SessionFile, ContinuesWithTheBitsOfTheRun) {
  const TemporaryFolder folder;
  Window window(folder.path());
  window.steps(50);
  window.wait_until_written();
  const fs::path copy = folder / "copy.session";
  fs::copy_file(window.journal->file(), copy);
  window.steps(50);
  Window again(folder / "other");
  send_and_wait(again.thread, Control(UseScene{restored(copy).scene}));
  again.steps(50);
  EXPECT_EQ(again.thread.latest()->frame.positions, window.thread.latest()->frame.positions);
  EXPECT_EQ(again.step(), 100u);
}

TEST(SessionFile, ResetOfARestoredSessionReturnsToTheStart) {
  const TemporaryFolder folder;
  Scene scene = sheet_scene(4);
  InitialState state;
  for (int i = 0; i < 16; ++i) {
    state.positions.push_back(vec3(i % 4, 0.1 * i, i / 4));
    state.velocities.push_back(vec3(0));
  }
  scene.initial_state = state;
  auto window = std::make_unique<Window>(folder.path(), scene);
  const std::vector<vec3> start = window->thread.latest()->frame.positions;
  window->steps(10);
  kill(std::move(window));
  const auto lost = LostSession::find(folder.path());
  ASSERT_EQ(lost.size(), 1u);
  Window again(folder / "other");
  send_and_wait(again.thread, Control(UseScene{restored(lost.front().file()).scene}));
  EXPECT_NE(again.thread.latest()->frame.positions, start);
  send_and_wait(again.thread, Command(Reset{}));
  EXPECT_EQ(again.thread.latest()->frame.positions, start);
}

TEST(SessionFile, BelongsToItsWindowWhileThatLives) {
  const TemporaryFolder folder;
  auto first = std::make_unique<Window>(folder.path());
  auto second = std::make_unique<Window>(folder.path());
  first->steps(3);
  second->steps(5);
  EXPECT_TRUE(LostSession::find(folder.path()).empty());
  kill(std::move(first));
  second->wait_until_written();
  {
    const auto lost = LostSession::find(folder.path());
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost.front().summary().steps, 3u);
    EXPECT_TRUE(LostSession::find(folder.path()).empty()) << "another window must not offer it too";
  }
  second->journal->finish();
  second.reset();
  auto lost = LostSession::find(folder.path());
  ASSERT_EQ(lost.size(), 1u) << "the second one ended properly";
  lost.front().remove();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

/// The file of a small session.
std::string small_session(const fs::path& folder) {
  auto window = std::make_unique<Window>(folder, sheet_scene(2));
  for (int i = 0; i < 4; ++i) {
    window->thread.send(Command(SetParameter{"ks", 100.0 + i}));
    window->steps(2);
    window->wait_until_written();
  }
  kill(std::move(window));
  auto lost = LostSession::find(folder);
  EXPECT_EQ(lost.size(), 1u);
  return bytes_of(lost.front().file());
}

TEST(SessionFile, EveryPrefixIsRestored) {
  const TemporaryFolder folder;
  const std::string whole = small_session(folder / "session");
  ASSERT_GT(std::ranges::count(whole, '\n'), 8);
  const std::size_t first = whole.find('\n', whole.find('\n') + 1) + 1;
  fs::create_directories(folder / "lost");
  std::size_t restored_before = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const fs::path file = folder.write("lost/a.session", whole.substr(0, size));
    const auto lost = LostSession::find(folder / "lost");
    ASSERT_EQ(lost.size(), size >= first ? 1u : 0u) << size << " bytes";
    if (lost.empty()) continue;
    ASSERT_NO_THROW(read_journal(folder.write("torn.session", whole.substr(0, size)))) << size << " bytes";
    const std::size_t complete = whole.rfind('\n', size - 1) + 1;
    ASSERT_EQ(fs::file_size(file), complete);
    if (std::exchange(restored_before, complete) == complete) continue;
    const LoadJob::Result result = restored(file);
    ASSERT_TRUE(result.scene) << result.error;
    ASSERT_EQ(result.scene->moment->lanes.front().checkpoint->record.step, lost.front().summary().steps);
    ASSERT_EQ(result.remark.find("differ"), std::string::npos) << result.remark;
  }
}

TEST(SessionFile, DamageIsReportedOrLeavesOutTheRest) {
  const TemporaryFolder folder;
  const std::string whole = small_session(folder / "session");
  fs::create_directories(folder / "lost");
  std::mt19937 random(1);
  int refused = 0, restorable = 0;
  for (int round = 0; round < 400; ++round) {
    std::string damaged = whole;
    for (int i = 0; i <= round % 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const fs::path file = folder.write("lost/a.session", damaged);
    if (LostSession::find(folder / "lost").empty()) continue;
    const LoadJob::Result result = restored(file);
    ++(result.scene ? restorable : refused);
    EXPECT_NE(result.scene == nullptr, result.error.empty());
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(restorable, 0);
}

TEST(SessionFile, StaysSmall) {
  const TemporaryFolder folder;
  SessionJournal::Limits limits;
  limits.bytes_of_commands = 2000;
  Window window(folder.path(), sheet_scene(2), limits);
  window.steps(1);
  window.wait_until_written();
  const auto start = fs::file_size(window.journal->file());
  std::uintmax_t most = 0;
  for (int i = 0; i < 400; ++i) {
    window.thread.send(Command(SetParameter{"ks", 100.0 + i}));
    window.steps(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::error_code error;
    most = std::max(most, fs::file_size(window.journal->file(), error));
  }
  // 400 commands have 25 kB; those of one writing may follow the last one below the limit.
  EXPECT_LT(most, start + 10'000);
  EXPECT_GT(most, start);
  window.wait_until_written();
  EXPECT_EQ(summarize_journal(window.journal->file()).steps, 401u);
}

TEST(SessionFile, KeepsTheNewestLostSessions) {
  const TemporaryFolder folder;
  const std::string whole = small_session(folder / "session");
  fs::create_directories(folder / "lost");
  const auto now = fs::file_time_type::clock::now();
  const auto write = [&](std::size_t i) {
    const fs::path file = folder.write("lost/" + std::to_string(i) + ".session", whole);
    fs::last_write_time(file, now - std::chrono::minutes(10 * i));
  };
  for (const std::size_t i : {6, 7, 8}) write(i);
  for (const LostSession& session : LostSession::find(folder / "lost"))
    if (session.file().stem() != "7") session.mark_offered();
  // Of starts that the user did not see.
  for (const std::size_t i : {0, 1, 2, 3, 4, 5}) write(i);
  {
    const auto lost = LostSession::find(folder / "lost");
    ASSERT_EQ(lost.size(), LostSession::kMost);
    EXPECT_EQ(lost.front().file().stem(), "0");
  }
  for (const auto& [name, stays] : {std::pair("5", true), {"6", false}, {"7", true}, {"8", false}}) {
    EXPECT_EQ(fs::exists(folder / "lost" / (std::string(name) + ".session")), stays) << name;
    EXPECT_FALSE(fs::exists(folder / "lost" / (std::string(name) + ".offered"))) << name;
  }
  for (std::size_t i = 9; i < LostSession::kMostKept + 3; ++i) write(i);
  EXPECT_EQ(LostSession::find(folder / "lost").size(), LostSession::kMost);
  EXPECT_TRUE(fs::exists(folder / "lost/26.session"));
  EXPECT_FALSE(fs::exists(folder / "lost/27.session"));
}

TEST(SessionFile, FindingSessionsKeepsTheirTimes) {
  const TemporaryFolder folder;
  const std::string whole = small_session(folder / "session");
  fs::create_directories(folder / "lost");
  const auto written = fs::file_time_type::clock::now() - std::chrono::hours(5);
  for (const auto& [name, text] : {std::pair("whole", whole), std::pair("torn", whole + "{\"step\": 1")})
    fs::last_write_time(folder.write("lost/" + std::string(name) + ".session", text), written);
  for (int search = 0; search < 2; ++search) {
    const auto lost = LostSession::find(folder / "lost");
    ASSERT_EQ(lost.size(), 2u);
    for (const LostSession& session : lost) {
      const auto age = std::chrono::system_clock::now() - session.time();
      EXPECT_GT(age, std::chrono::minutes(299)) << session.file();
      EXPECT_GT(fs::file_time_type::clock::now() - fs::last_write_time(session.file()),
                std::chrono::minutes(299));
    }
  }
}

TEST(SessionFile, ALockWithoutASessionIsRemoved) {
  const TemporaryFolder folder;
  folder.write("a.lock", "");
  const Window window(folder.path());
  window.wait_until_written();
  EXPECT_TRUE(LostSession::find(folder.path()).empty());
  EXPECT_FALSE(fs::exists(folder / "a.lock"));
  EXPECT_TRUE(fs::exists(fs::path(window.journal->file()).replace_extension(".lock")));
}

TEST(SessionFile, WithoutLocksNothingIsLeftAndTheReasonIsTold) {
  const TemporaryFolder folder;
  locks_fail = true;
  SessionJournal journal(folder.path());
  locks_fail = false;
  EXPECT_THAT(journal.take_notice().value_or(""), HasSubstr("locked: No locks available."));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(SessionFile, ANewMomentThatCannotBeWrittenIsToldWithItsReason) {
  const TemporaryFolder folder;
  Window window(folder.path(), sheet_scene(2));
  window.wait_until_written();
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Unprivileged user;
  send_and_wait(window.thread, Control(UseScene{loaded(sheet_scene(3))}));
  const Clock::time_point start = Clock::now();
  while (window.journal->works() && seconds_since(start) < kPatience) window.steps(1);
  EXPECT_THAT(window.journal->take_notice().value_or(""), HasSubstr(": Permission denied."));
}

TEST(SessionFile, AFolderThatCannotBeWrittenIsToldOnce) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Unprivileged user;
  Window window(folder.path() / "sessions");
  EXPECT_FALSE(window.journal->works());
  EXPECT_THAT(window.journal->take_notice().value_or(""), HasSubstr("locked: Permission denied."));
  EXPECT_FALSE(window.journal->take_notice());
  window.steps(3);
  EXPECT_EQ(window.step(), 3u);
}

TEST(SessionFile, AFullDiskIsToldOnceAndKeepsWhatWasWritten) {
  const TemporaryFolder folder;
  auto window = std::make_unique<Window>(folder.path(), sheet_scene(2));
  window->steps(2);
  window->wait_until_written();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit full = before;
  full.rlim_cur = fs::file_size(window->journal->file()) + 5;
  setrlimit(RLIMIT_FSIZE, &full);
  const Clock::time_point start = Clock::now();
  while (window->journal->works() && seconds_since(start) < kPatience) window->steps(1);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(window->journal->take_notice().value_or(""), HasSubstr(".session: File too large."));
  window->steps(20);
  EXPECT_FALSE(window->journal->take_notice());
  window.reset();
  const auto lost = LostSession::find(folder.path());
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost.front().summary().steps, 2u);
  EXPECT_TRUE(restored(lost.front().file()).scene);
}

/// Steps per second of processor time of all threads, as other programs may run, in turn with and without a
/// file to which moments are written at least twice as often as usual.
TEST(SessionFile, LongComparisonOfStepsPerSecond) {
  if (std::getenv("CLOTHLAB_LONG_TESTS") == nullptr) GTEST_SKIP() << "only with CLOTHLAB_LONG_TESTS=1";
  for (const int n : {10, 64, 160}) {
    const TemporaryFolder folder;
    SessionJournal::Limits limits;
    limits.seconds = 1;
    Scene scene = sheet_scene(n);
    scene.dt = 1e-4;  // no step keeps up
    Window with(folder.path(), scene, limits);
    SimulationThread without(loaded(scene), {.threads = 1, .playing = false});
    std::vector<double> ratios, wall;
    for (int round = 0; round < 9; ++round) {
      std::array<double, 2> rates{}, wall_rates{};
      for (std::size_t i = 0; i < 2; ++i) {
        SimulationThread& thread = (static_cast<std::size_t>(round) + i) % 2 == 0 ? with.thread : without;
        thread.send(Control(SetSpeed{kMaxSpeed}));
        const std::uint64_t begin = send_and_wait(thread, Control(SetPlaying{true}))->frame.record.step;
        const Clock::time_point start = Clock::now();
        const double processor = process_seconds();
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        const std::uint64_t end = send_and_wait(thread, Control(SetPlaying{false}))->frame.record.step;
        const std::size_t which = &thread == &with.thread ? 0 : 1;
        rates[which] = static_cast<double>(end - begin) / (process_seconds() - processor);
        wall_rates[which] = static_cast<double>(end - begin) / seconds_since(start);
      }
      ratios.push_back(rates[0] / rates[1]);
      wall.push_back(wall_rates[0] / wall_rates[1]);
    }
    std::ranges::sort(ratios);
    std::ranges::sort(wall);
    std::cout << n << " x " << n
              << ": steps per second with a file over those without, median of 9: " << ratios[4]
              << " (quartiles " << ratios[2] << " and " << ratios[6] << ") of processor time, " << wall[4]
              << " of wall-clock time; file " << fs::file_size(with.journal->file()) << " bytes\n";
    EXPECT_GT(ratios[4], 0.95) << n;
  }
}

}  // namespace
}  // namespace clothlab
