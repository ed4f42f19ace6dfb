// SPDX-License-Identifier: MIT
#include "integrate/step_ends.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>

namespace clothlab {

namespace {

// S free + (I − S) held; exactly `held` if nothing is free, even with a non-finite `free`.
vec3 combine(const mat3& S, const vec3& free, const vec3& held) {
  return S == mat3(0.0) ? held : S * free + (mat3(1.0) - S) * held;
}

}  // namespace

void prescribe_velocity(const Projection& projection, std::span<const vec3> x0, double h, std::span<vec3> v) {
  for (const Projection::Entry& e : projection.entries()) {
    v[e.particle] = combine(e.S, v[e.particle], (e.target - x0[e.particle]) / h);
  }
  projection.couplings().prescribe_velocity(v);
}

std::span<const vec3> prescribed_velocity(const Projection& projection, std::span<const vec3> x0, double h,
                                          std::span<const vec3> v, std::vector<vec3>& copy) {
  copy.reserve(v.size());  // a pin that starts to move later allocates nothing
  const auto is_prescribed = [&](const Projection::Entry& e) {
    return combine(e.S, v[e.particle], (e.target - x0[e.particle]) / h) == v[e.particle];
  };
  if (projection.couplings().empty() && std::ranges::all_of(projection.entries(), is_prescribed)) return v;
  copy.assign(v.begin(), v.end());
  prescribe_velocity(projection, x0, h, copy);
  return copy;
}

void prescribe_change(const Projection& projection, std::span<const vec3> x0, double h,
                      std::span<const vec3> v, std::span<vec3> z) {
  for (const Projection::Entry& e : projection.entries()) z[e.particle] = v[e.particle];
  prescribe_velocity(projection, x0, h, z);
  for (const Projection::Entry& e : projection.entries()) z[e.particle] -= v[e.particle];
}

void prescribe_offset(const Projection& projection, std::span<const vec3> x0, double h, double gamma,
                      std::span<vec3> x_hat) {
  for (const Projection::Entry& e : projection.entries()) {
    const vec3 displacement = e.target - x0[e.particle];
    x_hat[e.particle] = combine(e.S, x_hat[e.particle], e.target - gamma / h * displacement);
  }
  projection.couplings().prescribe_offset(x0, gamma, x_hat);
}

void prescribe(const Projection& projection, std::span<const vec3> x0, double h, std::span<vec3> x,
               std::span<vec3> v) {
  prescribe_velocity(projection, x0, h, v);
  for (const Projection::Entry& e : projection.entries()) {
    x[e.particle] = combine(e.S, x[e.particle], e.target);
  }
  projection.couplings().finish(x, v);
}

void finish_step(const DynamicSystem& system, const StepContext& context, double h, std::vector<vec3>& x1,
                 std::vector<vec3>& v1, State& state) {
  prescribe(system.projection(), state.x, h, x1, v1);
  if (context.ledger != nullptr)
    context.ledger->end_substep(system, context.pool, state.v, v1, {context.contacts, state.x, x1, h});
  state.x.swap(x1);
  state.v.swap(v1);
  state.t += h;
}

void begin_contacts(const StepContext& context, double h, double gamma, std::span<const vec3> x0,
                    std::span<const vec3> x_hat, double part) {
  refer_contacts(context, h, gamma, x0, x_hat, part);
  scale_impulses(context, gamma / h);
}

void refer_contacts(const StepContext& context, double h, double gamma, std::span<const vec3> x0,
                    std::span<const vec3> x_hat, double part) {
  context.for_contacts([&](auto& contact, const auto& blend) {
    contact.refer_to(blend([&](std::uint32_t i) { return x_hat[i] - x0[i]; }), gamma,
                     contact.displacement_at(part, h));
  });
}

void scale_impulses(const StepContext& context, double factor) {
  context.for_contacts([&](auto& contact, const auto& /*blend*/) { contact.impulse *= factor; });
}

void stop_at_contacts(const DynamicSystem& system, const StepContext& context, double h, std::span<vec3> v1,
                      double part) {
  for (std::span<NodalContact> rest = context.contacts; !rest.empty();) {
    const std::span<NodalContact> contacts = contacts_of_first(rest);
    rest = rest.subspan(contacts.size());
    const std::uint32_t i = contacts.front().particle;
    const double m = system.masses()[i];
    // The one with the largest push last: it decides.
    std::ranges::sort(contacts, {}, &NodalContact::push);
    vec3 v = v1[i];
    for (const NodalContact& contact : contacts) {
      if (contact.state == ContactState::open) continue;
      const vec3 missing = contact.velocity_at(part, h) - v;
      v +=
          contact.state == ContactState::stick ? missing : glm::dot(contact.normal, missing) * contact.normal;
    }
    NodalContact& last = contacts.back();
    vec3 change = v - v1[i];
    const double push = last.push();
    if (last.state == ContactState::slip && push > 0)
      change += std::max(glm::dot(last.normal, change), -push / m) / push * last.across(last.impulse);
    last.impulse += m * change;
    v1[i] += change;
    std::ranges::sort(contacts, {}, &NodalContact::surface);
  }
}

void solve_contacts_locally(const DynamicSystem& system, const StepContext& context, double h,
                            ContactTiming timing, std::span<const vec3> x0, std::span<vec3> x1,
                            std::span<vec3> v1) {
  if (context.contacts.empty()) return;
  for (std::span<NodalContact> rest = context.contacts; !rest.empty();) {
    const std::span<NodalContact> contacts = contacts_of_first(rest);
    rest = rest.subspan(contacts.size());
    const std::uint32_t i = contacts.front().particle;
    vec3 &x = x1[i], &v = v1[i];
    const vec3 free = v;
    // The contacts that may close, to the front.
    const auto end = std::partition(contacts.begin(), contacts.end(), [&](NodalContact& contact) {
      const double gap = contact.gap_at(x - x0[i]);
      if (timing == ContactTiming::before_positions) {
        contact.refer_to(x - x0[i] - h * v, h);
        return true;
      }
      contact.refer_to(vec3(0), h);
      if (timing == ContactTiming::after_positions) contact.least += (contact.gap - std::max(gap, 0.0)) / h;
      if (timing == ContactTiming::after_positions || gap < 0) return true;
      contact.state = ContactState::open;
      contact.impulse = vec3(0);
      return false;
    });
    const std::span<NodalContact> closing(contacts.begin(), end);
    if (!closing.empty()) {
      const double m = system.masses()[i];
      solve_coulomb(mat3(m), mat3(1 / m), m * v, closing, v);
    }
    const double moves = timing == ContactTiming::before_positions ? h
                         : timing == ContactTiming::throughout     ? h / 2
                                                                   : 0.0;
    x += moves * (v - free);
    std::ranges::sort(contacts, {}, &NodalContact::surface);
    if (timing == ContactTiming::before_positions) continue;
    for (const NodalContact& contact : contacts) {
      const double gap = contact.gap_at(x - x0[i]);
      const bool lands = timing == ContactTiming::throughout && contact.state != ContactState::open;
      if (gap < 0 || lands) x -= gap * contact.normal;
    }
  }
  report_contacts(context, x1.size());
}

void free_acceleration(const DynamicSystem& system, std::span<const vec3> x, std::span<const vec3> v,
                       const StepContext& context, double weight, std::span<vec3> a, SpringForces springs) {
  take_forces(context, system, weight, x, v, a, springs);
  const std::span<const double> m = system.masses();
  context.for_particles(a.size(), [&](std::size_t i) { a[i] /= m[i]; });
  system.projection().filter_motion(a);
}

void StepStart::compute(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                        double weight) {
  v = state.v;
  prescribe_velocity(system.projection(), state.x, h, v);
  a.resize(system.size());
  free_acceleration(system, state.x, v, context, weight, a);
  context.poll();
}

double StepStart::force_norm(std::span<const double> masses) const {
  double squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squared += masses[i] * masses[i] * glm::dot(a[i], a[i]);
  return std::sqrt(squared);
}

}  // namespace clothlab
