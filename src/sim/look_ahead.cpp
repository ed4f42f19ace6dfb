// SPDX-License-Identifier: MIT
#include "sim/look_ahead.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace clothlab {

void LookAhead::begin(WorkerPool& pool, const Checkpoint& from, const std::shared_ptr<const ClothMesh>& mesh,
                      const std::shared_ptr<const ClothModel>& model, bool alone, const StopProbe& stop) {
  if (copy_ && copy_->shared_mesh() == mesh)
    copy_->load(pool, from);
  else
    copy_ = std::make_unique<Simulation>(from, mesh, pool, stop, model);
  copy_->warn_by_signs(false);
  alone_ = alone;
  known_ = failures_of(*copy_);
  found_ = {.failures = {}, .begin = from.state.t, .reached = from.state.t};
}

bool LookAhead::advance(WorkerPool& pool, const StopProbe& stop) try {
  if (found_.failures[0]) return false;
  const StepStatus status = copy_->step(pool, stop, alone_);
  if (status == StepStatus::stopped) return false;
  const bool done = status == StepStatus::done;
  found_.reached = done ? copy_->state().t : copy_->blow_up()->time;
  const auto failed = failures_of(*copy_);
  for (std::size_t kind = 0; kind < failed.size(); ++kind)
    if (failed[kind] && !known_[kind] && !found_.failures[kind])
      found_.failures[kind] = {copy_->steps() + (done ? 0 : 1), found_.reached,
                               failure_text(pool, *copy_, kind, stop)};
  return done;
} catch (const Cancelled&) {
  return false;
}

void LookAhead::follow(WorkerPool& pool, const Simulation& run, bool alone, double ahead, double end,
                       const StopProbe& stop) try {
  constexpr double kRounding = 0.5;  // of a step
  if (run.scene().dt < 0) {
    changes_.reset();
    found_ = {};
    return;
  }
  if (changes_ != run.changes() || alone != alone_) {
    changes_.reset();
    run.save(pool, now_);
    begin(pool, now_, run.shared_mesh(), run.system().shared_model(), alone, stop);
    changes_ = run.changes();
  }
  const double until = std::min(run.state().t + ahead, end) - kRounding * std::abs(run.scene().dt);
  while (found_.reached < until && advance(pool, stop)) {
  }
  if (stop_requested(stop)) changes_.reset();
} catch (const Cancelled&) {
}

}  // namespace clothlab
