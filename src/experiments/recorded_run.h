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

/// The run that led to the present of `log`, which began with `start`, or before its moment
/// (LoadedScene::past), and has `steps` steps since the last reset. `duration` [s]: how much of it, to the
/// nearest step; none: all. Throws InputError for what steps of another size cannot repeat: a moment whose
/// past is unknown, a change of dt, and a step back.
RecordedRun recorded_run(LoadedScene start, const CommandLog& log, std::uint64_t steps,
                         std::optional<double> duration);

/// The same of the last scene of a journal, which is replayed first, to find out which changes led to its
/// end. Throws as Replay does.
RecordedRun recorded_run(std::vector<JournalEntry> entries, const Replay::Options& options,
                         std::optional<double> duration, const ComputeContext& context,
                         const std::function<void(double fraction)>& progress = {});

}  // namespace clothlab
