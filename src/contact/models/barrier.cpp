// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "cloth/cloth_model.h"
#include "contact/models/penalty.h"

namespace clothlab {
namespace {

constexpr std::size_t kGrain = 256;

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

  /// True if the prescribed displacements are free with the rest of the cloth at its position, moving at its
  /// velocity, or going along with bodies. Otherwise shorter steps may be possible, in which the cloth is
  /// pushed aside.
  bool may_begin(const ContactStep& step) override {
    return is_free(step, [](std::size_t) { return vec3(0); }) ||
           is_free(step, [&](std::size_t i) { return step.h * step.start.v[i]; }) ||
           (step.surfaces.move() && is_free(step, [&](std::size_t i) { return along_bodies(step, i); }));
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
  /// True if nothing passes through anything while free particles move by displacement(i).
  template <class Displacement>
  bool is_free(const ContactStep& step, const Displacement& displacement) {
    const Projection& projection = step.system.projection();
    const std::vector<vec3>& x = step.start.x;
    reached_.resize(x.size());
    for_each(step.context.pool, x.size(), kGrain,
             [&](std::size_t i) { reached_[i] = x[i] + displacement(i); });
    for (const Projection::Entry& held : projection.entries()) {
      const vec3 free = reached_[held.particle] - x[held.particle];
      reached_[held.particle] = held.target - held.S * (held.target - x[held.particle] - free);
    }
    projection.couplings().prescribe_offset(x, 0, reached_);
    return force_.may_begin(step.context.pool, x, reached_);
  }

  /// The displacement of the closest surface that moves, fading out with the distance from it.
  vec3 along_bodies(const ContactStep& step, std::size_t i) const {
    constexpr double kReach = 4;  // contact distances, or displacements of the body
    const Surfaces& surfaces = step.surfaces;
    const auto particle = static_cast<std::uint32_t>(i);
    const vec3& x = step.start.x[i];
    double most = 0;
    vec3 displacement(0);
    for (std::uint32_t k = surfaces.first(); k < surfaces.size(); ++k) {
      if (!surfaces.moves(k)) continue;
      const double reach =
          kReach * std::max(force_.settings().law.distance, surfaces.largest_displacement(k));
      const std::optional<SurfacePoint> point = surfaces.within(k, particle, x, reach, true);
      const double fraction = point ? std::min(2 * (1 - point->gap() / reach), 1.0) : 0;
      if (!(fraction > most)) continue;
      most = fraction;
      displacement = fraction * surfaces.displacement(k, particle, x, point->normal);
    }
    return displacement;
  }

  /// Automatic: at half the contact distance as stiff as a stretch spring, and able to carry ten particles.
  void choose_law(const ContactInput& input, ContactSettings& settings) const override {
    constexpr double kParticles = 10, kGravity = 9.8;  // [m/s²]
    const double distance = settings.law.distance;
    settings.law.barrier = true;
    settings.law.stiffness = set_stiffness_;
    if (set_stiffness_ > 0) return;
    const ContactLaw unit{1, distance, true};
    const double load = kParticles * kGravity * input.material.mass_of(input.mesh.area) /
                        static_cast<double>(input.cloth.particles());
    settings.law.stiffness = stiffened_ * std::max(input.material.stretch_scale() / unit.slope(distance / 2),
                                                   load / unit.push(distance / 2));
  }

  double set_stiffness_ = 0;   // 0: automatic [N/m]
  std::vector<vec3> reached_;  // see StepContext [m]
  std::vector<vec3> displacement_, limited_;
};

}  // namespace

std::unique_ptr<ContactResponse> make_barrier_contact() { return std::make_unique<BarrierResponse>(); }

}  // namespace clothlab
