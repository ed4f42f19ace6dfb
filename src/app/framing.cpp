#include "app/framing.h"

#include <algorithm>
#include <cmath>

#include <glm/common.hpp>

namespace clothlab {

Box box_of(const Frame& frame) {
  Box box;
  bool any = false;
  for (const vec3& p : frame.positions) {
    if (!std::isfinite(p.x + p.y + p.z)) continue;
    box.low = any ? glm::min(box.low, p) : p;
    box.high = any ? glm::max(box.high, p) : p;
    any = true;
  }
  return box;
}

Box room_to_move(const Frame& frame) {
  Box box = box_of(frame);
  vec3 hook(0);
  double pinned = 0;
  for (std::size_t i = 0; i < frame.positions.size(); ++i) {
    if (frame.pinned[i] == 0) continue;
    hook += frame.positions[i];
    pinned += 1;
  }
  const vec3 extent = box.high - box.low;
  const double across = std::max(extent.x, extent.z);
  if (pinned == 0 || extent.y > 0.5 * across) return box;
  // A level sheet swings down by its own length, towards where it hangs, and somewhat beyond.
  hook /= pinned;
  box.low.y -= 0.9 * across;
  for (const int axis : {0, 2}) {
    const double middle = (box.low[axis] + box.high[axis]) / 2;
    if (std::abs(hook[axis] - middle) < 0.25 * extent[axis]) continue;
    (hook[axis] < middle ? box.high : box.low)[axis] = middle;
  }
  return box;
}

}  // namespace clothlab
