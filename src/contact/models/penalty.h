// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact_response.h"

namespace clothlab {

/// Contact by penalty forces; a barrier adds to it.
class PenaltyResponse : public ContactResponse {
 public:
  void configure(const ContactInput& input, const Surfaces& surfaces) override;
  bool begin_step(const ContactStep& step) override {
    if (!force_.empty()) force_.begin(step.context.pool, step.start.x, forces_at_start_ ? step.h : 0, step.h);
    return false;
  }
  End end_step(const ContactStep& /*step*/, State& /*after*/) override {
    return {false, force_.crowded() ? std::optional(Failure::crowded) : std::nullopt};
  }
  std::span<const ContactPair> pairs(std::span<const vec3> v) override {
    pairs_.clear();
    for (const ContactElement& contact : force_.found()) pairs_.push_back(force_.pair(contact, v));
    return pairs_;
  }
  std::vector<ContactPair> pairs_at(WorkerPool& pool, const Surfaces& surfaces, const State& state) override;
  void add_figures(ContactFigures& figures) const override {
    if (!force_.empty()) figures.stiffness = force_.settings().law.stiffness;
  }

 protected:
  /// Sets the law and the thickness of its gap; automatic values are chosen for the mesh.
  virtual void choose_law(const ContactInput& input, ContactSettings& settings) const {
    settings.law.stiffness = input.contact.stiffness;
    settings.thickness = input.thickness;
  }
  /// The damping of contacts of that stiffness [N·s/m].
  double damping_of(double stiffness) const {
    return material_.spring_damping + material_.rayleigh_stiffness * stiffness;
  }

  Material material_;

 private:
  bool forces_at_start_ = false;  // the method evaluates all forces at the start of a step
  std::vector<ContactPair> pairs_;
};

}  // namespace clothlab
