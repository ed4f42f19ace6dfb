// SPDX-License-Identifier: MIT
#pragma once

#include "cloth/force_term.h"
#include "dynamics/step_contact.h"

namespace clothlab {

/// Contact as a force of a cloth system; src/contact implements it.
class ContactTerm : public ForceTerm, public StepContact {
 public:
  /// DynamicSystem::linearize for this force, with the masses of particles [kg].
  virtual void linearize_set(WorkerPool& pool, std::span<const double> masses, std::span<const vec3> x,
                             std::span<const vec3> v, double factor, std::span<const vec3> u,
                             const SystemCoefficients& c, JacobianMode mode, ContactSet& contacts,
                             std::span<vec3> f, SpringMatrix& a) const = 0;
};

}  // namespace clothlab
