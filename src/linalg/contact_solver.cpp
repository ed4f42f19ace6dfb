// SPDX-License-Identifier: MIT
#include "linalg/contact_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "linalg/loops.h"
#include "linalg/row_space.h"

namespace clothlab {

namespace {

constexpr int kMostRounds = 100;
constexpr int kSweeps = 3;
constexpr int kEarlyRounds = 10;      // later, sweeps that change nothing break cycles
constexpr int kMostIterations = 500;  // of CG in a round
constexpr int kHalvings = 4;
constexpr double kOfRightHandSide = 0.3;  // residual that a round of CG leaves
constexpr double kOfTolerance = 0.5;
constexpr double kFewChanges = 0.02;  // of the contacts
constexpr double kOfForces = 0.1;
constexpr std::size_t kGroupGrain = 128, kParticleGrain = 1024;

double length_squared(const vec3& a) { return glm::dot(a, a); }

}  // namespace

ContactSolveReport ContactSolver::solve(const ComputeContext& context, LinearSolver& solver,
                                        const Problem& problem, std::span<vec3> x,
                                        const LinearSolverSettings& settings) {
  problem_ = &problem;
  x_ = x;
  WorkerPool& pool = context.pool;
  SpringMatrix& A = problem.A;
  const std::size_t own_stencils = A.stencils().size(), contacts = problem.contacts.size();
  ContactSolveReport report;
  start(pool);
  compute_residual(pool);
  const double unit = scale(pool);
  const double tolerance = problem.tolerance > 0 ? problem.tolerance : settings.cg.tolerance * unit;
  report.scale = unit;
  const double enough_of_group = kOfTolerance * tolerance / std::sqrt(static_cast<double>(groups_.size()));
  int most = 1;
  double residual = 0;
  for (; report.rounds < kMostRounds; ++report.rounds) {
    report.solve.stopped = stop_requested(context.stop);
    if (report.solve.stopped) break;
    int changes = 0;
    for (int k = 0; k < kSweeps; ++k) {
      const int changed = sweep(pool, report.rounds > 0 ? enough_of_group : 0);
      compute_residual(pool);
      changes += changed;
      if (changed == 0 && report.rounds < kEarlyRounds) break;
    }
    residual = natural_residual(pool);
    report.changes += changes;
    if (!(residual > tolerance)) break;  // or NaN
    if (report.rounds > 0 &&
        (changes < kFewChanges * static_cast<double>(contacts) || report.rounds % 4 == 3))
      most = std::min(2 * most, kMostIterations);

    const double of_late = static_cast<double>(kEarlyRounds) / std::max(report.rounds, 1);
    constrain(pool, report.rounds < kEarlyRounds ? 1.0 : std::min(0.5, of_late));
    double size = 0;
    for (const vec3& a : rhs_) size += length_squared(a);
    size = std::sqrt(size);
    A.replace_stencils(own_stencils, friction_);
    LinearSolverSettings inner = settings;
    // The first round refers to the velocities before the step.
    const bool settled = changes == 0 && report.rounds > 0;
    const double enough = size > 0 ? kOfTolerance * tolerance / size : 1.0;
    inner.cg.max_iterations = settled ? kMostIterations : most;
    inner.cg.tolerance = settled ? enough : std::max(kOfRightHandSide, enough);
    inner.cg.warm_start = false;
    const SolveReport step = solver.solve(
        context, {.A = A, .b = rhs_, .projection = constrained_, .same_springs = report.rounds > 0}, change_,
        inner);
    A.replace_stencils(own_stencils, {});
    report.solve.iterations += step.iterations;
    report.solve.indefinite = report.solve.indefinite || step.indefinite;
    report.solve.preconditioner = step.preconditioner;
    report.solve.levels = step.levels;
    report.solve.history = step.history;
    report.solve.stopped = step.stopped;
    if (step.stopped) break;

    const double before = energy(pool);
    kept_x_.assign(x_.begin(), x_.end());
    kept_r_ = r_;
    kept_.assign(problem.contacts.begin(), problem.contacts.end());
    double share = 1;
    for (int halving = 0;; ++halving) {
      advance(pool, share);
      compute_residual(pool);
      if (halving == kHalvings || !(energy(pool) > before + 1e-12 * std::abs(before))) break;
      share /= 2;
      std::ranges::copy(kept_x_, x_.begin());
      std::ranges::copy(kept_, problem.contacts.begin());
    }
  }
  report.solve.converged = residual <= tolerance;
  report.solve.residual = unit > 0 ? residual / unit : 0.0;
  return report;
}

void ContactSolver::start(WorkerPool& pool) {
  const Problem& p = *problem_;
  const std::size_t n = p.A.size();
  for (auto* each : {&r_, &rhs_, &change_}) each->resize(n);
  is_free_.assign(n, 1);
  std::vector<vec3>& prescribed = kept_x_;
  prescribed.assign(x_.begin(), x_.end());
  std::ranges::fill(x_, vec3(0));
  for (const Projection::Entry& pin : p.pins.entries()) {
    x_[pin.particle] = prescribed[pin.particle];
    is_free_[pin.particle] = 0;
  }
  slip_direction_.assign(p.contacts.size(), vec3(0));
  bound_.assign(p.contacts.size(), 0);

  diagonal_.resize(n);
  rest_.resize(n);
  const SpringPattern& pattern = p.A.pattern();
  for_rows(pool, pattern, [&](std::size_t chunk, std::uint32_t, std::uint32_t) {
    p.A.bounding_blocks(chunk, diagonal_.data(), rest_.data());
  });
  groups_.clear();
  for (std::uint32_t k = 0; k < p.contacts.size(); ++k) {
    if (!groups_.empty() && groups_.back().particle == p.contacts[k].particle) {
      groups_.back().end = k + 1;
      continue;
    }
    groups_.push_back({p.contacts[k].particle, k, k + 1});
    is_free_[p.contacts[k].particle] = 0;
  }
  for_each(pool, groups_.size(), kGroupGrain, [&](std::size_t g) {
    Group& group = groups_[g];
    const std::uint32_t row = pattern.row[group.particle];
    const Padded &d = diagonal_[row], &o = rest_[row];
    group.D = 2.0 * mat3(d.x, o.x, o.y, o.x, d.y, o.z, o.y, o.z, d.z);
    group.D_inverse = glm::inverse(group.D);
    vec3 v = velocity(group);
    put_on_contacts(of(group), v);
    x_[group.particle] = v - p.v0[group.particle];
  });
}

void ContactSolver::compute_residual(WorkerPool& pool) {
  problem_->A.multiply(pool, x_, r_);
  for_each(pool, r_.size(), kParticleGrain, [&](std::size_t i) { r_[i] = problem_->b[i] - r_[i]; });
}

// What residuals are relative to: the right-hand side in the free directions, at least a tenth of all of it;
// or the forces given in its place.
double ContactSolver::scale(WorkerPool& pool) {
  const std::span<const vec3> b = problem_->forces.empty() ? problem_->b : problem_->forces;
  double free = pool.sum(b.size(), kParticleGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (is_free_[i] != 0) sum += length_squared(b[i]);
    return sum;
  });
  double all = free;
  for (const Group& group : groups_) {
    free += length_squared(free_directions(of(group)).S * b[group.particle]);
    all += length_squared(b[group.particle]);
  }
  return std::max(std::sqrt(free), kOfForces * std::sqrt(all));
}

// Solves Coulomb's law at each particle, its neighbours at rest, unless its natural residual is at most
// `enough`; 0: at all. Returns the number of particles whose states change.
int ContactSolver::sweep(WorkerPool& pool, double enough) {
  return static_cast<int>(pool.sum(groups_.size(), kGroupGrain, [&](std::size_t begin, std::size_t end) {
    int changed = 0;
    for (std::size_t g = begin; g < end; ++g) {
      const Group& group = groups_[g];
      const std::span<NodalContact> contacts = of(group);
      std::array<ContactState, kMostContactsOfParticle> states{};
      for (std::size_t k = 0; k < contacts.size(); ++k) states[k] = contacts[k].state;
      vec3 v = velocity(group);
      // Only rounding would change it.
      if (enough > 0 && allow(v, -r_[group.particle], contacts) <= enough) continue;
      const vec3 q = group.D * v + r_[group.particle];
      solve_coulomb(group.D, group.D_inverse, q, contacts, v);
      x_[group.particle] = v - problem_->v0[group.particle];
      for (std::size_t k = 0; k < contacts.size(); ++k)
        if (states[k] != contacts[k].state) {
          ++changed;
          break;
        }
    }
    return static_cast<double>(changed);
  }));
}

// The part of b − A x that no impulse of the contacts balances. Stores the nearest impulses.
double ContactSolver::natural_residual(WorkerPool& pool) {
  const double free = pool.sum(r_.size(), kParticleGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (is_free_[i] != 0) sum += length_squared(r_[i]);
    return sum;
  });
  const double of_contacts = pool.sum(groups_.size(), kGroupGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t g = begin; g < end; ++g) {
      const double distance = allow(velocity(groups_[g]), -r_[groups_[g].particle], of(groups_[g]));
      sum += distance * distance;
    }
    return sum;
  });
  return std::sqrt(free + of_contacts);
}

// The constraints, the derivative of friction, and the right-hand side of CG. Bounds of friction take this
// share of their change.
void ContactSolver::constrain(WorkerPool& pool, double share) {
  const Problem& p = *problem_;
  for_each(pool, r_.size(), kParticleGrain, [&](std::size_t i) { rhs_[i] = r_[i]; });
  added_.clear();
  friction_.clear();
  for (const Group& group : groups_) {
    const std::span<NodalContact> contacts = of(group);
    const auto [S, count] = free_directions(contacts);
    mat3 H(0.0);
    const vec3 v = velocity(group);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const NodalContact& contact = contacts[k];
      vec3& direction = slip_direction_[group.begin + k];
      double& bound = bound_[group.begin + k];
      direction = vec3(0);
      const bool is_closed = contact.state != ContactState::open;
      bound = glm::mix(bound, is_closed ? contact.friction * std::max(0.0, contact.push()) : 0.0, share);
      if (contact.state != ContactState::slip) continue;
      const vec3 w = contact.slip(v);
      const double speed = glm::length(w);
      if (!(speed > 0)) continue;
      direction = w / speed;
      rhs_[group.particle] -= bound * direction;
      H += bound / speed *
           (mat3(1.0) - glm::outerProduct(contact.normal, contact.normal) -
            glm::outerProduct(direction, direction));
    }
    if (count == 3) continue;
    added_.push_back({group.particle, S, vec3(0), true});
    if (count == 0 || H == mat3(0.0)) continue;
    SpringMatrix::Stencil& stencil = friction_.emplace_back();
    stencil.particle[0] = group.particle;
    stencil.weight[0] = 1;
    stencil.count = 1;
    stencil.C = S * H * S;
  }
  constrained_ = p.pins;
  constrained_.constrain(added_);
  constrained_.filter(rhs_);
}

// x += share · change. Contacts that x would pass are closed; slipping ones that reverse stick.
void ContactSolver::advance(WorkerPool& pool, double share) {
  for_each(pool, x_.size(), kParticleGrain, [&](std::size_t i) {
    if (is_free_[i] != 0) x_[i] += share * change_[i];
  });
  for_each(pool, groups_.size(), kGroupGrain, [&](std::size_t g) {
    const Group& group = groups_[g];
    const std::span<NodalContact> contacts = of(group);
    vec3 v = velocity(group) + share * change_[group.particle];
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      NodalContact& contact = contacts[k];
      const vec3& direction = slip_direction_[group.begin + k];
      const bool turns = contact.state == ContactState::slip && bound_[group.begin + k] > 0 &&
                         direction != vec3(0) && glm::dot(contact.slip(v), direction) <= 0;
      if (turns) contact.state = ContactState::stick;
    }
    put_on_contacts(contacts, v);
    x_[group.particle] = v - problem_->v0[group.particle];
  });
}

// J, with the pushes of the round.
double ContactSolver::energy(WorkerPool& pool) const {
  const Problem& p = *problem_;
  const double elastic = pool.sum(r_.size(), kParticleGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum -= 0.5 * glm::dot(x_[i], r_[i] + p.b[i]);
    return sum;
  });
  return elastic + pool.sum(groups_.size(), kGroupGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t g = begin; g < end; ++g)
      for (std::uint32_t k = groups_[g].begin; k < groups_[g].end; ++k)
        if (bound_[k] > 0) sum += bound_[k] * glm::length(p.contacts[k].slip(velocity(groups_[g])));
    return sum;
  });
}

}  // namespace clothlab
