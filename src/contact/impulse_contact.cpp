// SPDX-License-Identifier: MIT
#include "contact/impulse_contact.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <limits>
#include <numeric>

#include "core/cancel_point.h"
#include "core/error.h"

namespace clothlab {
namespace {

constexpr int kRounds = 12;             // of impulses, before zones move together
constexpr int kZoneRounds = 200;        // in which zones grow
constexpr int kSweeps = 60;             // over all contacts, in a round
constexpr double kSolved = 1e-3;        // of ξ: the largest change in the last sweep
constexpr double kApartPerStep = 0.25;  // of what is missing to ξ
constexpr double kApartSpeed = 1;       // [m/s]
constexpr double kLeastOfThickness = 0.1, kLeastOfDistance = 0.2;  // that features may come to
constexpr double kPairRoom = 0.5;                                  // of ξ, for impulses
constexpr double kMeasured = 1 + 1e-6;                             // of ξ: what may be nearer, with rounding
constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kBelow = 0.5;              // of ξ above a surface
constexpr double kSameDisplacement = 1e-9;  // [m]
constexpr std::size_t kNoContact = std::numeric_limits<std::size_t>::max();
constexpr int kMostSteps = 1000;            // along one displacement
constexpr int kThroughSprings = 8;          // rounds whose impulses do
constexpr int kIterations = 4;              // of Newton's method
constexpr double kLeastSolved = 1e-2;       // of the residual
constexpr double kSolvedTo = 1e-2;          // of ξ
constexpr double kFlat = 1e-3;              // of the slope at the beginning of a line
constexpr int kHalvings = 20;               // of a line
constexpr double kContactStiffness = 10;    // of the springs around a contact
constexpr double kContactRounding = 1e-12;  // of the largest coordinate: what is nearer may not approach
constexpr double kSlides = 1e-9;            // of the largest friction
constexpr std::size_t kPairGrain = 512, kParticleGrain = 1024;

vec3 across_normal(const vec3& a, const vec3& n) { return a - glm::dot(n, a) * n; }

vec3 shortened(const vec3& a, double longest) {
  const double length = glm::length(a);
  return length > longest ? longest / length * a : a;
}

std::uint32_t root_of(std::span<std::uint32_t> parent, std::uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

vec3 ImpulseContact::Contact::blend(std::span<const vec3> a) const {
  vec3 sum(0.0);
  for (std::size_t k = 0; k < count; ++k) sum += weight[k] * a[particle[k]];
  return sum;
}

vec3 ImpulseContact::Contact::moved(std::span<const vec3> displacement) const {
  return blend(displacement) - surface_displacement;
}

double ImpulseContact::Contact::gap(std::span<const vec3> displacement) const {
  return above + glm::dot(normal, moved(displacement));
}

void ImpulseContact::Contact::apply(const vec3& impulse, std::span<const double> inverse_masses,
                                    std::span<vec3> a) const {
  for (std::size_t k = 0; k < count; ++k) a[particle[k]] += weight[k] * inverse_masses[particle[k]] * impulse;
}

ImpulseContact::Outcome ImpulseContact::resolve(const ImpulseSettings& settings, const Surfaces& surfaces,
                                                double h, const State& before, State& after,
                                                const ClothSystem& system,
                                                std::span<const std::uint32_t> pinned,
                                                const ComputeContext& context) {
  settings_ = settings;
  h_ = h;
  converged_ = true;
  const CancelPoint cancel(context.stop);
  begin(surfaces, before, after, system, pinned);
  crowded_ = !find_pairs(context);
  if (crowded_) return Outcome::crowded;
  add_near();
  for (int round = 0;
       round < kRounds && (find_collisions(surfaces, context) || (round == 0 && !contacts_.empty()));
       ++round) {
    for (const std::vector<Collision>& collisions : collisions_by_chunk_)
      for (const auto& [pair, share] : collisions)
        add(pair, share,
            end_distance(distance_[pair], candidates_.reach_of(near_[pair], settings_.thickness)));
    for (const std::vector<Contact>& below : below_by_chunk_)
      for (const Contact& contact : below) add(contact);
    if (settings_.through_springs && round < kThroughSprings)
      solve_through_springs(system, context);
    else
      solve_displacements();
    cancel.poll();
  }
  if (contacts_.empty()) return crowded_ ? Outcome::crowded : Outcome::untouched;
  solve_velocities();
  const bool free = move_together(surfaces, context);
  if (crowded_) return Outcome::crowded;
  if (!free) return Outcome::squeezed;
  list_pairs();
  for (std::size_t i = 0; i < after.x.size(); ++i) {
    if (displacement_[i] != after.x[i] - before.x[i]) after.x[i] = before.x[i] + displacement_[i];
    after.v[i] = v_[i];
  }
  return Outcome::changed;
}

void ImpulseContact::begin(const Surfaces& surfaces, const State& before, const State& after,
                           const ClothSystem& system, std::span<const std::uint32_t> pinned) {
  contacts_.clear();
  pairs_.clear();
  const std::size_t particles = before.x.size();
  x_.assign(before.x.begin(), before.x.end());
  v_.assign(after.v.begin(), after.v.end());
  displacement_.resize(particles);
  inverse_.resize(particles);
  for (std::size_t i = 0; i < particles; ++i) {
    displacement_[i] = after.x[i] - before.x[i];
    inverse_[i] = 1 / system.masses()[i];
  }
  for (const std::uint32_t i : pinned) inverse_[i] = 0;
  add_meshes(surfaces);
  predicted_ = displacement_;
  v_after_ = v_;
  inverse_.resize(x_.size(), 0);
  moved_.assign(x_.size(), 1);
  lengths_.resize(x_.size());
}

// Their vertices are particles that nothing moves.
void ImpulseContact::add_meshes(const Surfaces& surfaces) {
  candidates_.place_meshes(&surfaces);
  for (std::uint32_t surface = 1; surface < surfaces.size(); ++surface) {
    if (!surfaces.is_mesh(surface)) continue;
    const Obstacle& body = surfaces.body_at_begin(surface);
    const SurfaceMotion motion = surfaces.motion_at_end(surface);
    for (const vec3& corner : body.mesh.surface->positions()) {
      const vec3 x = from_mesh(body, corner), displacement = surfaces.displacement(surface, x);
      x_.push_back(x);
      displacement_.push_back(displacement);
      v_.push_back(motion.at(x + displacement));
    }
  }
}

/// False if there are too many.
bool ImpulseContact::find_pairs(const ComputeContext& context) {
  const CancelPoint cancel(context.stop);
  cancel.poll();
  listed_ = displacement_;
  const double reach = (1 + 2 * kPairRoom) * settings_.thickness;
  const auto found = candidates_.bounded_along(context.pool, x_, displacement_, reach);
  near_ = found ? found->pairs : std::span<const FeaturePair>();
  least_ = found ? found->least : std::span<const double>();
  cancel.poll();
  distance_.assign(near_.size(), kFar);
  contact_of_pair_.assign(near_.size(), kNoContact);
  context.pool.for_chunks(near_.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      if (least_[k] < kMeasured * settings_.thickness) measure(k);
  });
  return found.has_value();
}

/// The distance at the start.
double ImpulseContact::measure(std::size_t pair) {
  if (distance_[pair] == kFar) distance_[pair] = separation(near_[pair].kind, near_[pair].of(x_)).distance;
  return distance_[pair];
}

/// True if the list holds all that may collide on the present displacements.
bool ImpulseContact::list_is_valid(WorkerPool& pool) const {
  const double room = kPairRoom * settings_.thickness;
  return pool.sum(x_.size(), kParticleGrain, [&](std::size_t begin, std::size_t end) {
    double outside = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const vec3 other = displacement_[i] - listed_[i];
      outside += glm::dot(other, other) <= room * room ? 0 : 1;
    }
    return outside;
  }) == 0;
}

/// How far apart features end that a step begins at a distance.
double ImpulseContact::end_distance(double distance, double thickness) const {
  const double missing = thickness - distance;
  return missing > 0 ? distance + std::min(kApartPerStep * missing, kApartSpeed * h_) : thickness;
}

void ImpulseContact::add_near() {
  for (std::size_t k = 0; k < near_.size(); ++k) {
    if (!(distance_[k] > 0) || !(distance_[k] < settings_.thickness)) continue;
    const double thickness = candidates_.reach_of(near_[k], settings_.thickness);
    if (distance_[k] < thickness) add(k, 0, end_distance(distance_[k], thickness));
  }
}

/// At a fraction of the displacements, to end `kept` apart; in place of the last of this pair.
void ImpulseContact::add(std::size_t number, double share, double kept) {
  const FeaturePair& pair = near_[number];
  const std::array<vec3, 4> x = pair.of(x_), displacement = pair.of(displacement_);
  std::array<vec3, 4> there = x;
  for (std::size_t k = 0; k < 4; ++k) there[k] += share * displacement[k];
  const Separation apart = separation(pair.kind, there);
  Contact contact;
  contact.count = 4;
  contact.particle = pair.particle;
  contact.weight = apart.weight;
  contact.normal = apart.apart / apart.distance;
  contact.kept = kept;
  contact.above = glm::dot(contact.normal, apart.blend(x)) - kept;
  contact.friction = settings_.friction;
  contact.surface = surface_of(pair);
  std::size_t& known = contact_of_pair_[number];
  if (known == kNoContact) {
    known = contacts_.size();
    add(contact);
    return;
  }
  contacts_[known].weight = contact.weight;
  contacts_[known].normal = contact.normal;
  contacts_[known].above = contact.above;
  contacts_[known].mobility = mobility_of(contact);
}

std::uint32_t ImpulseContact::surface_of(const FeaturePair& pair) const {
  for (const std::uint32_t i : pair.particle)
    if (i >= rest_.size()) return candidates_.surface_of(i);
  return kClothItself;
}

/// The place of the first that is the cloth's.
std::size_t ImpulseContact::own(const std::array<std::uint32_t, 4>& particle) const {
  std::size_t k = 0;
  while (particle[k] >= rest_.size()) ++k;
  return k;
}

double ImpulseContact::mobility_of(const Contact& contact) const {
  double sum = 0;
  for (std::size_t k = 0; k < contact.count; ++k)
    sum += contact.weight[k] * contact.weight[k] * inverse_[contact.particle[k]];
  return sum;
}

void ImpulseContact::add(Contact contact) {
  contact.mobility = mobility_of(contact);
  contacts_.push_back(contact);
}

/// Above the surface itself, not its thickness.
double ImpulseContact::gap_of(const SurfacePoint& point) const {
  return point.height - point.level + settings_.thickness;
}

/// Of a particle that ends `kept` above a surface, beyond what is at x at the beginning, whose place is
/// given there.
ImpulseContact::Contact ImpulseContact::on_surface(const Surfaces& surfaces, std::uint32_t surface,
                                                   std::uint32_t particle, const vec3& x,
                                                   const SurfacePoint& point, double kept) const {
  Contact contact;
  contact.count = 1;
  contact.particle[0] = particle;
  contact.weight[0] = 1;
  contact.normal = surfaces.normal_at_end(surface, point.normal);
  contact.surface_displacement = surfaces.displacement(surface, x);
  contact.velocity = surfaces.velocity_at_end(surface, x + contact.surface_displacement);
  contact.kept = kept;
  contact.above = glm::dot(contact.normal, x_[particle] - x) + gap_of(point) - kept;
  contact.friction = surfaces.friction(surface);
  contact.surface = surface;
  return contact;
}

bool ImpulseContact::find_collisions(const Surfaces& surfaces, const ComputeContext& context) {
  WorkerPool& pool = context.pool;
  if (!list_is_valid(pool)) {
    crowded_ = crowded_ || !find_pairs(context);
    std::ranges::fill(moved_, char{1});
  }
  const double rounding =
      kContactRounding * pool.max(x_.size(), kParticleGrain, [&](std::size_t begin, std::size_t end) {
        double largest = 0;
        for (std::size_t i = begin; i < end; ++i) {
          lengths_[i] = glm::length(displacement_[i]);
          largest = std::max({largest, glm::length(x_[i]), lengths_[i]});
        }
        return largest;
      });
  const double most_least = std::max(kLeastOfThickness * settings_.thickness, rounding);
  collisions_by_chunk_.resize((near_.size() + kPairGrain - 1) / kPairGrain);
  pool.for_chunks(near_.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Collision>& found = collisions_by_chunk_[begin / kPairGrain];
    found.clear();
    for (std::size_t k = begin; k < end; ++k) {
      const FeaturePair& pair = near_[k];
      const auto& [a, b, c, d] = pair.particle;
      if (!(moved_[a] || moved_[b] || moved_[c] || moved_[d])) continue;
      const double known = distance_[k] == kFar ? least_[k] : distance_[k];
      if (pair.approach_within(lengths_) < known - most_least || !(measure(k) > 0)) continue;
      const double near = std::min(kLeastOfThickness * settings_.thickness, kLeastOfDistance * distance_[k]);
      const double least = std::max(near, rounding);
      const std::array<vec3, 4> displacement = pair.of(displacement_);
      if (approach_bound(pair.kind, displacement) < distance_[k] - least) continue;
      const double share = free_share(pair.kind, pair.of(x_), displacement, least);
      if (share < 1) found.push_back({k, share});
    }
  });
  below_by_chunk_.resize((rest_.size() + kParticleGrain - 1) / kParticleGrain);
  pool.for_chunks(rest_.size(), kParticleGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Contact>& found = below_by_chunk_[begin / kParticleGrain];
    found.clear();
    for (std::size_t i = begin; i < end; ++i)
      if (moved_[i] && inverse_[i] > 0) add_below(surfaces, static_cast<std::uint32_t>(i), found);
  });
  std::ranges::fill(moved_, char{0});
  const auto any = [](const auto& found) { return !found.empty(); };
  return std::ranges::any_of(collisions_by_chunk_, any) || std::ranges::any_of(below_by_chunk_, any);
}

/// Adds contacts where a particle comes too near to surfaces on its displacement relative to them.
void ImpulseContact::add_below(const Surfaces& surfaces, std::uint32_t particle,
                               std::vector<Contact>& found) const {
  const double thickness = settings_.thickness, least = kBelow * thickness;
  const vec3 from = x_[particle];
  for (std::uint32_t surface = surfaces.first(); surface < surfaces.size(); ++surface) {
    if (surfaces.is_mesh(surface)) continue;
    const auto point_at = [&](const vec3& x) { return surfaces.at_begin(surface, particle, x); };
    const vec3 displacement = surfaces.carried_back(surface, from + displacement_[particle]) - from;
    const double length = glm::length(displacement);
    SurfacePoint point = point_at(from);
    const double gap = gap_of(point);
    if (gap >= length + thickness) continue;
    if (gap < thickness) {  // a contact from the beginning on
      const double end = gap_of(point_at(from + displacement));
      if (!(end < std::min(least, gap > 0 ? kLeastOfDistance * gap : gap))) continue;
      found.push_back(on_surface(surfaces, surface, particle, from + displacement,
                                 point_at(from + displacement), end_distance(gap, thickness)));
      continue;
    }
    // The way to the surface is shorter by no more than what has been gone.
    double share = 0;
    for (int step = 0; step < kMostSteps && gap_of(point) >= least; ++step) {
      share += (gap_of(point) - least / 2) / length;
      if (!(share < 1)) break;
      point = point_at(from + share * displacement);
    }
    if (share < 1)
      found.push_back(on_surface(surfaces, surface, particle, from + share * displacement, point, thickness));
  }
}

/// Newton's method for the displacements q of a step from x₀ whose forces differ from those of the predicted
/// displacements p by what leads collision features apart,
///   M (q − p) = h² (f(x₀ + q, q/h) − f(x₀ + p, p/h)) + the pushes of contacts,
/// as stiff springs, with a search along the line. Friction is that of the pushes before.
void ImpulseContact::solve_through_springs(const ClothSystem& system, const ComputeContext& context) {
  const std::size_t particles = rest_.size();
  if (!matrix_) matrix_.emplace(system.pattern(), context.stop);
  WorkerPool& pool = context.pool;
  for (std::vector<vec3>* each : {&b_, &force_, &end_, &speed_}) each->resize(particles);
  const auto go = [&](std::span<const vec3> displacement) {
    for (std::size_t i = 0; i < particles; ++i) {
      end_[i] = x_[i] + displacement[i];
      speed_[i] = displacement[i] / h_;
    }
  };
  go(predicted_);
  system.force(pool, end_, speed_, force_);
  double largest = 0;
  LinearSolverSettings solving = settings_.solver;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    go(displacement_);
    system.force(pool, end_, speed_, b_);
    for (std::size_t i = 0; i < particles; ++i)
      b_[i] = h_ * h_ * (b_[i] - force_[i]) - system.masses()[i] * (displacement_[i] - predicted_[i]);
    system.assemble(pool, end_, speed_, {1, h_, h_ * h_}, JacobianMode::clamped, *matrix_);
    press_contacts(pool);
    system.projection().filter(b_);
    double size = 0;
    for (const vec3& b : b_) size += glm::dot(b, b);
    if (!(size > 0)) break;
    // As exact as the first, so that the last ones cost little.
    largest = std::max(largest, size);
    solving.cg.tolerance = std::min(settings_.solver.cg.tolerance * std::sqrt(largest / size), kLeastSolved);
    change_.assign(x_.size(), vec3(0));
    const std::span<vec3> of_cloth = std::span(change_).first(particles);
    const SolveReport solve = solver_.solve(context, {*matrix_, b_, system.projection()}, of_cloth, solving);
    if (solve.stopped) throw Cancelled();
    converged_ = converged_ && solve.converged;
    double longest = 0, fall = 0;
    for (std::size_t i = 0; i < particles; ++i) {
      longest = std::max(longest, glm::dot(change_[i], change_[i]));
      fall += glm::dot(change_[i], b_[i]);
    }
    const double share = search_line(pool, fall);
    if (!(share > 0)) break;
    for (std::size_t i = 0; i < particles; ++i) displacement_[i] += share * change_[i];
    if (share == 1 && std::sqrt(longest) < kSolvedTo * settings_.thickness) break;
  }
  for (std::size_t i = 0; i < particles; ++i) v_[i] = v_after_[i] + (displacement_[i] - predicted_[i]) / h_;
  std::ranges::fill(moved_, char{1});
}

/// Each that is short of its gap, as a spring along its normal and a damper across it on the cloth's
/// particles; what it pushes with where the displacements are goes to b.
void ImpulseContact::press_contacts(WorkerPool& pool) {
  const double stiffness = kContactStiffness * (1 + matrix_->relative_stiffness(pool));
  of_cloth_.assign(matrix_->stencils().begin(), matrix_->stencils().end());
  stencils_.assign(of_cloth_.begin(), of_cloth_.end());
  for (Contact& contact : contacts_) {
    contact.spring = contact.mobility > 0 ? stiffness / contact.mobility : 0;
    const double gap = contact.gap(displacement_), most = contact.friction * contact.load;
    contact.load = std::max(-contact.spring * gap, 0.0);
    contact.damper = 0;
    if (!(contact.load > 0)) continue;
    const vec3& n = contact.normal;
    const double slip = glm::length(across_normal(contact.moved(displacement_), n));
    if (most > 0) contact.damper = std::min(contact.spring, most / std::max(slip, kSameDisplacement));
    SpringMatrix::Stencil& stencil = stencils_.emplace_back();
    stencil.C = (contact.spring - contact.damper) * glm::outerProduct(n, n) + contact.damper * mat3(1);
    const vec3 push =
        contact.spring * gap * n + contact.damper * across_normal(contact.moved(displacement_), n);
    for (std::size_t at = 0; at < contact.count; ++at) {
      const std::uint32_t i = contact.particle[at];
      if (i >= rest_.size()) continue;
      const auto own = static_cast<std::size_t>(stencil.count++);
      stencil.particle[own] = i;
      stencil.weight[own] = contact.weight[at];
      b_[i] -= contact.weight[at] * push;
    }
  }
  matrix_->clear_stencils();
  matrix_->add_stencils(stencils_);
}

/// The share of a change, at most 1, at which the energy of springs and contacts, quadratic between the kinks
/// of contacts that open and close, is least; at the beginning it falls so steeply.
double ImpulseContact::search_line(WorkerPool& pool, double fall) {
  matrix_->clear_stencils();
  matrix_->add_stencils(of_cloth_);
  matrix_->multiply(pool, std::span(change_).first(b_.size()), b_);
  double at_start = -fall, growth = 0;
  for (std::size_t i = 0; i < b_.size(); ++i) growth += glm::dot(change_[i], b_[i]);
  gaps_.clear();
  for (const Contact& contact : contacts_) {
    const vec3 moved = contact.blend(change_);
    const double root = std::sqrt(contact.spring), gap = root * contact.gap(displacement_),
                 change = root * glm::dot(contact.normal, moved);
    gaps_.push_back({gap, change});
    at_start -= std::min(gap, 0.0) * change;
    const vec3 along = across_normal(moved, contact.normal);
    growth += contact.damper * glm::dot(along, along);
  }
  const auto slope = [&](double share) {
    double sum = at_start + share * growth;
    for (const auto& [gap, change] : gaps_) sum += std::min(gap + share * change, 0.0) * change;
    return sum;
  };
  if (!(slope(1) > kFlat * fall)) return 1;
  double low = 0, high = 1;
  for (int halving = 0; halving < kHalvings; ++halving) {
    const double middle = (low + high) / 2;
    (slope(middle) > 0 ? high : low) = middle;
  }
  return low;
}

/// Projected Gauss–Seidel.
void ImpulseContact::solve_displacements() {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double largest = 0;
    for (Contact& contact : contacts_) {
      if (contact.mobility == 0) continue;  // all of it is held
      const vec3& n = contact.normal;
      const double push = std::max(contact.push - contact.gap(displacement_) / contact.mobility, 0.0),
                   more = push - contact.push;
      if (more != 0) contact.apply(more * n, inverse_, displacement_);
      contact.push = push;
      largest = std::max(largest, std::abs(more) * contact.mobility);
      if (!(contact.friction > 0) || (push == 0 && contact.drag == vec3(0))) continue;
      const vec3 along = across_normal(contact.moved(displacement_), n);
      const vec3 drag = shortened(contact.drag - along / contact.mobility, contact.friction * push);
      contact.apply(drag - contact.drag, inverse_, displacement_);
      largest = std::max(largest, glm::length(drag - contact.drag) * contact.mobility);
      contact.drag = drag;
    }
    if (largest < kSolved * settings_.thickness) break;
  }
  for (const Contact& contact : contacts_)
    for (std::size_t k = 0; k < contact.count; ++k) moved_[contact.particle[k]] = 1;
}

/// What touches at the end does not go on into each other.
void ImpulseContact::solve_velocities() {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double largest = 0;
    for (Contact& contact : contacts_) {
      if (!(contact.push + contact.load > 0) || contact.mobility == 0) continue;
      const vec3& n = contact.normal;
      const double away = glm::dot(n, contact.blend(v_) - contact.velocity);
      const double stop = std::max(contact.stop - away / contact.mobility, 0.0), more = stop - contact.stop;
      if (more != 0) contact.apply(more * n, inverse_, v_);
      contact.stop = stop;
      largest = std::max(largest, std::abs(more) * contact.mobility);
      if (!(contact.friction > 0)) continue;
      const vec3 along = across_normal(contact.blend(v_) - contact.velocity, n);
      const vec3 brake = shortened(contact.brake - along / contact.mobility, contact.friction * stop);
      contact.apply(brake - contact.brake, inverse_, v_);
      largest = std::max(largest, glm::length(brake - contact.brake) * contact.mobility);
      contact.brake = brake;
    }
    if (largest * h_ < kSolved * settings_.thickness) break;
  }
}

/// Zones of colliding features move as one, until nothing collides.
bool ImpulseContact::move_together(const Surfaces& surfaces, const ComputeContext& context) {
  if (!find_collisions(surfaces, context)) return true;
  const std::size_t particles = x_.size();
  parent_.resize(particles + surfaces.size());
  std::iota(parent_.begin(), parent_.end(), 0U);
  for (int round = 0; round < kZoneRounds; ++round) {
    bool grown = false;
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t root_a = root_of(parent_, a), root_b = root_of(parent_, b);
      if (root_a == root_b) return;
      parent_[std::max(root_a, root_b)] = std::min(root_a, root_b);
      grown = true;
    };
    for (const std::vector<Collision>& collisions : collisions_by_chunk_)
      for (const Collision& collision : collisions) {
        const FeaturePair& pair = near_[collision.pair];
        for (std::size_t k = 1; k < 4; ++k) join(pair.particle[0], pair.particle[k]);
        for (const std::uint32_t i : pair.particle)
          if (i >= rest_.size()) join(i, static_cast<std::uint32_t>(particles) + candidates_.surface_of(i));
        squeezed_ = pair.particle[own(pair.particle)];
        squeezed_on_ = surface_of(pair);
      }
    for (const std::vector<Contact>& below : below_by_chunk_)
      for (const Contact& contact : below) {
        join(contact.particle[0], static_cast<std::uint32_t>(particles) + contact.surface);
        squeezed_ = contact.particle[0];
        squeezed_on_ = contact.surface;
      }
    if (!grown || !move_zones(surfaces)) return false;
    if (!find_collisions(surfaces, context)) return true;
  }
  return false;
}

/// False where a prescribed particle would have to move in two displacements.
bool ImpulseContact::move_zones(const Surfaces& surfaces) {
  const auto particles = static_cast<std::uint32_t>(x_.size());
  zones_.assign(parent_.size(), {});
  for (std::uint32_t surface = surfaces.first(); surface < surfaces.size(); ++surface) {
    std::optional<std::uint32_t>& of_zone = zones_[root_of(parent_, particles + surface)].surface;
    if (of_zone && (surfaces.moves(*of_zone) || surfaces.moves(surface))) return false;
    of_zone = surface;
  }
  for (std::uint32_t i = 0; i < particles; ++i) {
    Zone& zone = zones_[root_of(parent_, i)];
    if (inverse_[i] == 0) {
      zone.displacement = displacement_[i];
      zone.velocity = v_[i];
      zone.prescribed = true;
    }
    if (zone.prescribed) continue;
    const double mass = 1 / inverse_[i];
    zone.mass += mass;
    zone.displacement += mass / zone.mass * (displacement_[i] - zone.displacement);
    zone.velocity += mass / zone.mass * (v_[i] - zone.velocity);
  }
  for (std::uint32_t i = 0; i < particles; ++i) {
    const Zone& zone = zones_[root_of(parent_, i)];
    const vec3 displacement = zone.surface ? surfaces.displacement(*zone.surface, x_[i]) : zone.displacement;
    if (inverse_[i] == 0) {
      if (glm::distance(displacement, displacement_[i]) <= kSameDisplacement) continue;
      squeezed_ = i;
      return false;
    }
    if (displacement == displacement_[i]) continue;
    displacement_[i] = displacement;
    v_[i] = zone.surface ? surfaces.velocity_at_end(*zone.surface, x_[i] + displacement) : zone.velocity;
    moved_[i] = 1;
  }
  return true;
}

void ImpulseContact::list_pairs() {
  for (const Contact& contact : contacts_) {
    if (!(contact.push + contact.load > 0)) continue;
    const std::size_t k = own(contact.particle);
    const double side = contact.weight[k] < 0 ? -1 : 1;
    const vec3 u = contact.blend(v_) - contact.velocity;
    ContactPair& pair = pairs_.emplace_back();
    pair.particle = contact.particle[k];
    pair.surface = contact.surface;
    pair.gap = contact.gap(displacement_) + contact.kept - settings_.thickness;
    pair.slip = glm::length(across_normal(u, contact.normal));
    pair.push = side * (contact.load / h_ + contact.stop) / h_ * contact.normal;
    pair.friction = side / h_ * contact.brake;
    pair.sticks =
        contact.friction > 0 && glm::length(contact.brake) < contact.friction * contact.stop * (1 - kSlides);
  }
}

}  // namespace clothlab
