// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cloth/cloth_system.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/state.h"

namespace clothlab {

/// Internal energy of a cloth, in which a blow-up shows [J].
struct InternalEnergy {
  double kinetic = 0;  ///< relative to the centre of mass of each connected part
  double drift = 0;    ///< kinetic energy of those centres: the rest of ½ Σ m v²
  double elastic = 0;  ///< stretch and bend
  double shaking() const { return kinetic + elastic; }
};

/// Figures of a state, measured after a step.
struct Measurement {
  ClothSystem::Energies potential;  ///< without the elastic energy of rods
  InternalEnergy internal;
  double strain = 0;  ///< the largest
  double volume = 0;  ///< inflated volume [m³]
};

/// Measures InternalEnergy; keeps its scratch memory.
///
/// Each connected part has its own centre of mass: with a common one, a part that falls past a pinned part
/// would seem to gain energy.
class EnergyMeter {
 public:
  explicit EnergyMeter(const ClothModel& model);

  /// `system` is one of the model.
  InternalEnergy measure(WorkerPool& pool, const ClothSystem& system, const State& state,
                         const ClothSystem::Energies& potential);

 private:
  /// Successive particles of one part and their sums.
  struct Run {
    std::uint32_t begin, end, part;
    double mass = 0;     // [kg]
    vec3 momentum{0.0};  // [kg·m/s]
    double kinetic = 0;  // relative to the centre of the part [J]
  };

  std::vector<Run> runs_;
  std::vector<double> mass_;    // per part
  std::vector<vec3> velocity_;  // of the centre, per part
};

/// The largest energy that a run can have without a blow-up (model.md, "Blow-up").
///
///   allowed = X · max(F · reach + ½ M w² + energy at the start + work, least)
///
/// F = M |g| + ρ/2 c A w² is the load of gravity and of the fastest gust w on all of the cloth, the reach the
/// mesh's diagonal plus the distance to the farthest surface; without wind and surfaces this is M |g| ·
/// diagonal. A surface that moves at the speed u adds ½ M u².
///
/// The work is done by the grab, by moving pins, and by commands that raise the energy of the current state
/// (a stiffer spring, a heavier mass). Each is computed at the last good state, so that a blow-up does not
/// raise its own limit. F · reach + ½ M w² is the largest since the start.
///
/// The least is the larger of two energies: all stretch springs at a strain of 10⁻⁴, so that rounding is no
/// blow-up on a flat sheet at rest without gravity; and F²/k_s, the energy of a spring that the whole load
/// falls into, for meshes of (nearly) no size.
class EnergyAccount {
 public:
  void start(double energy) { start_ = energy, work_ = 0, load_ = 0, floor_ = 0; }
  void add_work(double joule) { work_ += joule > 0 ? joule : 0.0; }
  /// Call at the start and whenever the material, the wind, the reach [m] or the speed of surfaces [m/s]
  /// changes.
  void set_scale(const ClothSystem& system, double reach, double speed = 0);

  double allowed(double factor) const;
  /// The spurious energy [J] that a step of a linearised method may gain; more is reported, and refused by
  /// adaptive steps.
  double allowed_gain() const { return allowed(kGainShare); }
  static constexpr double kGainShare = 0.05;

  double load() const { return load_; }  ///< F · reach + ½ M w²
  double work() const { return work_; }
  double floor() const { return floor_; }  ///< lower bound of the energy scale
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

/// Detects spurious energy long before EnergyAccount reports a blow-up: the gain of method, solvers and rods
/// in the ledger since the first sample exceeds kShare of F · reach + start + work throughout kTime. The
/// duration is needed because T + V of a symplectic method oscillates about its value, near the stability
/// limit by many times that value. If T + V does not oscillate, one sample above kCertain of that sum is
/// enough.
class EnergyWatch {
 public:
  static constexpr double kTime = 0.25;  // [s]
  static constexpr double kShare = 0.05;
  static constexpr double kCertain = 1;

  struct Sample {
    double time = 0;      ///< [s]
    double spurious = 0;  ///< EnergyLedger::spurious [J]
    double shaking = 0;   ///< InternalEnergy::shaking [J]
  };

  /// The energy of the next sample becomes the reference.
  void restart() { base_.reset(); }
  /// The smallest spurious energy in the last kTime [J] if it is too much, or the one of this sample if one
  /// is enough; otherwise none. Samples are in order of time.
  std::optional<double> check(const Sample& now, const EnergyAccount& account, bool oscillates = true);

  template <class Each>
  void each_number(const Each& each) {
    each.maybe(base_, [&](Sample& base) {
      for (double* value : {&base.time, &base.spurious, &base.shaking}) each(*value);
    });
    for (double* value : {&work_, &quiet_until_, &least_}) each(*value);
  }

 private:
  std::optional<Sample> base_;
  double work_ = 0;         // of the account, at the base
  double quiet_until_ = 0;  // last time with an allowed value [s]
  double least_ = 0;        // since then [J]
};

}  // namespace clothlab
