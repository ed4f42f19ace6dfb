#include "integrate/xpbd.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/prescribe.h"
#include "linalg/vector_basis.h"

namespace clothlab {

namespace {

constexpr std::string_view kUnagreedSweeps =
    "the sweeps ended before the springs agreed; more substeps, more sweeps or a looser Newton tolerance "
    "help";

/// The larger of `largest` and |a|; one that is not a number is left out.
HalfLanes larger(HalfLanes largest, HalfLanes a) {
  const HalfLanes size = where_greater(both(0), a, both(-1) * a, a);
  return where_greater(size, largest, size, largest);
}

}  // namespace

/// Two springs of one colour, one in each lane: they share no particle. A single one stands in both.
struct Xpbd::Pair {
  const Constraint &a, &b;
  std::size_t count;
  HalfLanes stiffness{a.stiffness, b.stiffness}, damping{a.damping, b.damping};
  HalfLanes length;
  HalfLanes elongation;  // l − L [m]
  PairOfVectors n;       // ∇C at i; 0 where l = 0
  HalfLanes way;         // ∇C·(x − x_n) [m]

  /// The constraints at `first` and, where it is below `last`, first + 1.
  Pair(const Xpbd& of, std::size_t first, std::size_t last)
      : a(of.constraints_[first]),
        b(of.constraints_[last - first > 1 ? first + 1 : first]),
        count(last - first > 1 ? 2 : 1) {
    const PairOfVectors x_ij = difference(of.x_), before_ij = difference(of.before_);
    length = root(dot(x_ij, x_ij));
    elongation = length - HalfLanes{a.rest_length, b.rest_length};
    n = x_ij / where_equal(length, both(0), both(1), length);
    way = dot(n, x_ij - before_ij);
  }

  PairOfVectors difference(std::span<const vec3> values) const {
    return PairOfVectors(values[a.i], values[b.i]) - PairOfVectors(values[a.j], values[b.j]);
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

StepReport Xpbd::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&before_, &force_}) scratch->resize(n);
  report.stopped =
      !colouring_.take(system, context.stop) || !take_constraints(system, h / substeps_, context);
  if (report.stopped) return report;

  x_ = state.x;
  v_ = state.v;
  for (int k = 0; k < substeps_; ++k) {
    const bool last = k + 1 == substeps_;
    if (!substep(system, state.x, h, last, context, report)) {
      report.stopped = true;
      return report;
    }
  }
  finish_step(system.projection(), h, x_, v_, state);
  return report;
}

bool Xpbd::take_constraints(const DynamicSystem& system, double h_s, const StepContext& context) {
  if (stop_requested(context.stop)) return false;
  const ElasticElements springs = system.elements();
  const std::span<const std::uint32_t> order = colouring_.order();
  constraints_.resize(springs.size());
  lambda_.resize(springs.size());
  if (stop_requested(context.stop)) return false;
  context.pool.for_chunks(order.size(), 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const ElasticElement e = springs[order[c]];
      constraints_[c] = {e.i, e.j, e.rest_length, h_s * h_s * e.stiffness, h_s * e.damping};
    }
  });

  const double inertia = 1 + h_s * system.mass_damping();
  inverse_mass_.resize(system.size());
  std::ranges::transform(system.masses(), inverse_mass_.begin(), [=](double m) { return 1 / (inertia * m); });
  sliding_ = false;
  for (const Projection::Entry& e : system.projection().entries()) {
    if (e.S == mat3(0.0)) {
      inverse_mass_[e.particle] = 0;
    } else {
      sliding_ = true;
    }
  }
  return !stop_requested(context.stop);
}

bool Xpbd::substep(const DynamicSystem& system, std::span<const vec3> x0, double h, bool last,
                   const StepContext& context, StepReport& report) {
  const Projection& projection = system.projection();
  const std::span<const double> m = system.masses();
  const double h_s = h / substeps_;

  double impulse = 0;  // ‖h f0‖
  if (last) {
    system.force(x_, prescribed_velocity(projection, x0, h, v_, before_), force_);
    projection.filter(force_);
    impulse = h_s * norm(context.pool, force_);
    if (stop_requested(context.stop)) return false;
  }
  system.force(x_, v_, force_, SpringForces::rest);
  const double inertia = 1 + h_s * system.mass_damping();
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = (v_[i] + h_s / m[i] * force_[i]) / inertia;
  prescribe_velocity(projection, x0, h, v_);
  before_.swap(x_);
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = before_[i] + h_s * v_[i];

  std::ranges::fill(lambda_, 0.0);
  lambda_of_drag_ = vec3(0.0);
  double first_error = 0, last_error = 0;
  for (int k = 0; k < iterations_; ++k) {
    const bool measured = k == 0 || k + 1 == iterations_;
    if (!(measured ? sweep_springs<true>(projection, context) : sweep_springs<false>(projection, context)))
      return false;
    if (system.drag()) pull(*system.drag(), projection, h_s);
    if (k == 0) first_error = largest_error();
  }
  last_error = largest_error();
  if (first_error > 0) report.newton_residual = std::max(report.newton_residual, last_error / first_error);
  if (!(last_error <= context.solver.newton_tolerance * first_error) && !(last_error <= rounding())) {
    report.converged = false;
    report.reason = kUnagreedSweeps;
  }
  if (last) {
    const std::optional<double> residual = momentum_residual(system, h_s, context);
    if (!residual) return false;
    report.distance = impulse > 0 ? *residual / impulse : 0;
  }
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = (x_[i] - before_[i]) / h_s;
  return true;
}

template <bool measured>
bool Xpbd::sweep_springs(const Projection& projection, const StepContext& context) {
  if (measured) errors_.assign(constraints_.size() / SpringColouring::kGrain + 1, 0.0);
  return colouring_.sweep(context.pool, context.stop, [&](std::size_t first, std::size_t last) {
    HalfLanes largest = both(0);
    for (std::size_t c = first; c < last; c += 2) {
      const Pair pair(*this, c, last);
      const PairOfVectors w_i = response(projection, pair.a.i, pair.b.i, pair.n);
      const PairOfVectors w_j = response(projection, pair.a.j, pair.b.j, pair.n);
      const HalfLanes w = dot(w_i, pair.n) + dot(w_j, pair.n);
      // Numerator and denominator times k h_s², so that a tiny k is no division by it.
      const HalfLanes lambda{lambda_[c], lambda_[c + pair.count - 1]};
      const HalfLanes error = both(-1) * pair.stiffness * pair.elongation - lambda - pair.damping * pair.way;
      const HalfLanes change = pair.used(error / ((pair.stiffness + pair.damping) * w + both(1)));
      pair.add(change, lambda_, c);
      pair.add(change * w_i, x_, pair.a.i, pair.b.i);
      pair.add(both(-1) * change * w_j, x_, pair.a.j, pair.b.j);
      if constexpr (measured) largest = larger(largest, pair.used(error / pair.stiffness));
    }
    if constexpr (measured) {
      double& met = errors_[first / SpringColouring::kGrain];
      met = std::max({met, largest[0], largest[1]});
    }
  });
}

double Xpbd::largest_error() const { return std::ranges::max(errors_); }

double Xpbd::rounding() const {
  double largest = 0;
  for (const vec3& x : x_) largest = std::max({largest, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
  return 8 * std::numeric_limits<double>::epsilon() * largest;
}

std::optional<double> Xpbd::momentum_residual(const DynamicSystem& system, double h_s,
                                              const StepContext& context) {
  const std::span<const double> m = system.masses();
  const double inertia = 1 + h_s * system.mass_damping();
  std::vector<vec3>& r = force_;  // times h_s
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = inertia * m[i] * (x_[i] - before_[i] - h_s * v_[i]);
  const bool done = colouring_.sweep(context.pool, context.stop, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; c += 2) {
      const Pair pair(*this, c, last);
      const PairOfVectors pull =
          pair.used(pair.stiffness * pair.elongation + pair.damping * pair.way) * pair.n;
      pair.add(pull, r, pair.a.i, pair.b.i);
      pair.add(both(-1) * pull, r, pair.a.j, pair.b.j);
    }
  });
  if (!done) return std::nullopt;
  if (const auto& drag = system.drag()) {
    const vec3 d = drag->blend(x_) - drag->cursor, way = drag->blend(x_) - drag->blend(before_);
    const vec3 pull = h_s * (h_s * drag->secant_stiffness(d) * d + drag->secant_damping(way / h_s) * way);
    for (std::size_t c = 0; c < 3; ++c) {
      r[drag->particles[c]] += drag->weights[static_cast<int>(c)] * pull;
    }
  }
  system.projection().filter(r);
  return norm(context.pool, r) / h_s;
}

// The hand's force is −(k_s(d) d + c_s(ḋ) ḋ) with secants k_s and c_s that fall as d and ḋ grow. Solving for
// it with the secants of the sweep before minimises a quadratic above its potential: it descends, and never
// overshoots as the tangents would, which vanish where the force saturates.
void Xpbd::pull(const Drag& drag, const Projection& projection, double h_s) {
  const vec3 d = drag.blend(x_) - drag.cursor;
  const vec3 way = drag.blend(x_) - drag.blend(before_);
  const double stiffness = h_s * h_s * drag.secant_stiffness(d);
  const double damping = h_s * drag.secant_damping(way / h_s);
  double w = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double weight = drag.weights[static_cast<int>(c)];
    w += weight * weight * inverse_mass_[drag.particles[c]];
  }
  const vec3 change = (-stiffness * d - damping * way - lambda_of_drag_) / ((stiffness + damping) * w + 1);
  lambda_of_drag_ += change;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint32_t i = drag.particles[c];
    x_[i] += response(projection, i, drag.weights[static_cast<int>(c)] * change);
  }
}

vec3 Xpbd::response(const Projection& projection, std::uint32_t particle, const vec3& g) const {
  const double w = inverse_mass_[particle];
  const Projection::Entry* held = sliding_ ? projection.find(particle) : nullptr;
  return w * (held != nullptr ? held->S * g : g);
}

PairOfVectors Xpbd::response(const Projection& projection, std::uint32_t a, std::uint32_t b,
                             const PairOfVectors& g) const {
  if (sliding_) return {response(projection, a, g.of(0)), response(projection, b, g.of(1))};
  return HalfLanes{inverse_mass_[a], inverse_mass_[b]} * g;
}

}  // namespace clothlab
