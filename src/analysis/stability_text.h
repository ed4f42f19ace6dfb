// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stability.h"
#include "contact/contact_force.h"
#include "contact/contact_model.h"
#include "dynamics/failed_spring.h"

namespace clothlab {

/// One or two sentences that compare h with the method's linear limit at this shape, or give the growth per
/// step of a method that is never stable. For methods with rods the estimate omits the stretch springs
/// (StabilityMeter), and the text mentions it. `values` are the method's own parameters; `h` [s].
std::string describe_stability(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                               const StabilityEstimate& estimate);

/// The facts of a blow-up (sim/simulation.h, BlowUp).
struct BlowUpFacts {
  const IntegratorInfo* integrator = nullptr;  ///< of the step; never null
  IntegratorParameters parameters = {};        ///< the method's own
  bool finite = true;                          ///< false: a value is not a finite number
  std::uint64_t step = 0;                      ///< the step that failed
  double time = 0;                             ///< at its end [s]
  double h = 0;                                ///< its length [s]
  double energy = 0;      ///< of the cloth after it, or the spurious energy of the step [J]
  bool spurious = false;  ///< the latter
  bool squeezed = false;  ///< contact by impulses or by a barrier found no free displacement, at `contact`
  bool crowded = false;   ///< too many contacts are possible within the step for contact by impulses
  std::optional<ContactModel> contact_model = {};  ///< if the cloth touched something
  std::string other_contact = {};  ///< "contact by filter or penalty": models of the method that may help
  double allowed = 0;              ///< the limit that this exceeded: factor × the energy accounted for [J]
  double factor = 1;               ///< the scene's --energy-limit
  /// Time of the last good state [s], strained by less than 10 %; none: it is the start.
  std::optional<double> good_time;
  bool solved_once = false;  ///< each stage by one linear solve
  std::optional<FailedSpring> spring = {};
  std::array<std::uint32_t, 2> vertices{};  ///< of its ends, counted from 0
  std::optional<FailedContact> contact = {};
  std::uint32_t contact_vertex = 0;  ///< of its particle
  std::string contact_with = {};     ///< "the floor", "obstacle 2 (sphere)"
};

/// True if a contact failed: it is stiffer than the failed spring and alone above the method's limit.
bool contact_failed(const BlowUpFacts& facts);

/// "the stretch spring between vertices 12 and 33", "the contact of vertex 12 with the floor"; empty if
/// neither is known.
std::string name_of_failure(const BlowUpFacts& facts);

/// Some sentences: what happened at which step, why (describe_stability of the estimate at the last good
/// state, if known), and remedies.
std::string explain_blow_up(const BlowUpFacts& facts, const std::optional<StabilityEstimate>& estimate);

}  // namespace clothlab
