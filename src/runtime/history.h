// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "sim/checkpoint.h"

namespace clothlab {

/// For one thread. Checkpoints of the last seconds of a run, oldest first: the newest ones step by step,
/// older ones thinned out to one per `spacing` of simulated time, and farther apart where the memory would
/// not last for the whole time otherwise. The newest state is always there, whatever the limits.
/// What is left when the run goes on from a moment of the past is the other branch, kept as far as the memory
/// lasts.
class History {
 public:
  struct Limits {
    double seconds = 30;             ///< simulated, back from the newest state
    std::size_t step_by_step = 120;  ///< the newest ones; a quarter of what the memory holds, at most
    std::size_t bytes = 256u << 20;
    double spacing = 1.0 / 60;  ///< [s]
  };

  History() : History(Limits{}) {}
  explicit History(const Limits& limits) : limits_(limits) {}

  /// Keeps what `save` writes into the checkpoint that it is given, whose memory is used again. Its time must
  /// be after that of the newest one.
  void add(const std::function<void(Checkpoint&)>& save);
  /// The present moment again, changed at the same time: in place of the newest one.
  void replace_newest(const std::function<void(Checkpoint&)>& save);
  void clear();
  /// What does not fit any more is thinned out at once.
  void set_memory(std::size_t bytes);

  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  std::size_t bytes() const { return bytes_; }
  const Checkpoint& operator[](std::size_t i) const { return *states_[i]; }
  std::shared_ptr<const Checkpoint> share(std::size_t i) const { return states_[i]; }
  const std::shared_ptr<Checkpoint>& newest() const { return states_.back(); }
  /// Index of the state whose time is nearest; not for an empty history.
  std::size_t nearest(double time) const;

  /// The states that follow each other step by step start at this index.
  std::size_t first_step_by_step() const { return coarse_; }

  /// Makes the newest state at or before `time` the present, or else the oldest one. What is later becomes
  /// the other branch, or its beginning where no state was added since the last time. True for a new branch.
  bool branch_at(double time);
  /// The newest state of the other branch, the present that was left; null: there is none.
  const Checkpoint* left() const { return other_.empty() ? nullptr : other_.back().get(); }
  /// Goes on with the other branch; the present one is the other then. Does nothing without one.
  void swap_branches();

 private:
  /// How many of the newest states to keep, and how far apart the others [s], if each takes so much.
  struct Room {
    std::size_t step_by_step = 0;
    double spacing = 0;
  };
  Room room_for(std::size_t bytes_of_state) const;
  void make_room(std::size_t bytes_of_next, double time_of_next);
  void thin_out(double spacing);
  void forget_oldest();
  using States = std::deque<std::shared_ptr<Checkpoint>>;
  void drop(States& from, States::iterator past);
  void forget_other_branch(std::size_t bytes);  // as far as all may take so much
  States cut_after(double time, std::size_t least);

  Limits limits_;
  States states_;
  States other_;            // branch
  double branch_ = 0;       // time of the last state that both have [s]
  bool grown_ = true;       // since the two parted
  std::size_t coarse_ = 0;  // how many states at the front are thinned out
  std::size_t bytes_ = 0;
  std::shared_ptr<Checkpoint> spare_;  // one that was dropped, whose memory the next one takes
};

}  // namespace clothlab
