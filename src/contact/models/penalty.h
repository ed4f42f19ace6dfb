// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact_response.h"

namespace clothlab {

/// Contact by penalty forces; a barrier adds to it.
class PenaltyResponse : public ContactResponse {
 public:
  void configure(const ContactInput& input, const Surfaces& surfaces) override;
  bool begin_step(const ContactStep& step) override;
  End end_step(const ContactStep& step, State& after) override;
  std::span<const ContactPair> pairs(std::span<const vec3> v) override;
  std::vector<ContactPair> pairs_at(WorkerPool& pool, const Surfaces& surfaces, const State& state) override;
  void add_figures(ContactFigures& figures) const override;

 protected:
  /// Sets the law and the thickness of its gap; automatic values are chosen for the mesh.
  virtual void choose_law(const ContactInput& input, ContactSettings& settings) const;
  /// The damping of contacts of that stiffness [N·s/m].
  double damping_of(double stiffness) const;

  Material material_;

 private:
  bool forces_at_start_ = false;  // the method evaluates all forces at the start of a step
  std::vector<ContactPair> pairs_;
};

}  // namespace clothlab
