// SPDX-License-Identifier: MIT
#include "collide/obstacle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

struct Kind {
  Obstacle::Shape shape;
  std::string_view name;
  std::string_view numbers;
};
constexpr std::array kKinds{
    Kind{Obstacle::Shape::sphere, "sphere", "x,y,z,r"},
    Kind{Obstacle::Shape::capsule, "capsule", "x0,y0,z0,x1,y1,z1,r"},
};

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  std::string forms;
  for (const Kind& kind : kKinds)
    forms.append(forms.empty() ? "" : " or ").append(kind.name).append(":").append(kind.numbers);
  throw InputError("The obstacle \"" + printable(text) + "\" " + why + "; write " + forms + ", in metres.");
}

std::vector<double> numbers_of(std::string_view text, std::string_view list) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::optional<double> number = parse_number(list.substr(begin, end - begin));
    if (!number || !std::isfinite(*number)) refuse(text, "has something that is no number");
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

}  // namespace

std::string_view name_of(Obstacle::Shape shape) {
  return std::ranges::find(kKinds, shape, &Kind::shape)->name;
}

Obstacle parse_obstacle(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto kind = std::ranges::find(kKinds, text.substr(0, colon), &Kind::name);
  if (kind == kKinds.end() || colon == text.size()) refuse(text, "has no shape that is known");
  const std::vector<double> n = numbers_of(text, text.substr(colon + 1));
  const auto wanted = static_cast<std::size_t>(std::ranges::count(kind->numbers, ',')) + 1;
  if (n.size() != wanted) refuse(text, "has " + std::to_string(n.size()) + " numbers");
  Obstacle obstacle;
  obstacle.shape = kind->shape;
  obstacle.from = {n[0], n[1], n[2]};
  obstacle.to = kind->shape == Obstacle::Shape::sphere ? obstacle.from : vec3(n[3], n[4], n[5]);
  obstacle.radius = n.back();
  check_obstacles(std::array{obstacle});
  return obstacle;
}

void check_obstacles(std::span<const Obstacle> bodies) {
  if (bodies.size() > kMostObstacles)
    throw InputError("There may be at most " + std::to_string(kMostObstacles) + " obstacles.");
  for (const Obstacle& body : bodies) {
    if (!(body.radius >= kSmallestObstacle && body.radius <= kLargestObstacle))
      throw InputError("The radius of an obstacle must be " + format_number(kSmallestObstacle) + " to " +
                       format_number(kLargestObstacle) + " m.");
    if (body.shape == Obstacle::Shape::sphere && body.from != body.to)
      throw InputError("A sphere has one centre.");
    for (const vec3& end : {body.from, body.to})
      for (int k = 0; k < 3; ++k)
        if (!(std::abs(end[k]) <= kFarthestObstacle))
          throw InputError("An obstacle must lie within " + format_number(kFarthestObstacle) +
                           " m of the origin.");
  }
}

std::string text_of(const Obstacle& obstacle) {
  std::string text(name_of(obstacle.shape));
  const auto add = [&](double number) {
    text.append(text.ends_with(':') ? "" : ",").append(format_number(number));
  };
  text += ':';
  for (int k = 0; k < 3; ++k) add(obstacle.from[k]);
  for (int k = 0; k < 3 && obstacle.shape == Obstacle::Shape::capsule; ++k) add(obstacle.to[k]);
  add(obstacle.radius);
  return text;
}

SurfacePlace place_above(const Obstacle& obstacle, const vec3& x) {
  const vec3 along = obstacle.to - obstacle.from;
  const double square = glm::dot(along, along);
  const double share = square > 0 ? std::clamp(glm::dot(x - obstacle.from, along) / square, 0.0, 1.0) : 0.0;
  const vec3 from_axis = x - (obstacle.from + share * along);
  const double height = glm::length(from_axis);
  const vec3 straight = share > 0 && share < 1 ? along / std::sqrt(square) : vec3(0);
  if (height > 0) return {from_axis / height, height, obstacle.radius, 1 / obstacle.radius, straight};
  // On the axis every direction across it leads out.
  const vec3 out = along.y != 0 ? glm::normalize(vec3(along.y, -along.x, 0)) : vec3(0, 1, 0);
  return {out, 0, obstacle.radius, 1 / obstacle.radius, straight};
}

}  // namespace clothlab
