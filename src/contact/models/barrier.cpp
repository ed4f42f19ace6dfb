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
    projection.couplings().prescribe_offset(step.start.x, 0, reached_);
    if (force_.may_begin(step.context.pool, step.start.x, reached_)) return true;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const Projection::Entry* held = projection.find(static_cast<std::uint32_t>(i));
      const vec3 displacement = step.h * step.start.v[i];
      reached_[i] += held != nullptr ? held->S * displacement : displacement;
    }
    projection.couplings().prescribe_offset(step.start.x, 0, reached_);
    return force_.may_begin(step.context.pool, step.start.x, reached_);
  }
  std::span<vec3> reached() override { return force_.empty() ? std::span<vec3>() : std::span(reached_); }

  /// A limited group of couplings is then put at its lengths, which may have to be limited again.
  double limit(const ContactStep& step, std::span<const vec3> x) override {
    constexpr int kRounds = 8;
    if (force_.empty()) return 1;
    WorkerPool& pool = step.context.pool;
    const Couplings& couplings = step.system.projection().couplings();
    limited_.assign(x.begin(), x.end());
    displacement_.resize(x.size());
    const auto find_displacements = [&] {
      for (std::size_t i = 0; i < x.size(); ++i) displacement_[i] = limited_[i] - reached_[i];
    };
    double least = 1;
    for (int round = 0; round < kRounds; ++round) {
      find_displacements();
      const double fraction = force_.limit(pool, couplings, reached_, displacement_);
      least *= fraction;
      if (fraction == 1) break;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (force_.bound().fractions()[i] != 1) limited_[i] = reached_[i] + displacement_[i];
      if (couplings.empty() || round + 1 == kRounds) break;
      couplings.put_at_lengths(limited_);
    }
    return least;
  }
  /// A limited particle gets the velocity of its limited displacement.
  void apply_limit(const ContactStep& step, State& after) override {
    for (std::size_t i = 0; i < after.x.size(); ++i) {
      if (limited_[i] == after.x[i]) continue;
      after.x[i] = limited_[i];
      after.v[i] = (after.x[i] - step.start.x[i]) / step.h;
    }
    step.system.projection().couplings().stop_change(after.v);
  }
  DisplacementBound::LimitingContact squeezed() const override { return force_.bound().limiting_contact(); }

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
  std::vector<vec3> displacement_, limited_;
};

}  // namespace

std::unique_ptr<ContactResponse> make_barrier_contact() { return std::make_unique<BarrierResponse>(); }

}  // namespace clothlab
