// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

#include "integrate/force_by_force_step.h"
#include "integrate/growth.h"
#include "integrate/step_ends.h"
#include "linalg/free_parts.h"
#include "linalg/symmetric.h"

namespace clothlab {
namespace {

constexpr std::string_view kDescentNotConverged =
    "the sweeps over the particles did not converge; use more of them, a smaller h or a looser Newton "
    "tolerance";
constexpr int kParticleHalvings = 5;

/// Vertex block descent [Chen 2024]: sweeps over the particles, each of which takes one Newton step of its
/// own on the incremental potential (ForceByForceStep), with the others at rest:
///
///   x_i += H_i⁻¹ f_i,   H_i = m_i/h² I + Σ k (nnᵀ + max(0, 1 − L/l) (I − nnᵀ)) + k_d/h Σ nnᵀ,
///
/// n the directions of its springs; along these is the damping, for every damping model. The particles of one
/// colour (ParticleColouring) share no spring, so they move at the same time. A step that would raise the
/// potential of the particle and its springs is halved, so that no sweep raises the whole: springs stiffen as
/// they turn, and the paper's full steps do not ensure that.
///
/// The sweeps begin at x0 + h v0 + h² ã, ã the part of the external acceleration that the particle had in the
/// step before: 0 where something carries it. With ρ > 0 the paper's Chebyshev semi-iteration
///   x ← ω_k (x − x_before) + x_before,   ω_1 = 1, ω_2 = 2/(2 − ρ²), ω_k = 4/(4 − ρ² ω_{k−1}),
/// x_before two sweeps earlier, follows each sweep but the last, except for particles with contacts.
///
/// Forces of contacts and of the grab are part of f_i and H_i. Particles with contacts with surfaces satisfy
/// Coulomb's law in their block. In the end free parts without contacts are translated so that their linear
/// momentum is balanced, which sweeps alone reach only when they converge.
class VertexBlockDescent final : public ForceByForceStep {
 public:
  explicit VertexBlockDescent(const IntegratorParameters& values)
      : ForceByForceStep(true), sweeps_(static_cast<int>(values.at(0))), rho_(values.at(1)) {}

  bool has_history() const override { return !v_before_.empty(); }
  void save(Memory& memory) const override {
    if (has_history()) memory.put(v_before_);
  }
  void load(MemoryReader& memory, std::size_t n) override {
    v_before_.resize(memory.at_end() ? 0 : n);
    if (has_history()) memory.vectors(v_before_);
  }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    update(system, h, context);
    particles_.update(system, context.stop);
    double scale = begin(system, state, h, context);
    v0_ = state.v;
    list_contacts(system, context);
    start(system, h);
    evaluate(system, state.x, h, context);
    scale = std::max(scale, size_of_residual(h, context));

    double omega = 1;
    for (auto* past : {&before_, &two_before_}) *past = dx_;
    for (int k = 1; k <= sweeps_; ++k) {
      sweep(system, state.x, h, context);
      if (k == sweeps_ || rho_ == 0) continue;
      omega = k == 1 ? 1 : k == 2 ? 2 / (2 - rho_ * rho_) : 4 / (4 - rho_ * rho_ * omega);
      extrapolate(state.x, omega, context);
    }
    evaluate(system, state.x, h, context);
    if (balance_momentum(system)) evaluate(system, state.x, h, context);
    const double residual = size_of_residual(h, context);
    end(system, state, h, residual, scale, kDescentNotConverged, context, report);
    v_before_.swap(v0_);
  }

  /// dx_ and x_ at the start of the sweeps.
  void start(const DynamicSystem& system, double h) {
    if (v_before_.empty()) return;
    const std::span<const double> m = system.masses();
    moved_.resize(dx_.size());
    for (std::size_t i = 0; i < dx_.size(); ++i) {
      const vec3 external = (push_[i] / h - m[i] * v0_[i]) / (h * m[i]), a = (v0_[i] - v_before_[i]) / h;
      const double square = glm::dot(external, external);
      const double share = square > 0 ? std::clamp(glm::dot(a, external) / square, 0.0, 1.0) : 0;
      moved_[i] = h * h * share * external;
    }
    system.projection().filter(moved_);
    for (std::size_t i = 0; i < dx_.size(); ++i) dx_[i] += moved_[i];
  }

  /// The contacts of each particle.
  void list_contacts(const DynamicSystem& system, const StepContext& context) {
    const std::size_t n = system.size();
    has_contacts_ = !contacts_.all.empty() || !context.contacts.empty();
    if (!has_contacts_) return;
    entries_.fill(n, [&](const auto& add) {
      for (std::uint32_t c = 0; c < contacts_.all.size(); ++c)
        for (std::size_t k = 0; k < static_cast<std::size_t>(contacts_.all[c].count); ++k)
          add(contacts_.all[c].particle[k], {c, contacts_.all[c].weight[k]});
    });
    own_.assign(n, {});
    for (std::span<NodalContact> rest = context.contacts; !rest.empty();) {
      const std::span<NodalContact> own = contacts_of_first(rest);
      rest = rest.subspan(own.size());
      own_[own.front().particle] = own;
    }
  }

  bool touches(std::uint32_t i) const { return has_contacts_ && (!entries_[i].empty() || !own_[i].empty()); }

  /// One sweep over all particles, colour by colour. Contacts may join particles of one colour, so these move
  /// after all of them are solved.
  void sweep(const DynamicSystem& system, std::span<const vec3> x0, double h, const StepContext& context) {
    const ElasticElements springs = system.elements();
    const Values values{springs, h * springs.coefficients.damping, h};
    const std::span<const std::uint32_t> order = particles_.order();
    moved_.resize(order.size());
    for (std::size_t colour = 0; colour < particles_.colours(); ++colour) {
      context.poll();
      const std::size_t begin = particles_.begin(colour), n = particles_.begin(colour + 1) - begin;
      constexpr std::size_t kGrain = 128;
      for_each(context.pool, n, kGrain,
               [&](std::size_t k) { moved_[begin + k] = solve(system, order[begin + k], values); });
      for_each(context.pool, n, kGrain, [&](std::size_t k) {
        const std::uint32_t i = order[begin + k];
        dx_[i] = moved_[begin + k];
        x_[i] = x0[i] + dx_[i];
      });
    }
  }

  struct Values {
    const ElasticElements& springs;
    double damping;  // h k_d [kg]
    double h;
    double stiffness(const SpringLink& link) const { return h * h * springs.stiffness(link.spring); }
    StrainLimit limit(const SpringLink& link) const { return springs.limit(link.spring); }
    double bending(const SpringLink& link) const { return h * h * springs.bending(link.spring); }
  };

  /// The new dx of a particle.
  vec3 solve(const DynamicSystem& system, std::uint32_t i, const Values& values) {
    const Projection::Entry* held = system.projection().find(i);
    if (held != nullptr && held->S == mat3(0.0)) return dx_[i];
    vec3 f = push_[i] - inertia_[i] * dx_[i];
    Symmetric H{inertia_[i], inertia_[i], inertia_[i], 0, 0, 0};
    for (const SpringLink& link : particles_.links(i)) {
      const vec3 d = x_[i] - x_[link.other];
      const double l = glm::length(d), bending = values.bending(link);
      const auto [factor, L] = values.limit(link).at(link.rest_length, l);
      const double k = factor * values.stiffness(link);
      const vec3 n = l > 0 ? d / l : vec3(0.0);
      const double transverse = l > 0 ? k * std::max(0.0, 1 - L / l) : k;
      f -= (k * (l - L) + bending * l + values.damping * glm::dot(n, dx_[i] - dx_[link.other])) * n;
      H.add(1, spring_block(std::sqrt(k - transverse + values.damping) * n, transverse + bending));
    }
    bool has_others = touches(i);
    if (const auto& grab = system.grab()) has_others |= add_grab(*grab, i, values.h, f, H);
    if (has_contacts_) add_contacts(i, values.h, f, H);
    if (has_contacts_ && !own_[i].empty()) {
      const mat3 D = full(H);
      vec3 v = dx_[i] / values.h;
      solve_coulomb(D, glm::inverse(D), D * v + f / values.h, own_[i], v);
      return values.h * v;
    }
    const vec3 step = vec3_of(block_inverse(H, held != nullptr ? &held->S : nullptr) * lanes(f));
    return dx_[i] + (has_others ? step : share_of(i, step, values) * step);
  }

  /// The largest of 1, ½, ¼, … with which a step does not raise the potential of particle i and its springs,
  /// 0 if there is none. Dampers keep their directions.
  double share_of(std::uint32_t i, const vec3& step, const Values& values) const {
    double share = 1;
    for (int halvings = 0; halvings <= kParticleHalvings; ++halvings, share /= 2) {
      const vec3 change = share * step;
      double rise = glm::dot(inertia_[i] * (dx_[i] + 0.5 * change) - push_[i], change);
      for (const SpringLink& link : particles_.links(i)) {
        const vec3 d = x_[i] - x_[link.other], moved = dx_[i] - dx_[link.other];
        const double l = glm::length(d), longer = glm::length(d + change), sum = l + longer;
        const double square = glm::dot(2.0 * d + change, change);  // longer² − l² without cancellation
        const double L = link.rest_length;
        const StrainLimit limit = values.limit(link);
        if (sum > 0) rise += values.stiffness(link) * square / sum * (sum / 2 - L);
        rise += values.stiffness(link) * (limit.energy(L, longer) - limit.energy(L, l));
        rise += values.bending(link) * square / 2;
        if (values.damping == 0 || !(l > 0)) continue;
        const double along = glm::dot(d, change) / l;
        rise += values.damping * along * (glm::dot(d, moved) / l + along / 2);
      }
      if (rise <= 0) return share;
    }
    return 0;
  }

  /// Adds the force of the grab on particle i; false if there is none.
  bool add_grab(const GrabSpring& grab, std::uint32_t i, double h, vec3& f, Symmetric& H) const {
    const auto at = std::ranges::find(grab.particles, i);
    if (at == grab.particles.end()) return false;
    const double w = grab.weights[static_cast<int>(at - grab.particles.begin())];
    const vec3 d = grab.blend(x_) - grab.cursor, moved = grab.blend(dx_);
    const double k = h * h * grab.secant_stiffness(d), c = h * grab.secant_damping(moved / h);
    f -= w * (k * d + c * moved);
    H.add(w * w, {k + c, k + c, k + c, 0, 0, 0});
    return true;
  }

  void add_contacts(std::uint32_t i, double h, vec3& f, Symmetric& H) const {
    for (const auto& [c, weight] : entries_[i]) {
      const ContactElement& contact = contacts_.all[c];
      const Pressed pressed = press(contact, h);
      f += weight * (pressed.push + pressed.lost);
      H.add(weight * weight, symmetric_part(pressed.drag));
      const double k = pressed.push != vec3(0.0) ? h * h * contacts_.stiffness : 0;
      H.add(weight * weight, spring_block(std::sqrt(k) * contact.normal, 0));
    }
  }

  /// Extrapolates the last sweep.
  void extrapolate(std::span<const vec3> x0, double omega, const StepContext& context) {
    context.for_particles(dx_.size(), [&](std::size_t i) {
      if (!touches(static_cast<std::uint32_t>(i))) {
        dx_[i] = two_before_[i] + omega * (dx_[i] - two_before_[i]);
        x_[i] = x0[i] + dx_[i];
      }
      two_before_[i] = before_[i];
      before_[i] = dx_[i];
    });
  }

  /// Translates free parts; false if there are none. After `evaluate`.
  bool balance_momentum(const DynamicSystem& system) {
    if (has_contacts_ || system.grab()) return false;
    const SpringPattern& pattern = *system.pattern();
    free_parts_.find(pattern, system.projection());
    if (free_parts_.empty()) return false;
    free_parts_.compute_means([&](std::size_t row) { return inertia_[pattern.particle[row]]; },
                              [&](std::size_t row) { return residual_[pattern.particle[row]]; });
    for (std::size_t row = 0; row < pattern.particles(); ++row)
      if (free_parts_.contains_row(row)) dx_[pattern.particle[row]] += free_parts_.mean(row);
    return true;
  }

  int sweeps_;
  double rho_;
  ParticleColouring particles_;
  FreeParts free_parts_;
  std::vector<vec3> v0_, v_before_;        // at the start of this step and of the one before
  std::vector<vec3> before_, two_before_;  // dx one and two sweeps earlier
  std::vector<vec3> moved_;                // dx of the current colour, in the order of the colours
  bool has_contacts_ = false;
  struct ContactOfParticle {
    std::uint32_t contact;
    double weight;
  };
  CompressedRows<ContactOfParticle> entries_;  // of each particle, contacts by penalty
  std::vector<std::span<NodalContact>> own_;   // of each particle, with surfaces
};

constexpr std::array kVbdParameters{
    ParameterSpec{
        .id = "vbd-iterations",
        .title = "VBD sweeps",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 10000,
        .fallback = 20,
        .logarithmic = true,
        .help = "Sweeps of vertex block descent over all particles per step.",
    },
    ParameterSpec{
        .id = "vbd-rho",
        .title = "VBD acceleration",
        .min = 0,
        .max = 0.999,
        .fallback = 0,
        .help =
            "ρ of the Chebyshev acceleration of vertex block descent: about the ratio of the errors of two "
            "sweeps. 0: none. Too large a value makes the sweeps diverge.",
    },
};

}  // namespace

extern constinit const IntegratorInfo kVbd{
    .id = "vbd",
    .title = "Vertex block descent",
    .letters = "VB",
    .family = IntegratorFamily::position_based,
    .stiff_forces = StiffForces::contacts,
    .only_forward = kUsesEarlierSteps,
    .formula =
        "sweeps of x_i += H_i⁻¹ f_i, by colours; f_i, H_i: gradient and block of ½ ‖x − x0 − h v0 − h² "
        "M⁻¹f_ext‖²_M/h² + E(x) for particle i; v1 = (x1 − x0)/h",
    .summary =
        "Minimises the incremental potential of backward Euler particle by particle in Gauss–Seidel sweeps, "
        "without a linear system. No sweep raises that potential. With too few sweeps stiff cloth stretches "
        "far, moves too little as a whole, and may gain energy. Spring damping is always projected, without "
        "Rayleigh's α.",
    .cost = "Per sweep two passes over the springs of all particles; no linear system.",
    .use = "Bounded cost on cloth of moderate stiffness, up to about h²k/m = 10.",
    .reference = "Chen, Liu, Yang, Yuksel: Vertex Block Descent, ACM Transactions on Graphics 43(4), 2024",
    .parameters = kVbdParameters,
    .stability_limit = kNoStabilityLimit,
    .stability_condition = "when swept to convergence",
    .growth = implicit_euler_growth,
    // Only the wind is explicit: v1 = (1 − h d) v0 for a free particle without springs.
    .wind_limit = [](const IntegratorParameters& /*values*/) { return 2.0; },
    .make = make_method<VertexBlockDescent>,
};

}  // namespace clothlab
