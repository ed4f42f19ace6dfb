// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/geometric.hpp>
#include <limits>
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
/// constant speed, as moving pins.
class ObstacleMoves {
 public:
  /// At the time `start` [s] an obstacle is `left` [m] away from its position in the scene; it arrives after
  /// `duration` [s].
  void move(std::uint32_t obstacle, const vec3& left, double start, double duration);
  /// All obstacles are at their positions in the scene.
  void rest() { moves_.clear(); }
  bool empty() const { return moves_.empty(); }

  /// The position of an obstacle at the time t [s] relative to its position in the scene [m].
  vec3 shift(std::uint32_t obstacle, double t) const;

  /// Calls each(number) for every number.
  template <class Each>
  void each_number(const Each& each) {
    each.list(moves_, [&](Move& move) {
      each(move.obstacle);
      each(move.left);
      for (double* value : {&move.start, &move.duration}) each(*value);
    });
  }

 private:
  struct Move {
    std::uint32_t obstacle = 0;
    vec3 left{0};
    double start = 0;
    double duration = 0;
  };

  std::vector<Move> moves_;  // at most one per obstacle
};

/// The pose of an obstacle at the time t [s], relative to its own numbers.
Pose pose_at(const Obstacle& obstacle, std::uint32_t number, const ObstacleMoves& moves, double t);
/// The obstacles at the time t [s].
std::vector<Obstacle> obstacles_at(const Obstacles& obstacles, const ObstacleMoves& moves, double t);

/// The floor and the obstacles in a step: their poses at its beginning and its end, and their motion between.
/// Numbered: 0 the floor, k obstacle k − 1.
class Surfaces {
 public:
  Surfaces() : bodies_(1) { bodies_.reserve(1 + kMostObstacles); }

  /// Places them for a step from t to t + h [s]; with h = 0 at rest at the time t. `thickness` is added to
  /// every surface [m].
  void place(const Floor& floor, const Obstacles& obstacles, double thickness, const ObstacleMoves& moves,
             std::size_t particles, double t, double h);

  /// The surfaces at rest in their poses at the end, with their velocities.
  Surfaces at_end() const {
    Surfaces copy = *this;
    for (Body& body : copy.bodies_) body.begin = body.end;
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
  SurfaceMotion motion_at_end(std::uint32_t surface) const {
    const Body& body = bodies_[surface];
    return {body.velocity, body.middle_at_end, body.turns ? body.spin : vec3(0)};
  }
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
  /// The position at the beginning of a point that moves with a surface and is at x at the end.
  vec3 carried_back(std::uint32_t surface, const vec3& x) const {
    const Body& body = bodies_[surface];
    return body.turns ? body.middle + glm::transpose(body.turn) * (x - body.middle_at_end)
                      : x - body.displacement;
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
    const double near = body.bound + thickness_ + reach;
    if (glm::dot(apart, apart) > near * near) return true;
    FoundPoint* last = found(body, particle);
    return last != nullptr && !closest_point_within(body.end, x, thickness_ + reach, last);
  }

  /// The displacement in the step of a point at x that moves with a surface [m].
  vec3 displacement(std::uint32_t surface, const vec3& x) const {
    const Body& body = bodies_[surface];
    return body.turns ? body.middle_at_end + body.turn * (x - body.middle) - x : body.displacement;
  }
  /// An upper bound of the displacement of its points in the step [m]; for a plane, of its middle.
  double largest_displacement(std::uint32_t surface) const {
    const Body& body = bodies_[surface];
    return glm::length(body.displacement) + (body.turns ? 2 * body.bound : 0.0);
  }
  /// The velocity of a point at x that moves with the surface, at the beginning and at the end [m/s].
  vec3 velocity(std::uint32_t surface, const vec3& x) const {
    return velocity(bodies_[surface], x, bodies_[surface].middle);
  }
  vec3 velocity_at_end(std::uint32_t surface, const vec3& x) const {
    return velocity(bodies_[surface], x, bodies_[surface].middle_at_end);
  }
  bool turns(std::uint32_t surface) const { return bodies_[surface].turns; }
  /// A normal at the beginning, turned to the end of the step. A particle that is constrained along it and
  /// moves along a flat face that turns ends on the face.
  vec3 normal_at_end(std::uint32_t surface, const vec3& normal) const {
    return turns(surface) ? bodies_[surface].turn * normal : normal;
  }
  /// The inverse of normal_at_end.
  vec3 normal_at_begin(std::uint32_t surface, const vec3& normal) const {
    return turns(surface) ? glm::transpose(bodies_[surface].turn) * normal : normal;
  }
  /// The displacement of the point about which a body turns in the step [m].
  vec3 displacement_of_middle(std::uint32_t surface) const { return bodies_[surface].displacement; }

 private:
  static constexpr double kAnywhere = std::numeric_limits<double>::infinity();
  struct Body {
    Obstacle begin, end;
    bool moves = false, turns = false;
    vec3 middle{0}, middle_at_end{0};
    double bound = kAnywhere;                    // radius of a sphere around it [m], with room for rounding
    double least_passage = kAnywhere;            // [m]
    vec3 displacement{0};                        // of the middle [m]
    vec3 velocity{0};                            // of the middle [m/s]
    mat3 turn{1};                                // from begin to end
    vec3 spin{0};                                // [rad/s]
    mutable std::vector<FoundPoint> found = {};  // by particle, for a mesh
  };
  static FoundPoint* found(const Body& body, std::uint32_t particle) {
    return body.found.empty() ? nullptr : &body.found[particle];
  }
  static vec3 velocity(const Body& body, const vec3& x, const vec3& middle) {
    return body.turns ? body.velocity + glm::cross(body.spin, x - middle) : body.velocity;
  }
  // A point that moves with a surface differs from the moved surface by rounding.
  SurfacePoint above(const Body& body, const Obstacle& where, std::uint32_t particle, const vec3& x) const {
    SurfacePoint point = *closest_point_within(where, x, kAnywhere, found(body, particle));
    point.level += thickness_;
    if (body.moves) point.slack = kSurfaceRounding;
    return point;
  }

  bool has_floor_ = false, move_ = false;
  double thickness_ = 0, floor_height_ = 0, floor_friction_ = 0, friction_ = 0;
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
