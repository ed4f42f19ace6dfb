// SPDX-License-Identifier: MIT
#include "session/session_journal.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/text_file.h"
#include "documents/scene_file.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOffered = ".offered";  // an empty file: the user saw the session
// A disk that does not answer must not fill the memory.
constexpr std::size_t kMostWaiting = 256;
// Bytes of a path and what is said of it.
constexpr std::size_t kLongestReason = 5000;

fs::path with_ending(fs::path file, const char* ending) { return file.replace_extension(ending); }

void remove_files(const fs::path& session) {
  std::error_code ignored;
  // The file first: a lock without a file is no session.
  for (const char* ending : {kSessionEnding, ".part", kOffered, ".lock"})
    fs::remove(with_ending(session, ending), ignored);
}

std::string reason(int error) { return std::generic_category().message(error); }

/// Locks a name that no other session has. None with `errno` if that fails.
std::optional<FileLock> lock_new(const fs::path& folder, fs::path& file) {
  const auto stamp = std::chrono::system_clock::now().time_since_epoch().count();
  for (int number = 0; number < 100; ++number) {
    file = folder / ("session-" + std::to_string(stamp) + "-" + std::to_string(number) + kSessionEnding);
    std::error_code error;
    if (fs::exists(file, error) || fs::exists(with_ending(file, ".lock"), error)) continue;
    if (auto lock = FileLock::try_lock(with_ending(file, ".lock"))) {
      if (fs::exists(with_ending(file, ".lock"), error)) return lock;  // find() may have removed it before
    } else if (errno != EWOULDBLOCK) {
      break;
    }
  }
  return std::nullopt;
}

}  // namespace

SessionJournal::SessionJournal(const fs::path& folder, const Limits& limits) : limits_(limits) {
  notice_.reserve(kLongestReason + 200);
  std::error_code error, ignored;
  fs::create_directories(folder, error);
  fs::permissions(folder, fs::perms::owner_all, ignored);
  lock_ = lock_new(folder, file_);
  if (!lock_) {
    const int why = error ? error.value() : errno;
    fail("a file in " + shown_path(folder) + " cannot be created or locked: " + reason(why));
    return;
  }
  thread_ = std::thread([this] { run(); });
}

SessionJournal::~SessionJournal() { end_thread(); }

void SessionJournal::end_thread() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void SessionJournal::finish() {
  works_ = false;
  end_thread();
  out_.close();
  if (lock_) remove_files(file_);
}

bool SessionJournal::needs_moment() const {
  return broken_ || Clock::now().time_since_epoch().count() >= next_moment_.load(std::memory_order_relaxed);
}

void SessionJournal::add(SessionPart part) {
  {
    const std::lock_guard lock(mutex_);
    if (part.loaded) {
      parts_.clear();                                                      // the new file replaces theirs
      next_moment_ = Clock::time_point::max().time_since_epoch().count();  // until it is written
      broken_ = false;
    } else if (broken_ || parts_.size() >= kMostWaiting) {
      parts_.clear();
      broken_ = true;
      return;
    }
    parts_.push_back(std::move(part));
  }
  changed_.notify_one();
}

std::optional<std::string> SessionJournal::take_notice() {
  if (works()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (notice_.empty()) return std::nullopt;
  return std::exchange(notice_, {});
}

void SessionJournal::fail(std::string_view why) noexcept {
  works_ = false;
  const std::lock_guard lock(mutex_);
  notice_ = "The session is no longer kept for recovery: ";
  notice_.append(why.substr(0, kLongestReason))
      .append(". If the window crashes now, later steps cannot be restored.");
  try {
    std::error_code ignored;
    fs::remove(with_ending(file_, ".part"), ignored);
  } catch (const std::bad_alloc&) {
    return;  // it goes with the session
  }
}

void SessionJournal::run() try {
  // At the usual priority: on a busy machine a lower one would delay the lines by seconds.
  for (;;) {
    std::deque<SessionPart> parts;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !parts_.empty(); });
      if (parts_.empty() || !works()) return;
      parts.swap(parts_);
    }
    for (const SessionPart& part : parts) write(part);
  }
} catch (const std::bad_alloc&) {
  fail("there is not enough memory");
} catch (const std::exception& error) {
  fail(error.what());
}

void SessionJournal::append(std::ofstream& to, const std::string& text) const {
  errno = 0;
  to << text << std::flush;
  if (!to) fail_to_write(errno);
}

void SessionJournal::fail_to_write(int error) const {
  throw SystemError("cannot write " + shown_path(file_) + ": " + reason(error));
}

void SessionJournal::write(const SessionPart& part) {
  if (part.loaded) return begin(part);
  const std::string text = continue_journal(part.entries, begin_, part.end, part.state);
  append(out_, text);
  size_ += text.size();
  if (size_ - start_size_ > limits_.bytes_of_commands) next_moment_ = 0;
}

void SessionJournal::begin(const SessionPart& part) {
  const std::string text =
      begin_journal(*part.loaded, part.moment) + continue_journal({}, part.end, part.end, part.state);
  if (text.size() > limits_.bytes) throw InputError("its file would exceed 1 GiB");
  const bool is_first = !out_.is_open();
  const fs::path path = is_first ? file_ : with_ending(file_, ".part");
  std::ofstream next(path, std::ios::binary | std::ios::trunc);
  if (!next.is_open()) fail_to_write(errno);
  append(next, text);
  if (!is_first) {
    next.close();
    out_.close();
    std::error_code error;
    fs::rename(path, file_, error);
    if (error) fail_to_write(error.value());
    next.open(file_, std::ios::binary | std::ios::app);
    if (!next.is_open()) fail_to_write(errno);
  }
  out_ = std::move(next);
  begin_ = part.end;
  size_ = start_size_ = text.size();
  const double wait = std::max(limits_.seconds, static_cast<double>(size_) / limits_.bytes_per_second);
  next_moment_ =
      (Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait)))
          .time_since_epoch()
          .count();
  written_ = part.loaded.get();
}

std::vector<LostSession> LostSession::find(const fs::path& folder, const StopProbe& stop) {
  std::vector<LostSession> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".lock" && !fs::exists(with_ending(at->path(), kSessionEnding), error)) {
      // Of a window that ended before it wrote anything.
      if (const auto lock = FileLock::try_lock(at->path());
          lock && !fs::exists(with_ending(at->path(), kSessionEnding), error))
        remove_files(at->path());
    }
    if (at->path().extension() != kSessionEnding) continue;
    if (auto lock = FileLock::try_lock(with_ending(at->path(), ".lock"))) {
      LostSession& session = found.emplace_back(LostSession(at->path(), std::move(*lock)));
      const auto age = fs::file_time_type::clock::now() - at->last_write_time(error);
      session.time_ = std::chrono::system_clock::now() -
                      std::chrono::duration_cast<std::chrono::system_clock::duration>(age);
    }
  }
  std::ranges::sort(found, std::greater(), &LostSession::time_);
  for (std::size_t i = kMost; i < found.size(); ++i)
    if (i >= kMostKept || fs::exists(with_ending(found[i].file_, kOffered), error)) found[i].remove();
  std::vector<LostSession> restorable;
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i) {
    try {
      found[i].summary_ = summarize_journal(found[i].file_, stop);
    } catch (const std::exception&) {
      continue;  // damaged, or of another version: stays until there are enough newer ones
    }
    const fs::path& file = found[i].file_;
    if (fs::file_size(file, error) != found[i].summary_.complete) {
      const fs::file_time_type written = fs::last_write_time(file, error);
      fs::resize_file(file, found[i].summary_.complete, error);
      fs::last_write_time(file, written, error);
    }
    restorable.push_back(std::move(found[i]));
  }
  return restorable;
}

void LostSession::mark_offered() const { const std::ofstream file(with_ending(file_, kOffered)); }

void LostSession::remove() { remove_files(file_); }

}  // namespace clothlab
