// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <future>
#include <optional>

#include "experiments/method_choice.h"
#include "experiments/moment_search.h"

namespace clothlab {

/// Where the runs of a choice begin.
enum class ChoiceStart {
  start,    ///< of the run, with the present values
  now,      ///< the moment
  journal,  ///< the start of the run; they repeat what was done to the world until the moment (RecordedRun)
};

/// The runs of a choice.
struct ChoiceRuns {
  double duration = 1;  ///< simulated [s]; a journal has its own
  ChoiceStart from = ChoiceStart::start;
  std::optional<std::uint32_t> particle = {};  ///< whose path is compared
};

struct ChoiceProgress : SearchProgress {
  ChoiceRuns runs;
  ChoiceFigures figures;  ///< without a reference until it is known
};

/// Error against cost of all methods that can run the scene (MethodChoice). Computing times are those of the
/// processor, because the search runs next to the lanes. Methods with rods simulate other cloth and are
/// omitted.
class ChoiceSearch : public MomentSearch<ChoiceProgress> {
 public:
  /// `journal`: for ChoiceStart::journal, kept after the moment.
  ChoiceSearch(std::shared_future<KeepMoment::Kept> from, const ChoiceRuns& runs,
               std::shared_future<KeepJournal::Whole> journal = {});
};

}  // namespace clothlab
