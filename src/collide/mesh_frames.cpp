// SPDX-License-Identifier: MIT
#include "collide/mesh_frames.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <string>
#include <utility>

#include "core/error.h"

namespace clothlab {

MeshFrames::MeshFrames(std::vector<vec3> positions, std::size_t corners, double interval)
    : positions_(std::move(positions)), corners_(corners), interval_(interval), travel_{0} {
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const double distance = glm::length(positions_[i]);
    if (!std::isfinite(distance))
      throw InputError("frame " + std::to_string(i / corners_ + 1) +
                       " has a corner that is not finite or too far away.");
    radius_ = std::max(radius_, distance);
  }
  const std::size_t frames = positions_.size() / corners_;
  for (std::size_t k = 0; k < frames; ++k) {
    double farthest = 0;
    for (std::size_t i = 0; i < corners_; ++i)
      farthest = std::max(farthest, glm::distance(frame(k)[i], frame((k + 1) % frames)[i]));
    travel_.push_back(travel_.back() + farthest);
  }
}

void MeshFrames::interpolate(double phase, std::span<vec3> to) const {
  const auto before = std::min(static_cast<std::size_t>(phase), count() - 1);
  const double share = phase - static_cast<double>(before);
  const std::span<const vec3> from = frame(before), next = frame((before + 1) % count());
  for (std::size_t i = 0; i < corners_; ++i) to[i] = from[i] + share * (next[i] - from[i]);
}

double MeshFrames::travel(double phase) const {
  const auto before = std::min(static_cast<std::size_t>(phase), count() - 1);
  return travel_[before] + (phase - static_cast<double>(before)) * (travel_[before + 1] - travel_[before]);
}

double MeshFrames::longest(bool loop) const {
  double longest = 0;
  for (std::size_t k = 1; k < count() + (loop ? 1 : 0); ++k)
    longest = std::max(longest, travel_[k] - travel_[k - 1]);
  return longest;
}

double phase_at(const MeshFrames& frames, const Playback& playback, double t) {
  const double phase = (t - playback.start) * playback.rate / frames.interval();
  if (!(phase > 0)) return 0;
  const auto count = static_cast<double>(frames.count());
  return playback.loops ? std::fmod(phase, count) : std::min(phase, count - 1);
}

}  // namespace clothlab
