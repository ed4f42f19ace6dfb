#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "dynamics/state.h"
#include "sim/simulation.h"

namespace clothlab {

/// A state of the past with the figures of the step that led to it.
struct PastState {
  std::shared_ptr<State> state;
  StepRecord record;
};

/// For one thread. States of the past, oldest first: the newest ones step by step, older ones thinned out to
/// one per `spacing` of simulated time. Bounded in number and in memory; the newest state is always there.
class History {
 public:
  struct Limits {
    std::size_t states = 600;
    std::size_t step_by_step = 120;  ///< of them, the newest
    std::size_t bytes = 256u << 20;
    double spacing = 1.0 / 60;  ///< [s]
  };

  History() : History(Limits{}) {}
  explicit History(const Limits& limits) : limits_(limits) {}

  /// Copies the state. Its time must be after that of the newest one.
  void add(const State& state, const StepRecord& record);
  void clear();

  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  const PastState& operator[](std::size_t i) const { return states_[i]; }
  const PastState& newest() const { return states_.back(); }

  /// The states that follow each other step by step start at this index.
  std::size_t first_step_by_step() const { return coarse_; }

  /// Forgets the newest states until the newest one is at or before `time`, or only one is left.
  void forget_after(double time);

 private:
  void recycle(std::shared_ptr<State> dropped);

  Limits limits_;
  std::deque<PastState> states_;
  std::size_t coarse_ = 0;        // how many states at the front are thinned out
  std::shared_ptr<State> spare_;  // memory of a state that was dropped, for the next one
};

}  // namespace clothlab
