// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "ui/overlays.h"

namespace clothlab {
namespace {

TEST(GrabReading, SaysForceLagAndDepthWithTheirUnits) {
  const Frame::Grab grab{vec3(0.1, 0, 0), vec3(0.1, 0.03, 0.04), vec3(0, 3, 4)};
  EXPECT_EQ(grab_reading(grab, 0), "grab 5.00 N, lag 5.00 cm");
  EXPECT_EQ(grab_reading(grab, 0.12), "grab 5.00 N, lag 5.00 cm, 12 cm behind");
  EXPECT_EQ(grab_reading(grab, -0.12), "grab 5.00 N, lag 5.00 cm, 12 cm in front");
}

}  // namespace
}  // namespace clothlab
