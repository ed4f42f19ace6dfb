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
  const bool hangs =
      std::any_of(frame.pinned.begin(), frame.pinned.end(), [](auto pinned) { return pinned != 0; });
  const vec3 extent = box.high - box.low;
  const double across = std::max(extent.x, extent.z);
  // A level sheet that hangs swings down by its own length.
  if (hangs && extent.y < 0.5 * across) box.low.y -= 0.9 * across;
  return box;
}

}  // namespace clothlab
