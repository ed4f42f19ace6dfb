// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "ui/hand_marks.h"

namespace clothlab {
namespace {

TEST(HandReading, SaysForceLagAndDepthWithTheirUnits) {
  const Frame::Hand hand{vec3(0.1, 0, 0), vec3(0.1, 0.03, 0.04), vec3(0, 3, 4)};
  EXPECT_EQ(hand_reading(hand, 0), "hand 5.00 N, lag 5.00 cm");
  EXPECT_EQ(hand_reading(hand, 0.12), "hand 5.00 N, lag 5.00 cm, 12 cm behind");
  EXPECT_EQ(hand_reading(hand, -0.12), "hand 5.00 N, lag 5.00 cm, 12 cm in front");
}

}  // namespace
}  // namespace clothlab
