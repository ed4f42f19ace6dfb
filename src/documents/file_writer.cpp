// SPDX-License-Identifier: MIT
#include "documents/file_writer.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace clothlab {

struct FileWriter::Impl {
  explicit Impl(std::function<void()> done) : told(std::move(done)), thread([this] { run(); }) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      closed = true;
    }
    changed.notify_one();
    thread.join();
  }

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return closed || !jobs.empty(); });
      if (jobs.empty()) return;
      const Job job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      std::uintmax_t bytes = 0;
      std::string error;
      try {
        bytes = job();
      } catch (const std::bad_alloc&) {
        error = "There is not enough memory to write the file.";
      } catch (const std::exception& e) {
        error = e.what();
      }
      lock.lock();
      progress.bytes += bytes;
      if (!error.empty()) {
        progress.error = std::move(error);
        jobs.clear();
      }
      progress.waiting = jobs.size();
      if (!told) continue;
      lock.unlock();
      told();
      lock.lock();
    }
  }

  const std::function<void()> told;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  Progress progress;
  bool closed = false;
  std::thread thread;  // last: it uses the other members
};

FileWriter::FileWriter(std::function<void()> done) : impl_(std::make_unique<Impl>(std::move(done))) {}
FileWriter::~FileWriter() = default;

void FileWriter::post(Job job) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->progress.error.empty()) return;
    impl_->jobs.push_back(std::move(job));
    ++impl_->progress.waiting;
  }
  impl_->changed.notify_one();
}

FileWriter::Progress FileWriter::progress() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->progress;
}

}  // namespace clothlab
