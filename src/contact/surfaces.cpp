// SPDX-License-Identifier: MIT
#include "contact/surfaces.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <utility>

namespace clothlab {
void ObstacleMoves::move(std::uint32_t obstacle, const vec3& left, double start, double duration) {
  const auto found = std::ranges::find(moves_, obstacle, &Move::obstacle);
  (found == moves_.end() ? moves_.emplace_back() : *found) = {obstacle, left, start, duration};
}

vec3 ObstacleMoves::shift(std::uint32_t obstacle, double t) const {
  const auto move = std::ranges::find(moves_, obstacle, &Move::obstacle);
  if (move == moves_.end()) return vec3(0);
  // A move that ends with a step ends exactly at its target, although t is a sum of rounded steps.
  const double rest = move->start + move->duration - t;
  return rest <= 1e-9 * move->duration ? vec3(0) : rest / move->duration * move->left;
}

double ObstacleMoves::Growth::passed(double t) const {
  const double share = (t - start) / duration;
  return share >= 1 - 1e-9 ? 1 : std::max(share, 0.0);
}

bool ObstacleMoves::have_grown(double t) const {
  return std::ranges::all_of(growths_, [t](const Growth& growth) { return growth.passed(t) == 1; });
}

// Smoothstep: it begins and ends at rest.
double ObstacleMoves::inset(std::uint32_t obstacle, double t) const {
  const auto growth = std::ranges::find(growths_, obstacle, &Growth::obstacle);
  if (growth == growths_.end()) return 0;
  const double passed = growth->passed(t), left = 1 - passed;
  return (growth->depth + growth->beyond) * left * left * (1 + 2 * passed) - growth->beyond;
}

double ObstacleMoves::fastest_growth() const {
  constexpr double kOfMean = 1.5;  // of smoothstep
  double fastest = 0;
  for (const Growth& growth : growths_)
    fastest = std::max(fastest, kOfMean * (growth.depth + growth.beyond) / growth.duration);
  return fastest;
}

Pose pose_at(const Obstacle& obstacle, std::uint32_t number, const ObstacleMoves& moves, double t) {
  Pose pose = pose_on(obstacle.path, t);
  pose.shift += moves.shift(number, t);
  pose.inset = moves.inset(number, t);
  return pose;
}

std::vector<Obstacle> obstacles_at(const Obstacles& obstacles, const ObstacleMoves& moves, double t) {
  std::vector<Obstacle> bodies;
  for (std::uint32_t k = 0; k < obstacles.bodies.size(); ++k) {
    MeshFile& mesh =
        bodies.emplace_back(posed(obstacles.bodies[k], pose_at(obstacles.bodies[k], k, moves, t))).mesh;
    mesh.phase = mesh.phase_at(t);
    if (mesh.phase == 0) continue;
    const auto deformed = std::make_shared<TriangleSurface>(*mesh.surface);
    deformed->deform(*mesh.frames, mesh.phase);
    mesh.deformed = deformed;
  }
  return bodies;
}

void Surfaces::place(const Floor& floor, const Obstacles& obstacles, double thickness,
                     const ObstacleMoves& moves, std::size_t particles, double t, double h) {
  constexpr double kRoom = 1 + 1e-9;
  h_ = h;
  thickness_ = thickness;
  has_floor_ = floor.on;
  floor_height_ = floor.height;
  floor_friction_ = floor.friction;
  friction_ = obstacles.friction;
  move_ = false;
  bodies_.resize(1 + obstacles.bodies.size());
  for (std::uint32_t k = 0; k < obstacles.bodies.size(); ++k) {
    const Obstacle& obstacle = obstacles.bodies[k];
    Body& body = bodies_[k + 1];
    const Pose from = pose_at(obstacle, k, moves, t), to = h > 0 ? pose_at(obstacle, k, moves, t + h) : from;
    if (obstacle.mesh.surface != body.end.mesh.surface) {
      body.found.clear();
      body.shapes = {};
    }
    if (obstacle.mesh.surface) body.found.resize(particles);
    body.moves = !(from == to);
    body.begin = posed(obstacle, from);
    body.end = body.moves ? posed(obstacle, to) : body.begin;
    const vec3 centre = centre_of(obstacle);
    body.middle = centre + from.shift;
    body.middle_at_end = centre + to.shift;
    body.bound = kRoom * bound_of(obstacle);
    body.least_passage = least_passage_of(obstacle);
    body.displacement = to.shift - from.shift;
    body.velocity = body.moves ? body.displacement / h : vec3(0);
    body.growth = from.inset - to.inset;
    body.growth_rate = body.moves ? body.growth / h : 0;
    body.turns = from.turn != to.turn;
    if (body.turns) {
      glm::dquat turn = to.turn * glm::conjugate(from.turn);
      if (turn.w < 0) turn = -turn;  // the short way
      body.turn = glm::mat3_cast(turn);
      body.spin = glm::angle(turn) / h * glm::axis(turn);
    }
    deform(body, obstacle.mesh, t, h);
    move_ = move_ || body.moves;
  }
}

// Fits the shapes of a mesh to the beginning and the end of a step. The end of the last step is the beginning
// of this one.
void Surfaces::deform(Body& body, const MeshFile& mesh, double t, double h) {
  body.deforms = false;
  body.common = vec3(0);
  body.deformation = 0;
  if (!mesh.frames) {
    body.shapes = {};
    return;
  }
  const std::array<double, 2> phases{mesh.phase_at(t), mesh.phase_at(h > 0 ? t + h : t)};
  if (body.phases[1] == phases[0]) {
    std::swap(body.shapes[0], body.shapes[1]);
    std::swap(body.phases[0], body.phases[1]);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const bool is_new = !body.shapes[k];
    if (is_new) body.shapes[k] = std::make_shared<TriangleSurface>(*mesh.surface);
    if (is_new || body.phases[k] != phases[k]) body.shapes[k]->deform(*mesh.frames, phases[k]);
    body.phases[k] = phases[k];
    MeshFile& placed = (k == 0 ? body.begin : body.end).mesh;
    placed.deformed = body.shapes[k];
    placed.phase = phases[k];
  }
  body.deforms = phases[0] != phases[1];
  if (!body.deforms) return;
  body.moves = true;
  const auto corners = static_cast<std::uint32_t>(mesh.surface->positions().size());
  for (std::uint32_t k = 0; k < corners; ++k) body.common += of_corner(body, body.end, k);
  body.common /= static_cast<double>(corners);
  body.deformation = body.end.scale * std::abs(body.shapes[1]->travel() - body.shapes[0]->travel());
}

// The point keeps its height above the mesh along the normal.
vec3 Surfaces::deformation(const Body& body, const Obstacle& where, std::uint32_t particle, const vec3& x) {
  const SurfacePoint point = *closest_point_within(where, x, kAnywhere, found(body, particle));
  const TriangleSurface::Triangle& corners = where.mesh.surface->triangles()[point.triangle];
  const std::size_t own = &where == &body.end ? 1 : 0;
  const vec3 turned = with_face(body, where, point, own);
  vec3 sum = (own == 0 ? point.height : -point.height) * (turned - point.normal);
  for (int k = 0; k < 3; ++k)
    sum += point.weights[k] * of_corner(body, where, corners[static_cast<std::size_t>(k)]);
  return sum;
}

// The normal of a point, turned with its face from the shape `own` to the other one by the smallest rotation
// (Rodrigues).
vec3 Surfaces::with_face(const Body& body, const Obstacle& where, const SurfacePoint& point,
                         std::size_t own) {
  constexpr double kOpposite = -0.9;
  const vec3 from = where.axes * body.shapes[own]->face_normal(point.triangle),
             to = where.axes * body.shapes[1 - own]->face_normal(point.triangle);
  const double cosine = glm::dot(from, to);
  if (from == to || from == vec3(0) || to == vec3(0) || !(cosine > kOpposite)) return point.normal;
  const vec3 axis = glm::cross(from, to);  // as long as the sine
  return cosine * point.normal + glm::cross(axis, point.normal) +
         glm::dot(axis, point.normal) / (1 + cosine) * axis;
}

// The normal of a mesh turns with its face, then with the body.
vec3 Surfaces::normal_at_end(std::uint32_t surface, const SurfacePoint& point) const {
  const Body& body = bodies_[surface];
  const vec3 normal = body.deforms ? with_face(body, body.begin, point, 0) : point.normal;
  return body.turns ? body.turn * normal : normal;
}

// By conservative advancement: the height is a bound of the way to the surface.
std::optional<vec3> Surfaces::first_touch(std::uint32_t surface, std::uint32_t particle, const vec3& from,
                                          const vec3& to, double least) const {
  constexpr int kMostAdvances = 1000;
  const vec3 path = carried_back(surface, particle, to) - from;
  const double length = glm::length(path);
  double t = 0;
  for (int step = 0; step < kMostAdvances; ++step) {
    const vec3 x = from + t * path;
    const double gap = at_begin(surface, particle, x).gap();
    if (gap < least) return x;
    t += (gap - least / 2) / length;
    if (!(t < 1)) return std::nullopt;
  }
  return from + t * path;
}

}  // namespace clothlab
