// SPDX-License-Identifier: MIT
#include "render/camera.h"

#include <algorithm>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>

namespace clothlab {
namespace {

constexpr double kZoomPerNotch = 1.12;
constexpr double kFramingMargin = 1.15;
constexpr double kDepthPerNotch = 1.04;

bool is_finite(const glm::dvec2& v) { return std::isfinite(v.x) && std::isfinite(v.y); }

Pixels at_least_one(Pixels size) { return {std::max(size.x, 1.0), std::max(size.y, 1.0)}; }

}  // namespace

void Camera::orbit(Pixels motion, Pixels size) {
  if (!is_finite(motion)) return;
  const double angle = glm::pi<double>() / at_least_one(size).y;
  yaw = std::remainder(yaw - angle * motion.x, 2 * glm::pi<double>());
  pitch = std::clamp(pitch + angle * motion.y, -kMaxPitch, kMaxPitch);
}

void Camera::pan(Pixels motion, Pixels size) {
  if (!is_finite(motion)) return;
  const double metres_per_pixel = 2 * distance * std::tan(fov / 2) / at_least_one(size).y;
  target += metres_per_pixel * (motion.y * up() - motion.x * right());
}

void Camera::zoom(double notches, Pixels cursor, Pixels size) {
  if (!std::isfinite(notches) || !is_finite(cursor)) return;
  const double closer = std::clamp(distance * std::pow(kZoomPerNotch, -notches), kMinDistance, kMaxDistance);
  const vec3 under_cursor = in_view_plane(cursor, size, target);
  target = under_cursor + (closer / distance) * (target - under_cursor);
  distance = closer;
}

void Camera::frame(const Box& box, Pixels size) {
  if (!is_finite(box.low) || !is_finite(box.high)) return;
  const vec3 centre = 0.5 * box.low + 0.5 * box.high;
  const vec3 half = 0.5 * box.high - 0.5 * box.low;
  const Pixels s = at_least_one(size);
  const double half_height = std::tan(fov / 2) / kFramingMargin;
  const double half_width = half_height * s.x / s.y;
  double nearest = 0;  // distance at which every corner is just within the margin
  for (const vec3& signs : {vec3(1, 1, 1), vec3(1, 1, -1), vec3(1, -1, 1), vec3(1, -1, -1)}) {
    const vec3 corner = signs * half;  // and the opposite one, which differs in the sign of its depth alone
    const double depth = std::abs(glm::dot(corner, forward()));
    nearest = std::max({nearest, depth + std::abs(glm::dot(corner, right())) / half_width,
                        depth + std::abs(glm::dot(corner, up())) / half_height});
  }
  if (!std::isfinite(nearest)) return;
  target = centre;
  distance = std::clamp(nearest > 0 ? nearest : 1.0, kMinDistance, kMaxDistance);
}

vec3 Camera::forward() const {
  return {-std::sin(yaw) * std::cos(pitch), -std::sin(pitch), -std::cos(yaw) * std::cos(pitch)};
}

glm::dmat4 Camera::view_from_target() const { return glm::lookAt(-distance * forward(), vec3(0), up()); }

glm::dmat4 Camera::projection(Pixels size, double near_plane, double far_plane) const {
  const Pixels s = at_least_one(size);
  return glm::perspective(fov, s.x / s.y, near_plane, far_plane);
}

Ray Camera::ray(Pixels pixel, Pixels size) const {
  const Pixels s = at_least_one(size);
  const double scale = 2 * std::tan(fov / 2) / s.y;
  const double x = scale * (pixel.x - s.x / 2);
  const double y = scale * (s.y / 2 - pixel.y);
  return {eye(), glm::normalize(forward() + x * right() + y * up())};
}

Projector Camera::projector(Pixels size) const {
  const Pixels s = at_least_one(size);
  return {eye(), right(), up(), forward(), s / 2.0, s.y / (2 * std::tan(fov / 2))};
}

std::optional<Projected> Projector::operator()(const vec3& point) const {
  const vec3 from_eye = point - eye;
  const double depth = glm::dot(from_eye, forward);
  if (!(depth > 0) || !is_finite(from_eye)) return std::nullopt;
  const double pixels_per_metre = scale / depth;
  return Projected{.pixel = {middle.x + pixels_per_metre * glm::dot(from_eye, right),
                             middle.y - pixels_per_metre * glm::dot(from_eye, up)},
                   .depth = depth};
}

vec3 Camera::in_view_plane(Pixels pixel, Pixels size, const vec3& anchor) const {
  const Ray through = ray(pixel, size);
  const double depth = glm::dot(anchor - through.origin, forward());
  if (!(depth > 0) || !is_finite(anchor) || !is_finite(pixel)) return anchor;
  return through.at(depth / glm::dot(through.direction, forward()));
}

vec3 Camera::moved_in_depth(const vec3& point, double notches) const {
  if (!std::isfinite(notches)) return point;
  return eye() + std::pow(kDepthPerNotch, notches) * (point - eye());
}

}  // namespace clothlab
