// SPDX-License-Identifier: MIT
#include "session/snapshot.h"

#include <algorithm>

namespace clothlab {

std::vector<const LaneSnapshot*> Snapshot::lanes() const {
  std::vector<const LaneSnapshot*> all{this};
  for (const LaneSnapshot& other : others) all.push_back(&other);
  std::ranges::sort(all, {}, [](const LaneSnapshot* each) { return each->lane; });
  return all;
}

}  // namespace clothlab
