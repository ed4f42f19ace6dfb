// SPDX-License-Identifier: MIT
#include "sim/energy_account.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <numeric>

namespace clothlab {

namespace {

constexpr std::uint32_t kLongestRun = 1024;
constexpr std::size_t kMostTasks = 64;  // short runs are combined in one task

}  // namespace

EnergyMeter::EnergyMeter(const ClothModel& model) : mass_(model.parts()), velocity_(model.parts()) {
  const std::span<const std::uint32_t> part = model.part_of_particle();
  for (std::uint32_t i = 0; i < part.size(); ++i) {
    if (runs_.empty() || runs_.back().part != part[i] || i - runs_.back().begin == kLongestRun)
      runs_.push_back({i, i, part[i]});
    ++runs_.back().end;
  }
}

InternalEnergy EnergyMeter::measure(WorkerPool& pool, const ClothSystem& system, const State& state,
                                    const ClothSystem::Energies& potential) {
  const std::span<const double> m = system.masses();
  const auto for_runs = [&](const auto& body) {
    for_each(pool, runs_.size(), 1 + runs_.size() / kMostTasks, [&](std::size_t k) { body(runs_[k]); });
  };
  for_runs([&](Run& run) {
    run.mass = 0;
    run.momentum = vec3(0.0);
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      run.mass += m[i];
      run.momentum += m[i] * state.v[i];
    }
  });
  std::ranges::fill(mass_, 0.0);
  std::ranges::fill(velocity_, vec3(0.0));
  for (const Run& run : runs_) {
    mass_[run.part] += run.mass;
    velocity_[run.part] += run.momentum;
  }
  InternalEnergy energy;
  for (std::size_t p = 0; p < mass_.size(); ++p) {
    velocity_[p] /= mass_[p];
    energy.drift += 0.5 * mass_[p] * glm::dot(velocity_[p], velocity_[p]);
  }
  for_runs([&](Run& run) {
    run.kinetic = 0;
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const vec3 v = state.v[i] - velocity_[run.part];
      run.kinetic += 0.5 * m[i] * glm::dot(v, v);
    }
  });
  for (const Run& run : runs_) energy.kinetic += run.kinetic;
  energy.elastic = potential.stretch + potential.bend;
  return energy;
}

void EnergyAccount::set_scale(const ClothSystem& system, double reach, double speed) {
  const std::span<const double> m = system.masses();
  const double mass = std::accumulate(m.begin(), m.end(), 0.0);
  const OuterLoad load = system.outer_load(mass);
  load_ = std::max(load_, load.force * reach + load.energy + 0.5 * mass * speed * speed);

  constexpr double kStrain = 1e-4;
  floor_ = std::max(
      {floor_, load.force * load.force / system.material().stretch_scale(), system.stretch_energy(kStrain)});
}

double EnergyAccount::allowed(double factor) const {
  if (std::isinf(factor)) return std::numeric_limits<double>::infinity();
  return factor * std::max(load_ + start_ + work_, floor_);
}

std::optional<double> EnergyWatch::check(const Sample& now, const EnergyAccount& account, bool oscillates) {
  if (!base_) {
    base_ = now;
    work_ = account.work();
    quiet_until_ = now.time;
  }
  const double work = account.work() - work_;
  const double scale = std::max({account.given(), account.load() + base_->shaking + work, account.floor()});
  const double spurious = now.spurious - base_->spurious;
  if (!(spurious > kShare * scale)) {
    quiet_until_ = now.time;
    least_ = std::numeric_limits<double>::infinity();
  } else {
    least_ = std::min(least_, spurious);
  }
  if (!oscillates && spurious > kCertain * scale) return spurious;
  if (std::abs(now.time - quiet_until_) < kTime) return std::nullopt;
  return least_;
}

}  // namespace clothlab
