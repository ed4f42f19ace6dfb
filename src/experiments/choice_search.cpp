// SPDX-License-Identifier: MIT
#include "experiments/choice_search.h"

#include <utility>
#include <vector>

#include "experiments/recorded_run.h"
#include "experiments/step_trial.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

constexpr double kAccurateEnough = 1e-3;  // the least error bar of the picture

void search_all(ChoiceSearch::Run& run, const std::shared_future<KeepJournal::Whole>& journal) {
  LoadedScene& scene = run.scene;
  ChoiceProgress& now = run.now;
  RunScript script;
  if (now.runs.from != ChoiceStart::now) {
    scene.scene.initial_state = run.start;
    now.time = 0;
    now.is_shown = true;
  }
  if (now.runs.from == ChoiceStart::journal) {
    RecordedRun recorded = recorded_run(*run.loaded, run.wait_for(journal).log, run.steps, {});
    const Method own = scene.scene.method();  // of the lane, not that with which the run began
    scene = std::move(recorded.loaded);
    scene.scene = with_method(std::move(scene.scene), own);
    script = std::move(recorded.script);
    now.runs.duration = recorded.duration;
  }
  script.particle = now.runs.particle;
  now.under_way = "ω_max";
  run.publish();
  measure_omega_max(scene, run.pool, run.stop);
  now.under_way = "the reference";
  run.publish();
  std::vector<const IntegratorInfo*> methods;
  for (const IntegratorInfo& info : integrators())
    if (info.table.empty() && !info.inextensible && supports(scene.scene, info) &&
        supports_contact(scene.scene.contact.model, info))
      methods.push_back(&info);
  MethodChoice choice(
      scene, variants_of(scene.scene, methods),
      make_reference(scene, now.runs.duration, run.pool, run.stop, script),
      {.duration = now.runs.duration, .accurate_enough = kAccurateEnough, .measure = {}, .script = script});
  do {
    now.figures = choice.figures();
    for (ChoicePoint& point : now.figures.points) point.wall = point.processor;
    now.fraction = now.figures.fraction;
    now.under_way = choice.next_name();
    run.publish();
  } while (choice.next(run.pool, run.stop));
}

ChoiceProgress first_of(const ChoiceRuns& runs) {
  ChoiceProgress first;
  first.runs = runs;
  return first;
}

}  // namespace

ChoiceSearch::ChoiceSearch(std::shared_future<KeepMoment::Kept> from, const ChoiceRuns& runs,
                           std::shared_future<KeepJournal::Whole> journal)
    : MomentSearch(std::move(from), first_of(runs),
                   [journal = std::move(journal)](Run& run) { search_all(run, journal); }) {}

}  // namespace clothlab
