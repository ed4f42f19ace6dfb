// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "arena/arena.h"

namespace clothlab {

// The past that the user can return to. Each state is a whole Moment of all lanes: going back is a load, with
// the bits of then, and needs no computation. Memory is bounded, so old states are thinned out:
//
//     0 s                                                      28 s         30 s, the present
//     |     .     .     .     .     .     .     .     .     .   ||||||||||||||
//     thinned out: at least `spacing` apart                     step by step
//
// Whoever goes on from a state in the past loses nothing: the later states become the other branch.
//
//     states_   |     .     .     .     .     .     ||||||||||||||         grows from here on
//     other_                                                      .     .     ||||||||||||||
//
// swap_branches() exchanges the two ends, and the run continues from the newest state of the other one. A
// second return before the next step puts the states between the two in front of the other branch, so that
// returning twice is as good as once. What was done between the states is not kept here but in the log of the
// run (arena/command_log.h): lanes that catch up start from one of these states and repeat it.

/// Moments of the last seconds of a run, oldest first. The newest state is always kept. The states of the
/// other branch are kept as far as the memory lasts. For one thread.
class History {
 public:
  struct Limits {
    double seconds = 30;             ///< simulated, back from the newest state
    std::size_t least = 10;          ///< number of newest ones, however long their steps
    std::size_t step_by_step = 120;  ///< number of newest ones; at most a quarter of all
    std::size_t bytes = 256u << 20;
    double spacing = 1.0 / 60;  ///< [s]
  };

  History() : History(Limits{}) {}
  explicit History(const Limits& limits) : limits_(limits) {}

  /// Adds the moment that `save` writes into recycled memory. Its time must be after the newest one.
  void add(const std::function<void(Moment&)>& save);
  void forget_newest();
  /// Replaces the newest one, at the same time.
  void replace_newest(const std::function<void(Moment&)>& save);
  void clear();
  /// Thins out states that do not fit, at once.
  void set_memory(std::size_t bytes);

  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  std::size_t bytes() const { return bytes_; }
  const Moment& operator[](std::size_t i) const { return *states_[i]; }
  const std::shared_ptr<Moment>& newest() const { return states_.back(); }
  /// Index of the state whose time is nearest; not for an empty history.
  std::size_t nearest(double time) const;

  /// Index of the first of the step-by-step states.
  std::size_t first_step_by_step() const { return coarse_; }

  /// Makes the newest state at or before `time`, or else the oldest one, the present. Later states become the
  /// other branch, or are put before it if no state was added since the last call. True for a new branch.
  bool branch_at(double time) { return cut_at(time, false); }
  /// The same after a failed attempt: another branch stays, and later states are dropped.
  bool give_up_after(double time) { return cut_at(time, !other_.empty()); }
  /// The newest state of the other branch, the abandoned present; null: there is none.
  const Moment* left() const { return other_.empty() ? nullptr : other_.back().get(); }
  /// Swaps the two branches after `go_there` has brought the run to the newest state of the other one; if
  /// that throws, nothing changes. Does nothing without another branch.
  void swap_branches(const std::function<void(const Moment&)>& go_there);

 private:
  /// The number of newest states to keep, and the spacing of the others [s], at this size of each.
  struct Room {
    std::size_t step_by_step = 0;
    double spacing = 0;
  };
  Room room_for(std::size_t bytes_of_state) const;
  void make_room(std::size_t bytes_of_next, double time_of_next);
  void thin_out(double spacing);
  void forget_oldest();
  using States = std::deque<std::shared_ptr<Moment>>;
  void drop(States& from, States::iterator past);
  void forget_other_branch(std::size_t bytes);  // beyond this memory
  struct Cut {
    States common, later;
  };
  /// The states up to `time`, at least so many, and those after it.
  Cut cut_after(double time, std::size_t least) const;
  /// See branch_at(). `keeps_other`: the other branch is never replaced by a new one. True for a new branch.
  bool cut_at(double time, bool keeps_other);

  Limits limits_;
  States states_;
  States other_;            // branch
  double branch_ = 0;       // time of the last common state [s]
  bool grown_ = true;       // since the branching
  std::size_t coarse_ = 0;  // how many states at the front are thinned out
  std::size_t bytes_ = 0;
  std::shared_ptr<Moment> spare_;  // a dropped one, whose memory is reused
};

}  // namespace clothlab
