// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stability.h"
#include "contact/contact_model.h"
#include "contact/failed_contact.h"
#include "dynamics/failed_spring.h"

namespace clothlab {

/// One or two sentences on h against the method's linear limit at this shape, or on the growth per step of a
/// method that is never stable, with the numbers. For methods with rods the estimate is without the stretch
/// springs (StabilityMeter), and the text says so. `values` are the method's own parameters; `h` [s].
std::string describe_stability(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                               const StabilityEstimate& estimate);

/// The facts of a blow-up (sim/simulation.h, BlowUp).
struct BlowUpFacts {
  bool finite = true;      ///< false: a value is not a finite number
  std::uint64_t step = 0;  ///< the step that failed
  double time = 0;         ///< at its end [s]
  double h = 0;            ///< its length [s]
  double energy = 0;       ///< of the cloth after it, or what it made from nothing [J]
  bool made = false;       ///< the latter
  bool squeezed = false;   ///< contact by impulses or by a barrier found no way, at `contact`
  bool crowded = false;    ///< too much could meet within the step for contact by impulses
  std::optional<ContactModel> contact_model = {};  ///< where the cloth touched something
  std::string other_contact = {};  ///< "contact by filter or penalty": models of the method that may help
  double allowed = 0;              ///< the limit that this exceeded: factor × the energy accounted for [J]
  double factor = 1;               ///< the scene's --energy-limit
  /// Of the last sound state [s], strained by less than 10 %; none: that is the start.
  std::optional<double> good_time;
  std::optional<FailedSpring> spring = {};
  std::array<std::uint32_t, 2> vertices{};  ///< of its ends, counted from 0
  std::optional<FailedContact> contact = {};
  std::uint32_t contact_vertex = 0;  ///< of its particle
  std::string contact_with = {};     ///< "the floor", "obstacle 2 (sphere)"
};

/// Whether a contact is what failed: it is stiffer than the spring that did, and alone above the method's
/// limit.
bool contact_failed(const BlowUpFacts& facts, const IntegratorInfo& integrator,
                    const IntegratorParameters& values);

/// "the stretch spring between vertices 12 and 33", "the contact of vertex 12 with the floor"; empty where
/// neither is known.
std::string name_of_failure(const BlowUpFacts& facts, const IntegratorInfo& integrator,
                            const IntegratorParameters& values);

/// Some sentences: what happened at which step, why (describe_stability of the estimate at the last sound
/// state, where known), and what helps.
std::string explain_blow_up(const BlowUpFacts& facts, const IntegratorInfo& integrator,
                            const IntegratorParameters& values,
                            const std::optional<StabilityEstimate>& estimate);

}  // namespace clothlab
