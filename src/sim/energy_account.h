// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cloth/cloth_system.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/state.h"

namespace clothlab {

/// Energy that a cloth can shake with [J].
struct InternalEnergy {
  double kinetic = 0;  ///< relative to the centre of mass of each connected part
  double drift = 0;    ///< kinetic energy of those centres: the rest of ½ Σ m v²
  double elastic = 0;  ///< stretch and bend
  double shaking() const { return kinetic + elastic; }
};

/// What is measured of a state after a step.
struct Measurement {
  ClothSystem::Energies potential;  ///< without what the integrator knows nothing of
  InternalEnergy internal;
  double strain = 0;  ///< the largest
};

/// Measures InternalEnergy; keeps its scratch memory.
///
/// model.md speaks of one centre of mass. It is taken per connected part here, which is the same for a
/// cloth in one piece: in a mesh of several parts, one that falls past another that is pinned would
/// otherwise look as if it had energy from nowhere.
class EnergyMeter {
 public:
  /// `pool` must outlive this.
  EnergyMeter(const ClothModel& model, WorkerPool& pool);

  /// `system` is one of the model.
  InternalEnergy measure(const ClothSystem& system, const State& state,
                         const ClothSystem::Energies& potential);

 private:
  /// Successive particles of one part, and what they add to it.
  struct Run {
    std::uint32_t begin, end, part;
    double mass = 0;     // [kg]
    vec3 momentum{0.0};  // [kg·m/s]
    double kinetic = 0;  // relative to the centre of the part [J]
  };
  /// body(run) for all runs, on all threads.
  template <class Body>
  void for_runs(const Body& body);

  WorkerPool& pool_;
  std::vector<Run> runs_;
  std::vector<double> mass_;    // per part
  std::vector<vec3> velocity_;  // of the centre, per part
};

/// How much energy a run may have at most, if all that was ever there turned into shaking (model.md,
/// "Blow-up").
///
///   allowed = X · max(F · reach + ½ M w² + energy at the start + work, floor)
///
/// F = M |g| + ρ/2 c A w² is the load of gravity and of the fastest gust w on all of the cloth, the reach the
/// mesh's diagonal and the way to the floor; without wind and floor this is M |g| · diagonal.
///
/// The work is what came in from outside: by the grab, by moving pins, and by commands that raise the
/// energy of the state at hand (a stiffer spring, a heavier mass). None of these grows because of the
/// blow-up itself: each is taken from the last good state. F · reach + ½ M w² is the largest since the start.
///
/// The floor is the larger of two energies: all stretch springs at a strain of 10⁻⁴, without which a flat
/// sheet at rest without gravity would be allowed nothing, and rounding would pass for a blow-up; and
/// F²/k_s, what a spring takes up that the whole load falls into, without which a mesh of (nearly) no
/// size would be allowed nothing.
class EnergyAccount {
 public:
  void start(double energy) { start_ = energy, work_ = 0, load_ = 0, floor_ = 0; }
  void add_work(double joule) { work_ += joule > 0 ? joule : 0.0; }
  /// To be called at the start and whenever the material, the wind or the reach [m] changes.
  void set_scale(const ClothSystem& system, double reach);

  double allowed(double factor) const;

  double load() const { return load_; }  ///< F · reach + ½ M w²
  double work() const { return work_; }
  double given() const { return load_ + start_ + work_; }

  template <class Each>
  void each_number(const Each& each) {
    for (double* value : {&start_, &work_, &load_, &floor_}) each(*value);
  }

 private:
  double start_ = 0;
  double work_ = 0;
  double load_ = 0;  // F · reach + ½ M w²
  double floor_ = 0;
};

/// Notices energy that a method makes from nothing, long before EnergyAccount calls it a blow-up: when for
/// kTime on end T + V, less what it was and less the work put in since, is more than kShare of F · reach +
/// start + work. So long, because T + V of a symplectic method swings about what it keeps; near its limit
/// of stability that is many times more, but comes back to it with every oscillation.
class EnergyWatch {
 public:
  static constexpr double kTime = 0.25;  // [s]
  static constexpr double kShare = 0.05;

  struct Sample {
    double time = 0;     ///< [s]
    double total = 0;    ///< T + V [J]
    double shaking = 0;  ///< InternalEnergy::shaking [J]
  };

  /// What the next sample has counts as given.
  void restart() { base_.reset(); }
  /// The least energy from nothing in the last kTime [J], when it is too much. Samples are in order of time.
  std::optional<double> look(const Sample& now, const EnergyAccount& account);

  template <class Each>
  void each_number(const Each& each) {
    each.maybe(base_, [&](Sample& base) {
      for (double* value : {&base.time, &base.total, &base.shaking}) each(*value);
    });
    for (double* value : {&work_, &quiet_until_, &least_}) each(*value);
  }

 private:
  std::optional<Sample> base_;
  double work_ = 0;         // of the account, at the base
  double quiet_until_ = 0;  // when there last was no more than may be [s]
  double least_ = 0;        // since then [J]
};

}  // namespace clothlab
