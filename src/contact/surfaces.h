// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collide/obstacle.h"
#include "contact/contact_pair.h"
#include "core/vec.h"

namespace clothlab {

/// A level plane that cloth may lie on: y = height, nothing of the cloth below it.
struct Floor {
  bool on = false;
  double height = -1;     ///< [m]
  double friction = 0.5;  ///< μ of Coulomb's friction, at rest and sliding

  bool operator==(const Floor&) const = default;
};

/// Obstacles that still move to their position in the scene (MoveObstacle), each in a straight line at
/// constant speed, as moving pins; and bodies that still grow to their size.
class ObstacleMoves {
 public:
  /// At the time `start` [s] an obstacle is `left` [m] away from its position in the scene; it arrives after
  /// `duration` [s].
  void move(std::uint32_t obstacle, const vec3& left, double start, double duration);
  /// At the time `start` [s] the surface of a body is `depth` [m] inside its place in the scene; after
  /// `duration` [s] it is `beyond` [m] outside. It begins and ends at rest.
  void grow(std::uint32_t obstacle, double depth, double beyond, double start, double duration) {
    growths_.push_back({obstacle, depth, beyond, start, duration});
  }
  /// All obstacles are at their positions in the scene, at full size.
  void rest() {
    end_moves();
    end_growth();
  }
  void end_moves() { moves_.clear(); }
  void end_growth() { growths_.clear(); }
  bool empty() const { return moves_.empty() && growths_.empty(); }
  /// True until end_growth().
  bool grows() const { return !growths_.empty(); }
  /// True if one of them is a body, not the cloth that moves apart.
  bool has_bodies_that_grow() const {
    return std::ranges::any_of(growths_, [](const Growth& of) { return of.obstacle != kClothItself; });
  }
  /// True if no body grows after the time t [s].
  bool have_grown(double t) const;
  bool grows_at(double t) const { return grows() && !have_grown(t); }

  /// The position of an obstacle at the time t [s] relative to its position in the scene [m].
  vec3 shift(std::uint32_t obstacle, double t) const;
  /// How far its surface is inside its place in the scene at the time t [s]; negative: outside [m].
  double inset(std::uint32_t obstacle, double t) const;
  /// The largest speed of a surface that grows [m/s].
  double fastest_growth() const;

  /// Calls each(number) for every number.
  template <class Each>
  void each_number(const Each& each) {
    each.list(moves_, [&](Move& move) {
      each(move.obstacle);
      each(move.left);
      for (double* value : {&move.start, &move.duration}) each(*value);
    });
  }
  template <class Each>
  void each_number_of_growth(const Each& each) {
    each.list(growths_, [&](Growth& growth) {
      each(growth.obstacle);
      for (double* value : {&growth.depth, &growth.beyond, &growth.start, &growth.duration}) each(*value);
    });
  }

 private:
  struct Move {
    std::uint32_t obstacle = 0;
    vec3 left{0};
    double start = 0;
    double duration = 0;
  };

  struct Growth {
    std::uint32_t obstacle = 0;
    double depth = 0, beyond = 0;
    double start = 0, duration = 0;
    /// The fraction of the duration that has passed at the time t; 1 at the end, although t is a sum of
    /// rounded steps.
    double passed(double t) const;
  };

  std::vector<Move> moves_;      // at most one per obstacle
  std::vector<Growth> growths_;  // at most one per obstacle
};

/// The pose of an obstacle at the time t [s], relative to its own numbers.
Pose pose_at(const Obstacle& obstacle, std::uint32_t number, const ObstacleMoves& moves, double t);
/// The obstacles at the time t [s].
std::vector<Obstacle> obstacles_at(const Obstacles& obstacles, const ObstacleMoves& moves, double t);

/// The floor and the obstacles in a step: their poses at its beginning and its end, and their motion between.
/// Numbered: 0 the floor, k obstacle k − 1. Members that get a particle remember what they found for it:
/// particles of different threads differ. kNoParticle is always searched.
class Surfaces {
 public:
  static constexpr std::uint32_t kNoParticle = std::numeric_limits<std::uint32_t>::max();

  Surfaces() : bodies_(1) { bodies_.reserve(1 + kMostObstacles); }

  /// Places them for a step from t to t + h [s]; with h = 0 at rest at the time t. `thickness` is added to
  /// every surface [m].
  void place(const Floor& floor, const Obstacles& obstacles, double thickness, const ObstacleMoves& moves,
             std::size_t particles, double t, double h);

  /// The surfaces at rest in their poses at the end, with their velocities.
  Surfaces at_end() const {
    Surfaces copy = *this;
    for (Body& body : copy.bodies_) {
      for (std::shared_ptr<TriangleSurface>& shape : body.shapes)
        if (shape) shape = std::make_shared<TriangleSurface>(*shape);  // the next step changes these
      if (body.shapes[1]) body.end.mesh.deformed = body.shapes[1];
      body.begin = body.end;
    }
    return copy;
  }

  bool empty() const { return first() == size(); }
  std::uint32_t first() const { return has_floor_ ? 0 : 1; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(bodies_.size()); }
  /// True if any surface moves.
  bool move() const { return move_; }
  bool is_mesh(std::uint32_t surface) const { return bodies_[surface].begin.shape == Obstacle::Shape::mesh; }
  bool moves(std::uint32_t surface) const { return bodies_[surface].moves; }
  double thickness() const { return thickness_; }
  double friction(std::uint32_t surface) const { return surface == 0 ? floor_friction_ : friction_; }

  /// An obstacle at the beginning, and at the end.
  const Obstacle& body_at_begin(std::uint32_t surface) const { return bodies_[surface].begin; }
  const Obstacle& body_at_end(std::uint32_t surface) const { return bodies_[surface].end; }
  /// The closest surface point to a particle at x, with the surface at the beginning, or at the end.
  SurfacePoint at_begin(std::uint32_t surface, std::uint32_t particle, const vec3& x) const {
    return surface == 0 ? closest_on_plane(floor_height_ + thickness_, x)
                        : above(bodies_[surface], bodies_[surface].begin, particle, x);
  }
  SurfacePoint at_end(std::uint32_t surface, std::uint32_t particle, const vec3& x) const {
    return surface == 0 ? closest_on_plane(floor_height_ + thickness_, x)
                        : above(bodies_[surface], bodies_[surface].end, particle, x);
  }
  /// The same, or nothing if the particle is certainly more than `reach` [m] above the surface.
  std::optional<SurfacePoint> within(std::uint32_t surface, std::uint32_t particle, const vec3& x,
                                     double reach, bool at_begin) const {
    if (surface == 0) return closest_on_plane(floor_height_ + thickness_, x);
    const Body& body = bodies_[surface];
    return closest_point_within(at_begin ? body.begin : body.end, x, reach, found(body, particle));
  }
  /// The position at the beginning of a point that moves with a surface and is at x at the end. A point at a
  /// mesh that deforms moves as the closest point of the mesh.
  vec3 carried_back(std::uint32_t surface, std::uint32_t particle, const vec3& x) const {
    const Body& body = bodies_[surface];
    const vec3 at = body.deforms ? x - deformation(body, body.end, particle, x) : x;
    return body.turns ? body.middle + glm::transpose(body.turn) * (at - body.middle_at_end)
                      : at - body.displacement;
  }
  /// Where a particle that moves from `from` to `to` in the step [m] first is nearer to a surface than
  /// `least` [m], in the pose at the beginning. As seen from the surface it moves along a straight line,
  /// which is exact if the surface does not turn.
  std::optional<vec3> first_touch(std::uint32_t surface, std::uint32_t particle, const vec3& from,
                                  const vec3& to, double least) const;
  /// See least_passage_of().
  double least_passage(std::uint32_t surface) const { return bodies_[surface].least_passage; }
  /// True if a particle at x is certainly more than `reach` [m] above a surface at rest. Costs less than the
  /// closest point.
  bool is_far(std::uint32_t surface, std::uint32_t particle, const vec3& x, double reach) const {
    const Body& body = bodies_[surface];
    if (body.moves) return false;
    const vec3 apart = x - body.middle;
    const double near = body.bound + thickness_ + reach + std::max(-body.end.inset, 0.0);
    if (glm::dot(apart, apart) > near * near) return true;
    FoundPoint* last = found(body, particle);
    return last != nullptr && !closest_point_within(body.end, x, thickness_ + reach, last);
  }

  /// The displacement in the step of a point at x that moves with a surface [m]. Points of a surface that
  /// grows also move along its `normal` there; without one the body does not grow.
  vec3 displacement(std::uint32_t surface, std::uint32_t particle, const vec3& x,
                    const vec3& normal = vec3(0)) const {
    const Body& body = bodies_[surface];
    const vec3 own =
        body.deforms ? displaced(body, x, deformation(body, body.begin, particle, x)) : displaced(body, x);
    return body.growth == 0 ? own : own + body.growth * normal;
  }
  /// That of a corner of a mesh at x.
  vec3 displacement_of_corner(std::uint32_t surface, std::uint32_t corner, const vec3& x) const {
    const Body& body = bodies_[surface];
    return body.deforms ? displaced(body, x, of_corner(body, body.begin, corner)) : displaced(body, x);
  }
  /// How far a surface grows in the step, along its normals [m].
  double growth(std::uint32_t surface) const { return bodies_[surface].growth; }
  /// An upper bound of the displacement of its points in the step [m]; for a plane, of its middle.
  double largest_displacement(std::uint32_t surface) const {
    const Body& body = bodies_[surface];
    return glm::length(body.displacement) + body.deformation + (body.turns ? 2 * body.bound : 0.0) +
           body.growth;
  }
  /// The velocity of a point at x that moves with the surface, at the beginning and at the end [m/s]. See
  /// displacement() for the normal.
  vec3 velocity(std::uint32_t surface, std::uint32_t particle, const vec3& x,
                const vec3& normal = vec3(0)) const {
    const Body& body = bodies_[surface];
    const vec3 own = velocity(body, x, body.middle, normal);
    return body.deforms ? own + deformation(body, body.begin, particle, x) / h_ : own;
  }
  vec3 velocity_at_end(std::uint32_t surface, std::uint32_t particle, const vec3& x,
                       const vec3& normal = vec3(0)) const {
    const Body& body = bodies_[surface];
    const vec3 own = velocity(body, x, body.middle_at_end, normal);
    return body.deforms ? own + deformation(body, body.end, particle, x) / h_ : own;
  }
  /// The velocity at the end of a corner of a mesh at x [m/s].
  vec3 velocity_of_corner(std::uint32_t surface, std::uint32_t corner, const vec3& x) const {
    const Body& body = bodies_[surface];
    const vec3 rigid = velocity(body, x, body.middle_at_end, vec3(0));
    return body.deforms ? rigid + of_corner(body, body.end, corner) / h_ : rigid;
  }
  /// True if normals of a surface turn.
  bool turns(std::uint32_t surface) const { return bodies_[surface].turns || bodies_[surface].deforms; }
  /// The normal of a point at the beginning, turned to the end of the step. A particle that is constrained
  /// along it and moves along a flat face that turns ends on the face.
  vec3 normal_at_end(std::uint32_t surface, const SurfacePoint& point) const;
  /// The inverse of normal_at_end, for a particle at x at the beginning.
  vec3 normal_at_begin(std::uint32_t surface, std::uint32_t particle, const vec3& x,
                       const vec3& normal) const {
    const Body& body = bodies_[surface];
    if (body.deforms) return at_begin(surface, particle, x).normal;
    return body.turns ? glm::transpose(body.turn) * normal : normal;
  }
  /// The displacement in the step that all points of a body have in common [m].
  vec3 common_displacement(std::uint32_t surface) const {
    return bodies_[surface].displacement + bodies_[surface].common;
  }

 private:
  static constexpr double kAnywhere = std::numeric_limits<double>::infinity();
  struct Body {
    Obstacle begin, end;
    bool moves = false, turns = false, deforms = false;
    vec3 middle{0}, middle_at_end{0};
    double bound = kAnywhere;                    // radius of a sphere around it [m], with room for rounding
    double least_passage = kAnywhere;            // [m]
    vec3 displacement{0};                        // of the middle [m]
    vec3 velocity{0};                            // of the middle [m/s]
    mat3 turn{1};                                // from begin to end
    vec3 spin{0};                                // [rad/s]
    vec3 common{0};                              // mean deformation [m]
    double deformation = 0;                      // bound of its length [m]
    double growth = 0, growth_rate = 0;          // along the normals [m], [m/s]
    mutable std::vector<FoundPoint> found = {};  // by particle, for a mesh
    std::array<std::shared_ptr<TriangleSurface>, 2> shapes = {};  // of a mesh that deforms: begin, end
    std::array<double, 2> phases{};
  };
  static FoundPoint* found(const Body& body, std::uint32_t particle) {
    return particle < body.found.size() ? &body.found[particle] : nullptr;
  }
  static void deform(Body& body, const MeshFile& mesh, double t, double h);
  // How the closest point of a mesh to x, or a corner, deforms in the step, in the axes of a pose [m].
  static vec3 deformation(const Body& body, const Obstacle& where, std::uint32_t particle, const vec3& x);
  static vec3 with_face(const Body& body, const Obstacle& where, const SurfacePoint& point, std::size_t own);
  static vec3 of_corner(const Body& body, const Obstacle& where, std::uint32_t corner) {
    return where.axes *
           (where.scale * (body.shapes[1]->positions()[corner] - body.shapes[0]->positions()[corner]));
  }
  static vec3 displaced(const Body& body, const vec3& x) {
    return body.turns ? body.middle_at_end + body.turn * (x - body.middle) - x : body.displacement;
  }
  static vec3 displaced(const Body& body, const vec3& x, const vec3& deformation) {
    return deformation + displaced(body, x + deformation);
  }
  static vec3 velocity(const Body& body, const vec3& x, const vec3& middle, const vec3& normal) {
    const vec3 rigid = body.turns ? body.velocity + glm::cross(body.spin, x - middle) : body.velocity;
    return body.growth == 0 ? rigid : rigid + body.growth_rate * normal;
  }
  // A point that moves with a surface differs from the moved surface by rounding.
  SurfacePoint above(const Body& body, const Obstacle& where, std::uint32_t particle, const vec3& x) const {
    SurfacePoint point = *closest_point_within(where, x, kAnywhere, found(body, particle));
    point.level += thickness_;
    if (body.moves) point.slack = kSurfaceRounding;
    return point;
  }

  bool has_floor_ = false, move_ = false;
  double h_ = 0, thickness_ = 0, floor_height_ = 0, floor_friction_ = 0, friction_ = 0;
  std::vector<Body> bodies_;  // by surface; [0] is the floor, at rest
};

/// The name of a surface (as in ContactPair) in tables: "floor", "sphere 2", "cloth".
inline std::string surface_id(std::uint32_t surface, std::span<const Obstacle> bodies) {
  if (surface == 0) return "floor";
  if (surface == kClothItself) return "cloth";
  return std::string(name_of(bodies[surface - 1].shape)) + " " + std::to_string(surface);
}

/// Its name in sentences: "the floor", "obstacle 2 (sphere)", "the cloth itself". Without the shape of an
/// obstacle if that is no longer known.
inline std::string surface_text(std::uint32_t surface, std::optional<Obstacle::Shape> shape) {
  if (surface == 0) return "the floor";
  if (surface == kClothItself) return "the cloth itself";
  return "obstacle " + std::to_string(surface) + (shape ? " (" + std::string(name_of(*shape)) + ")" : "");
}
inline std::string surface_text(std::uint32_t surface, std::span<const Obstacle> bodies) {
  const bool is_body = surface > 0 && surface <= bodies.size();
  return surface_text(surface, is_body ? std::optional(bodies[surface - 1].shape) : std::nullopt);
}

}  // namespace clothlab
