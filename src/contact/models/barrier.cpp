// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cloth/cloth_model.h"
#include "contact/models/penalty.h"

namespace clothlab {
namespace {

/// Contact by a barrier: its forces, and a bound of displacements that lets nothing pass through anything.
class BarrierResponse final : public PenaltyResponse {
 public:
  void configure(const ContactInput& input, const Surfaces& surfaces) override {
    if (input.contact.barrier_stiffness != set_stiffness_) stiffened_ = 1;
    set_stiffness_ = input.contact.barrier_stiffness;
    PenaltyResponse::configure(input, surfaces);
  }
  void stiffen(double factor) override {
    if (factor == stiffened_) return;
    const double stiffness = factor / stiffened_ * force_.settings().law.stiffness;
    stiffened_ = factor;
    force_.set_stiffness(stiffness, damping_of(stiffness));
  }

  /// True if the prescribed displacements are free with the rest of the cloth at its position, or moving at
  /// its velocity. Otherwise shorter steps may be possible, in which the cloth is pushed aside.
  bool may_begin(const ContactStep& step) override {
    const Projection& projection = step.system.projection();
    reached_ = step.start.x;
    for (const Projection::Entry& held : projection.entries())
      reached_[held.particle] = held.target - held.S * (held.target - step.start.x[held.particle]);
    if (force_.may_begin(step.context.pool, step.start.x, reached_)) return true;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const Projection::Entry* held = projection.find(static_cast<std::uint32_t>(i));
      const vec3 displacement = step.h * step.start.v[i];
      reached_[i] += held != nullptr ? held->S * displacement : displacement;
    }
    return force_.may_begin(step.context.pool, step.start.x, reached_);
  }
  std::span<vec3> reached() override { return force_.empty() ? std::span<vec3>() : std::span(reached_); }

  double limit(WorkerPool& pool, std::span<const vec3> x) override {
    if (force_.empty()) return 1;
    displacement_.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) displacement_[i] = x[i] - reached_[i];
    return force_.limit(pool, reached_, displacement_);
  }
  /// A limited particle gets the velocity of its limited displacement.
  void apply_limit(const ContactStep& step, State& after) override {
    for (std::size_t i = 0; i < after.x.size(); ++i) {
      if (force_.fractions()[i] == 1) continue;
      after.x[i] = reached_[i] + displacement_[i];
      after.v[i] = (after.x[i] - step.start.x[i]) / step.h;
    }
  }
  std::pair<std::uint32_t, std::uint32_t> squeezed() const override { return force_.squeezed(); }

 private:
  /// Automatic: at half the contact distance as stiff as a stretch spring, and able to carry ten particles.
  void choose_law(const ContactInput& input, ContactSettings& settings) const override {
    constexpr double kParticles = 10, kGravity = 9.8;  // [m/s²]
    const double distance = settings.law.distance;
    settings.law.barrier = true;
    settings.law.stiffness = set_stiffness_;
    if (set_stiffness_ > 0) return;
    const ContactLaw unit{1, distance, true};
    const double load =
        kParticles * kGravity * input.material.mass / static_cast<double>(input.cloth.particles());
    settings.law.stiffness =
        stiffened_ *
        std::max(input.material.stretch_stiffness / unit.slope(distance / 2), load / unit.push(distance / 2));
  }

  double set_stiffness_ = 0;   // 0: automatic [N/m]
  std::vector<vec3> reached_;  // see StepContext [m]
  std::vector<vec3> displacement_;
};

}  // namespace

std::unique_ptr<ContactResponse> make_barrier_contact() { return std::make_unique<BarrierResponse>(); }

}  // namespace clothlab
