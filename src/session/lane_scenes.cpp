// SPDX-License-Identifier: MIT
#include "session/lane_scenes.h"

#include <algorithm>
#include <utility>

#include "documents/journal.h"
#include "integrate/tableau.h"
#include "session/control.h"
#include "session/snapshot.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

std::shared_ptr<const Scene> shared(Scene scene) { return std::make_shared<const Scene>(std::move(scene)); }

std::string name_of(const LaneScene& lane) {
  return std::string("lane ") + lane_letter(lane.lane) + " (" +
         title_with(method_info(*lane.scene), lane.scene->solver) + ")";
}

}  // namespace

std::shared_ptr<const Scene> find_scene(const LaneScenes& lanes, LaneId lane) {
  const auto found = std::ranges::find(lanes, lane, &LaneScene::lane);
  return found == lanes.end() ? nullptr : found->scene;
}

std::vector<LaneMethod> methods_of(const LaneScenes& lanes) {
  std::vector<LaneMethod> methods;
  for (const LaneScene& lane : lanes) methods.push_back({lane.lane, lane.scene->method()});
  return methods;
}

LaneScenes initial_lanes(const LoadedScene& loaded, const LaneScenes& present, std::vector<LaneId>* removed) {
  LaneScenes lanes;
  if (loaded.moment) {
    for (const Moment::Part& part : loaded.moment->lanes)
      lanes.push_back({part.lane, part.checkpoint->scene});
    return lanes;
  }
  for (const LaneMethod& lane : loaded.lanes)
    lanes.push_back({lane.lane, shared(with_method(loaded.scene, lane.method))});
  if (!lanes.empty()) return lanes;
  lanes.push_back({0, shared(loaded.scene)});
  for (std::size_t i = 1; i < present.size(); ++i) {
    const Scene& scene = *present[i].scene;
    if (supports(loaded.scene, method_info(scene)))
      lanes.push_back(
          {present[i].lane,
           shared(with_method(loaded.scene, with_integrator_of(loaded.scene.method(), scene.method())))});
    else if (removed != nullptr)
      removed->push_back(present[i].lane);
  }
  return lanes;
}

std::unique_ptr<Arena> begin_run(WorkerPool& pool, const LoadedScene& loaded, const LaneScenes& lanes,
                                 CommandLog log, const StopProbe& stop) {
  auto arena = std::make_unique<Arena>(
      lanes_of(loaded, pool, stop),
      Arena::Options{.log = std::move(log), .steps_per_hash = Journal::kStepsPerHash});
  const auto first = [&] { return arena->lanes().front().id; };
  std::vector<LaneId> loaded_lanes;
  for (const Lane& lane : arena->lanes()) loaded_lanes.push_back(lane.id);
  if (loaded.moment) arena->apply(pool, first(), Release{});
  for (const LaneScene& each : lanes)
    if (arena->find(each.lane) == nullptr) arena->apply(pool, AddLane{each.lane, first()});
  for (const LaneId lane : loaded_lanes)
    if (!find_scene(lanes, lane)) arena->apply(pool, RemoveLane{lane});
  for (const LaneScene& each : lanes)
    if (!have_same_values((*arena)[each.lane].scene(), *each.scene))
      arena->apply(pool, each.lane, SetScene{each.scene});
  return arena;
}

Scene with_new_lane(Scene scene, const NewLane& lane) {
  if (!lane.integrator.empty()) set_integrator(scene, std::string_view(lane.integrator));
  if (lane.tableau != nullptr) set_integrator(scene, lane.tableau->info);
  if (lane.substeps) set_parameter(scene, "substeps", static_cast<double>(*lane.substeps));
  if (lane.stages) set_parameter(scene, "stage-solve", static_cast<double>(*lane.stages));
  return scene;
}

LaneScenes with_scene(LaneScenes lanes, LaneId lane, const std::shared_ptr<const Scene>& scene) {
  for (LaneScene& each : lanes) {
    if (each.lane == lane)
      each.scene = scene;
    else if (each.scene->world() != scene->world())
      each.scene = shared(with_method(*scene, each.scene->method()));
  }
  return lanes;
}

bool have_same_values(const Scene& a, const Scene& b) {
  return a.world() == b.world() && a.method() == b.method();
}

bool are_equal(const LaneScenes& a, const LaneScenes& b, const ClothMesh& mesh) {
  return std::ranges::equal(a, b, [&](const LaneScene& left, const LaneScene& right) {
    return left.lane == right.lane &&
           (left.scene == right.scene || differences(*left.scene, *right.scene, mesh).empty());
  });
}

std::string describe_differences(const LaneScenes& from, const LaneScenes& to, const ClothMesh& mesh) {
  std::string text;
  const auto add = [&](const std::string& more) {
    if (!more.empty()) text.append(text.empty() ? "" : ", ").append(more);
  };
  bool is_first = true;
  for (const LaneScene& lane : from) {
    const std::shared_ptr<const Scene> after = find_scene(to, lane.lane);
    if (!after) continue;
    if (std::exchange(is_first, false))
      add(describe_differences(*lane.scene, with_method(*after, lane.scene->method()), mesh));
    const std::string own = describe_differences(with_method(*after, lane.scene->method()), *after, mesh);
    add(own.empty() || to.size() == 1 ? own : std::string("lane ") + lane_letter(lane.lane) + ": " + own);
  }
  for (const LaneScene& lane : to)
    if (!find_scene(from, lane.lane)) add(name_of(lane) + " added");
  for (const LaneScene& lane : from)
    if (!find_scene(to, lane.lane)) add(name_of(lane) + " removed");
  return text;
}

std::vector<const LaneSnapshot*> Snapshot::lanes() const {
  std::vector<const LaneSnapshot*> all{this};
  for (const LaneSnapshot& other : others) all.push_back(&other);
  std::ranges::sort(all, {}, [](const LaneSnapshot* each) { return each->lane; });
  return all;
}

}  // namespace clothlab
