// SPDX-License-Identifier: MIT
#include "documents/file_writer.h"

#include <exception>
#include <new>
#include <utility>

namespace clothlab {

FileWriter::FileWriter(std::function<void()> done) : done_(std::move(done)), thread_([this] { run(); }) {}

FileWriter::~FileWriter() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void FileWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
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
    progress_.bytes += bytes;
    if (!error.empty()) {
      progress_.error = std::move(error);
      jobs_.clear();
    }
    progress_.waiting = jobs_.size();
    if (!done_) continue;
    lock.unlock();
    done_();
    lock.lock();
  }
}

void FileWriter::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (!progress_.error.empty()) return;
    jobs_.push_back(std::move(job));
    ++progress_.waiting;
  }
  changed_.notify_one();
}

FileWriter::Progress FileWriter::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

}  // namespace clothlab
