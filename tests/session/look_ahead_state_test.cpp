// SPDX-License-Identifier: MIT
// When copies run ahead, when their warnings count, and when a copy starts again.

#include "session/look_ahead_state.h"

#include <gtest/gtest.h>

namespace clothlab::testing {
namespace {

LookAheadState state_of(LookAheadChoice choice, int threads, std::size_t lanes) {
  return {.choice = choice, .threads = threads, .needed = threads_for_copies(lanes), .failure = {}};
}

TEST(LookAheadState, IsOnAutomaticallyWithTwoThreadsPerLaneAndTwoMore) {
  EXPECT_EQ(threads_for_copies(1), 4);
  EXPECT_EQ(threads_for_copies(8), 18);
  for (std::size_t lanes = 1; lanes <= 8; ++lanes) {
    const int needed = threads_for_copies(lanes);
    EXPECT_FALSE(state_of(LookAheadChoice::automatic, needed - 1, lanes).on());
    EXPECT_TRUE(state_of(LookAheadChoice::automatic, needed, lanes).on());
    EXPECT_TRUE(state_of(LookAheadChoice::on, 1, lanes).on());
    EXPECT_FALSE(state_of(LookAheadChoice::off, 100, lanes).on());
  }
}

TEST(LookAheadState, NamesTheReason) {
  EXPECT_EQ(text_of(state_of(LookAheadChoice::automatic, 2, 1)), "off: 2 hardware threads, 4 needed");
  EXPECT_EQ(text_of(state_of(LookAheadChoice::automatic, 8, 2)), "on: 8 hardware threads, 6 needed");
  EXPECT_EQ(text_of(state_of(LookAheadChoice::on, 1, 1)), "on");
  EXPECT_EQ(text_of(state_of(LookAheadChoice::off, 8, 1)), "off");
}

TEST(LookAheadState, IsOffAfterAFailure) {
  for (const LookAheadChoice choice : {LookAheadChoice::automatic, LookAheadChoice::on}) {
    LookAheadState state = state_of(choice, 8, 1);
    state.failure = "there is not enough memory for a copy";
    EXPECT_FALSE(state.on());
    EXPECT_EQ(text_of(state), "off: there is not enough memory for a copy");
  }
}

TEST(LookAheadState, LeavesWarningsToSignsUnlessTheCopyIsInTime) {
  Prediction found;
  found.reached = 1;
  EXPECT_TRUE(warns(found, 0.75));
  EXPECT_FALSE(warns(found, 0.95)) << "ahead, but too little";
  EXPECT_FALSE(warns(found, 1.05));
  found.failures[1] = {100, 1, "text"};
  EXPECT_TRUE(warns(found, 0.95)) << "a failure that it knows is exact";
  EXPECT_FALSE(warns(found, 1.05)) << "past";
}

/// A copy is behind when it has begun, because the run took steps meanwhile.
TEST(CopyPace, LetsACopyCatchUp) {
  CopyPace pace;
  for (const double lead : {-0.05, -0.04, -0.01, 0.02, 0.4, 0.3}) EXPECT_TRUE(pace.gains(lead)) << lead;
}

TEST(CopyPace, EndsACopyThatLosesGround) {
  CopyPace pace;
  for (const double lead : {0.4, 0.1, -0.01}) EXPECT_EQ(pace.gains(lead), lead > 0) << lead;
  CopyPace slow;
  EXPECT_TRUE(slow.gains(-0.01)) << "the first report tells nothing";
  EXPECT_FALSE(slow.gains(-0.01)) << "as far behind as before";
}

}  // namespace
}  // namespace clothlab::testing
