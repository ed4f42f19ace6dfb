// SPDX-License-Identifier: MIT
#include "experiments/stability_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.h"
#include "experiments/step_trial.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr std::size_t kSide = MapProgress::kSide;
constexpr double kStiffer = 100;                           // k_s, and softer
constexpr double kSmallestStep = 0.01, kLargestStep = 30;  // of 2/ω_max
constexpr double kBesideOwn = 2;                           // margin around the scene's own h
constexpr std::size_t kAllTried = 4;                       // spacing up to which nodes are tried everywhere

struct Level {
  std::size_t spacing;
  double end;  // of the whole work, about
};
constexpr std::array kLevels{Level{16, 0.04}, Level{8, 0.1}, Level{4, 0.35}, Level{2, 0.6}, Level{1, 1}};

/// The map on its thread.
struct MapRun {
  SearchRun<MapProgress>& run;
  MapProgress& now = run.now;
  const IntegratorInfo& info = *now.info;

  void fill() {
    now.under_way = "ω_max";
    run.publish();
    measure_omega_max(run.scene, run.pool, run.stop);  // and the model, which all columns share
    choose_axes();
    double begin = 0;
    for (const Level& level : kLevels) {
      now.spacing = level.spacing;
      const std::string side = std::to_string((kSide - 1) / level.spacing + 1);
      now.under_way = "grid " + side + " × " + side;
      fill_level(level.spacing, begin, level.end);
      begin = level.end;
    }
    now.fraction = 1;
  }

  void choose_axes() {
    const ParameterSpec& stiffness = find_scene_parameter("stretch-stiffness")->spec;
    const double k = now.values->material.stretch_scale();
    const auto ks = evenly(std::max(stiffness.min, k / kStiffer), std::min(stiffness.max, k * kStiffer));
    for (std::size_t i = 0; i < kSide; ++i) now.columns[i].stiffness = ks[i];
    measure(kSide / 2);
    const ParameterSpec& dt = find_scene_parameter("dt")->spec;
    const double limit = 2 / now.columns[kSide / 2].omega_max, own = std::abs(now.values->h());
    const double low = std::clamp(std::min(kSmallestStep * limit, own / kBesideOwn), dt.min, dt.max / 100);
    const double high = std::clamp(std::max(kLargestStep * limit, own * kBesideOwn), 100 * low, dt.max);
    now.h = evenly(low, high);
  }

  static std::array<double, kSide> evenly(double low, double high) {
    std::array<double, kSide> values{};
    for (std::size_t i = 0; i < kSide; ++i)
      values[i] = low * std::pow(high / low, static_cast<double>(i) / (kSide - 1));
    return values;
  }

  void fill_level(std::size_t spacing, double begin, double end) {
    std::vector<std::size_t> wanted;
    std::vector<bool> listed(kSide * kSide, false);
    const auto list = [&](std::size_t column, std::size_t k) {
      const std::size_t node = column * kSide + k;
      if (listed[node] || !is_wanted(column, k, spacing)) return;
      listed[node] = true;
      wanted.push_back(node);
    };
    for (std::size_t column = 0; column < kSide; column += spacing)
      for (std::size_t k = 0; k < kSide; k += spacing) list(column, k);
    // The result of a trial may require its neighbours or make others unnecessary.
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      const std::size_t column = wanted[w] / kSide, k = wanted[w] % kSide;
      if (is_wanted(column, k, spacing)) {
        try_node(column, k, spacing);
        for_neighbours(column, k, spacing, list);
      }
      now.fraction = std::max(now.fraction, begin + (end - begin) * static_cast<double>(w + 1) /
                                                        static_cast<double>(wanted.size()));
      run.publish();
    }
  }

  /// Calls `visit` with the up to eight nodes around one.
  template <class Visit>
  static void for_neighbours(std::size_t column, std::size_t k, std::size_t spacing, const Visit& visit) {
    const auto low = [&](std::size_t at) { return at < spacing ? 0 : at - spacing; };
    for (std::size_t i = low(column); i <= std::min(column + spacing, kSide - 1); i += spacing)
      for (std::size_t j = low(k); j <= std::min(k + spacing, kSide - 1); j += spacing)
        if (i != column || j != k) visit(i, j);
  }

  bool is_wanted(std::size_t column, std::size_t k, std::size_t spacing) const {
    if (now.at(column, k).tried) return false;
    bool border = spacing >= kAllTried;
    for_neighbours(column, k, spacing, [&](std::size_t i, std::size_t j) {
      border = border || now.at(i, j).verdict != now.at(column, k).verdict;
    });
    return border;
  }

  void try_node(std::size_t column, std::size_t k, std::size_t spacing) {
    measure(column);
    const auto trial = try_step_size(run.scene, info, now.h[k], StabilityMap::kSteps, run.pool, run.stop);
    MapNode node{MapNode::Verdict::bounded, true, trial.good_steps(), trial.not_converged};
    if (!trial.stable)
      node.verdict = MapNode::Verdict::unstable;
    else if (trial.not_converged > 0)
      node.verdict = MapNode::Verdict::unconverged;
    if (node.steps > 0) {
      node.step_ms =
          std::accumulate(trial.step_ms.begin(), trial.step_ms.end(), 0.0) / static_cast<double>(node.steps);
      node.newton_iterations = trial.per_step(trial.newton_iterations);
      node.linear_iterations = trial.per_step(trial.cg_iterations);
    }
    // It represents those around it until they are tried themselves.
    const std::size_t half = spacing / 2;
    const auto from = [&](std::size_t at) { return at - std::min(at, half); };
    const auto to = [&](std::size_t at) { return std::min(at + std::max<std::size_t>(half, 1), kSide); };
    for (std::size_t i = from(column); i < to(column); ++i)
      for (std::size_t j = from(k); j < to(k); ++j)
        if (MapNode& near = now.nodes[i * kSide + j]; !near.tried) near.verdict = node.verdict;
    now.nodes[column * kSide + k] = node;
    ++now.tried;
  }

  /// Gives the scene the stiffness of a column, whose linear limit is measured the first time.
  void measure(std::size_t index) {
    MapColumn& column = now.columns[index];
    run.scene.scene.material.set_stretch_scale(column.stiffness);
    if (column.omega_max > 0) return;
    const Simulation start(trial_scene(run.scene, info, std::abs(now.values->dt)), run.scene.mesh, run.pool,
                           run.stop, run.scene.model);
    const auto estimate = measure_stability(start, start.state(), info, run.pool, run.stop, 0);
    if (!estimate) throw Cancelled();
    // Rods only: omega_max of the cloth.
    column.omega_max = estimate->omega_max() > 0 ? estimate->omega_max() : run.scene.omega_max;
    const auto limit = largest_stable_step(info, integrator_parameters(run.scene.scene, info), *estimate);
    if (limit && *limit > 0 && std::isfinite(*limit)) column.limit = limit;
  }
};

MapProgress empty_map(const IntegratorInfo& info) {
  MapProgress first;
  first.info = &info;
  return first;
}

}  // namespace

StabilityMap::StabilityMap(std::shared_future<KeepMoment::Kept> from, const IntegratorInfo& info)
    : MomentSearch(std::move(from), empty_map(info), [](Run& run) { MapRun{run}.fill(); }) {}

}  // namespace clothlab
