// SPDX-License-Identifier: MIT
#include "linalg/couplings.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

#include "linalg/projection.h"

namespace clothlab {
namespace {

constexpr double kRedundantPart =
    1e-10;  // smaller eigenvalues of JJᵀ count as 0, relative to the largest one
constexpr double kUnitRounding = 4e-16;  // of positions
constexpr int kMostCorrections = 30;
constexpr int kPatience = 4;  // iterations before c must decrease

// a := a − G e by the error e of each link, with `a` of the group in its scratch memory.
template <class Groups, class Error>
void correct_all(Groups& groups, std::span<vec3> a, const Error& error) {
  for (auto& g : groups) {
    for (std::size_t k = 0; k < g.v.size(); ++k) g.v[k] = a[g.particles[k]];
    for (std::size_t l = 0; l < g.links.size(); ++l) g.error[l] = error(g, l);
    g.correct(g.step, g.v);
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
    return static_cast<std::size_t>(std::ranges::lower_bound(all, i) - all.begin());
  };
  // Each particle has the label of the first one of its group.
  std::vector<std::size_t> label(particles.size());
  std::iota(label.begin(), label.end(), std::size_t{0});
  for (std::size_t pass = 0; pass < constraints_.size(); ++pass)
    for (const auto& [i, j, length] : constraints_) {
      std::size_t &of_i = label[position(particles, i)], &of_j = label[position(particles, j)];
      of_i = of_j = std::min(of_i, of_j);
    }
  for (std::size_t first = 0; first < particles.size(); ++first) {
    if (label[first] != first) continue;
    Group& g = groups_.emplace_back();
    for (std::size_t k = first; k < particles.size(); ++k)
      if (label[k] == first) g.particles.push_back(particles[k]);
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      const auto& [i, j, length] = constraints_[c];
      if (label[position(particles, i)] == first)
        g.links.push_back({position(g.particles, i), position(g.particles, j), c, length});
    }
    const std::size_t n = g.particles.size(), m = g.links.size();
    g.S.assign(n, mat3(1.0));
    g.inverse_mass.assign(n, 1.0);
    for (Jacobian* J : {&g.step, &g.end}) {
      J->normal.resize(m);
      J->G.assign(m * n, vec3(0.0));
    }
    g.U.resize(m * n);
    for (auto* values : {&g.displacement, &g.velocity, &g.error}) values->resize(m);
    for (auto* values : {&g.gram, &g.inverse}) values->resize(m * m);
    for (auto* vectors : {&g.x, &g.v}) vectors->resize(n);
    g.eigen.reserve(m);
  }
}

std::vector<vec3>& Couplings::gather(Group& group, std::span<const vec3> all, std::vector<vec3>& to) const {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = all[group.particles[k]];
  return to;
}

// error := c(x), and the directions of J there; false if all |c| are rounding.
bool Couplings::Group::set_normals(Jacobian& J, std::span<const vec3> p) {
  bool is_off = false;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const vec3 &a = p[links[l].a], &b = p[links[l].b];
    const double now = glm::distance(a, b);
    if (now > 0) J.normal[l] = (b - a) / now;
    error[l] = now - links[l].length;
    const double rounding = kUnitRounding * (glm::length(a) + glm::length(b) + links[l].length);
    is_off = is_off || !(std::abs(error[l]) <= rounding);
  }
  return is_off;
}

// gram := J S Jᵀ or J S M⁻¹ Jᵀ
void Couplings::Group::compute_gram(const Jacobian& J, bool weighted) {
  const std::size_t m = links.size();
  const auto end_of = [&](const Link& link, bool second) { return second ? link.b : link.a; };
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l <= k; ++l) {
      double sum = 0;
      for (const bool first : {false, true})
        for (const bool second : {false, true}) {
          const std::size_t i = end_of(links[k], first);
          if (i != end_of(links[l], second)) continue;
          const double weight = weighted ? inverse_mass[i] : 1.0;
          sum += (first == second ? weight : -weight) * glm::dot(J.normal[k], S[i] * J.normal[l]);
        }
      gram[k * m + l] = gram[l * m + k] = sum;
    }
  double largest = 0;  // without S
  for (const Link& link : links)
    largest = std::max(largest, weighted ? inverse_mass[link.a] + inverse_mass[link.b] : 2.0);
  eigen.compute(m, gram);
  least = kRedundantPart * std::max(largest, eigen.values()[m - 1]);
}

// G := M⁻¹ S Jᵀ (J S M⁻¹ Jᵀ)⁺
void Couplings::Group::invert(Jacobian& J) {
  const std::size_t m = links.size(), n = particles.size();
  compute_gram(J, true);
  std::ranges::fill(inverse, 0.0);
  const std::span<const double> values = eigen.values(), q = eigen.vectors();
  for (std::size_t r = 0; r < m; ++r) {
    if (!(values[r] > least)) continue;
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t l = 0; l < m; ++l) inverse[k * m + l] += q[r * m + k] * q[r * m + l] / values[r];
  }
  std::ranges::fill(J.G, vec3(0.0));
  for (std::size_t l = 0; l < m; ++l)
    for (std::size_t k = 0; k < m; ++k) {
      const auto& [a, b, constraint, length] = links[k];
      const vec3 normal = inverse[k * m + l] * J.normal[k];
      J.G[l * n + a] -= inverse_mass[a] * (S[a] * normal);
      J.G[l * n + b] += inverse_mass[b] * (S[b] * normal);
    }
}

void Couplings::Group::compute_basis() {
  const std::size_t m = links.size(), n = particles.size();
  compute_gram(step, false);
  const std::span<const double> values = eigen.values(), q = eigen.vectors();
  rank = 0;
  for (std::size_t r = 0; r < m; ++r) {
    if (!(values[r] > least)) continue;
    const std::span<vec3> u(U.data() + rank * n, n);
    std::ranges::fill(u, vec3(0.0));
    for (std::size_t k = 0; k < m; ++k) {
      const auto& [a, b, constraint, length] = links[k];
      const vec3 normal = q[r * m + k] / std::sqrt(values[r]) * step.normal[k];
      u[a] -= S[a] * normal;
      u[b] += S[b] * normal;
    }
    ++rank;
  }
}

// a := a − G error
void Couplings::Group::correct(const Jacobian& J, std::span<vec3> a) const {
  const std::size_t n = particles.size();
  for (std::size_t l = 0; l < links.size(); ++l)
    for (std::size_t k = 0; k < n; ++k) a[k] -= error[l] * J.G[l * n + k];
}

// Newton's method on c(p) = 0 in the free directions; leaves `end` there.
void Couplings::Group::project(std::span<vec3> p) {
  double last = 0;
  for (int iteration = 0;; ++iteration) {
    const bool is_off = set_normals(end, p);
    invert(end);
    double worst = 0;
    for (const double each : error) worst = std::max(worst, std::abs(each));
    const bool stagnates = iteration > kPatience && !(worst < 0.5 * last);
    if (!is_off || stagnates || iteration == kMostCorrections || !std::isfinite(worst)) return;
    last = worst;
    correct(end, p);
  }
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
    gather(g, x0, g.x);
    g.set_normals(g.end, g.x);
    g.project(end);
    for (std::size_t l = 0; l < g.links.size(); ++l) {
      const auto& [a, b, constraint, length] = g.links[l];
      const vec3 direction = (1 - part) * (g.x[b] - g.x[a]) + part * (end[b] - end[a]);
      const double size = glm::length(direction);
      g.step.normal[l] = size > 0 ? direction / size : g.end.normal[l];
      g.displacement[l] = g.times(g.step, l, end) - g.times(g.step, l, g.x);
    }
    gather(g, v0, g.v);
    for (std::size_t l = 0; l < g.links.size(); ++l) g.velocity[l] = g.times(g.step, l, g.v);
    g.invert(g.step);
    g.compute_basis();
  }
}

std::size_t Couplings::rank() const {
  std::size_t sum = 0;
  for (const Group& g : groups_) sum += g.rank;
  return sum;
}

void Couplings::basis(std::size_t n, VectorBasis& U) const {
  U.resize(n, rank());
  std::size_t column = 0;
  for (const Group& g : groups_)
    for (std::size_t r = 0; r < g.rank; ++r) {
      const std::span<vec3> u = U.column(column++);
      std::ranges::fill(u, vec3(0.0));
      for (std::size_t k = 0; k < g.particles.size(); ++k)
        u[g.particles[k]] = g.U[r * g.particles.size() + k];
    }
}

void Couplings::filter(std::span<vec3> f) const {
  filter_with([&](std::uint32_t i) { return f[i]; }, [&](std::uint32_t i, const vec3& of_i) { f[i] = of_i; });
}

void Couplings::filter_motion(std::span<vec3> a) const {
  correct_all(groups_, a, [](const auto& g, std::size_t l) { return g.times(g.step, l, g.v); });
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
  correct_all(groups_, v,
              [&](const auto& g, std::size_t l) { return g.times(g.step, l, g.v) - g.displacement[l] / h_; });
}

void Couplings::prescribe_offset(std::span<const vec3> x0, double gamma, std::span<vec3> x_hat) const {
  correct_all(groups_, x_hat, [&](auto& g, std::size_t l) {
    gather(g, x0, g.x);
    return g.times(g.step, l, g.v) - g.times(g.step, l, g.x) - (1 - gamma / h_) * g.displacement[l];
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
    g.project(g.x);
    for (std::size_t l = 0; l < g.links.size(); ++l) g.error[l] = g.times(g.end, l, g.v);
    g.correct(g.end, g.v);
    for (std::size_t k = 0; k < g.particles.size(); ++k) {
      x1[g.particles[k]] = g.x[k];
      v1[g.particles[k]] = g.v[k];
    }
  }
}

double Couplings::violation(std::span<const vec3> x) const {
  double worst = 0;
  for (const auto& [i, j, length] : constraints_)
    worst = std::max(worst, std::abs(glm::distance(x[i], x[j]) - length));
  return worst;
}

// λ h = (J M⁻¹ Jᵀ)⁺ J M⁻¹ R = Gᵀ R
void Couplings::forces(std::span<const vec3> impulses, std::span<double> lambda) const {
  for (const Group& g : groups_)
    for (std::size_t l = 0; l < g.links.size(); ++l) {
      double sum = 0;
      for (std::size_t k = 0; k < g.particles.size(); ++k)
        sum -= glm::dot(g.step.G[l * g.particles.size() + k], impulses[g.particles[k]]);
      lambda[g.links[l].constraint] = sum / h_;
    }
}

}  // namespace clothlab
