// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/compute_context.h"
#include "documents/journal.h"
#include "documents/replay.h"
#include "experiments/method_choice.h"

namespace clothlab {

/// A recorded run that other methods can repeat with other steps: its start, and what was done to its world
/// (drags, pins, values).
struct RecordedRun {
  LoadedScene loaded;  ///< the start
  RunScript script;
  double duration = 0;  ///< of its steps [s]
};

/// The run that the log records. It began with `start`, or before the moment of `start` (LoadedScene::past),
/// and has `steps` steps since its last reset. `duration` [s]: its part that is repeated, to the nearest
/// step; none: all. It keeps the method with which the run began. Throws InputError if the run is shorter,
/// and for what other steps cannot repeat: a moment whose past is unknown, a change of dt, and a step back.
RecordedRun recorded_run(LoadedScene start, const CommandLog& log, std::uint64_t steps,
                         std::optional<double> duration);

/// The same of the last scene of a journal, with the method at its end. The journal is replayed first, to
/// find out which changes led to its end. Throws as Replay does.
RecordedRun recorded_run(std::vector<JournalEntry> entries, const Replay::Options& options,
                         std::optional<double> duration, const ComputeContext& context,
                         const std::function<void(double fraction)>& progress = {});

}  // namespace clothlab
