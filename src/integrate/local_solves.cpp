// SPDX-License-Identifier: MIT
#include "integrate/local_solves.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "linalg/symmetric.h"

namespace clothlab {

namespace {

constexpr std::size_t kSolvesPerLocalPoll = 1 << 12;
constexpr std::size_t kMeanGrain = 4096;
constexpr double kLargeResidual = 3;        // times the mean |r_i|
constexpr double kSolvesPerParticle = 0.5;  // at most
constexpr int kLocalHalvings = 5;
constexpr double kSufficientFall = 1e-4;  // Armijo's constant
constexpr double kMuchSmaller = 0.25;     // ratio of |r_i|² that needs no comparison of φ

double square(const vec3& a) { return glm::dot(a, a); }

}  // namespace

struct LocalSolves::Problem {
  std::span<const double> m;
  const Projection& projection;
  const SpringMatrix& A;
  const ElasticElements& springs;
  double gamma_v, gamma_f;
  double projected, isotropic, rayleigh;  // γ_f times the coefficients of dampers; α
  double enough;                          // largest |r_i|² without a local solve
  std::span<vec3> x, v, r;

  // γ_f times the values of a spring.
  double stiffness(const SpringLink& link) const { return gamma_f * springs.stiffness(link.spring); }
  /// The linear spring that a spring is at length l.
  struct AtLength {
    double stiffness, rest_length;
    double energy;  // twice that of the spring
  };
  AtLength at(const SpringLink& link, double l) const {
    const double k = stiffness(link), L = link.rest_length;
    const StrainLimit limit = springs.limit(link.spring);
    const auto [factor, rest_length] = limit.at(L, l);
    return {factor * k, rest_length, k * (l - L) * (l - L) + 2 * k * limit.energy(L, l)};
  }
  double bending(const SpringLink& link) const { return gamma_f * springs.bending(link.spring); }
};

void LocalSolves::update(const DynamicSystem& system, const StopProbe& stop) {
  if (pattern_ == system.pattern()) return;
  pattern_.reset();  // until all is done
  CancelPoint cancel(stop);
  links_ = spring_links(system.elements(), system.size(), cancel);
  std::size_t most = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) most = std::max(most, links_[i].size());
  pulls_.resize(most);
  queue_.resize(system.size());
  waits_.assign(system.size(), false);
  pattern_ = system.pattern();
}

void LocalSolves::enter(const Problem& p, std::uint32_t i) {
  if (waits_[i] || !(square(p.r[i]) > p.enough)) return;
  waits_[i] = true;
  queue_[(head_ + waiting_++) % queue_.size()] = i;
}

std::uint32_t LocalSolves::leave() {
  const std::uint32_t i = queue_[head_];
  head_ = (head_ + 1) % queue_.size();
  --waiting_;
  waits_[i] = false;
  return i;
}

bool LocalSolves::relax(const DynamicSystem& system, const Projection& projection,
                        const ComputeContext& context, double gamma_f, double gamma_v, SpringMatrix& A,
                        std::span<vec3> x, std::span<vec3> v, std::span<vec3> r) {
  const ElasticElements springs = system.elements();
  if (springs.size() == 0 || !(gamma_v > 0)) return false;
  const double sum =
      sum_over(context.pool, r.size(), kMeanGrain, [&](std::size_t i) { return glm::length(r[i]); });
  const auto n = static_cast<double>(r.size());
  const double enough = kLargeResidual * sum / n;
  const ElasticElements::Coefficients& c = springs.coefficients;
  const Problem p{system.masses(),
                  projection,
                  A,
                  springs,
                  gamma_v,
                  gamma_f,
                  c.projected ? gamma_f * c.damping : 0,
                  c.projected ? 0 : gamma_f * c.damping,
                  c.rayleigh,
                  enough * enough,
                  x,
                  v,
                  r};
  for (std::uint32_t i = 0; i < r.size(); ++i) enter(p, i);
  if (waiting_ == 0) return false;
  system.assemble_others(context.pool, x, v, {1, gamma_f, gamma_f * gamma_v}, JacobianMode::clamped, A);
  bool moved = false;
  const auto most = static_cast<std::size_t>(kSolvesPerParticle * n);
  for (std::size_t solves = 0; waiting_ > 0 && solves < most; ++solves) {
    if (solves % kSolvesPerLocalPoll == 0 && stop_requested(context.stop)) break;
    if (const std::uint32_t i = leave(); square(r[i]) > p.enough && solve(p, i)) moved = true;
  }
  while (waiting_ > 0) leave();
  return moved;
}

/// along n nᵀ + across I of a spring's dampers.
struct LocalSolves::Damper {
  double along, across;

  Damper(const Problem& p, const SpringLink& link, double kept_ratio)
      : along(p.projected + p.rayleigh * p.stiffness(link) * kept_ratio),
        across(p.isotropic + p.rayleigh * p.stiffness(link) * (1 - kept_ratio) +
               p.rayleigh * p.bending(link)) {}
};

bool LocalSolves::solve(const Problem& p, std::uint32_t i) {
  const Projection::Entry* held = p.projection.find(i);
  if (held != nullptr && held->coupled) return false;
  const std::span<const SpringLink> links = links_[i];
  const std::span<Pull> pulls(pulls_.data(), links.size());
  const auto kept_ratio = [](double rest_length, double l) {
    return l > rest_length ? rest_length / l : l > 0 ? 1 : 0;
  };

  const double own = p.A.diagonal(i);
  Symmetric rest{own, own, own, 0, 0, 0};  // of the matrix, without springs
  p.A.for_stencils_at(i, [&](const SpringMatrix::Stencil& stencil, double weight) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k)
      if (stencil.particle[k] == i) rest.add(weight * stencil.weight[k], symmetric_part(stencil.C));
  });
  Symmetric block = rest;  // of the clamped matrix
  vec3 others = p.r[i];    // r_i without the springs' share
  double energy = 0;       // twice the energy of the springs and the potential of the dampers
  for (std::size_t s = 0; s < links.size(); ++s) {
    const std::uint32_t j = links[s].other;
    const vec3 d = p.x[i] - p.x[j], w = p.v[i] - p.v[j];
    const double l = glm::length(d), bending = p.bending(links[s]);
    const auto [k, L, of_spring] = p.at(links[s], l);
    const vec3 n = l > 0 ? d / l : vec3(0.0);
    const double ratio = kept_ratio(L, l), speed = glm::dot(n, w);
    const Damper damper(p, links[s], kept_ratio(links[s].rest_length, l));
    pulls[s] = {n, damper.along, damper.across,
                (k * (l - L) + bending * l + damper.along * speed) * n + damper.across * w};
    others -= pulls[s].before;
    energy += (of_spring + bending * l * l) / p.gamma_v + damper.along * speed * speed +
              damper.across * glm::dot(w, w);
    block.add(1, spring_block(std::sqrt(p.gamma_v * k * ratio + damper.along) * n,
                              p.gamma_v * k * (1 - ratio) + p.gamma_v * bending + damper.across));
  }
  const vec3 direction = -vec3_of(block_inverse(block, held ? &held->S : nullptr) * lanes(p.r[i]));
  const double slope = glm::dot(p.r[i], direction);
  if (!(slope < 0)) return false;

  const vec3 along_direction = full(rest) * direction;
  double alpha = 1;
  for (int halvings = 0; halvings <= kLocalHalvings; ++halvings, alpha /= 2) {
    const vec3 change = alpha * direction, x = p.x[i] + p.gamma_v * change, v = p.v[i] + change;
    vec3 r = others + alpha * along_direction;
    double rise = 2 * glm::dot(others + alpha / 2 * along_direction, change) - energy;
    for (std::size_t s = 0; s < links.size(); ++s) {
      const std::uint32_t j = links[s].other;
      const vec3 d = x - p.x[j], w = v - p.v[j];
      const double l = glm::length(d), bent = p.bending(links[s]) * l;
      const auto [k, L, of_spring] = p.at(links[s], l);
      const double force = k * (l - L);
      const vec3 n = l > 0 ? d / l : vec3(0.0);
      const Damper damper(p, links[s], p.rayleigh != 0 ? kept_ratio(links[s].rest_length, l) : 1);
      pulls[s].after = (force + bent + damper.along * glm::dot(n, w)) * n + damper.across * w;
      r += pulls[s].after;
      const double speed = glm::dot(pulls[s].direction, w);
      rise += (of_spring + bent * l) / p.gamma_v + pulls[s].along * speed * speed +
              pulls[s].across * glm::dot(w, w);
    }
    if (held) r = held->S * r;
    if (!(rise / 2 <= kSufficientFall * alpha * slope || square(r) <= kMuchSmaller * square(p.r[i])))
      continue;
    p.x[i] = x;
    p.v[i] = v;
    p.r[i] = r;
    enter(p, i);
    const auto push = [&](std::uint32_t j, vec3 force) {
      if (const Projection::Entry* other = p.projection.find(j)) force = other->S * force;
      p.r[j] += force;
      enter(p, j);
    };
    for (std::size_t s = 0; s < links.size(); ++s) push(links[s].other, pulls[s].before - pulls[s].after);
    p.A.for_stencils_at(i, [&](const SpringMatrix::Stencil& stencil, double weight) {
      const vec3 force = weight * (stencil.C * change);
      for (std::size_t point = 0; point < static_cast<std::size_t>(stencil.count); ++point)
        if (stencil.particle[point] != i) push(stencil.particle[point], stencil.weight[point] * force);
    });
    return true;
  }
  return false;
}

}  // namespace clothlab
