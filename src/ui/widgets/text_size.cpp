// SPDX-License-Identifier: MIT
#include "ui/widgets/text_size.h"

#include <algorithm>
#include <cmath>

namespace clothlab {

std::size_t text_size(const ViewSettings& view) {
  const auto nearest = std::ranges::min_element(
      kTextSizes, {}, [&](float size) { return std::abs(size - view.interface_scale); });
  return static_cast<std::size_t>(nearest - kTextSizes.begin());
}

void change_text_size(ViewSettings& view, int by) {
  const int last = static_cast<int>(kTextSizes.size()) - 1;
  const int next = std::clamp(static_cast<int>(text_size(view)) + by, 0, last);
  view.interface_scale = kTextSizes[static_cast<std::size_t>(next)];
}

}  // namespace clothlab
