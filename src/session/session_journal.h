// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "arena/arena.h"
#include "documents/journal.h"
#include "documents/scene_loader.h"
#include "io/file_lock.h"

namespace clothlab {

// The session of a window as a file, so that a window that crashed or was killed can be restored. The file is
// a journal (documents/journal.h) that begins with a moment of all lanes:
//
//     session-TIME-N.session   version, load with a moment, commands, "step": 12, commands, "step": 25, ...
//     session-TIME-N.lock      locked while the window lives
//
// Every line is appended as it happens: whatever ends the program, all complete lines are valid. From time to
// time a new file with a newer moment replaces the file. Size and time to restore are therefore bounded.

/// What happened in a run since the part before it.
struct SessionPart {
  std::shared_ptr<const LoadedScene> loaded = nullptr;  ///< a new file, which begins with `moment`
  Moment moment = {};
  std::vector<LogEntry> entries = {};  ///< otherwise: of the log
  LogPosition end;                     ///< after them
  std::uint64_t state = 0;             ///< Arena::hash then
};

/// Writes a session to a file on a thread of its own. If a write fails, it stops with one notice; the file
/// keeps what it has. The simulation thread calls works(), needs_moment() and add(), which never wait for the
/// disk; any thread may call the others.
class SessionJournal {
 public:
  struct Limits {
    double seconds = 10;  ///< least time between two moments in the file
    /// Most bytes per second that moments write on average; they come less often for large cloth.
    double bytes_per_second = 4e6;
    /// Most bytes of commands after a moment, and of a file.
    std::size_t bytes_of_commands = std::size_t{16} << 20, bytes = std::size_t{1} << 30;
  };
  /// Creates the folder; works() is false if that fails.
  explicit SessionJournal(const std::filesystem::path& folder) : SessionJournal(folder, Limits()) {}
  SessionJournal(const std::filesystem::path& folder, const Limits& limits);
  /// Writes what waits. The file stays unless finish() was called.
  ~SessionJournal();
  SessionJournal(const SessionJournal&) = delete;
  SessionJournal& operator=(const SessionJournal&) = delete;

  bool works() const { return works_.load(std::memory_order_relaxed); }
  /// True if the next part should have a moment.
  bool needs_moment() const;
  void add(SessionPart part);

  /// The session ended properly: ends the thread and removes the file.
  void finish();
  /// True once a file that begins with this scene or a moment of it was written.
  bool has_written(const LoadedScene* loaded) const { return written_.load() == loaded; }
  /// Why nothing is written any more, once.
  std::optional<std::string> take_notice();
  const std::filesystem::path& file() const { return file_; }

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void write(const SessionPart& part);
  void begin(const SessionPart& part);
  void append(std::ofstream& to, const std::string& text) const;
  /// Needs no memory.
  void fail(std::string_view why) noexcept;
  [[noreturn]] void fail_to_write(int error) const;
  void end_thread();

  const Limits limits_;
  std::filesystem::path file_;
  std::optional<FileLock> lock_;
  std::atomic<bool> works_{true};
  std::atomic<Clock::rep> next_moment_{0};
  std::atomic<bool> broken_{false};  // parts were lost, as the disk is too slow: a moment must come next
  std::atomic<const LoadedScene*> written_{nullptr};

  // The thread's own.
  std::ofstream out_;
  LogPosition begin_;
  std::size_t size_ = 0, start_size_ = 0;  // of the file, and of its moment

  std::mutex mutex_;  // of the following
  std::condition_variable changed_;
  std::deque<SessionPart> parts_;
  bool closed_ = false;
  std::string notice_;

  std::thread thread_;
};

/// The file of a session that did not end properly. While the object exists, no other window finds it.
class LostSession {
 public:
  /// Most that are found. Older ones are kept until they were offered, but not more than kMostKept in all.
  static constexpr std::size_t kMost = 5, kMostKept = 25;
  /// Those in the folder that can be read, newest first. Removes older ones, and incomplete last lines.
  static std::vector<LostSession> find(const std::filesystem::path& folder, const StopProbe& stop = {});

  const std::filesystem::path& file() const { return file_; }
  const JournalSummary& summary() const { return summary_; }
  /// When the file was last written.
  std::chrono::system_clock::time_point time() const { return time_; }
  /// The user saw it.
  void mark_offered() const;
  void remove();

 private:
  std::filesystem::path file_;
  FileLock lock_;
  std::chrono::system_clock::time_point time_;
  JournalSummary summary_;

  LostSession(std::filesystem::path file, FileLock lock) : file_(std::move(file)), lock_(std::move(lock)) {}
};

}  // namespace clothlab
