// SPDX-License-Identifier: MIT
#pragma once

#include "contact/contact_response.h"
#include "contact/filter_contact.h"

namespace clothlab {

/// Contact by the filter; impulses add to it.
class FilterResponse : public ContactResponse {
 public:
  void configure(const ContactInput& input, const Surfaces& surfaces) override;
  bool constrains() const override { return has_surfaces_; }
  bool corrects_steps() const override { return has_surfaces_; }
  bool begin_step(const ContactStep& step) override;
  bool needs_repeat(const ContactStep& step, const State& after) override;
  End end_step(const ContactStep& step, std::span<const vec3> reactions, State& after) override;
  bool lifts() const override { return filter_.lifts(); }
  void take_back() override { filter_.take_back(); }
  std::span<const ContactPair> pairs(std::span<const vec3> /*v*/) override {
    return has_surfaces_ ? filter_.pairs() : std::span<const ContactPair>();
  }
  std::vector<ContactPair> pairs_at(WorkerPool& pool, const Surfaces& surfaces, const State& state) override;
  void add_constraints(Projection& projection, const Surfaces& surfaces,
                       std::span<const vec3> x) const override {
    filter_.add_to(projection, surfaces, x);
  }
  const std::vector<ActiveContact>& contacts() const override { return filter_.contacts(); }
  void set_contacts(const std::vector<ActiveContact>& contacts) override { filter_.set_contacts(contacts); }

 protected:
  bool has_surfaces_ = false;
  FilterContact filter_;
};

}  // namespace clothlab
