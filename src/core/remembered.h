#pragma once

#include <utility>

namespace clothlab {

/// A large value that is taken over now and then, with a way back: mark() notes what it is, go_back() returns
/// to that. Nothing is copied: what a value replaces is kept while a mark needs it, and otherwise its
/// memory is handed out again. T has a member swap().
template <class T>
class Remembered {
 public:
  bool empty() const { return !full_; }
  /// Undefined when empty.
  const T& value() const { return value_; }

  /// Adopts `next`; `next` receives a spare buffer with unspecified contents.
  void take(T& next) {
    if (!std::exchange(moved_, true)) marked_.swap(value_);
    value_.swap(next);
    full_ = true;
  }
  void forget() { full_ = false; }

  /// Calls `resize` for all that holds nothing which is needed still, so that take() hands out room enough.
  template <class Resize>
  void make_room(const Resize& resize) {
    const bool is_marked = marked_full_ && !moved_;
    if (!full_ && !is_marked) resize(value_);
    if (!marked_full_ || !moved_) resize(marked_);
  }

  void mark() {
    moved_ = false;
    marked_full_ = full_;
  }
  /// Needs a mark. It stays, and can be gone back to again.
  void go_back() {
    if (std::exchange(moved_, false)) value_.swap(marked_);
    full_ = marked_full_;
  }

 private:
  T value_, marked_;
  bool full_ = false;
  bool marked_full_ = false;  // at the mark
  bool moved_ = true;         // since then, so that what was marked is in marked_
};

}  // namespace clothlab
