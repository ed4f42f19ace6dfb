// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/vec.h"

namespace clothlab {

/// The corners of a mesh that deforms: frames at equal intervals, linear between them, in the units of the
/// mesh. The phase counts frames from 0; after the last frame the mesh returns to the first one.
class MeshFrames {
 public:
  /// `positions`: `corners` of each frame, frame after frame. `interval`: between two frames, in those of the
  /// clock. Throws InputError for positions that are not finite.
  MeshFrames(std::vector<vec3> positions, std::size_t corners, double interval = 1);

  std::size_t count() const { return travel_.size() - 1; }
  double interval() const { return interval_; }
  std::span<const vec3> positions() const { return positions_; }  ///< of all frames
  std::span<const vec3> frame(std::size_t number) const {
    return positions().subspan(number * corners_, corners_);
  }
  /// Writes the corners at a phase from 0 to count().
  void interpolate(double phase, std::span<vec3> to) const;
  /// The sum of the largest displacements of a corner from frame to frame, up to a phase.
  double travel(double phase) const;
  /// The largest one from a frame to the next; if they loop, also from the last one to the first.
  double longest(bool loop) const;
  /// The distance of the farthest corner from the origin.
  double radius() const { return radius_; }

 private:
  std::vector<vec3> positions_;
  std::size_t corners_;
  double interval_;
  std::vector<double> travel_;  // up to each frame, and back to the first one
  double radius_ = 0;
};

/// When the frames of a mesh are shown. It has the first one before, and the last one after; or it begins
/// again.
struct Playback {
  double rate = 24;  ///< frames of the clock per second, > 0
  double start = 0;  ///< time of the first frame [s]
  bool loops = false;
  bool operator==(const Playback&) const = default;
};
inline constexpr double kLeastFrameRate = 1e-3, kMostFrameRate = 1e6;
/// The phase at the time t [s].
double phase_at(const MeshFrames& frames, const Playback& playback, double t);

}  // namespace clothlab
