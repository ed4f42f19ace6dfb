// SPDX-License-Identifier: MIT
#pragma once

#include <future>

#include "experiments/method_choice.h"
#include "experiments/moment_search.h"

namespace clothlab {

/// The runs of a choice.
struct ChoiceRuns {
  double duration = 1;     ///< simulated [s]
  bool from_start = true;  ///< of the run, with the present values; else from the moment
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
  ChoiceSearch(std::shared_future<KeepMoment::Kept> from, const ChoiceRuns& runs);
};

}  // namespace clothlab
