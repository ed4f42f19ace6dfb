// SPDX-License-Identifier: MIT
#include "collide/obstacle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/quantity.h"
#include "core/text.h"

namespace clothlab {
namespace {

struct Kind {
  Obstacle::Shape shape;
  std::string_view name;
  std::string_view text;  // of its numbers: the vectors, then the last one
  std::array<vec3 Obstacle::*, 2> vectors;
  double Obstacle::*last;
};
constexpr auto kFrom = &Obstacle::from, kTo = &Obstacle::to;

constexpr std::array kKinds{
    Kind{Obstacle::Shape::sphere, "sphere", "x,y,z,r", {kFrom}, &Obstacle::radius},
    Kind{Obstacle::Shape::capsule, "capsule", "x0,y0,z0,x1,y1,z1,r", {kFrom, kTo}, &Obstacle::radius},
    Kind{Obstacle::Shape::plane, "plane", "nx,ny,nz,d", {&Obstacle::normal}, &Obstacle::offset},
    Kind{Obstacle::Shape::box, "box", "x,y,z,sx,sy,sz", {kFrom, &Obstacle::size}, nullptr},
    Kind{Obstacle::Shape::cylinder, "cylinder", "x0,y0,z0,x1,y1,z1,r", {kFrom, kTo}, &Obstacle::radius},
    Kind{Obstacle::Shape::mesh, "mesh", "x,y,z,scale,FILE", {kFrom}, &Obstacle::scale},
};

const Kind& kind_of(Obstacle::Shape shape) { return *std::ranges::find(kKinds, shape, &Kind::shape); }

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw InputError("The obstacle \"" + printable(text) + "\" " + why + "; write " + obstacle_forms() +
                   ", in metres.");
}

// Parses a list of numbers, in metres if they have a unit.
std::vector<double> numbers_of(std::string_view text, std::string_view list) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const Quantity number = parse_quantity(list.substr(begin, end - begin), "m");
    if (!number.value) refuse(text, "contains something that is not a number or a length");
    numbers.push_back(*number.value);
    begin = end + 1;
  }
  return numbers;
}

// The short way: a turn and its negative are the same.
double angle_between(const glm::dquat& a, const glm::dquat& b) {
  return 2 * std::acos(std::min(std::abs(glm::dot(a, b)), 1.0));
}

Pose pose_at(const Keyframe& key) { return {turn_of(key.turn), key.move}; }

}  // namespace

glm::dquat turn_of(const vec3& degrees) {
  const double size = glm::length(degrees);
  if (!(size > 0)) return {1, 0, 0, 0};
  return glm::angleAxis(size * std::numbers::pi / 180, degrees / size);
}

void check_path(const ObstaclePath& path) {
  if (path.keys.size() > kMostKeyframes)
    throw InputError("A path may have at most " + std::to_string(kMostKeyframes) + " keyframes.");
  constexpr double kHalfCircle = 180;  // [°]
  double last = -1;
  const Keyframe* before = nullptr;
  for (const Keyframe& key : path.keys) {
    if (!(key.time >= 0 && key.time <= kLatestKeyframe) || !(key.time > last))
      throw InputError("The times of a path must ascend, from 0 to " + format_number(kLatestKeyframe) +
                       " s.");
    last = key.time;
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(key.move[k]) <= kFarthestObstacle) || !(std::abs(key.turn[k]) <= kMostTurn))
        throw InputError("A path may move an obstacle by at most " + format_number(kFarthestObstacle) +
                         " m and turn it by at most " + format_number(kMostTurn) + "°.");
    // Turns whose vectors differ by less than that are less than half a circle apart.
    if (before != nullptr && !(glm::distance(before->turn, key.turn) < kHalfCircle))
      throw InputError("The turn between the keyframes at " + format_number(before->time) + " s and " +
                       format_number(key.time) +
                       " s of a path may be half a circle or more. Add a keyframe between them.");
    before = &key;
  }
  if (!path.loops) return;
  constexpr double kSameTurn = 1e-6;  // [rad]
  if (path.keys.size() < 2 || path.keys.front().move != path.keys.back().move ||
      angle_between(pose_at(path.keys.front()).turn, pose_at(path.keys.back()).turn) > kSameTurn)
    throw InputError("A path that loops must end where it begins.");
}

Pose pose_on(const ObstaclePath& path, double t) {
  if (path.keys.empty()) return {};
  const double first = path.keys.front().time, last = path.keys.back().time;
  if (path.loops && t > first) t = first + std::fmod(t - first, last - first);
  const auto next = std::ranges::upper_bound(path.keys, t, {}, &Keyframe::time);
  if (next == path.keys.begin()) return pose_at(path.keys.front());
  if (next == path.keys.end()) return pose_at(path.keys.back());
  const Keyframe& before = *(next - 1);
  const double share = (t - before.time) / (next->time - before.time);
  const Pose from = pose_at(before), to = pose_at(*next);
  return {from.turn == to.turn ? from.turn : glm::slerp(from.turn, to.turn, share),
          from.shift + share * (to.shift - from.shift)};
}

double fastest_on(const ObstaclePath& path, double distance) {
  double fastest = 0;
  for (std::size_t k = 1; k < path.keys.size(); ++k) {
    const Keyframe &from = path.keys[k - 1], &to = path.keys[k];
    const double angle = angle_between(turn_of(from.turn), turn_of(to.turn));
    const double turning = angle > 0 ? angle * distance : 0;  // a plane turns about infinity
    fastest = std::max(fastest, (glm::distance(from.move, to.move) + turning) / (to.time - from.time));
  }
  return fastest;
}

std::string_view name_of(Obstacle::Shape shape) { return kind_of(shape).name; }

bool has_axis(Obstacle::Shape shape) {
  return shape == Obstacle::Shape::capsule || shape == Obstacle::Shape::cylinder;
}

bool has_axes(Obstacle::Shape shape) {
  return shape == Obstacle::Shape::box || shape == Obstacle::Shape::mesh;
}

std::string obstacle_forms() {
  std::string forms;
  for (const Kind& kind : kKinds) {
    if (&kind != kKinds.data()) forms.append(&kind == &kKinds.back() ? " or " : ", ");
    forms.append(kind.name).append(":").append(kind.text);
  }
  return forms;
}

Obstacle parse_obstacle(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto kind = std::ranges::find(kKinds, text.substr(0, colon), &Kind::name);
  if (kind == kKinds.end() || colon == text.size()) refuse(text, "has an unknown shape");
  auto wanted = static_cast<std::size_t>(std::ranges::count(kind->text, ',')) + 1;
  std::string_view list = text.substr(colon + 1);
  Obstacle obstacle;
  obstacle.shape = kind->shape;
  if (kind->shape == Obstacle::Shape::mesh) {
    // The name of a file may contain commas.
    std::size_t end = 0;
    for (--wanted; end < list.size(); ++end)
      if (std::ranges::count(list.substr(0, end + 1), ',') == static_cast<std::ptrdiff_t>(wanted)) break;
    if (end + 1 >= list.size()) refuse(text, "names no file");
    obstacle.mesh.path = std::make_shared<const std::string>(list.substr(end + 1));
    list = list.substr(0, end);
  }
  const std::vector<double> n = numbers_of(text, list);
  if (n.size() != wanted) refuse(text, "has " + std::to_string(n.size()) + " numbers");
  auto next = n.begin();
  for (vec3 Obstacle::*const vector : kind->vectors)
    for (int k = 0; k < 3 && vector != nullptr; ++k) (obstacle.*vector)[k] = *next++;
  if (kind->last != nullptr) obstacle.*kind->last = *next;
  if (!has_axis(kind->shape)) obstacle.to = obstacle.from;
  check_obstacles(std::array{obstacle});
  return obstacle;
}

void check_obstacles(std::span<const Obstacle> bodies) {
  if (bodies.size() > kMostObstacles)
    throw InputError("There may be at most " + std::to_string(kMostObstacles) + " obstacles.");
  const auto check_extent = [](const char* what, double extent) {
    if (!(extent >= kSmallestObstacle && extent <= kLargestObstacle))
      throw InputError(std::string(what) + " of an obstacle must be " + format_number(kSmallestObstacle) +
                       " to " + format_number(kLargestObstacle) + " m.");
  };
  const auto check_position = [](const vec3& position) {
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(position[k]) <= kFarthestObstacle))
        throw InputError("An obstacle must lie within " + format_number(kFarthestObstacle) +
                         " m of the origin.");
  };
  for (const Obstacle& body : bodies) {
    check_path(body.path);
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(body.turn[k]) <= kMostTurn))
        throw InputError("An obstacle may be turned by at most " + format_number(kMostTurn) + "°.");
    if (body.shape == Obstacle::Shape::plane) {
      const double length = glm::length(body.normal);
      if (!(length >= kShortestNormal && length <= kLargestObstacle))
        throw InputError("The normal of a plane must have a length of " + format_number(kShortestNormal) +
                         " to " + format_number(kLargestObstacle) + ".");
      check_position(vec3(body.offset / length));
      continue;
    }
    check_position(body.from);
    check_position(body.to);
    if (body.shape == Obstacle::Shape::mesh) {
      if (!(body.scale >= kLeastObstacleScale && body.scale <= kMostObstacleScale))
        throw InputError("The scale of a mesh obstacle must be " + format_number(kLeastObstacleScale) +
                         " to " + format_number(kMostObstacleScale) + ".");
      if (!body.mesh.path || body.mesh.path->empty()) throw InputError("A mesh obstacle needs a file.");
      const Playback& playback = body.mesh.playback;
      if (!(playback.rate >= kLeastFrameRate && playback.rate <= kMostFrameRate) ||
          !(std::abs(playback.start) <= kLatestKeyframe))
        throw InputError("The frames of a mesh obstacle need a rate of " + format_number(kLeastFrameRate) +
                         " to " + format_number(kMostFrameRate) + " per second, and a start within " +
                         format_number(kLatestKeyframe) + " s.");
      if (const TriangleSurface* surface = body.mesh.surface.get()) {
        check_extent("The diagonal",
                     body.scale * glm::distance(surface->bounds().low, surface->bounds().high));
        check_position(vec3(body.scale * surface->radius()));
      }
    }
    if (!has_axis(body.shape) && body.from != body.to)
      throw InputError(std::string("A ").append(name_of(body.shape)).append(" has one centre."));
    if (body.shape == Obstacle::Shape::box)
      for (int k = 0; k < 3; ++k) check_extent("Each side", body.size[k]);
    else if (body.shape != Obstacle::Shape::mesh)
      check_extent("The radius", body.radius);
    if (body.shape == Obstacle::Shape::cylinder)
      check_extent("The length", glm::distance(body.from, body.to));
  }
}

void check_read(std::span<const Obstacle> bodies) {
  for (const Obstacle& body : bodies)
    if (body.shape == Obstacle::Shape::mesh && !body.mesh.surface)
      throw InputError("The mesh obstacle " + (body.mesh.path ? printable(*body.mesh.path) : std::string()) +
                       " has not been read.");
}

std::string text_of(const Obstacle& obstacle) {
  const Kind& kind = kind_of(obstacle.shape);
  std::string text = std::string(kind.name) + ":";
  const auto add = [&](double number) {
    text.append(text.ends_with(':') ? "" : ",").append(format_number(number));
  };
  for (vec3 Obstacle::*const vector : kind.vectors)
    for (int k = 0; k < 3 && vector != nullptr; ++k) add((obstacle.*vector)[k]);
  if (kind.last != nullptr) add(obstacle.*kind.last);
  if (obstacle.mesh.path) text.append(",").append(*obstacle.mesh.path);
  return text;
}

double rounding_of(const Obstacle& obstacle) {
  constexpr double kShare = 1.0 / 20;
  const vec3& size = obstacle.size;
  if (obstacle.shape == Obstacle::Shape::mesh) return obstacle.scale * obstacle.mesh.surface->rounding();
  return kShare * (obstacle.shape == Obstacle::Shape::box
                       ? std::min({size.x, size.y, size.z})
                       : std::min(2 * obstacle.radius, glm::distance(obstacle.from, obstacle.to)));
}

double depth_of(const Obstacle& obstacle) {
  switch (obstacle.shape) {
    case Obstacle::Shape::plane:
      return std::numeric_limits<double>::infinity();
    case Obstacle::Shape::box:
      return 0.5 * std::min({obstacle.size.x, obstacle.size.y, obstacle.size.z});
    case Obstacle::Shape::cylinder:
      return std::min(obstacle.radius, 0.5 * glm::distance(obstacle.from, obstacle.to));
    case Obstacle::Shape::mesh: {
      const TriangleSurface& surface = obstacle.mesh.shape();
      const vec3 extent = surface.bounds().high - surface.bounds().low;
      const double within = surface.closed_parts() > 0 ? 0.5 * std::min({extent.x, extent.y, extent.z}) : 0;
      return obstacle.scale * (within + surface.rounding());
    }
    case Obstacle::Shape::sphere:
    case Obstacle::Shape::capsule:
      break;
  }
  return obstacle.radius;
}

double least_passage_of(const Obstacle& obstacle) {
  const double depth = depth_of(obstacle);
  return obstacle.shape == Obstacle::Shape::mesh ? std::min(depth, 2 * rounding_of(obstacle)) : depth;
}

double bound_of(const Obstacle& obstacle) {
  if (obstacle.shape == Obstacle::Shape::plane) return std::numeric_limits<double>::infinity();
  if (obstacle.shape == Obstacle::Shape::box) return 0.5 * glm::length(obstacle.size);
  if (obstacle.shape == Obstacle::Shape::mesh)
    return obstacle.scale * (obstacle.mesh.surface->radius() + obstacle.mesh.surface->rounding());
  const double half = 0.5 * glm::distance(obstacle.from, obstacle.to);
  return obstacle.shape == Obstacle::Shape::cylinder ? root_of_squares(half, obstacle.radius)
                                                     : half + obstacle.radius;
}

vec3 centre_of(const Obstacle& obstacle) {
  if (obstacle.shape == Obstacle::Shape::plane)
    return obstacle.offset / glm::dot(obstacle.normal, obstacle.normal) * obstacle.normal;
  return has_axis(obstacle.shape) ? 0.5 * (obstacle.from + obstacle.to) : obstacle.from;
}

Obstacle posed(const Obstacle& obstacle, const Pose& pose) {
  Obstacle to;
  to.shape = obstacle.shape;
  to.from = obstacle.from;
  to.to = obstacle.to;
  to.radius = obstacle.radius;
  to.size = obstacle.size;
  to.normal = obstacle.normal;
  to.offset = obstacle.offset;
  to.mesh = obstacle.mesh;
  to.scale = obstacle.scale;
  to.axes = obstacle.axes;
  to.inset = pose.inset;
  const vec3 centre = centre_of(obstacle);
  if (pose.turn != glm::dquat(1, 0, 0, 0)) {
    const mat3 turn = glm::mat3_cast(pose.turn);
    if (has_axis(to.shape)) {
      to.from = centre + turn * (to.from - centre);
      to.to = centre + turn * (to.to - centre);
    }
    if (to.shape == Obstacle::Shape::plane) {
      to.normal = turn * to.normal;
      to.offset = glm::dot(to.normal, centre);
    }
    to.axes = turn * to.axes;
  }
  if (pose.shift != vec3(0)) {
    if (to.shape == Obstacle::Shape::plane) {
      to.offset += glm::dot(to.normal, pose.shift);
    } else {
      to.from += pose.shift;
      to.to += pose.shift;
    }
  }
  return to;
}

Obstacle turned(Obstacle obstacle, const vec3& degrees) {
  Obstacle there = posed(obstacle, {turn_of(degrees), vec3(0)});
  there.path = std::move(obstacle.path);
  // The ends determine a body with an axis, the normal a plane.
  if (has_axes(there.shape)) {
    there.turn = degrees;
    there.axes = glm::mat3_cast(turn_of(degrees));
  } else {
    there.axes = obstacle.axes;
  }
  return there;
}

Obstacle moved_to(const Obstacle& obstacle, const vec3& centre) {
  Obstacle moved = posed(obstacle, {{1, 0, 0, 0}, centre - centre_of(obstacle)});
  moved.turn = obstacle.turn;
  moved.path = obstacle.path;
  if (obstacle.shape == Obstacle::Shape::plane || has_axis(obstacle.shape)) return moved;
  moved.from = moved.to = centre;  // to the last bit
  return moved;
}

namespace {

SurfacePoint above_segment(const Obstacle& obstacle, const vec3& x) {
  const vec3 along = obstacle.to - obstacle.from;
  const double square = glm::dot(along, along);
  const double share = square > 0 ? std::clamp(glm::dot(x - obstacle.from, along) / square, 0.0, 1.0) : 0.0;
  const vec3 from_axis = x - (obstacle.from + share * along);
  const double height = glm::length(from_axis);
  const vec3 straight = share > 0 && share < 1 ? along / std::sqrt(square) : vec3(0);
  if (height > 0) return {from_axis / height, height, obstacle.radius, 1 / obstacle.radius, straight};
  // On the axis every direction across it leads outwards.
  const vec3 out = along.y != 0 ? glm::normalize(vec3(along.y, -along.x, 0)) : vec3(0, 1, 0);
  return {out, 0, obstacle.radius, 1 / obstacle.radius, straight};
}

SurfacePoint above_plane(const Obstacle& plane, const vec3& x) {
  const double length = glm::length(plane.normal);
  const vec3 normal = plane.normal / length;
  return {normal, glm::dot(normal, x), plane.offset / length, 0, vec3(0), kSurfaceRounding};
}

// Its core is the box without the rounding of its edges.
SurfacePoint above_box(const Obstacle& box, const vec3& x) {
  const double rounding = rounding_of(box);
  const bool aligned = box.axes[0][0] == 1 && box.axes[1][1] == 1;  // with the axes of space
  const vec3 from_centre = aligned ? x - box.from : glm::transpose(box.axes) * (x - box.from);
  const auto in_space = [&](const vec3& v) { return aligned ? v : box.axes * v; };
  const vec3 above = glm::abs(from_centre) - (0.5 * box.size - rounding);  // the faces of the core
  const auto outwards = [&](int k) { return from_centre[k] < 0 ? -1.0 : 1.0; };
  const auto on_face = [&](int k) {
    vec3 normal(0);
    normal[k] = outwards(k);
    return SurfacePoint{in_space(normal), above[k], rounding, 0, vec3(0), kSurfaceRounding};
  };
  int faces = 0, highest = 0, other = 0;
  for (int k = 0; k < 3; ++k) {
    if (above[k] > above[highest]) highest = k;
    if (above[k] > 0)
      ++faces;
    else
      other = k;
  }
  if (faces <= 1) return on_face(highest);
  vec3 out(0), straight(0);
  for (int k = 0; k < 3; ++k)
    if (above[k] > 0) out[k] = outwards(k) * above[k];
  if (faces == 2) straight[other] = 1;
  const double height = glm::length(out);
  return {in_space(out / height), height, rounding, 1 / rounding, in_space(straight)};
}

// Its core is the cylinder without the rounding of its rims. A rim curves in two directions, across more.
SurfacePoint above_cylinder(const Obstacle& cylinder, const vec3& x) {
  const double rounding = rounding_of(cylinder), length = glm::distance(cylinder.from, cylinder.to);
  const vec3 axis = (cylinder.to - cylinder.from) / length;
  const vec3 from_centre = x - 0.5 * (cylinder.from + cylinder.to);
  const double along = glm::dot(from_centre, axis);
  const vec3 across = from_centre - along * axis;
  const double distance = glm::length(across);
  const vec3 end = along < 0 ? -axis : axis;
  const double above_side = distance - (cylinder.radius - rounding);
  const double above_end = std::abs(along) - (0.5 * length - rounding);
  if (!(above_side > 0) && above_end >= above_side)
    return {end, above_end, rounding, 0, vec3(0), kSurfaceRounding};
  const vec3 any = std::abs(axis.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0);
  const vec3 side = distance > 0 ? across / distance : glm::normalize(any - glm::dot(any, axis) * axis);
  if (!(above_end > 0)) return {side, above_side, rounding, 1 / cylinder.radius, axis};
  const vec3 out = above_side * side + above_end * end;
  const double height = glm::length(out);
  // Along the rim: the curvature of the circle, reduced by the angle between its plane and the normal.
  const double lean = above_side / height;
  const double along_rim = lean / (cylinder.radius - rounding + rounding * lean);
  return {out / height, height, rounding, 1 / rounding, glm::cross(axis, side), 0, along_rim};
}

SurfacePoint in_space(const Obstacle& obstacle, SurfacePoint point) {
  point.normal = obstacle.axes * point.normal;
  point.least = obstacle.axes * point.least;
  point.height *= obstacle.scale;
  point.level *= obstacle.scale;
  point.curvature /= obstacle.scale;
  return point;
}

// The parallel surface that is `inset` below. At its centre of curvature it ends in a point.
SurfacePoint shrunk(SurfacePoint point, double inset) {
  if (inset == 0) return point;
  const auto curvature_there = [&](double curvature) {
    return curvature / std::max(1 - curvature * inset, curvature * kSmallestObstacle);
  };
  point.level -= inset;
  if (point.curvature > 0) point.curvature = curvature_there(point.curvature);
  if (point.least_curvature > 0) point.least_curvature = curvature_there(point.least_curvature);
  return point;
}

SurfacePoint closest_point_at_full_size(const Obstacle& obstacle, const vec3& x) {
  switch (obstacle.shape) {
    case Obstacle::Shape::plane:
      return above_plane(obstacle, x);
    case Obstacle::Shape::box:
      return above_box(obstacle, x);
    case Obstacle::Shape::cylinder:
      return above_cylinder(obstacle, x);
    case Obstacle::Shape::mesh:
      return in_space(obstacle, obstacle.mesh.shape().closest_point(in_mesh(obstacle, x)));
    case Obstacle::Shape::sphere:
    case Obstacle::Shape::capsule:
      break;
  }
  return above_segment(obstacle, x);
}

}  // namespace

std::vector<vec3> corners_of(const Obstacle& obstacle) {
  const std::span<const vec3> own = obstacle.mesh.shape().positions();
  std::vector<vec3> corners(own.begin(), own.end());
  for (vec3& x : corners) x = from_mesh(obstacle, x);
  return corners;
}

SurfacePoint closest_point(const Obstacle& obstacle, const vec3& x) {
  return shrunk(closest_point_at_full_size(obstacle, x), obstacle.inset);
}

double visible_depth(const Obstacle& obstacle, const SurfacePoint& point) {
  return (obstacle.shape == Obstacle::Shape::mesh ? 0.0 : point.level + obstacle.inset) - point.height;
}

bool crosses_mesh(const Obstacle& mesh, const vec3& from, const vec3& to) {
  return mesh.mesh.shape().is_crossed(in_mesh(mesh, from), in_mesh(mesh, to));
}

std::optional<SurfacePoint> closest_point_within(const Obstacle& obstacle, const vec3& x, double reach,
                                                 FoundPoint* last) {
  if (last == nullptr) return closest_point(obstacle, x);
  const TriangleSurface& surface = obstacle.mesh.shape();
  const vec3 at = in_mesh(obstacle, x);
  if (!last->point) {
    *last = {at, surface.closest_point(at), surface.travel()};
  } else {
    constexpr double kRounding = 1e-9;  // of distances
    const SurfacePoint& before = *last->point;
    const double deformed = std::abs(surface.travel() - last->travel);
    const double moved = glm::distance(at, last->x) + deformed, gap = before.height - before.level - moved;
    if (surface.is_continuous() && gap * (1 - kRounding) * obstacle.scale > reach - obstacle.inset)
      return std::nullopt;
    if (at != last->x || deformed != 0)
      *last = {at, surface.closest_point(at, (1 + kRounding) * (std::abs(before.height) + moved)),
               surface.travel()};
  }
  return shrunk(in_space(obstacle, *last->point), obstacle.inset);
}

}  // namespace clothlab
