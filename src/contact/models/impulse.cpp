// SPDX-License-Identifier: MIT
#include "contact/filter_contact.h"
#include "contact/impulse_contact.h"
#include "integrate/integrator_info.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

constexpr double kThicknessOfEdge = 0.1;

/// Contact by impulses, with the filter for particles on surfaces.
class ImpulseResponse final : public FilterContact {
 public:
  void configure(const ContactInput& input, const Surfaces& surfaces) override {
    FilterContact::configure(input, surfaces);
    is_active_ = has_surfaces_ || input.self_contact;
    knows_reactions_ = is_active_ && !input.method.inextensible;
    settings_ = {input.thickness > 0 ? input.thickness : kThicknessOfEdge * mean_edge(input.cloth),
                 input.obstacles.friction, input.method.family != IntegratorFamily::explicit_method,
                 input.solver};
    has_cloth_ = has_cloth_ && with_itself_ == input.self_contact;
    with_itself_ = input.self_contact;
    mesh_ = &input.mesh;
    if (!is_active_) pairs_.clear();
  }
  double thickness() const override { return is_active_ ? settings_.thickness : 0; }
  bool corrects_steps() const override { return is_active_; }
  bool uses_reactions() const override { return knows_reactions_; }
  bool begin_step(const ContactStep& step) override {
    pinned_.clear();
    for (const Projection::Entry& held : step.system.projection().entries()) pinned_.push_back(held.particle);
    return FilterContact::begin_step(step);
  }
  End end_step(const ContactStep& step, std::span<const vec3> reactions, State& after) override {
    using Outcome = ImpulseContact::Outcome;
    End end = FilterContact::end_step(step, reactions, after);
    if (!is_active_) return end;
    if (!has_cloth_) impulses_.set_cloth(mesh_->triangles, mesh_->positions, with_itself_);
    has_cloth_ = true;
    const Outcome outcome = impulses_.resolve(settings_, step.surfaces, step.h, step.start, after,
                                              step.system, pinned_, step.context);
    end.moved = end.moved || outcome == Outcome::changed;
    if (outcome == Outcome::squeezed) end.failure = Failure::squeezed;
    if (outcome == Outcome::crowded) end.failure = Failure::crowded;
    const std::span<const ContactPair> on_surfaces = FilterContact::pairs({});
    pairs_.assign(on_surfaces.begin(), on_surfaces.end());
    pairs_.insert(pairs_.end(), impulses_.pairs().begin(), impulses_.pairs().end());
    return end;
  }
  std::pair<std::uint32_t, std::uint32_t> squeezed() const override {
    return {impulses_.squeezed(), impulses_.squeezed_on()};
  }
  bool converged() const override { return !is_active_ || impulses_.converged(); }
  std::span<const ContactPair> pairs(std::span<const vec3> /*v*/) override { return pairs_; }
  void set_contacts(const std::vector<ActiveContact>& contacts) override {
    FilterContact::set_contacts(contacts);
    pairs_.assign(impulses_.pairs().begin(), impulses_.pairs().end());
  }
  void add_figures(ContactFigures& figures) const override {
    if (is_active_) figures.candidates = impulses_.candidates();
  }

 private:
  bool is_active_ = false, knows_reactions_ = false;
  bool with_itself_ = false, has_cloth_ = false;  // has_cloth_: impulses_ has it, with that
  const ClothMesh* mesh_ = nullptr;
  ImpulseSettings settings_;
  ImpulseContact impulses_;
  std::vector<std::uint32_t> pinned_;  // ascending
  std::vector<ContactPair> pairs_;
};

}  // namespace

std::unique_ptr<ContactResponse> make_impulse_contact() { return std::make_unique<ImpulseResponse>(); }

}  // namespace clothlab
