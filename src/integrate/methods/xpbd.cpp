// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "dynamics/smooth_friction.h"
#include "integrate/colouring.h"
#include "integrate/growth.h"
#include "integrate/step_ends.h"
#include "linalg/vector_basis.h"
#include "linalg/vectors.h"

namespace clothlab {
namespace {

constexpr std::string_view kSweepsNotConverged =
    "the sweeps did not converge; use more substeps, more sweeps or a looser Newton tolerance";
constexpr double kOnSurface = 1e-9;  // [m]: positional contact acts on nearer particles

/// The larger of `largest` and |a|; NaN is ignored.
HalfLanes larger(HalfLanes largest, HalfLanes a) {
  const HalfLanes size = where_greater(both(0), a, both(-1) * a, a);
  return where_greater(size, largest, size, largest);
}

/// Extended position-based dynamics [Macklin 2016, Algorithm 1, (18) and (26)]: n_s
/// substeps of h_s = h/n_s, in each of which v += h_s M⁻¹ f_ext, x̃ = x + h_s v, λ = 0, then sweeps over all
/// springs, C = l − L, α̃ = 1/(k h_s²), γ = k_d/(k h_s), x_n the positions before the substep:
///
///   Δλ = (−C − α̃ λ − γ ∇C·(x − x_n)) / ((1 + γ)(w_i + w_j) + α̃),   x += M⁻¹ ∇C Δλ;
///
/// at its end v = (x − x_n)/h_s. A sweep goes colour by colour (Gauss–Seidel in the order of
/// SpringColouring). With enough sweeps a substep is close to backward Euler, and equal if no spring
/// rotates: impulses keep their directions during the sweeps, an error of O(h_s²) of a drape.
///
/// Two figures measure this. The step has converged when in every substep the largest error |C + α̃ λ + γ
/// ∇C·(x − x_n)| after the sweeps is at most `newton_tolerance` times the largest in the first one, or the
/// level of rounding. StepReport::distance is the residual of backward Euler in the last substep, ‖M (v1 −
/// v0) − h f(x1, v1)‖ / ‖h f(x0, v0)‖; sweeps do not reduce it to 0.
///
/// A contact by penalty is one-sided, with the n and the surface of the start of the substep. Its push λ and
/// friction follow the springs in each sweep (`press`). Then Coulomb's law is solved at each particle with
/// contacts, for the displacement of the substep.
///
/// With positional contact [Müller 2007] a contact acts in the substep after the one that takes its particle
/// to the surface or into it. C = n·(x − s) ≥ 0 has no compliance, and friction is at most μ times the
/// correction along n [Macklin 2014]: Coulomb's law for displacements, with all of the gap. A particle
/// that was inside by d leaves at d/h_s. Projected twice, velocities obey Coulomb's law too: n·(v − u) ≥ 0.
/// The ledger has the works of contact for these velocities in both cases, so what a particle keeps above
/// them is energy of the method.
///
/// Beyond a strain limit α̃ and L are those of the stiffer spring.
///
/// Damping is along the springs for every damping model, without the stiffness part of Rayleigh damping.
/// f_ext is gravity, wind and the hinges of a fabric, which limit h_s. Damping by mass is implicit, v = (v_n
/// + h_s M⁻¹ f_ext)/(1 + h_s β) and w = 1/(m (1 + h_s β)), and the grab is a compliant constraint at the end
/// of every sweep: explicit, both would limit h_s. Springs with k = 0 and, in a sweep, of length 0 are
/// skipped.
class Xpbd final : public Integrator {
 public:
  /// `values` are those of kXpbdParameters.
  explicit Xpbd(const IntegratorParameters& values)
      : iterations_(static_cast<int>(values.at(0))),
        substeps_(static_cast<int>(values.at(1))),
        by_(static_cast<ContactBy>(values.at(2))) {}

  bool has_positional_contact() const override { return by_ != ContactBy::velocity; }
  std::string_view contact_gain() const override {
    return by_ == ContactBy::position
               ? "Contact in positions adds energy at every h: use --xpbd-contact velocity"
               : "";
  }

 private:
  enum class ContactBy { velocity, position, projecting_twice };  // of kXpbdParameters

  /// Two springs of one colour, one per lane: they share no particle. A single one fills both.
  struct Pair {
    const SpringInStep &a, &b;
    std::size_t count;
    HalfLanes stiffness{a.stiffness, b.stiffness}, damping{a.damping, b.damping};
    HalfLanes length;
    HalfLanes elongation;  // l − L [m]
    PairOfVectors n;       // ∇C at i; 0 if l = 0
    HalfLanes moved;       // ∇C·(x − x_n) [m]

    /// The constraints at `first` and, if below `last`, at first + 1.
    Pair(const Xpbd& of, std::size_t first, std::size_t last)
        : a(of.constraints_[first]),
          b(of.constraints_[last - first > 1 ? first + 1 : first]),
          count(last - first > 1 ? 2 : 1) {
      const PairOfVectors x_ij = difference(of.x_), before_ij = difference(of.before_);
      length = root(dot(x_ij, x_ij));
      HalfLanes rest_length{a.rest_length, b.rest_length};
      if (of.limit_.strain > 0) {
        for (std::size_t lane = 0; lane < 2; ++lane) {
          if (of.colouring_.order()[first + (count == 2 ? lane : 0)] >= of.stretch_count_) continue;
          const auto [factor, L] = of.limit_.at(rest_length[lane], length[lane]);
          stiffness[lane] *= factor;
          rest_length[lane] = L;
        }
      }
      elongation = length - rest_length;
      n = x_ij / where_equal(length, both(0), both(1), length);
      moved = dot(n, x_ij - before_ij);
    }

    HalfLanes lambda(std::span<const double> values, std::size_t first) const {
      return HalfLanes{values[first], values[first + count - 1]};
    }
    PairOfVectors difference(std::span<const vec3> values) const {
      return side_by_side(values[a.i], values[b.i]) - side_by_side(values[a.j], values[b.j]);
    }
    /// `value` for springs with a direction and a stiffness, else 0.
    HalfLanes used(HalfLanes value) const {
      return where_equal(length, both(0), both(0), where_equal(stiffness, both(0), both(0), value));
    }
    void add(HalfLanes value, std::span<double> to, std::size_t first) const {
      for (std::size_t lane = 0; lane < count; ++lane) to[first + lane] += value[lane];
    }
    void add(const PairOfVectors& value, std::span<vec3> to, std::uint32_t of_a, std::uint32_t of_b) const {
      to[of_a] += value.of(0);
      if (count == 2) to[of_b] += value.of(1);
    }
  };

  /// Force of a contact at the end of a substep, times h_s² [kg·m].
  struct Press {
    double along = 0;  // along n: contact law and damping
    vec3 across{0};    // friction
    double error = 0;  // when last measured [m]
  };

  // Members with a context throw Cancelled.
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&before_, &force_}) scratch->resize(n);
    colouring_.update(system, context.stop);
    update_constraints(system, h / substeps_, context);

    x_ = state.x;
    v_ = state.v;
    for (NodalContact& contact : context.contacts) contact.impulse = vec3(0);
    for (int k = 0; k < substeps_; ++k) {
      const bool last = k + 1 == substeps_;
      if (context.ledger != nullptr) v_before_ = v_;
      substep(system, state.x, h, k, context, report);
      if (by_ == ContactBy::projecting_twice) project_velocities(system, h / substeps_, context, v_);
      auto acting = touching_.begin();
      for (NodalContact& contact : context.contacts) {
        const bool acts = acting != touching_.end() && acting->particle == contact.particle &&
                          acting->surface == contact.surface;
        const bool has_slipped = k > 0 && contact.state != ContactState::stick;
        const ContactState now = acts ? acting->state : ContactState::open;
        if (acts) contact.impulse += (acting++)->impulse;
        // The step of an impact has the contact, although it leaves in a later substep.
        if (has_positional_contact() && now == ContactState::open && contact.push() > 0) continue;
        contact.state = has_slipped && now == ContactState::stick ? ContactState::slip : now;
      }
      if (last) prescribe(system.projection(), state.x, h, x_, v_);
      if (context.ledger != nullptr) {
        std::span<const vec3> v1 = v_;
        if (by_ == ContactBy::position) {
          v_of_ledger_ = v_;
          project_velocities(system, h / substeps_, context, v_of_ledger_);
          v1 = v_of_ledger_;
        }
        context.ledger->end_substep(system, context.pool, v_before_, v1,
                                    {touching_, before_, x_, h / substeps_});
        if (!last) context.ledger->impulses().clear();
      }
    }
    state.x.swap(x_);
    state.v.swap(v_);
    state.t += h;
  }
  void update_constraints(const DynamicSystem& system, double h_s, const StepContext& context) {
    context.poll();
    const ElasticElements springs = system.elements();
    const std::span<const std::uint32_t> order = colouring_.order();
    limit_ = springs.coefficients.limit;
    stretch_count_ = springs.stretch_count;
    constraints_.resize(springs.size());
    lambda_.resize(springs.size());
    context.poll();
    for_each(context.pool, order.size(), 2048,
             [&](std::size_t c) { constraints_[c] = SpringInStep(springs[order[c]], h_s); });

    const double inertia = 1 + h_s * system.mass_damping();
    inverse_mass_.resize(system.size());
    std::ranges::transform(system.masses(), inverse_mass_.begin(),
                           [=](double m) { return 1 / (inertia * m); });
    sliding_ = false;
    for (const Projection::Entry& e : system.projection().entries()) {
      if (e.S == mat3(0.0)) {
        inverse_mass_[e.particle] = 0;
      } else {
        sliding_ = true;
      }
    }
    context.poll();
  }
  void substep(const DynamicSystem& system, std::span<const vec3> x0, double h, int number,
               const StepContext& context, StepReport& report) {
    const bool last = number + 1 == substeps_;
    const Projection& projection = system.projection();
    const std::span<const double> m = system.masses();
    const double h_s = h / substeps_;

    double impulse = 0;  // ‖h f0‖
    if (last) {
      take_forces(context, system, 0, x_, prescribed_velocity(projection, x0, h, v_, before_), force_);
      projection.filter(force_);
      impulse = h_s * norm(context.pool, force_);
      context.poll();
    }
    take_forces(context, system, h_s, x_, v_, force_, SpringForces::rest);
    if (system.elements().bending_by_slot != nullptr) add_hinges(h_s, context);
    const double inertia = 1 + h_s * system.mass_damping();
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = (v_[i] + h_s / m[i] * force_[i]) / inertia;
    prescribe_velocity(projection, x0, h, v_);
    before_.swap(x_);
    const StepContact* contact = system.contact();
    contacts_ = {};
    if (contact != nullptr)
      contacts_ = contact->elements(context.pool, before_, v_, h_s, (substeps_ - 1 - number) * h_s);
    context.poll();
    begin_contacts_of_substep(x0, h, number, context);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = before_[i] + h_s * v_[i];

    std::ranges::fill(lambda_, 0.0);
    pressed_.assign(contacts_.all.size(), {});
    lambda_of_grab_ = vec3(0.0);
    double first_error = 0;
    for (int k = 0; k < iterations_; ++k) {
      if (k == 0)
        sweep_springs<true>(projection, context);
      else
        sweep_springs<false>(projection, context);
      for_contacts(context.pool,
                   [&](std::size_t c) { press(contacts_.all[c], projection, h_s, pressed_[c]); });
      if (system.grab()) pull(*system.grab(), projection, h_s);
      if (!touching_.empty()) moved_by_contacts_ = solve_contacts(system, h_s, context);
      if (k == 0) first_error = largest_error();
    }
    const double residual = momentum_residual(system, h_s, context);
    report.distance = impulse > 0 ? residual / impulse : 0;  // in the end the last one's
    const double error = largest_error();
    if (first_error > 0) report.newton_residual = std::max(report.newton_residual, error / first_error);
    if (!(error <= context.solver.newton_tolerance * first_error) && !(error <= rounding()))
      report.fail(kSweepsNotConverged);
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = (x_[i] - before_[i]) / h_s;
  }
  /// force_ += the force of hinges at x_ [N]
  void add_hinges(double h_s, const StepContext& context) {
    colouring_.sweep(context.pool, context.stop, [&](std::size_t first, std::size_t last) {
      for (const SpringInStep& e : std::span(constraints_).subspan(first, last - first)) {
        const vec3 pull = e.bending / (h_s * h_s) * (x_[e.i] - x_[e.j]);
        force_[e.i] -= pull;
        force_[e.j] += pull;
      }
    });
  }
  /// Prepares the contacts that act in a substep, without impulses.
  void begin_contacts_of_substep(std::span<const vec3> x0, double h, int number, const StepContext& context) {
    const double begin = static_cast<double>(number) / substeps_, h_s = h / substeps_;
    const double end = static_cast<double>(number + 1) / substeps_;
    touching_.clear();
    touching_.reserve(context.contacts.size());
    first_.clear();
    for (NodalContact contact : context.contacts) {
      const std::uint32_t i = contact.particle;
      const vec3 by_begin = contact.displacement_at(begin, h), moved = before_[i] - x0[i] - by_begin;
      const double gap = contact.gap + glm::dot(contact.normal, moved);
      if (has_positional_contact() && gap > kOnSurface) continue;
      if (touching_.empty() || touching_.back().particle != i) first_.push_back(touching_.size());
      contact.gap = has_positional_contact() ? gap : std::max(gap, std::min(contact.gap, 0.0) / substeps_);
      const vec3 displacement = contact.displacement_at(end, h) - by_begin;
      contact.end_velocity = contact.velocity_at(end, h);
      contact.displacement = displacement;
      contact.refer_to(vec3(0), h_s);
      contact.impulse = vec3(0);
      touching_.push_back(contact);
    }
    first_.push_back(touching_.size());
  }
  /// Solves Coulomb's law at each particle with contacts. Returns the largest displacement by it [m].
  double solve_contacts(const DynamicSystem& system, double h_s, const StepContext& context) {
    constexpr std::size_t kGrain = 128;
    const double inertia = 1 + h_s * system.mass_damping();
    return context.pool.max(first_.size() - 1, kGrain, [&](std::size_t begin, std::size_t end) {
      double largest = 0;
      for (std::size_t g = begin; g < end; ++g) {
        const std::span<NodalContact> own(touching_.data() + first_[g], first_[g + 1] - first_[g]);
        const std::uint32_t i = own.front().particle;
        const double m = inertia * system.masses()[i];
        vec3 v = (x_[i] - before_[i]) / h_s, q = m * v;
        for (const NodalContact& contact : own) q -= contact.impulse;
        solve_coulomb(mat3(m), mat3(1 / m), q, own, v);
        const vec3 x = before_[i] + h_s * v;
        largest = std::max(largest, glm::distance(x, x_[i]));
        x_[i] = x;
      }
      return largest;
    });
  }
  /// Replaces the impulses of contacts by those that end the approach to their surfaces, and changes v.
  void project_velocities(const DynamicSystem& system, double h_s, const StepContext& context,
                          std::span<vec3> v) {
    const double inertia = 1 + h_s * system.mass_damping();
    std::span<vec3> reported;
    if (context.ledger != nullptr && !touching_.empty())
      reported = context.ledger->impulses().add_to(ImpulseKind::friction, v.size());
    for (std::size_t g = 0; g + 1 < first_.size(); ++g) {
      const std::span<NodalContact> own(touching_.data() + first_[g], first_[g + 1] - first_[g]);
      const std::uint32_t i = own.front().particle;
      const double m = inertia * system.masses()[i];
      vec3 of_positions(0), of_velocities(0);
      for (NodalContact& contact : own) {
        of_positions += contact.impulse;
        contact.velocity = contact.end_velocity;
        contact.least = glm::dot(contact.normal, contact.velocity);
      }
      solve_coulomb(mat3(m), mat3(1 / m), m * v[i] - of_positions, own, v[i]);
      for (const NodalContact& contact : own) of_velocities += contact.impulse;
      if (!reported.empty()) reported[i] += of_velocities - of_positions;
    }
  }
  template <bool measured>
  void sweep_springs(const Projection& projection, const StepContext& context) {
    if (measured) errors_.assign(constraints_.size() / SpringColouring::kGrain + 1, 0.0);
    colouring_.sweep(context.pool, context.stop, [&](std::size_t first, std::size_t last) {
      HalfLanes largest = both(0);
      for (std::size_t c = first; c < last; c += 2) {
        const Pair pair(*this, c, last);
        const PairOfVectors w_i = response(projection, pair.a.i, pair.b.i, pair.n);
        const PairOfVectors w_j = response(projection, pair.a.j, pair.b.j, pair.n);
        const HalfLanes w = dot(w_i, pair.n) + dot(w_j, pair.n);
        // Numerator and denominator times k h_s², to avoid a division by a tiny k.
        const HalfLanes lambda = pair.lambda(lambda_, c);
        const HalfLanes error =
            both(-1) * pair.stiffness * pair.elongation - lambda - pair.damping * pair.moved;
        const HalfLanes change = pair.used(error / ((pair.stiffness + pair.damping) * w + both(1)));
        pair.add(change, lambda_, c);
        pair.add(change * w_i, x_, pair.a.i, pair.b.i);
        pair.add(both(-1) * change * w_j, x_, pair.a.j, pair.b.j);
        if constexpr (measured) largest = larger(largest, pair.used(error / pair.stiffness));
      }
      if constexpr (measured) note_error(first, largest);
    });
  }
  /// Records the largest error of the springs of the chunk that begins at `first` [m].
  void note_error(std::size_t first, HalfLanes largest) {
    double& error = errors_[first / SpringColouring::kGrain];
    error = std::max({error, largest[0], largest[1]});
  }
  /// The grab's force is −(k_s(d) d + c_s(ḋ) ḋ) with secants k_s and c_s that fall as d and ḋ grow. Solving
  /// with the secants of the previous sweep minimises a quadratic above its potential: it descends and does
  /// not overshoot, unlike with tangents, which vanish when the force saturates.
  void pull(const GrabSpring& grab, const Projection& projection, double h_s) {
    const vec3 d = grab.blend(x_) - grab.cursor;
    const vec3 moved = grab.blend(x_) - grab.blend(before_);
    const double stiffness = h_s * h_s * grab.secant_stiffness(d);
    const double damping = h_s * grab.secant_damping(moved / h_s);
    double w = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double weight = grab.weights[static_cast<int>(c)];
      w += weight * weight * inverse_mass_[grab.particles[c]];
    }
    const vec3 change =
        (-stiffness * d - damping * moved - lambda_of_grab_) / ((stiffness + damping) * w + 1);
    lambda_of_grab_ += change;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t i = grab.particles[c];
      x_[i] += response(projection, i, grab.weights[static_cast<int>(c)] * change);
    }
  }
  /// Calls body(c) for every contact: concurrently for those of one particle, then one by one.
  template <class Body>
  void for_contacts(WorkerPool& pool, const Body& body) const {
    const std::span<const ContactElement> all = contacts_.all;
    const std::size_t single = static_cast<std::size_t>(
        std::ranges::find_if(all, [](const ContactElement& c) { return c.count > 1; }) - all.begin());
    const auto continues = [&](std::size_t c) {
      return c > 0 && all[c].particle[0] == all[c - 1].particle[0];
    };
    pool.for_chunks(single, SpringColouring::kGrain, [&](std::size_t first, std::size_t last) {
      while (first < last && continues(first)) ++first;
      if (first == last) return;
      while (last < single && continues(last)) ++last;
      for (std::size_t c = first; c < last; ++c) body(c);
    });
    for (std::size_t c = single; c < all.size(); ++c) body(c);
  }
  /// Solves one contact: `along` and `across` become its force at x_.
  /// Along n the law is linear on each side of its end; the solution that lies on its own side is used. So it
  /// is with friction, which is against the slip that is left.
  void press(const ContactElement& contact, const Projection& projection, double h_s, Press& of) {
    const auto move = [&](const vec3& by) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(contact.count); ++k)
        x_[contact.particle[k]] += response(projection, contact.particle[k], contact.weight[k] * by);
    };
    double w = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(contact.count); ++k)
      w += contact.weight[k] * contact.weight[k] * inverse_mass_[contact.particle[k]];
    const vec3& n = contact.normal;
    const vec3 change_of_x = contact.blend(x_) - contact.blend(before_), surface = h_s * contact.velocity;
    const double along = glm::dot(n, change_of_x), stiffness = h_s * h_s * contacts_.stiffness;
    const double damping = contact.push > 0 ? h_s * contacts_.damping : 0;
    const double damped = -damping * (along - glm::dot(n, surface)) - of.along;
    const double line = h_s * h_s * contact.push - stiffness * along;
    double change = (line + damped) / ((stiffness + damping) * w + 1);
    double error = line + damped;
    if (line - stiffness * w * change < 0) {
      change = damped / (damping * w + 1);
      error = damped;
    }
    of.along += change;
    move(change * n);
    of.error = std::abs(error) / stiffness;
    if (contact.friction == 0) return;

    const double moved = along + w * change;
    const vec3 slip = change_of_x - along * n - (surface - glm::dot(n, surface) * n);
    const double push = push_after(contact, h_s, moved);
    const vec3 missing = -grip(contact, h_s, push, slip) * slip - of.across;
    of.error = std::max(of.error, glm::length(missing) / stiffness);
    const vec3 free = slip - w * of.across;
    const double size = glm::length(free);
    if (!(w > 0) || !(size > 0)) return;
    const double left =
        h_s * SmoothFriction{contacts_.friction_speed}.slowed(size / h_s, w * contact.friction * push / h_s);
    const vec3 across = (left / size - 1) / w * free, added = across - of.across;
    of.across = across;
    move(added);
  }
  /// Adds −h_s² times the forces of contacts at x_, with friction for the push there, to r [kg·m], and the
  /// impulses without a potential to the ledger. Measures their errors.
  void add_contacts(double h_s, std::span<vec3> r, const StepContext& context) {
    if (contacts_.all.empty()) return;
    const std::span<vec3> lost = context.ledger == nullptr
                                     ? std::span<vec3>()
                                     : context.ledger->impulses().add_to(ImpulseKind::friction, r.size());
    for (std::size_t c = 0; c < contacts_.all.size(); ++c) {
      const ContactElement& contact = contacts_.all[c];
      const vec3& n = contact.normal;
      const vec3 moved = contact.blend(x_) - contact.blend(before_), past = moved - h_s * contact.velocity;
      const double away = glm::dot(n, past), push = push_after(contact, h_s, glm::dot(n, moved));
      const vec3 slip = past - away * n;
      const vec3 held_back = -grip(contact, h_s, push, slip) * slip;
      const double damped = contact.push > 0 ? -h_s * contacts_.damping * away : 0;
      const vec3 drag = held_back + damped * n;
      pressed_[c].error =
          root_of_squares(push + damped - pressed_[c].along, glm::length(held_back - pressed_[c].across)) /
          (h_s * h_s * contacts_.stiffness);
      contact.spread(-push * n - drag, r);
      if (!lost.empty()) contact.spread(drag / h_s, lost);
    }
  }
  /// h_s² times the push of a contact after the displacement `along` its normal, at least 0 [kg·m].
  double push_after(const ContactElement& contact, double h_s, double along) const {
    return std::max(h_s * h_s * (contact.push - contacts_.stiffness * along), 0.0);
  }
  /// Friction over the slip of a substep [kg].
  double grip(const ContactElement& contact, double h_s, double push, const vec3& slip) const {
    return contact.friction * push / h_s *
           SmoothFriction{contacts_.friction_speed}.secant(glm::length(slip) / h_s);
  }
  /// Largest error in the first sweep or, after `momentum_residual`, at x_ [m].
  double largest_error() const {
    double largest = std::ranges::max(errors_);
    for (const Press& press : pressed_) largest = std::max(largest, press.error);
    return touching_.empty() ? largest : std::max(largest, moved_by_contacts_);
  }
  /// Rounding error of `largest_error` [m].
  double rounding() const {
    double largest = 0;
    for (const vec3& x : x_) largest = std::max({largest, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    return 8 * std::numeric_limits<double>::epsilon() * largest;
  }
  /// ‖r‖ [N·s], r as above with the damping of this method, before v_ is updated from x_; reports it, and
  /// measures the errors.
  double momentum_residual(const DynamicSystem& system, double h_s, const StepContext& context) {
    const std::span<const double> m = system.masses();
    const double inertia = 1 + h_s * system.mass_damping();
    std::vector<vec3>& r = force_;  // times h_s
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = inertia * m[i] * (x_[i] - before_[i] - h_s * v_[i]);
    std::span<vec3> damping;
    if (context.ledger != nullptr)
      damping = context.ledger->impulses().add_to(ImpulseKind::damping, r.size());
    std::ranges::fill(errors_, 0.0);
    colouring_.sweep(context.pool, context.stop, [&](std::size_t first, std::size_t last) {
      HalfLanes largest = both(0);
      for (std::size_t c = first; c < last; c += 2) {
        const Pair pair(*this, c, last);
        const HalfLanes tension = pair.used(pair.stiffness * pair.elongation + pair.damping * pair.moved);
        const PairOfVectors pull = tension * pair.n;
        pair.add(pull, r, pair.a.i, pair.b.i);
        pair.add(both(-1) * pull, r, pair.a.j, pair.b.j);
        largest = larger(largest, pair.used((tension + pair.lambda(lambda_, c)) / pair.stiffness));
        if (damping.empty()) continue;
        const PairOfVectors drag = pair.used(both(-1 / h_s) * pair.damping * pair.moved) * pair.n;
        pair.add(drag, damping, pair.a.i, pair.b.i);
        pair.add(both(-1) * drag, damping, pair.a.j, pair.b.j);
      }
      note_error(first, largest);
    });
    add_contacts(h_s, r, context);
    for (const NodalContact& contact : touching_) r[contact.particle] -= h_s * contact.impulse;
    if (const auto& grab = system.grab()) {
      const vec3 d = grab->blend(x_) - grab->cursor, moved = grab->blend(x_) - grab->blend(before_);
      const vec3 pull =
          h_s * (h_s * grab->secant_stiffness(d) * d + grab->secant_damping(moved / h_s) * moved);
      for (std::size_t c = 0; c < 3; ++c) {
        r[grab->particles[c]] += grab->weights[static_cast<int>(c)] * pull;
      }
    }
    if (context.ledger != nullptr) report_impulses(system, h_s, context);
    system.projection().filter(r);
    return norm(context.pool, r) / h_s;
  }
  /// From force_ = h_s r without a filter; the springs' dampers report theirs with it.
  void report_impulses(const DynamicSystem& system, double h_s, const StepContext& context) {
    Impulses& impulses = context.ledger->impulses();
    const std::size_t n = x_.size();
    report_residual(context, 1 / h_s, force_);
    if (!touching_.empty()) {
      const std::span<vec3> of_contacts = impulses.add_to(ImpulseKind::friction, n);
      for (const NodalContact& contact : touching_) of_contacts[contact.particle] += contact.impulse;
    }
    const double beta = system.mass_damping();
    const std::span<const double> m = system.masses();
    add_to_held(impulses, system,
                [&](std::uint32_t i) { return -(force_[i] / h_s + beta * m[i] * (x_[i] - before_[i])); });
    if (beta != 0) {
      const std::span<vec3> damping = impulses.add_to(ImpulseKind::damping, n);
      for (std::size_t i = 0; i < n; ++i) damping[i] -= beta * m[i] * (x_[i] - before_[i]);
    }
    if (const auto& grab = system.grab()) {
      const vec3 moved = grab->blend(x_) - grab->blend(before_);
      const std::span<vec3> hand = impulses.add_to(ImpulseKind::hand, n);
      for (std::size_t c = 0; c < 3; ++c)
        hand[grab->particles[c]] -=
            grab->weights[static_cast<int>(c)] * grab->secant_damping(moved / h_s) * moved;
    }
  }
  /// M⁻¹ S g for one or two particles: the velocity from a unit impulse along g.
  vec3 response(const Projection& projection, std::uint32_t particle, const vec3& g) const {
    const double w = inverse_mass_[particle];
    const Projection::Entry* held = sliding_ ? projection.find(particle) : nullptr;
    return w * (held != nullptr ? held->S * g : g);
  }
  PairOfVectors response(const Projection& projection, std::uint32_t a, std::uint32_t b,
                         const PairOfVectors& g) const {
    if (sliding_) return side_by_side(response(projection, a, g.of(0)), response(projection, b, g.of(1)));
    return HalfLanes{inverse_mass_[a], inverse_mass_[b]} * g;
  }

  int iterations_;
  int substeps_;
  ContactBy by_;
  SpringColouring colouring_;
  StrainLimit limit_;  // of the first stretch_count_ springs
  std::size_t stretch_count_ = 0;
  std::vector<SpringInStep> constraints_;  // by colours; 1/α̃ and γ/α̃ as stiffness and damping
  std::vector<double> lambda_;             // of every constraint
  std::vector<double> errors_;             // largest ones, by chunks of a colour
  vec3 lambda_of_grab_{0.0};               // h_s² times the force of the grab
  ContactElements contacts_;
  std::vector<Press> pressed_;          // of the contacts
  std::vector<NodalContact> touching_;  // in the substep
  std::vector<std::size_t> first_;      // of the contacts of each particle, and their end
  double moved_by_contacts_ = 0;        // in the last sweep [m]
  std::vector<double> inverse_mass_;    // w [1/kg], 0 for a fixed particle
  bool sliding_ = false;                // some particle is constrained only along some directions
  std::vector<vec3> x_;
  std::vector<vec3> v_;
  std::vector<vec3> before_;    // x_n
  std::vector<vec3> v_before_;  // v_n, for the ledger
  std::vector<vec3> v_of_ledger_;
  std::vector<vec3> force_;
};

constexpr std::array<std::string_view, 3> kContactsBy{"velocity", "position", "project-twice"};

constexpr std::array kXpbdParameters{
    ParameterSpec{
        .id = "xpbd-iterations",
        .title = "XPBD iterations",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 1000,
        .fallback = 1,
        .logarithmic = true,
        .help =
            "Sweeps over all springs in each substep. With too few, the cloth is softer than its springs.",
    },
    ParameterSpec{
        .id = "xpbd-substeps",
        .title = "XPBD substeps",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 1000,
        .fallback = 10,
        .logarithmic = true,
        .help = "Substeps per step, each with its own sweeps. More substeps with fewer sweeps usually give "
                "more accuracy for the same cost.",
    },
    ParameterSpec{
        .id = "xpbd-contact",
        .title = "XPBD contact",
        .kind = ParameterSpec::Kind::choice,
        .min = 0,
        .max = kContactsBy.size() - 1,
        .fallback = 0,
        .help = "Nodal contact. velocity: solved before particles pass a surface. position: classical PBD "
                "moves out particles that it finds inside, and they leave at random speeds. project-twice: "
                "moves them out, then ends their normal velocity.",
        .choices = kContactsBy,
    },
};

// The first sweep solves a spring to a pin exactly: backward Euler in every substep.
double xpbd_growth(double y, double s, const IntegratorParameters& values) {
  const double substeps = values.at(1);
  return std::pow(implicit_euler_growth(y / substeps, s / substeps, values), substeps);
}

}  // namespace

extern constinit const IntegratorInfo kXpbd{
    .id = "xpbd",
    .title = "XPBD",
    .letters = "XP",
    .family = IntegratorFamily::position_based,
    .stiff_forces = StiffForces::contacts,
    .only_forward = kProjectsPositions,
    .formula =
        "n_s substeps h_s: v += h_s M⁻¹f_ext, x̃ = x + h_s v; sweeps of Δλ = (−C − α̃λ − γ∇C·(x − x_n)) / "
        "((1 + γ)(w_i + w_j) + α̃); v = (x − x_n)/h_s",
    .summary =
        "Corrects positions spring by spring in Gauss–Seidel sweeps, without a linear system. Swept to "
        "convergence, it damps like backward Euler with the substep as h. With fewer sweeps the cloth is "
        "softer and may gain energy: use more substeps. Spring damping is always projected, without "
        "Rayleigh's α.",
    .cost = "Iterations times substeps sweeps over all springs, and contacts by penalty; no linear system.",
    .use = "Games: a bounded cost, with many substeps of few sweeps.",
    .reference =
        "Macklin, Müller, Chentanez: XPBD, Position-Based Simulation of Compliant Constrained "
        "Dynamics, Motion in Games 2016",
    .parameters = kXpbdParameters,
    .stability_limit = kNoStabilityLimit,
    .stability_condition = "when swept to convergence",
    .growth = xpbd_growth,
    // Only the wind is explicit in every substep: v1 = (1 − h_s d) v0 for a free particle without springs.
    .wind_limit = [](const IntegratorParameters& values) { return 2 * values.at(1); },
    .make = make_method<Xpbd>,
};

}  // namespace clothlab
