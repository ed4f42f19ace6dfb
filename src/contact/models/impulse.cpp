// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cloth/cloth_system.h"
#include "collide/feature_pair.h"
#include "contact/candidate_list.h"
#include "contact/contact_pair.h"
#include "contact/nodal_contact.h"
#include "contact/surfaces.h"
#include "core/cancel_point.h"
#include "core/collect.h"
#include "core/compute_context.h"
#include "core/disjoint_sets.h"
#include "core/error.h"
#include "dynamics/state.h"
#include "integrate/integrator_info.h"
#include "linalg/linear_solver.h"
#include "linalg/spring_matrix.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

constexpr double kThicknessOfEdge = 0.1;  // of the mean edge: ξ
constexpr int kRounds = 12;               // of impulses, before zones move together
constexpr int kZoneRounds = 200;          // in which zones grow
constexpr int kSweeps = 60;               // over all contacts, in a round
constexpr double kSolved = 1e-3;          // of ξ: the largest change in the last sweep
constexpr double kApartPerStep = 0.25;    // of the distance missing to ξ
constexpr double kApartSpeed = 1;         // [m/s]
constexpr double kLeastOfThickness = 0.1, kLeastOfDistance = 0.2;  // smallest distance of features
constexpr double kPairRoom = 0.5;                                  // of ξ, for impulses
constexpr double kMeasured = 1 + 1e-6;  // of ξ: pairs that may be nearer, with rounding
constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kBelow = 0.5;              // of ξ above a surface
constexpr double kSameDisplacement = 1e-9;  // [m]
constexpr std::size_t kNoContact = std::numeric_limits<std::size_t>::max();
constexpr int kMostSteps = 1000;            // along one displacement
constexpr int kThroughSprings = 8;          // rounds with impulses through the springs
constexpr int kIterations = 4;              // of Newton's method
constexpr double kLeastSolved = 1e-2;       // of the residual
constexpr double kSolvedTo = 1e-2;          // of ξ
constexpr double kFlat = 1e-3;              // of the slope at the beginning of a line
constexpr int kHalvings = 20;               // of a line
constexpr double kContactStiffness = 10;    // of the springs around a contact
constexpr double kContactRounding = 1e-12;  // of the largest coordinate: nearer pairs may not approach
constexpr double kSlides = 1e-9;            // of the largest friction
constexpr double kLeastSine = 0.2;          // of the angle between edges of a solved pair
constexpr std::size_t kPairGrain = 512, kParticleGrain = 1024;

vec3 across_normal(const vec3& a, const vec3& n) { return a - glm::dot(n, a) * n; }

vec3 shortened(const vec3& a, double longest) {
  const double length = glm::length(a);
  return length > longest ? longest / length * a : a;
}

/// Contact by impulses (model.md, "Contact by impulses"), in addition to the nodal contact of particles on
/// surfaces. Methods solve pairs of features within the step (IntegratorInfo::solves_pairs). After each step
/// inelastic impulses change its displacements from x₀ to x₁ until no two features of the cloth, and none of
/// the cloth and a mesh, collide, and no particle ends below another surface [Bridson 2002; Harmon 2008].
/// Then they stop the relative velocities of all active contacts.
///
/// Sweeps over the contacts find the impulses (projected Gauss–Seidel), with Coulomb friction. Features that
/// still collide after some rounds move as rigid zones, which grow until nothing collides.
///
/// Features nearer than ξ are separated, at 1 m/s at most. Features that are nearer than 2 ξ at rest are kept
/// half as far apart.
class ImpulseContact final : public NodalContactResponse {
 public:
  void configure(const ContactInput& input, const Surfaces& surfaces) override;
  double thickness() const override { return is_active_ ? thickness_ : 0; }
  bool begin_step(const ContactStep& step) override;
  std::span<PairContact> solved_pairs() override { return solved_pairs_; }
  bool needs_repeat(const ContactStep& step, const State& after) override;
  void undo_step() override {
    NodalContactResponse::undo_step();
    active_pairs_ = active_before_;
  }
  bool corrects_steps() const override { return is_active_; }
  /// Fails as squeezed if pins and moving obstacles leave no room, and as crowded if there are more
  /// candidates than PairFinder lists; `after` is then as nodal contact left it. Throws Cancelled.
  End end_step(const ContactStep& step, State& after) override;
  DisplacementBound::LimitingContact squeezed() const override { return squeezed_; }
  bool converged() const override { return !is_active_ || converged_; }
  void add_figures(ContactFigures& figures) const override {
    if (is_active_) figures.candidates = near_.size();
  }

 private:
  /// The constraint at the end of the step: above + n · (Σ w displacement − surface_displacement) ≥ 0.
  struct Contact {
    std::array<std::uint32_t, 4> particle{};
    std::array<double, 4> weight{};
    std::size_t count = 0;  // of particles; one: it is on a surface
    vec3 normal{0};
    double above = 0;              // distance of the features less `kept` [m]
    vec3 surface_displacement{0};  // [m]
    vec3 velocity{0};              // of the surface at the end [m/s]
    double kept = 0;               // least distance at the end of the step [m]
    double mobility = 0;           // Σ w²/m [1/kg]
    double friction = 0;           // μ
    std::uint32_t surface = 0;
    double spring = 0;          // in a solve through the springs [kg]
    double damper = 0;          // the same across the normal
    double load = 0;            // push of the springs [kg·m]
    double push = 0, stop = 0;  // along the normal: of displacements [kg·m], of velocities [kg·m/s]
    vec3 drag{0}, brake{0};     // across the normal: the same

    vec3 blend(std::span<const vec3> a) const {
      vec3 sum(0.0);
      for (std::size_t k = 0; k < count; ++k) sum += weight[k] * a[particle[k]];
      return sum;
    }
    /// Of the features relative to each other [m].
    vec3 moved(std::span<const vec3> displacement) const {
      return blend(displacement) - surface_displacement;
    }
    /// At the end of the step, less `kept` [m].
    double gap(std::span<const vec3> displacement) const {
      return above + glm::dot(normal, moved(displacement));
    }
    void apply(const vec3& impulse, std::span<const double> inverse_masses, std::span<vec3> a) const {
      for (std::size_t k = 0; k < count; ++k)
        a[particle[k]] += weight[k] * inverse_masses[particle[k]] * impulse;
    }
  };
  struct Collision {
    std::size_t pair;
    double share;
  };

  End resolve(const ContactStep& step, State& after);
  void begin(const ContactStep& step, const State& after);
  void add_solved(const ContactStep& step, const CandidateList::Bounded& near);
  void add_solved(const ContactStep& step, std::size_t number, const Separation& apart, double distance);
  void recall_pairs();
  void remember_pairs();
  /// True if a pair closes in an impact: methods with a history would take the velocities before it into the
  /// steps after it.
  bool have_hit() const;
  void list_solved(const State& after);
  void add_meshes(const Surfaces& surfaces);
  bool find_pairs(const ComputeContext& context);
  bool list_is_valid(WorkerPool& pool) const;
  /// The distance at the start.
  double measure(std::size_t pair) {
    const FeaturePair& features = near_[pair].pair;
    if (distance_[pair] == kFar) distance_[pair] = separation(features.kind, features.of(x_)).distance;
    return distance_[pair];
  }
  std::uint32_t surface_of(const FeaturePair& pair) const {
    for (const std::uint32_t i : pair.particle)
      if (i >= particles_) return candidates_.surface_of(i);
    return kClothItself;
  }
  /// The index of the first particle of the cloth.
  std::size_t own(const std::array<std::uint32_t, 4>& particle) const {
    std::size_t k = 0;
    while (particle[k] >= particles_) ++k;
    return k;
  }
  /// The distance at the end of the step for features that begin it at `distance`.
  double end_distance(double distance, double thickness) const {
    const double missing = thickness - distance;
    return missing > 0 ? distance + std::min(kApartPerStep * missing, kApartSpeed * h_) : thickness;
  }
  void add_near();
  /// The gap to the surface itself, without its thickness.
  double gap_of(const SurfacePoint& point) const { return point.gap() + thickness_; }
  void add(std::size_t number, double share, double kept);
  void add(Contact contact);
  double mobility_of(const Contact& contact) const {
    double sum = 0;
    for (std::size_t k = 0; k < contact.count; ++k)
      sum += contact.weight[k] * contact.weight[k] * inverse_[contact.particle[k]];
    return sum;
  }
  Contact on_surface(const Surfaces& surfaces, std::uint32_t surface, std::uint32_t particle, const vec3& x,
                     const SurfacePoint& point, double kept) const;
  /// Finds colliding pairs and particles below surfaces, by chunk; true if there are any.
  bool find_collisions(const Surfaces& surfaces, const ComputeContext& context);
  void add_below(const Surfaces& surfaces, std::uint32_t particle, std::vector<Contact>& found) const;
  void solve_through_springs(const ClothSystem& system, const ComputeContext& context);
  void press_contacts(WorkerPool& pool);
  double search_line(WorkerPool& pool, double fall);
  void solve_displacements();
  void solve_velocities();
  bool move_together(const Surfaces& surfaces, const ComputeContext& context);
  bool move_zones(const Surfaces& surfaces);
  void list_pairs();

  bool is_active_ = false, with_itself_ = false, grows_ = false, solves_pairs_ = false;
  const ClothMesh* mesh_ = nullptr;
  CandidateList::Joined joined_;
  double thickness_ = 0;         // ξ: features are kept this far apart [m], > 0
  double friction_ = 0;          // μ of cloth on cloth
  bool through_springs_ = true;  // impulses act as in an implicit step; else on particles
  LinearSolverSettings solver_settings_;
  Projection held_;  // the pins, and particles in nodal contact

  CandidateList candidates_;
  struct Solved {
    FeaturePair features;
    double kept;  // distance that the solve allows [m]
    bool hits;    // approaches faster than gravity explains
  };
  std::vector<Solved> solved_features_;      // of solved_pairs_
  std::vector<FeaturePair> known_features_;  // of the solve before a repeat, ascending
  std::vector<PairContact> solved_pairs_;
  std::vector<ActivePair> active_before_;
  double h_ = 0;
  std::size_t particles_ = 0;               // of the cloth
  std::vector<vec3> x_, displacement_, v_;  // of particles, then of vertices of meshes
  std::vector<vec3> predicted_, v_after_;   // displacements and velocities of the method
  std::vector<double> inverse_;             // of masses [1/kg]; 0 where pinned
  std::vector<vec3> listed_;                // displacements that pairs were listed for
  std::vector<char> moved_;                 // since the last search for collisions
  // Pairs that may collide, with their distance bounds at the start [m].
  std::span<const CandidateList::Bounded> near_;
  bool crowded_ = false, converged_ = true;
  bool is_listed_ = false;        // in this step, by the solve of pairs
  std::vector<double> distance_;  // their distances, or kFar if not measured yet [m]
  std::vector<double> lengths_;   // of displacements
  std::vector<std::size_t> contact_of_pair_;
  std::vector<std::vector<Collision>> collisions_by_chunk_;
  std::vector<Collision> collisions_;
  std::vector<std::vector<Contact>> below_by_chunk_;
  std::vector<Contact> below_;
  std::vector<Contact> contacts_;
  LinearSolver solver_;
  std::optional<SpringMatrix> matrix_;
  std::vector<SpringMatrix::Stencil> stencils_, of_cloth_;
  std::vector<vec3> b_, force_, end_, speed_, change_;
  std::vector<std::array<double, 2>> gaps_;  // of the contacts, and their change along the search direction
  struct Zone {
    double mass = 0;  // of its free particles [kg]
    vec3 displacement{0}, velocity{0};
    bool prescribed = false;
    std::optional<std::uint32_t> surface = {};  // that it moves with
  };
  DisjointSets zone_of_;  // of particles, then of surfaces
  std::vector<Zone> zones_;
  DisplacementBound::LimitingContact squeezed_;
};

void ImpulseContact::configure(const ContactInput& input, const Surfaces& surfaces) {
  NodalContactResponse::configure(input, surfaces);
  is_active_ = has_surfaces_ || input.self_contact;
  thickness_ = input.thickness > 0 ? input.thickness : kThicknessOfEdge * mean_edge(input.cloth);
  friction_ = input.obstacles.friction;
  through_springs_ = input.method.family != IntegratorFamily::explicit_method;
  solver_settings_ = input.solver.linear;
  with_itself_ = input.self_contact;
  grows_ = input.grows;
  solves_pairs_ = is_active_ && input.method.solves_pairs && !grows_;  // pairs that intersect have no side
  if (!solves_pairs_) active_pairs_.clear();
  mesh_ = &input.mesh;
  joined_ = input.joined;
  if (!is_active_) pairs_.clear();
}

/// Lists the pairs that are near at the start of the step, for the method's solve.
bool ImpulseContact::begin_step(const ContactStep& step) {
  const bool jumped = NodalContactResponse::begin_step(step);
  solved_pairs_.clear();
  solved_features_.clear();
  active_before_ = active_pairs_;
  is_listed_ = false;
  if (!solves_pairs_) return jumped;
  begin(step, step.start);
  for (std::size_t i = 0; i < particles_; ++i) displacement_[i] = h_ * step.start.v[i];
  is_listed_ = find_pairs(step.context);
  if (!is_listed_) return jumped;  // then the end of the step fails
  for (const CandidateList::Bounded& near : near_) add_solved(step, near);
  recall_pairs();
  return jumped;
}

/// Adds a pair whose closest points are inside both features: its normal stays while they slide. Particles on
/// meshes are nodal contacts.
void ImpulseContact::add_solved(const ContactStep& step, const CandidateList::Bounded& near) {
  const auto& [features, least] = near;
  const double reach = (1 + 2 * kPairRoom) * thickness_;
  const bool is_vertex = features.kind == FeaturePair::Kind::vertex_face;
  if (least >= reach ||
      (is_vertex && features.particle[0] < particles_ && features.particle[1] >= particles_))
    return;
  const std::array<vec3, 4> x = features.of(x_);
  const Separation apart = separation(features.kind, x);
  if (!(apart.distance < reach && apart.distance > 0) || !apart.is_within(features.kind)) return;
  if (!is_vertex) {
    const vec3 a = x[1] - x[0], b = x[3] - x[2], across = glm::cross(a, b);
    if (glm::dot(across, across) < kLeastSine * kLeastSine * glm::dot(a, a) * glm::dot(b, b)) return;
  }
  add_solved(step, static_cast<std::size_t>(&near - near_.data()), apart, apart.distance);
}

/// `apart` are the closest points at any time of the step; at its start the features are at this distance.
void ImpulseContact::add_solved(const ContactStep& step, std::size_t number, const Separation& apart,
                                double distance) {
  const FeaturePair& features = near_[number].pair;
  PairContact pair;
  pair.normal = apart.apart / apart.distance;
  pair.friction = friction_;
  const double kept = end_distance(distance, candidates_.reach_of(features, thickness_));
  pair.gap = glm::dot(pair.normal, apart.blend(features.of(x_))) - kept;
  double mobility = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::uint32_t i = features.particle[k];
    if (i >= particles_) {
      pair.displacement -= apart.weight[k] * displacement_[i];
      continue;
    }
    pair.particle[pair.count] = i;
    pair.weight[pair.count++] = apart.weight[k];
    mobility += inverse_[i];
  }
  if (!(mobility > 0)) return;
  const double approach = -glm::dot(pair.normal, apart.blend(features.of(v_)));
  solved_features_.push_back({features, kept, approach > least_impact(step)});
  solved_pairs_.push_back(pair);
}

/// The impulses of the last step are the first guess of this one.
void ImpulseContact::recall_pairs() {
  for (std::size_t q = 0; q < solved_pairs_.size(); ++q) {
    const FeaturePair& features = solved_features_[q].features;
    const auto last = std::ranges::lower_bound(active_pairs_, features, {}, &ActivePair::features);
    if (last != active_pairs_.end() && last->features == features) solved_pairs_[q].impulse = last->impulse;
  }
}

void ImpulseContact::remember_pairs() {
  active_pairs_.clear();
  for (std::size_t q = 0; q < solved_pairs_.size(); ++q)
    if (solved_pairs_[q].state != ContactState::open)
      active_pairs_.push_back({solved_features_[q].features, solved_pairs_[q].impulse});
  std::ranges::sort(active_pairs_, {}, &ActivePair::features);
}

/// The step is repeated with pairs that would collide in it.
bool ImpulseContact::needs_repeat(const ContactStep& step, const State& after) {
  if (NodalContactResponse::needs_repeat(step, after)) return true;
  if (!solves_pairs_) return false;
  if (step.continues && have_hit()) return true;
  begin(step, after);
  if (!(is_listed_ && list_is_valid(step.context.pool)) && !find_pairs(step.context)) return false;
  find_collisions(step.surfaces, step.context);
  const std::size_t known = solved_pairs_.size();
  known_features_.clear();
  for (const Solved& solved : solved_features_) known_features_.push_back(solved.features);
  std::ranges::sort(known_features_);
  const CancelPoint cancel(step.context.stop);
  cancel.poll();
  for (const auto& [number, share] : collisions_) {
    const FeaturePair& features = near_[number].pair;
    if (std::ranges::binary_search(known_features_, features)) continue;
    std::array<vec3, 4> there = features.of(x_);
    const std::array<vec3, 4> displacement = features.of(displacement_);
    for (std::size_t k = 0; k < 4; ++k) there[k] += share * displacement[k];
    add_solved(step, number, separation(features.kind, there), distance_[number]);
  }
  return solved_pairs_.size() > known;
}

ContactResponse::End ImpulseContact::end_step(const ContactStep& step, State& after) {
  End end = NodalContactResponse::end_step(step, after);
  if (!is_active_) return end;
  end.changed = end.changed || have_hit();
  held_ = step.system.projection();
  add_closed(held_);
  const End resolved = resolve(step, after);
  end.moved = end.moved || resolved.moved;
  end.failure = resolved.failure;
  return end;
}

ContactResponse::End ImpulseContact::resolve(const ContactStep& step, State& after) {
  const auto& [surfaces, h, before, system, context, positional, continues] = step;
  const CancelPoint cancel(context.stop);
  begin(step, after);
  crowded_ = !(is_listed_ && list_is_valid(context.pool)) && !find_pairs(context);
  if (crowded_) return {false, Failure::crowded};
  if (solves_pairs_) {
    remember_pairs();
    list_solved(after);
  } else {
    add_near();
  }
  for (int round = 0;
       round < kRounds && (find_collisions(surfaces, context) || (round == 0 && !contacts_.empty()));
       ++round) {
    for (const auto& [pair, share] : collisions_)
      add(pair, share, end_distance(distance_[pair], candidates_.reach_of(near_[pair].pair, thickness_)));
    for (const Contact& contact : below_) add(contact);
    if (through_springs_ && round < kThroughSprings)
      solve_through_springs(system, context);
    else
      solve_displacements();
    cancel.poll();
  }
  if (!contacts_.empty()) {
    solve_velocities();
    if (!move_together(surfaces, context) && !crowded_) return {false, Failure::squeezed};
  }
  if (crowded_) return {false, Failure::crowded};
  if (contacts_.empty()) return {};
  list_pairs();
  for (std::size_t i = 0; i < after.x.size(); ++i) {
    if (displacement_[i] != after.x[i] - before.x[i]) after.x[i] = before.x[i] + displacement_[i];
    after.v[i] = v_[i];
  }
  return {true};
}

void ImpulseContact::begin(const ContactStep& step, const State& after) {
  const State& before = step.start;
  candidates_.set_cloth(mesh_->triangles, mesh_->positions, with_itself_, joined_);
  h_ = step.h;
  converged_ = true;
  contacts_.clear();
  particles_ = before.x.size();
  x_.assign(before.x.begin(), before.x.end());
  v_.assign(after.v.begin(), after.v.end());
  displacement_.resize(particles_);
  inverse_.resize(particles_);
  for (std::size_t i = 0; i < particles_; ++i) {
    displacement_[i] = after.x[i] - before.x[i];
    inverse_[i] = 1 / step.system.masses()[i];
  }
  for (const Projection::Entry& pin : step.system.projection().entries()) inverse_[pin.particle] = 0;
  add_meshes(step.surfaces);
  predicted_ = displacement_;
  v_after_ = v_;
  inverse_.resize(x_.size(), 0);
  moved_.assign(x_.size(), 1);
  lengths_.resize(x_.size());
}

// Vertices of meshes are particles with prescribed motion.
void ImpulseContact::add_meshes(const Surfaces& surfaces) {
  candidates_.place_meshes(grows_ ? nullptr : &surfaces);
  if (grows_) return;
  for (std::uint32_t surface = 1; surface < surfaces.size(); ++surface) {
    if (!surfaces.is_mesh(surface)) continue;
    const Obstacle& body = surfaces.body_at_begin(surface);
    const std::span<const vec3> corners = body.mesh.shape().positions();
    for (std::uint32_t k = 0; k < corners.size(); ++k) {
      const vec3 x = from_mesh(body, corners[k]),
                 displacement = surfaces.displacement_of_corner(surface, k, x);
      x_.push_back(x);
      displacement_.push_back(displacement);
      v_.push_back(surfaces.velocity_of_corner(surface, k, x + displacement));
    }
  }
}

/// False if there are too many.
bool ImpulseContact::find_pairs(const ComputeContext& context) {
  const CancelPoint cancel(context.stop);
  cancel.poll();
  listed_ = displacement_;
  const double reach = (1 + 2 * kPairRoom) * thickness_;
  const auto found = candidates_.bounded_along(context.pool, x_, displacement_, reach);
  near_ = found.value_or(std::span<const CandidateList::Bounded>());
  cancel.poll();
  distance_.assign(near_.size(), kFar);
  contact_of_pair_.assign(near_.size(), kNoContact);
  for_each(context.pool, near_.size(), kPairGrain, [&](std::size_t k) {
    if (near_[k].least < kMeasured * thickness_) measure(k);
  });
  return found.has_value();
}

/// True if the list contains all pairs that may collide on the current displacements.
bool ImpulseContact::list_is_valid(WorkerPool& pool) const {
  const double room = kPairRoom * thickness_;
  return sum_over(pool, x_.size(), kParticleGrain, [&](std::size_t i) {
           const vec3 other = displacement_[i] - listed_[i];
           return glm::dot(other, other) <= room * room ? 0.0 : 1.0;
         }) == 0;
}

void ImpulseContact::add_near() {
  for (std::size_t k = 0; k < near_.size(); ++k) {
    if (!(distance_[k] > 0) || !(distance_[k] < thickness_)) continue;
    const double thickness = candidates_.reach_of(near_[k].pair, thickness_);
    if (distance_[k] < thickness) add(k, 0, end_distance(distance_[k], thickness));
  }
}

/// Adds a contact at a fraction of the displacements, to end `kept` apart; replaces the last one of this
/// pair.
void ImpulseContact::add(std::size_t number, double share, double kept) {
  const FeaturePair& pair = near_[number].pair;
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
  contact.friction = friction_;
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

void ImpulseContact::add(Contact contact) {
  contact.mobility = mobility_of(contact);
  contacts_.push_back(contact);
}

/// The contact of a particle that ends `kept` above a surface; `point` is the surface point of x at the
/// beginning.
ImpulseContact::Contact ImpulseContact::on_surface(const Surfaces& surfaces, std::uint32_t surface,
                                                   std::uint32_t particle, const vec3& x,
                                                   const SurfacePoint& point, double kept) const {
  Contact contact;
  contact.count = 1;
  contact.particle[0] = particle;
  contact.weight[0] = 1;
  contact.normal = surfaces.normal_at_end(surface, point);
  contact.surface_displacement = surfaces.displacement(surface, particle, x);
  contact.velocity = surfaces.velocity_at_end(surface, particle, x + contact.surface_displacement);
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
  const double most_least = std::max(kLeastOfThickness * thickness_, rounding);
  const auto find_collision = [&](std::size_t k, std::vector<Collision>& found) {
    const FeaturePair& pair = near_[k].pair;
    const auto& [a, b, c, d] = pair.particle;
    if (!(moved_[a] || moved_[b] || moved_[c] || moved_[d])) return;
    const double known = distance_[k] == kFar ? near_[k].least : distance_[k];
    if (pair.approach_within(lengths_) < known - most_least || !(measure(k) > 0)) return;
    const double near = std::min(kLeastOfThickness * thickness_, kLeastOfDistance * distance_[k]);
    const double least = std::max(near, rounding);
    const std::array<vec3, 4> displacement = pair.of(displacement_);
    if (approach_bound(pair.kind, displacement) < distance_[k] - least) return;
    const double share = free_share(pair.kind, pair.of(x_), displacement, least);
    if (share < 1) found.push_back({k, share});
  };
  collect(pool, near_.size(), kPairGrain, collisions_by_chunk_, collisions_, find_collision);
  const auto find_below = [&](std::size_t i, std::vector<Contact>& found) {
    if (moved_[i] && inverse_[i] > 0) add_below(surfaces, static_cast<std::uint32_t>(i), found);
  };
  collect(pool, particles_, kParticleGrain, below_by_chunk_, below_, find_below);
  std::ranges::fill(moved_, char{0});
  return !collisions_.empty() || !below_.empty();
}

/// Adds contacts with surfaces to which a particle comes too near on its relative displacement.
void ImpulseContact::add_below(const Surfaces& surfaces, std::uint32_t particle,
                               std::vector<Contact>& found) const {
  const double thickness = thickness_, least = kBelow * thickness;
  const vec3 from = x_[particle];
  for (std::uint32_t surface = surfaces.first(); surface < surfaces.size(); ++surface) {
    if (surfaces.is_mesh(surface) && !grows_) continue;
    const auto point_at = [&](const vec3& x) { return surfaces.at_begin(surface, particle, x); };
    const vec3 displacement = surfaces.carried_back(surface, particle, from + displacement_[particle]) - from;
    const double length = glm::length(displacement);
    SurfacePoint point = point_at(from);
    const double gap = gap_of(point);
    if (gap >= length + thickness) continue;
    if (gap < thickness) {  // in contact from the beginning
      const double end = gap_of(point_at(from + displacement));
      if (!(end < std::min(least, gap > 0 ? kLeastOfDistance * gap : gap))) continue;
      found.push_back(on_surface(surfaces, surface, particle, from + displacement,
                                 point_at(from + displacement), end_distance(gap, thickness)));
      continue;
    }
    // The gap decreases by no more than the particle moves.
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

/// Newton's method for the displacements q of a step from x₀ that resolve the contacts of the predicted
/// displacements p,
///   M (q − p) = h² (f(x₀ + q, q/h) − f(x₀ + p, p/h)) + the pushes of contacts,
/// with contacts as stiff springs, and a line search. Friction uses the pushes of the iteration before.
void ImpulseContact::solve_through_springs(const ClothSystem& system, const ComputeContext& context) {
  if (!matrix_) matrix_.emplace(system.pattern(), context.stop);
  WorkerPool& pool = context.pool;
  for (std::vector<vec3>* each : {&b_, &force_, &end_, &speed_}) each->resize(particles_);
  const auto go = [&](std::span<const vec3> displacement) {
    for (std::size_t i = 0; i < particles_; ++i) {
      end_[i] = x_[i] + displacement[i];
      speed_[i] = displacement[i] / h_;
    }
  };
  go(predicted_);
  system.force(pool, end_, speed_, force_);
  double largest = 0;
  LinearSolverSettings solving = solver_settings_;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    go(displacement_);
    system.force(pool, end_, speed_, b_);
    for (std::size_t i = 0; i < particles_; ++i)
      b_[i] = h_ * h_ * (b_[i] - force_[i]) - system.masses()[i] * (displacement_[i] - predicted_[i]);
    system.assemble(pool, end_, speed_, {1, h_, h_ * h_}, JacobianMode::clamped, *matrix_);
    press_contacts(pool);
    held_.filter(b_);
    double size = 0;
    for (const vec3& b : b_) size += glm::dot(b, b);
    if (!(size > 0)) break;
    // The same absolute tolerance for all, so that the last solves cost little.
    largest = std::max(largest, size);
    solving.cg.tolerance = std::min(solver_settings_.cg.tolerance * std::sqrt(largest / size), kLeastSolved);
    change_.assign(x_.size(), vec3(0));
    const std::span<vec3> of_cloth = std::span(change_).first(particles_);
    const SolveReport solve = solver_.solve(context, {*matrix_, b_, held_}, of_cloth, solving);
    if (solve.stopped) throw Cancelled();
    converged_ = converged_ && solve.converged;
    double longest = 0, fall = 0;
    for (std::size_t i = 0; i < particles_; ++i) {
      longest = std::max(longest, glm::dot(change_[i], change_[i]));
      fall += glm::dot(change_[i], b_[i]);
    }
    const double share = search_line(pool, fall);
    if (!(share > 0)) break;
    for (std::size_t i = 0; i < particles_; ++i) displacement_[i] += share * change_[i];
    if (share == 1 && std::sqrt(longest) < kSolvedTo * thickness_) break;
  }
  for (std::size_t i = 0; i < particles_; ++i) v_[i] = v_after_[i] + (displacement_[i] - predicted_[i]) / h_;
  std::ranges::fill(moved_, char{1});
}

/// Adds each contact with a negative gap to the matrix, as a spring along its normal and a damper across it,
/// and its push at the current displacements to b.
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
      if (i >= particles_) continue;
      const auto own = static_cast<std::size_t>(stencil.count++);
      stencil.particle[own] = i;
      stencil.weight[own] = contact.weight[at];
      b_[i] -= contact.weight[at] * push;
    }
  }
  matrix_->clear_stencils();
  matrix_->add_stencils(stencils_);
}

/// The share of the change, at most 1, with the least energy of springs and contacts, which is quadratic
/// between the kinks of contacts that open and close. `fall`: its negative slope at the beginning.
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
      if (contact.mobility == 0) continue;  // all particles are prescribed
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
    if (largest < kSolved * thickness_) break;
  }
  for (const Contact& contact : contacts_)
    for (std::size_t k = 0; k < contact.count; ++k) moved_[contact.particle[k]] = 1;
}

/// Stops the approach of features in contact at the end of the step.
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
    if (largest * h_ < kSolved * thickness_) break;
  }
}

/// Zones of colliding features move as one, until nothing collides.
bool ImpulseContact::move_together(const Surfaces& surfaces, const ComputeContext& context) {
  if (!find_collisions(surfaces, context)) return true;
  const std::size_t particles = x_.size();
  zone_of_.reset(particles + surfaces.size());
  for (int round = 0; round < kZoneRounds; ++round) {
    bool grown = false;
    const auto join = [&](std::uint32_t a, std::uint32_t b) { grown = zone_of_.join(a, b) || grown; };
    for (const Collision& collision : collisions_) {
      const FeaturePair& pair = near_[collision.pair].pair;
      for (std::size_t k = 1; k < 4; ++k) join(pair.particle[0], pair.particle[k]);
      for (const std::uint32_t i : pair.particle)
        if (i >= particles_) join(i, static_cast<std::uint32_t>(particles) + candidates_.surface_of(i));
      squeezed_ = {pair.particle[own(pair.particle)], surface_of(pair)};
    }
    for (const Contact& contact : below_) {
      join(contact.particle[0], static_cast<std::uint32_t>(particles) + contact.surface);
      squeezed_ = {contact.particle[0], contact.surface};
    }
    if (!grown || !move_zones(surfaces)) return false;
    if (!find_collisions(surfaces, context)) return true;
  }
  return false;
}

/// False if a prescribed particle would need two displacements.
bool ImpulseContact::move_zones(const Surfaces& surfaces) {
  const auto particles = static_cast<std::uint32_t>(x_.size());
  zones_.assign(zone_of_.size(), {});
  for (std::uint32_t surface = surfaces.first(); surface < surfaces.size(); ++surface) {
    std::optional<std::uint32_t>& of_zone = zones_[zone_of_.find(particles + surface)].surface;
    if (of_zone && (surfaces.moves(*of_zone) || surfaces.moves(surface))) return false;
    of_zone = surface;
  }
  for (std::uint32_t i = 0; i < particles; ++i) {
    Zone& zone = zones_[zone_of_.find(i)];
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
    const Zone& zone = zones_[zone_of_.find(i)];
    const vec3 displacement =
        zone.surface ? surfaces.displacement(*zone.surface, i, x_[i]) : zone.displacement;
    if (inverse_[i] == 0) {
      if (glm::distance(displacement, displacement_[i]) <= kSameDisplacement) continue;
      squeezed_.particle = i;
      return false;
    }
    if (displacement == displacement_[i]) continue;
    displacement_[i] = displacement;
    v_[i] = zone.surface ? surfaces.velocity_at_end(*zone.surface, i, x_[i] + displacement) : zone.velocity;
    moved_[i] = 1;
  }
  return true;
}

bool ImpulseContact::have_hit() const {
  for (std::size_t q = 0; q < solved_pairs_.size(); ++q)
    if (solved_features_[q].hits && solved_pairs_[q].state != ContactState::open) return true;
  return false;
}

void ImpulseContact::list_solved(const State& after) {
  for (std::size_t q = 0; q < solved_pairs_.size(); ++q) {
    const PairContact& solved = solved_pairs_[q];
    if (solved.state == ContactState::open) continue;
    const double side = solved.weight[0] < 0 ? -1 : 1;
    const double push = glm::dot(solved.normal, solved.impulse);
    const vec3 moved = solved.blend([&](std::uint32_t i) { return displacement_[i]; }) - solved.displacement;
    const vec3 u = solved.blend([&](std::uint32_t i) { return after.v[i]; }) - solved.displacement / h_;
    ContactPair& pair = pairs_.emplace_back();
    pair.particle = solved.particle[0];
    pair.surface = surface_of(solved_features_[q].features);
    pair.sticks = solved.state == ContactState::stick;
    pair.gap = solved.gap + glm::dot(solved.normal, moved) + solved_features_[q].kept - thickness_;
    pair.slip = pair.sticks ? 0.0 : glm::length(solved.across(u));
    pair.push = side * push / h_ * solved.normal;
    pair.friction = side / h_ * solved.across(solved.impulse);
  }
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
    pair.gap = contact.gap(displacement_) + contact.kept - thickness_;
    pair.slip = glm::length(across_normal(u, contact.normal));
    pair.push = side * (contact.load / h_ + contact.stop) / h_ * contact.normal;
    pair.friction = side / h_ * contact.brake;
    pair.sticks =
        contact.friction > 0 && glm::length(contact.brake) < contact.friction * contact.stop * (1 - kSlides);
  }
}

}  // namespace

std::unique_ptr<ContactResponse> make_impulse_contact() { return std::make_unique<ImpulseContact>(); }

}  // namespace clothlab
