// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>

namespace clothlab {

/// Latest-value mailbox between a writer and any number of readers: a reader gets the newest value. Both
/// sides hold the lock only to swap a pointer, so neither waits for the other's work.
template <class T>
class Mailbox {
 public:
  void put(std::shared_ptr<const T> value) {
    {
      const std::lock_guard lock(mutex_);
      value_.swap(value);
    }
    // The older value, when this was its last owner, is destroyed here, outside the lock.
  }

  /// Null before the first put().
  std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace clothlab
