// SPDX-License-Identifier: MIT
#include "linalg/couplings.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

#include "core/disjoint_sets.h"
#include "linalg/projection.h"

namespace clothlab {
namespace {

constexpr double kRedundantPart =
    1e-10;                          // smaller eigenvalues of JJᵀ count as 0, relative to the largest one
constexpr double kSafePart = 1e-6;  // pivots of JJᵀ, relative to the largest diagonal without S
constexpr double kUnitRounding = 4e-16;  // of positions
constexpr double kNearRounding = 1e4;    // |c| that may be all rounding, in units of it
constexpr double kAtLengths = 100;       // the same, without a need to correct it
constexpr int kMostCorrections = 40;
constexpr double kFirstDamping = 2, kMostDamping = 1e4;  // of the curvature of c, see project()

// a := a − G e by the error e of each link, with `a` of the group in its scratch memory.
template <class Groups, class Member, class Error>
void correct_all(Groups& groups, Member jacobian, std::span<vec3> a, const Error& error) {
  for (auto& g : groups) {
    for (std::size_t k = 0; k < g.v.size(); ++k) g.v[k] = a[g.particles[k]];
    for (std::size_t l = 0; l < g.links.size(); ++l) g.error[l] = error(g, l);
    g.correct(g.*jacobian, g.v);
    for (std::size_t k = 0; k < g.v.size(); ++k) a[g.particles[k]] = g.v[k];
  }
}

}  // namespace

void Couplings::set(std::span<const DistanceConstraint> constraints) {
  constraints_.assign(constraints.begin(), constraints.end());
  groups_.clear();
  std::vector<std::uint32_t> particles;
  for (const auto& [i, j, length] : constraints_)
    for (const std::uint32_t each : {i, j}) particles.push_back(each);
  std::ranges::sort(particles);
  particles.erase(std::unique(particles.begin(), particles.end()), particles.end());
  const auto position = [](const std::vector<std::uint32_t>& all, std::uint32_t i) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(all, i) - all.begin());
  };
  DisjointSets sets(particles.size());
  for (const auto& [i, j, length] : constraints_) sets.join(position(particles, i), position(particles, j));
  std::vector<std::uint32_t> group_of;
  groups_.resize(sets.number(group_of));
  for (std::size_t k = 0; k < particles.size(); ++k) groups_[group_of[k]].particles.push_back(particles[k]);
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    const auto& [i, j, length] = constraints_[c];
    Group& g = groups_[group_of[position(particles, i)]];
    g.links.push_back({position(g.particles, i), position(g.particles, j), c, length});
  }
  for (Group& g : groups_) {
    const std::size_t n = g.particles.size(), m = g.links.size();
    g.S.assign(n, mat3(1.0));
    g.inverse_mass.assign(n, 1.0);
    for (Jacobian* J : {&g.step, &g.end}) J->normal.resize(m);
    for (Inverse* each : {&g.step.inverse, &g.end.inverse, &g.without_masses}) each->root.resize(m * m);
    for (auto* values : {&g.displacement, &g.velocity, &g.error, &g.coefficients}) values->resize(m);
    g.gram.resize(m * m);
    for (auto* vectors : {&g.start, &g.x, &g.v, &g.best}) vectors->resize(n);
    g.eigen.reserve(m);
  }
}

std::vector<vec3>& Couplings::gather(Group& group, std::span<const vec3> all, std::vector<vec3>& to) const {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = all[group.particles[k]];
  return to;
}

// error := c(x), and the directions of J there; returns the largest |c| in units of rounding.
double Couplings::Group::set_normals(Jacobian& J, std::span<const vec3> p) {
  double off = 0;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const vec3 &a = p[links[l].a], &b = p[links[l].b];
    const double now = glm::distance(a, b);
    if (now > 0) J.normal[l] = (b - a) / now;
    error[l] = now - links[l].length;
    const double rounding = kUnitRounding * (glm::length(a) + glm::length(b) + links[l].length);
    const double units = std::abs(error[l]) / rounding;
    if (!(units <= off)) off = units;
  }
  return off;
}

// gram := J S Jᵀ or J S M⁻¹ Jᵀ, plus damping; returns the largest diagonal element without S.
double Couplings::Group::compute_gram(const Jacobian& J, bool weighted, double damping) {
  const std::size_t m = links.size();
  const auto end_of = [&](const Link& link, bool second) { return second ? link.b : link.a; };
  double largest = 0;
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      double sum = k == l ? damping : 0;
      for (const bool first : {false, true})
        for (const bool second : {false, true}) {
          const std::size_t i = end_of(links[k], first);
          if (i != end_of(links[l], second)) continue;
          const double weight = weighted ? inverse_mass[i] : 1.0;
          sum += (first == second ? weight : -weight) * glm::dot(J.normal[k], S[i] * J.normal[l]);
        }
      gram[k * m + l] = gram[l * m + k] = sum;
    }
    const double own = weighted ? inverse_mass[links[k].a] + inverse_mass[links[k].b] : 2.0;
    largest = std::max(largest, own + damping);
  }
  return largest;
}

// R := L⁻ᵀ with gram = LLᵀ, by unit vectors made orthogonal in the metric of gram; false if a pivot is small.
bool Couplings::Group::orthogonalise(double largest, Inverse& to) const {
  const std::size_t m = to.rank = links.size();
  for (std::size_t c = 0; c < m; ++c) {
    const std::span<double> column(to.root.data() + c * m, m);
    std::ranges::fill(column, 0.0);
    column[c] = 1;
    double pivot = gram[c * m + c];
    for (std::size_t j = 0; j < c; ++j) {
      const std::span<const double> other(to.root.data() + j * m, j + 1);
      const double along = std::inner_product(other.begin(), other.end(), gram.data() + c * m, 0.0);
      pivot -= along * along;
      for (std::size_t k = 0; k <= j; ++k) column[k] -= along * other[k];
    }
    if (!(pivot > kSafePart * largest)) return false;
    for (std::size_t k = 0; k <= c; ++k) column[k] /= std::sqrt(pivot);
  }
  return true;
}

void Couplings::Group::invert(const Jacobian& J, bool weighted, double damping, Inverse& to) {
  const double largest = compute_gram(J, weighted, damping);
  if (orthogonalise(largest, to)) return;
  const std::size_t m = links.size();
  eigen.compute(m, gram);
  const std::span<const double> values = eigen.values(), q = eigen.vectors();
  const double least = kRedundantPart * std::max(largest, values[m - 1]);
  to.rank = 0;
  for (std::size_t r = 0; r < m; ++r) {
    if (!(values[r] > least)) continue;
    for (std::size_t k = 0; k < m; ++k) to.root[to.rank * m + k] = q[r * m + k] / std::sqrt(values[r]);
    ++to.rank;
  }
}

// error := R Rᵀ error
void Couplings::Group::solve(const Inverse& inverse) {
  const std::size_t m = links.size();
  std::ranges::fill(coefficients, 0.0);
  for (std::size_t r = 0; r < inverse.rank; ++r) {
    const std::span<const double> column(inverse.root.data() + r * m, m);
    const double along = std::inner_product(column.begin(), column.end(), error.begin(), 0.0);
    for (std::size_t k = 0; k < m; ++k) coefficients[k] += along * column[k];
  }
  error.swap(coefficients);
}

// a := a − G error; error becomes the multipliers.
void Couplings::Group::correct(const Jacobian& J, std::span<vec3> p) {
  solve(J.inverse);
  for (std::size_t l = 0; l < links.size(); ++l) {
    const auto& [a, b, constraint, length] = links[l];
    p[a] += error[l] * inverse_mass[a] * (S[a] * J.normal[l]);
    p[b] -= error[l] * inverse_mass[b] * (S[b] * J.normal[l]);
  }
}

void Couplings::Group::filter(std::span<vec3> f) {
  for (std::size_t l = 0; l < links.size(); ++l) error[l] = times(step, l, f);
  solve(without_masses);
  for (std::size_t l = 0; l < links.size(); ++l) {
    const auto& [a, b, constraint, length] = links[l];
    f[a] += error[l] * (S[a] * step.normal[l]);
    f[b] -= error[l] * (S[b] * step.normal[l]);
  }
}

// How fast J turns, times |c|: the largest |c|/(m L) or, of longer ones, |c|/(m |x_j − x_i|).
double Couplings::Group::curvature() const {
  double most = 0;
  for (std::size_t l = 0; l < links.size(); ++l)
    for (const std::size_t i : {links[l].a, links[l].b})
      if (S[i] != mat3(0.0))
        most = std::max(most,
                        std::abs(error[l]) * inverse_mass[i] / (links[l].length + std::max(error[l], 0.0)));
  return most;
}

// Newton's method on c(p) = 0 in the free directions while Σ c² decreases; else Levenberg's and Marquardt's.
// Leaves `end` at the least Σ c²; false if that is not 0.
bool Couplings::Group::project(std::span<vec3> p) {
  double least = 0, damping = 0, off = 0;
  bool done = false;
  for (int iteration = 0;; ++iteration) {
    off = set_normals(end, p);
    const double size = std::inner_product(error.begin(), error.end(), error.begin(), 0.0);
    done = !(off > 1) || iteration == kMostCorrections;
    if (iteration == 0 || size < least) {
      least = size;
      std::ranges::copy(p, best.begin());
    } else {
      done = done || off <= kNearRounding || damping > kMostDamping;
      damping = std::max(kFirstDamping, 4 * damping);
      std::ranges::copy(best, p.begin());
      off = set_normals(end, p);
    }
    invert(end, true, done ? 0 : damping * curvature(), end.inverse);
    if (done) return !(off > kNearRounding);
    correct(end, p);
  }
}

// Where constraints contradict each other the end of a step is elsewhere than its velocity leads to: gives v
// the displacement of the step along x − `from`, the last displacement of project(), by an impulse.
void Couplings::Group::stop_along(std::span<const vec3> from, double h) {
  double impulse = 0, size = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const vec3 along = (x[k] - from[k]) / inverse_mass[k];
    impulse += glm::dot(along, v[k] - (x[k] - start[k]) / h);
    size += glm::dot(along, x[k] - from[k]);
  }
  if (!(size > 0)) return;
  for (std::size_t k = 0; k < x.size(); ++k) v[k] -= impulse / size * (x[k] - from[k]);
}

void Couplings::linearise(const Projection& pins, std::span<const double> masses, std::span<const vec3> x0,
                          std::span<const vec3> v0, double h, double part) {
  h_ = h;
  second_half_ = std::clamp(2 * (1 - part), 0.0, 1.0);
  for (Group& g : groups_) {
    for (std::size_t k = 0; k < g.particles.size(); ++k) {
      const std::uint32_t i = g.particles[k];
      const Projection::Entry* entry = pins.find(i);
      g.S[k] = entry != nullptr ? entry->S : mat3(1.0);
      g.inverse_mass[k] = 1 / masses[i];
      g.v[k] = x0[i] + h * v0[i];
      if (entry != nullptr) g.v[k] = entry->target + g.S[k] * (g.v[k] - entry->target);
    }
    const std::span<vec3> end = g.v;
    gather(g, x0, g.start);
    g.set_normals(g.end, g.start);
    g.project(end);
    for (std::size_t l = 0; l < g.links.size(); ++l) {
      const auto& [a, b, constraint, length] = g.links[l];
      const vec3 direction = (1 - part) * (g.start[b] - g.start[a]) + part * (end[b] - end[a]);
      const double size = glm::length(direction);
      g.step.normal[l] = size > 0 ? direction / size : g.end.normal[l];
      g.displacement[l] = g.times(g.step, l, end) - g.times(g.step, l, g.start);
    }
    gather(g, v0, g.v);
    for (std::size_t l = 0; l < g.links.size(); ++l) g.velocity[l] = g.times(g.step, l, g.v);
    g.invert(g.step, true, 0, g.step.inverse);
    g.invert(g.step, false, 0, g.without_masses);
  }
}

std::size_t Couplings::rank() const {
  std::size_t sum = 0;
  for (const Group& g : groups_) sum += g.without_masses.rank;
  return sum;
}

void Couplings::basis(std::size_t n, VectorBasis& U) const {
  U.resize(n, rank());
  std::size_t column = 0;
  for (const Group& g : groups_)
    for (std::size_t r = 0; r < g.without_masses.rank; ++r) {
      const std::span<vec3> u = U.column(column++);
      std::ranges::fill(u, vec3(0.0));
      for (std::size_t l = 0; l < g.links.size(); ++l) {
        const auto& [a, b, constraint, length] = g.links[l];
        const vec3 normal = g.without_masses.root[r * g.links.size() + l] * g.step.normal[l];
        u[g.particles[a]] -= g.S[a] * normal;
        u[g.particles[b]] += g.S[b] * normal;
      }
    }
}

void Couplings::filter(std::span<vec3> f) const {
  filter_with([&](std::uint32_t i) { return f[i]; }, [&](std::uint32_t i, const vec3& of_i) { f[i] = of_i; });
}

void Couplings::filter_motion(std::span<vec3> a) const {
  correct_all(groups_, &Group::step, a, [](const auto& g, std::size_t l) { return g.times(g.step, l, g.v); });
}

void Couplings::renew(std::span<const vec3> now, std::span<vec3> a) const {
  for (const Group& g : groups_) {
    vec3 momentum(0);
    double mass = 0;
    for (std::size_t k = 0; k < g.particles.size(); ++k) {
      vec3& of_k = a[g.particles[k]];
      momentum += (of_k - now[g.particles[k]]) / g.inverse_mass[k];
      mass += 1 / g.inverse_mass[k];
      of_k = now[g.particles[k]];
    }
    const bool is_free = std::ranges::all_of(g.S, [](const mat3& S) { return S == mat3(1.0); });
    for (const std::uint32_t i : g.particles)
      if (is_free) a[i] += momentum / mass;
  }
}

void Couplings::prescribe_velocity(std::span<vec3> v) const {
  correct_all(groups_, &Group::step, v,
              [&](const auto& g, std::size_t l) { return g.times(g.step, l, g.v) - g.displacement[l] / h_; });
}

void Couplings::prescribe_offset(std::span<const vec3> x0, double gamma, std::span<vec3> x_hat) const {
  correct_all(groups_, &Group::step, x_hat, [&](const auto& g, std::size_t l) {
    const vec3 before = x0[g.particles[g.links[l].b]] - x0[g.particles[g.links[l].a]];
    return g.times(g.step, l, g.v) - glm::dot(g.step.normal[l], before) -
           (1 - gamma / h_) * g.displacement[l];
  });
}

void Couplings::finish(std::span<vec3> x1, std::span<vec3> v1) const {
  for (Group& g : groups_) {
    gather(g, x1, g.x);
    gather(g, v1, g.v);
    for (std::size_t l = 0; l < g.links.size(); ++l) {
      const double mean = g.displacement[l] / h_;
      g.error[l] = g.times(g.step, l, g.v) - mean - second_half_ * (mean - g.velocity[l]);
    }
    g.correct(g.step, g.v);
    if (!g.project(g.x)) g.stop_along(gather(g, x1, g.best), h_);
    for (std::size_t l = 0; l < g.links.size(); ++l) g.error[l] = g.times(g.end, l, g.v);
    g.correct(g.end, g.v);
    for (std::size_t k = 0; k < g.particles.size(); ++k) {
      x1[g.particles[k]] = g.x[k];
      v1[g.particles[k]] = g.v[k];
    }
  }
}

void Couplings::put_at_lengths(std::span<vec3> x) const {
  for (Group& g : groups_) {
    if (g.set_normals(g.end, gather(g, x, g.x)) <= kAtLengths) continue;
    g.project(g.x);
    for (std::size_t k = 0; k < g.particles.size(); ++k) x[g.particles[k]] = g.x[k];
  }
}

void Couplings::stop_change(std::span<vec3> v) const {
  correct_all(groups_, &Group::end, v, [](const auto& g, std::size_t l) { return g.times(g.end, l, g.v); });
}

std::size_t Couplings::worst(std::span<const vec3> x) const {
  const auto off = [&](const DistanceConstraint& each) {
    return std::abs(glm::distance(x[each.i], x[each.j]) - each.length);
  };
  return static_cast<std::size_t>(std::ranges::max_element(constraints_, {}, off) - constraints_.begin());
}

double Couplings::violation(std::span<const vec3> x) const {
  if (empty()) return 0;
  const auto& [i, j, length] = constraints_[worst(x)];
  return std::abs(glm::distance(x[i], x[j]) - length);
}

// λ h = (J M⁻¹ Jᵀ)⁺ J M⁻¹ R
void Couplings::forces(std::span<const vec3> impulses, std::span<double> lambda) const {
  for (Group& g : groups_) {
    gather(g, impulses, g.v);
    for (std::size_t k = 0; k < g.particles.size(); ++k) g.v[k] = g.inverse_mass[k] * (g.S[k] * g.v[k]);
    for (std::size_t l = 0; l < g.links.size(); ++l) g.error[l] = -g.times(g.step, l, g.v);
    g.solve(g.step.inverse);
    for (std::size_t l = 0; l < g.links.size(); ++l) lambda[g.links[l].constraint] = g.error[l] / h_;
  }
}

}  // namespace clothlab
