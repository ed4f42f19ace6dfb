// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/memory.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/state.h"
#include "integrate/integrator.h"
#include "integrate/step_ledger.h"

namespace clothlab {

/// The total energy that a run should have, for methods that follow it: H* is H at the first step plus the
/// works of damping, wind, grab, friction and pins since then. H − H* is what the energy ledger calls the
/// energy of the method and of its solvers. It is the method's history.
class EnergyTarget {
 public:
  bool empty() const { return !has_history_; }
  void save(Memory& memory) const {
    if (has_history_) memory.put(excess_);
  }
  void load(MemoryReader& memory, std::size_t /*n*/) {
    has_history_ = !memory.at_end();
    excess_ = has_history_ ? memory.number() : 0;
  }

  /// Begins a step from `state`.
  void begin(const DynamicSystem& system, WorkerPool& pool, const State& state);
  /// H − H* [J] if the step of h from the state of `begin` ended at (x1, v1), with the impulses of `ledger`.
  double excess(const DynamicSystem& system, const StepContext& context, StepLedger& ledger,
                const State& state, double h, std::span<const vec3> x1, std::span<const vec3> v1);
  /// True if H − H* is no more than rounding.
  bool is_rounding(double excess) const;
  /// True if a change of H is no more than what tight solvers leave.
  bool is_negligible(double change) const;
  /// Ends the step.
  void keep(double excess) {
    has_history_ = true;
    excess_ = excess;
  }

 private:
  bool has_history_ = false;
  double excess_ = 0;        // H − H* at the start of the step [J]
  double energy_ = 0;        // H there [J]
  double kinetic_ = 0;       // its kinetic part [J]
  double most_kinetic_ = 0;  // of all ends so far [J]
};

}  // namespace clothlab
