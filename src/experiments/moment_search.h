// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "documents/background_task.h"
#include "documents/scene_loader.h"
#include "mesh/cloth_mesh.h"
#include "session/background.h"
#include "session/control.h"
#include "session/mailbox.h"

namespace clothlab {

/// Progress of a search, without its results.
struct SearchProgress {
  double time = 0;       ///< of the state from which it searches [s]
  bool is_shown = true;  ///< that is the state that was shown; otherwise the last good one before it
  LaneId lane = 0;       ///< whose state it is
  std::shared_ptr<const Scene> values = {};  ///< of the moment; null before it comes
  std::size_t returns = 0;                   ///< of the run up to the moment (Snapshot::returns)
  std::string under_way;                     ///< the current part; empty at the end
  double fraction = 0;                       ///< 0 to 1
  std::string error;                         ///< one sentence, if it failed or was cancelled
};

/// Data of a search on its thread. `Found` is a SearchProgress with the results.
template <class Found>
struct SearchRun {
  StopProbe stop;
  WorkerPool pool{1};
  LoadedScene scene;                          ///< starts from the moment, without substeps
  SharedValue<InitialState> start;            ///< of the run; none: the mesh at rest
  std::shared_ptr<const LoadedScene> loaded;  ///< with which the run began
  std::uint64_t steps = 0;                    ///< of the run up to the moment
  Found now;
  Mailbox<Found> shown;

  explicit SearchRun(Found first) : now(std::move(first)) {
    now.under_way = "waiting for the present step";
    publish();
  }
  void publish() { shown.put(std::make_shared<const Found>(now)); }
  /// What the simulation thread promised. Throws Cancelled.
  template <class Promised>
  const Promised& wait_for(const std::shared_future<Promised>& promised) const {
    constexpr std::chrono::milliseconds kLook{20};  // between two polls for cancellation
    while (promised.wait_for(kLook) != std::future_status::ready)
      if (stop()) throw Cancelled();
    return promised.get();
  }
};

/// A search from a moment of the run, or from the last good state if the moment is not good. Runs on its own
/// thread, on copies, until it ends, fails or is cancelled.
template <class Found>
class MomentSearch {
 public:
  using Progress = Found;
  using Run = SearchRun<Found>;

  /// Does `work` on the thread, from the moment that SimulationThread::keep_moment() promises. The work may
  /// throw Cancelled.
  MomentSearch(std::shared_future<KeepMoment::Kept> from, Found first, std::function<void(Run& run)> work)
      : run_(std::move(first)),
        task_([this, from = std::move(from), work = std::move(work)](const StopProbe& stop) mutable {
          run_.stop = stop;
          search(std::move(from), work);  // moved, so that the moment is released when the search ends
        }) {}

  /// The destructor cancels too, and waits for the thread: at most a part of a step.
  void cancel() { task_.cancel(); }
  /// True if it ended, was cancelled or failed.
  bool done() const { return task_.done(); }
  /// Never null.
  std::shared_ptr<const Found> progress() const { return run_.shown.get(); }

 private:
  void search(std::shared_future<KeepMoment::Kept> from, const std::function<void(Run&)>& work) {
    work_in_background();
    try {
      begin(run_.wait_for(from));
      work(run_);
    } catch (const Cancelled&) {
      run_.now.error = "Cancelled.";
    } catch (const std::bad_alloc&) {
      run_.now.error = "There is not enough memory for this.";
    } catch (const std::exception& e) {
      run_.now.error = e.what();
    }
    run_.now.under_way.clear();
    run_.publish();
  }

  void begin(const KeepMoment::Kept& moment) {
    const State& state = last_good_state(moment.checkpoint()).state;
    run_.scene = *moment.loaded;
    run_.scene.scene = *moment.checkpoint().scene;
    run_.scene.scene.substeps = 1;
    run_.scene.scene.initial_state.reset();
    run_.start = moment.loaded->scene.initial_state;
    run_.loaded = moment.loaded;
    run_.steps = moment.checkpoint().record.step;
    run_.now.values = std::make_shared<const Scene>(run_.scene.scene);
    const ClothMesh& mesh = *moment.loaded->mesh;
    run_.scene.scene.initial_state =
        InitialState{vertex_positions(mesh, state.x), vertex_velocities(mesh, state.v)};
    run_.scene.moment = nullptr;
    run_.scene.lanes.clear();
    run_.now.time = state.t;
    run_.now.is_shown = &state == &moment.checkpoint().state;
    run_.now.lane = moment.lane;
    run_.now.returns = moment.returns;
  }

  Run run_;                    // used by the thread, except for the shown progress
  BackgroundTask<void> task_;  // last: its thread uses the other
};

}  // namespace clothlab
