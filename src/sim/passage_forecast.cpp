// SPDX-License-Identifier: MIT
#include "sim/passage_forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cloth/cloth_system.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

constexpr double kPart = 0.05;    // of the time ahead: straight motion within it [s]
constexpr double kLongest = 0.2;  // since the last call: the motion of a longer time says little [s]

bool is_mesh(const Obstacle& body) { return body.shape == Obstacle::Shape::mesh; }

/// True if contact of the scene will not stop it.
bool is_unstopped(const PassageForecast::Passage& passage, const PassageForecast::Cloth& cloth) {
  constexpr double kWeak = 4;  // depth at which a penalty stops particles, over half the body
  const Scene& scene = cloth.scene;
  if (passage.is_thin(scene)) return true;
  if (scene.contact.model != ContactModel::penalty) return false;
  const double mass =  // of a particle
      cloth.system.material().mass_of(cloth.mesh.area) / static_cast<double>(cloth.state.x.size());
  const Obstacle& body = scene.obstacles.bodies[passage.surface - 1];
  return passage.speed * std::sqrt(mass / scene.contact.stiffness) > kWeak * least_passage_of(body);
}

}  // namespace

void PassageForecast::put(const State& now, double in, std::vector<vec3>& to) const {
  const vec3 fall = 0.5 * in * in * acceleration_;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = now.x[i] + in * velocity_[i] + fall;
}

std::optional<PassageForecast::Passage> PassageForecast::look_ahead(WorkerPool& pool, const Cloth& cloth) {
  const std::vector<Obstacle>& bodies = cloth.scene.obstacles.bodies;
  const State& now = cloth.state;
  const std::size_t n = now.x.size();
  if (bodies.empty() || std::ranges::any_of(bodies, is_mesh)) return std::nullopt;
  const vec3 mean = std::accumulate(now.v.begin(), now.v.end(), vec3(0)) / static_cast<double>(n);
  const double since = now.t - last_time_;
  const bool knows = last_x_.size() == n && since > 0 && since < kLongest;
  for (std::vector<vec3>* all : {&velocity_, &last_x_, &before_.x, &after_.x}) all->resize(n);
  acceleration_ = knows ? (mean - last_mean_) / since : vec3(0);
  if (knows)
    for (std::size_t i = 0; i < n; ++i)
      velocity_[i] = (now.x[i] - last_x_[i]) / since + 0.5 * since * acceleration_;
  std::ranges::copy(now.x, last_x_.begin());
  last_time_ = now.t;
  last_mean_ = mean;
  if (!knows) return std::nullopt;

  put(now, 0, after_.x);
  for (double in = 0; in < kAhead; in += kPart) {
    before_.x.swap(after_.x);
    put(now, in + kPart, after_.x);
    surfaces_.place({}, cloth.scene.obstacles, cloth.thickness, cloth.moves, n, now.t + in, kPart);
    watch_.begin_step();
    watch_.watch(pool, cloth.mesh, cloth.system, surfaces_, kPart, before_, after_, cloth.kinetic,
                 cloth.strain);
    for (std::uint32_t surface = 1; surface <= bodies.size(); ++surface) {
      const auto found = watch_.passing(surface, bodies[surface - 1]);
      if (!found) continue;
      const Passage passage{in, surface, found->between, found->displacement / kPart,
                            found->thickness / found->edge};
      if (is_unstopped(passage, cloth)) return passage;
    }
  }
  return std::nullopt;
}

}  // namespace clothlab
