// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact_model.h"
#include "core/stop_probe.h"
#include "integrate/registry.h"

namespace clothlab {

/// A small sheet that is released on a slope, where contact carries it and its springs are at rest, so that
/// theory predicts its motion.
struct Slope {
  double angle = 0;           ///< [rad]
  double friction = 0;        ///< μ
  double friction_speed = 0;  ///< ε, of contact by forces [m/s]
  ContactModel contact{};
  double h = 0;  ///< [s]

  bool sticks() const;  ///< tan θ ≤ μ
  /// At rest by Coulomb's law; ε (1 − √(1 − tan θ/μ)) by the smoothed one, of contact by forces [m/s].
  double creep() const;
  double slide() const;  ///< g (sin θ − μ cos θ), if it does not stick [m/s²]
};

inline constexpr double kSlopeTime = 0.5;  ///< [s]

/// Motion in the second half of kSlopeTime.
struct SlopeRun {
  bool done = false;     ///< neither cancelled nor blown up
  bool blew_up = false;  ///< in the step after the last one
  double speed = 0;      ///< mean down the slope [m/s]
  double rate = 0;       ///< mean acceleration down the slope [m/s²]
};

SlopeRun run_down(const Slope& slope, const IntegratorInfo& info, const IntegratorParameters& values,
                  const StopProbe& stop = {});

}  // namespace clothlab
