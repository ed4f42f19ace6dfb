#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "dynamics/state.h"
#include "sim/simulation.h"

namespace clothlab {

/// A state of the past with the figures of the step that led to it.
struct PastState {
  std::shared_ptr<State> state;
  StepRecord record;
  std::vector<double> residuals;  ///< of every CG iteration of that step's last linear solve
};

/// For one thread. The last seconds of a run, oldest first: the newest states step by step, older ones
/// thinned out to one per `spacing` of simulated time, and farther apart where the memory would not last for
/// the whole time otherwise. The newest state is always there, whatever the limits.
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

  /// Copies the state. Its time must be after that of the newest one.
  void add(const State& state, const StepRecord& record, std::span<const double> residuals = {});
  /// The present state again, changed at the same time: in place of the newest one.
  void replace_newest(const State& state, const StepRecord& record, std::span<const double> residuals = {});
  void clear();
  /// What does not fit any more is thinned out at once.
  void set_memory(std::size_t bytes);

  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  std::size_t bytes() const { return bytes_; }
  const PastState& operator[](std::size_t i) const { return states_[i]; }
  const PastState& newest() const { return states_.back(); }
  /// Index of the state whose time is nearest; not for an empty history.
  std::size_t nearest(double time) const;

  /// The states that follow each other step by step start at this index.
  std::size_t first_step_by_step() const { return coarse_; }

  /// Forgets the newest states until the newest one is at or before `time`, or only one is left.
  void forget_after(double time);

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
  void drop(std::deque<PastState>::iterator past);

  Limits limits_;
  std::deque<PastState> states_;
  std::size_t coarse_ = 0;  // how many states at the front are thinned out
  std::size_t bytes_ = 0;
  PastState spare_;  // memory of a state that was dropped, for the next one
};

}  // namespace clothlab
