// SPDX-License-Identifier: MIT
#include "linalg/contact_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <limits>

#include "linalg/row_space.h"

namespace clothlab {

namespace {

constexpr int kMostRounds = 100;
constexpr int kSweeps = 3;
constexpr int kEarlyRounds = 10;  // later, sweeps that change nothing break cycles
// Of CG in a round. A solve that needs more stagnates on slow contacts, whose friction is stiff; the next
// round changes it.
constexpr int kFirstIterations = 4, kMostIterations = 120;
constexpr int kHalvings = 4;
constexpr double kOfRightHandSide = 0.3;  // residual that a round of CG leaves
constexpr double kOfTolerance = 0.5;
constexpr double kFewChanges = 0.02;  // of the contacts
constexpr double kOfForces = 0.1;
constexpr std::size_t kGroupGrain = 128;
constexpr double kOfPairs = 0.5;  // of the residual of pairs: when multipliers follow
// The search along a change:
constexpr int kHalvingsOfLine = 40;
constexpr double kLineEnds = 1e-3;  // accuracy of the share
constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

double length_squared(const vec3& a) { return glm::dot(a, a); }

}  // namespace

ContactSolveReport ContactSolver::solve(const ComputeContext& context, LinearSolver& solver,
                                        const Problem& problem, std::span<vec3> x,
                                        const LinearSolverSettings& settings) {
  problem_ = &problem;
  WorkerPool& pool = context.pool;
  SpringMatrix& A = problem.A;
  const std::size_t own_stencils = A.stencils().size(),
                    contacts = problem.contacts.size() + problem.pairs.size();
  ContactSolveReport report;
  start(pool, x);
  freezes_ = true;
  compute_residual(pool);
  const double unit = scale(pool);
  const double tolerance = problem.tolerance > 0 ? problem.tolerance : settings.cg.tolerance * unit;
  report.scale = unit;
  const double enough_of_group = kOfTolerance * tolerance / std::sqrt(static_cast<double>(groups_.size()));
  int most = kFirstIterations;
  double residual = 0;
  for (; report.rounds < kMostRounds; ++report.rounds) {
    report.solve.stopped = stop_requested(context.stop);
    if (report.solve.stopped) break;
    int changes = 0;
    if (!pairs_.empty()) stiffen_blocks();
    for (int k = 0; k < kSweeps; ++k) {
      const int changed = sweep(pool, report.rounds > 0 ? enough_of_group : 0);
      update_residual(pool);
      changes += changed;
      if (changed == 0 && report.rounds < kEarlyRounds) break;
    }
    residual = natural_residual(pool);
    bool coarse_levels_stay = report.rounds > 0;
    if (!pairs_.empty()) {
      const double of_pairs = pairs_.residual(pool), of_rest = residual;
      residual = root_of_squares(of_rest, of_pairs);
      if (!(residual > tolerance)) break;
      if (of_rest <= std::max(kOfTolerance * tolerance, kOfPairs * of_pairs)) {
        pairs_.adopt();
        compute_residual(pool);
        natural_residual(pool);
      }
      const std::size_t changed = linearize_pairs(report.rounds == 0);
      coarse_levels_stay = coarse_levels_stay && static_cast<double>(changed) <=
                                                     kFewChanges * static_cast<double>(problem.pairs.size());
      changes += static_cast<int>(changed);
    }
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
    friction_.insert(friction_.end(), pairs_.stencils().begin(), pairs_.stencils().end());
    A.replace_stencils(own_stencils, friction_);
    LinearSolverSettings inner = settings;
    // The first round refers to the velocities before the step.
    const bool settled = changes == 0 && report.rounds > 0;
    const double enough = size > 0 ? kOfTolerance * tolerance / size : 1.0;
    inner.cg.max_iterations = settled ? kMostIterations : most;
    inner.cg.tolerance = settled ? enough : std::max(kOfRightHandSide, enough);
    inner.cg.warm_start = false;
    const SolveReport step = solver.solve(context,
                                          {.A = A,
                                           .b = rhs_,
                                           .projection = constrained_,
                                           .same_springs = coarse_levels_stay,
                                           .estimates_residual = true},
                                          change_, inner);
    A.replace_stencils(own_stencils, {});
    report.solve.iterations += step.iterations;
    report.solve.indefinite = report.solve.indefinite || step.indefinite;
    report.solve.preconditioner = step.preconditioner;
    report.solve.levels = step.levels;
    report.solve.history = step.history;
    report.solve.stopped = step.stopped;
    if (step.stopped) break;

    freezes_ = false;
    const double before = energy(pool);
    kept_x_ = x_;
    kept_.assign(problem.contacts.begin(), problem.contacts.end());
    double share = pairs_.empty() ? 1.0 : search_line(pool);
    for (int halving = 0;; ++halving) {
      advance(pool, share);
      compute_residual(pool);
      if (halving == kHalvings || !(energy(pool) > before + 1e-12 * std::abs(before))) break;
      share /= 2;
      x_ = kept_x_;
      std::ranges::copy(kept_, problem.contacts.begin());
    }
    if (pairs_.empty()) continue;
    freezes_ = true;
    compute_residual(pool);
  }
  pairs_.for_forces([&](std::uint32_t particle, const vec3& force) {
    Padded& r = r_[A.pattern().row[particle]];
    r = padded(unpadded(r) - force);
  });
  pairs_.finish();
  const SpringPattern& pattern = A.pattern();
  for_each_row(pool, pattern, [&](std::size_t row) {
    x[pattern.particle[row]] = unpadded(x_[row]);
    rhs_[pattern.particle[row]] = unpadded(r_[row]);
  });
  report.solve.converged = residual <= tolerance;
  report.solve.residual = unit > 0 ? residual / unit : 0.0;
  return report;
}

void ContactSolver::start(WorkerPool& pool, std::span<const vec3> prescribed) {
  const Problem& p = *problem_;
  const SpringPattern& pattern = p.A.pattern();
  const std::size_t n = p.A.size();
  rhs_.resize(n);
  change_.resize(n);
  r_.resize(n);
  x_.assign(n, Padded{});
  is_free_.assign(n, 1);
  for (const Projection::Entry& pin : p.pins.entries()) {
    const std::uint32_t row = pattern.row[pin.particle];
    x_[row] = padded(prescribed[pin.particle]);
    is_free_[row] = 0;
  }
  slip_direction_.assign(p.contacts.size(), vec3(0));
  bound_.assign(p.contacts.size(), 0);

  groups_.clear();
  for (std::uint32_t k = 0; k < p.contacts.size(); ++k) {
    const std::uint32_t particle = p.contacts[k].particle;
    if (!groups_.empty() && groups_.back().particle == particle) {
      groups_.back().end = k + 1;
      continue;
    }
    groups_.push_back({particle, pattern.row[particle], k, k + 1});
    is_free_[groups_.back().row] = 0;
  }
  find_touched_chunks();
  diagonal_.resize(n);
  rest_.resize(n);
  for_each(pool, touched_chunks_.size(), 1,
           [&](std::size_t k) { p.A.bounding_blocks(touched_chunks_[k], diagonal_.data(), rest_.data()); });
  for_each(pool, groups_.size(), kGroupGrain, [&](std::size_t g) {
    Group& group = groups_[g];
    group.D = own_block(group);
    group.D_inverse = glm::inverse(group.D);
    vec3 v = velocity(group);
    put_on_contacts(of(group), v);
    set_velocity(group, v);
  });
  start_pairs();
}

void ContactSolver::start_pairs() {
  const Problem& p = *problem_;
  const std::vector<std::uint32_t>& row = p.A.pattern().row;
  pairs_.start(p.pairs, [&](std::uint32_t particle) {
    const Padded& d = diagonal_[row[particle]];
    return (d.x + d.y + d.z) / 3;
  });
  if (pairs_.empty()) return;
  group_of_.assign(p.A.size(), kNoGroup);
  for (std::uint32_t g = 0; g < groups_.size(); ++g) group_of_[groups_[g].row] = g;
}

// The first time, pairs count as closed that a step of Jacobi's method would close.
std::size_t ContactSolver::linearize_pairs(bool is_first) {
  const std::vector<std::uint32_t>& row = problem_->A.pattern().row;
  return pairs_.linearize([&](std::uint32_t i) {
    const Padded& d = diagonal_[row[i]];
    return is_first ? 3 / (d.x + d.y + d.z) * unpadded(r_[row[i]]) : vec3(0);
  });
}

// Twice the bounding block of the matrix, so that all particles can move at once.
mat3 ContactSolver::own_block(const Group& group) const {
  const Padded &d = diagonal_[group.row], &o = rest_[group.row];
  return 2.0 * mat3(d.x, o.x, o.y, o.x, d.y, o.z, o.y, o.z, d.z);
}

// Adds the bounds of the pairs to the blocks of the sweeps.
void ContactSolver::stiffen_blocks() {
  const std::vector<std::uint32_t>& row = problem_->A.pattern().row;
  for (Group& group : groups_) group.D = own_block(group);
  pairs_.for_bounds([&](std::uint32_t particle, const mat3& C) {
    if (const std::uint32_t g = group_of_[row[particle]]; g != kNoGroup) groups_[g].D += C;
  });
  for (Group& group : groups_) group.D_inverse = glm::inverse(group.D);
}

// The share of the change, at most 1, at which J is least.
double ContactSolver::search_line(WorkerPool& pool) {
  const Problem& p = *problem_;
  product_.resize(change_.size());
  p.A.multiply(pool, change_, product_);
  pairs_.begin_line(pool, [&](std::uint32_t i) { return change_[i]; });
  double growth = 0, at_start = pairs_.slope_of_forces();
  for (std::size_t i = 0; i < change_.size(); ++i) {
    growth += glm::dot(change_[i], product_[i]);
    at_start -= glm::dot(change_[i], unpadded(r_[p.A.pattern().row[i]]));
  }
  const auto slope = [&](double share) {
    double sum = at_start + share * growth + pairs_.slope(pool, share);
    for (const Group& group : groups_)
      for (std::uint32_t k = group.begin; k < group.end; ++k) {
        if (!(bound_[k] > 0)) continue;
        const vec3& change = change_[group.particle];
        const vec3 slip = p.contacts[k].slip(velocity(group) + share * change);
        if (slip != vec3(0)) sum += bound_[k] * glm::dot(glm::normalize(slip), change);
      }
    return sum;
  };
  if (!(slope(1) > 0)) return 1;
  double low = 0, high = 1;
  for (int halving = 0; halving < kHalvingsOfLine && high - low > kLineEnds * high; ++halving) {
    const double middle = (low + high) / 2;
    (slope(middle) > 0 ? high : low) = middle;
  }
  return low > 0 ? low : high;
}

// Evaluates the pairs, and adds their forces to the residual.
void ContactSolver::add_pair_forces(WorkerPool& pool) {
  pairs_.evaluate(
      pool, [&](std::uint32_t i) { return velocity(i); }, freezes_);
  pairs_.for_forces([&](std::uint32_t particle, const vec3& force) {
    Padded& r = r_[problem_->A.pattern().row[particle]];
    r = padded(unpadded(r) + force);
  });
}

void ContactSolver::find_touched_chunks() {
  const SpringMatrix& A = problem_->A;
  const SpringPattern& pattern = A.pattern();
  touched_.assign(pattern.chunks(), 0);
  has_contact_.assign(A.size(), 0);
  for (const Group& group : groups_) has_contact_[group.row] = 1;
  for (std::size_t chunk = 0; chunk < pattern.chunks(); ++chunk) {
    for (std::uint32_t row = pattern.chunk_begin[chunk]; row < pattern.chunk_begin[chunk + 1]; ++row)
      if (has_contact_[row] != 0) touched_[chunk] = 1;
    for (const SpringPattern::Incoming& spring : pattern.incoming[chunk]) {
      if (has_contact_[spring.lower] != 0) touched_[chunk] = 1;
      if (has_contact_[spring.upper] != 0) touched_[pattern.chunk_of(spring.lower)] = 1;
    }
    if (A.has_stencils_in(chunk)) touched_[chunk] = 1;
  }
  if (!problem_->pairs.empty()) std::ranges::fill(touched_, char{1});  // forces of pairs reach far
  touched_chunks_.clear();
  for (std::uint32_t chunk = 0; chunk < touched_.size(); ++chunk)
    if (touched_[chunk] != 0) touched_chunks_.push_back(chunk);
}

void ContactSolver::compute_residual(std::size_t chunk) {
  const SpringPattern& pattern = problem_->A.pattern();
  problem_->A.multiply_chunk(chunk, x_.data(), r_.data());
  for (std::uint32_t row = pattern.chunk_begin[chunk]; row < pattern.chunk_begin[chunk + 1]; ++row)
    r_[row] = padded(problem_->b[pattern.particle[row]] - unpadded(r_[row]));
}

void ContactSolver::compute_residual(WorkerPool& pool) {
  for_each(pool, problem_->A.pattern().chunks(), 1, [&](std::size_t chunk) { compute_residual(chunk); });
  if (!pairs_.empty()) add_pair_forces(pool);
}

// The same where only velocities of contacts have changed.
void ContactSolver::update_residual(WorkerPool& pool) {
  for_each(pool, touched_chunks_.size(), 1, [&](std::size_t k) { compute_residual(touched_chunks_[k]); });
  if (!pairs_.empty()) add_pair_forces(pool);
}

// What residuals are relative to: the right-hand side in the free directions, at least a tenth of all of it;
// or the forces given in its place.
double ContactSolver::scale(WorkerPool& pool) {
  const std::span<const vec3> b = problem_->forces.empty() ? problem_->b : problem_->forces;
  const SpringPattern& pattern = problem_->A.pattern();
  double free = sum_over_rows(pool, pattern, [&](std::size_t row) {
    return is_free_[row] != 0 ? length_squared(b[pattern.particle[row]]) : 0.0;
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
      std::ranges::transform(contacts, states.begin(), &NodalContact::state);
      vec3 v = velocity(group);
      // Only rounding would change it.
      if (enough > 0 && allow(v, -unpadded(r_[group.row]), contacts) <= enough) continue;
      const vec3 q = group.D * v + unpadded(r_[group.row]);
      solve_coulomb(group.D, group.D_inverse, q, contacts, v);
      set_velocity(group, v);
      const std::span<const ContactState> before(states.data(), contacts.size());
      if (!std::ranges::equal(contacts, before, {}, &NodalContact::state)) ++changed;
    }
    return static_cast<double>(changed);
  }));
}

// The part of b − A x that no impulse of the contacts balances. Stores the nearest impulses.
double ContactSolver::natural_residual(WorkerPool& pool) {
  const double free = sum_over_rows(pool, problem_->A.pattern(), [&](std::size_t row) {
    return is_free_[row] != 0 ? dot(r_[row], r_[row]) : 0.0;
  });
  const double of_contacts = sum_over(pool, groups_.size(), kGroupGrain, [&](std::size_t g) {
    const Group& group = groups_[g];
    const double distance = allow(velocity(group), -unpadded(r_[group.row]), of(group));
    return distance * distance;
  });
  return std::sqrt(free + of_contacts);
}

// The constraints, the derivative of friction, and the right-hand side of CG. Bounds of friction take this
// share of their change.
void ContactSolver::constrain(WorkerPool& pool, double share) {
  const Problem& p = *problem_;
  const SpringPattern& pattern = p.A.pattern();
  for_each_row(pool, pattern, [&](std::size_t row) { rhs_[pattern.particle[row]] = unpadded(r_[row]); });
  for_each(pool, groups_.size(), kGroupGrain, [&](std::size_t g) {
    Group& group = groups_[g];
    const std::span<NodalContact> contacts = of(group);
    group.free = free_directions(contacts);
    group.H = mat3(0.0);
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
      group.H += bound / speed *
                 (mat3(1.0) - glm::outerProduct(contact.normal, contact.normal) -
                  glm::outerProduct(direction, direction));
    }
    if (group.free.count > 0) group.H = group.free.S * group.H * group.free.S;
  });
  added_.clear();
  friction_.clear();
  for (const Group& group : groups_) {
    if (group.free.count == 3) continue;
    added_.push_back({group.particle, group.free.S, vec3(0), true});
    if (group.free.count == 0 || group.H == mat3(0.0)) continue;
    SpringMatrix::Stencil& stencil = friction_.emplace_back();
    stencil.particle[0] = group.particle;
    stencil.weight[0] = 1;
    stencil.count = 1;
    stencil.C = group.H;
  }
  constrained_ = p.pins;
  constrained_.constrain(added_);
  constrained_.filter(rhs_);
}

// x += share · change. Contacts that x would pass are closed; slipping ones that reverse stick.
void ContactSolver::advance(WorkerPool& pool, double share) {
  const SpringPattern& pattern = problem_->A.pattern();
  for_each_row(pool, pattern, [&](std::size_t row) {
    if (is_free_[row] != 0) x_[row] = padded(unpadded(x_[row]) + share * change_[pattern.particle[row]]);
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
    set_velocity(group, v);
  });
}

// J, with the pushes of the round.
double ContactSolver::energy(WorkerPool& pool) const {
  const Problem& p = *problem_;
  const SpringPattern& pattern = p.A.pattern();
  const double elastic = sum_over_rows(pool, pattern, [&](std::size_t row) {
    const vec3 x = unpadded(x_[row]);
    return -0.5 * glm::dot(x, unpadded(r_[row]) + p.b[pattern.particle[row]]);
  });
  const double of_pairs =
      pairs_.empty()
          ? 0.0
          : pairs_.energy(pool) + 0.5 * pairs_.work([&](std::uint32_t i) { return velocity(i) - p.v0[i]; });
  return elastic + of_pairs + sum_over(pool, groups_.size(), kGroupGrain, [&](std::size_t g) {
           double sum = 0;
           for (std::uint32_t k = groups_[g].begin; k < groups_[g].end; ++k)
             if (bound_[k] > 0) sum += bound_[k] * glm::length(p.contacts[k].slip(velocity(groups_[g])));
           return sum;
         });
}

}  // namespace clothlab
