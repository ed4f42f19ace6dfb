// SPDX-License-Identifier: MIT
#include "core/cancel_point.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace clothlab {
namespace {

TEST(CancelPoint, PollsOncePer16384Iterations) {
  int polls = 0;
  const StopProbe probe = [&] {
    ++polls;
    return false;
  };
  CancelPoint cancel(probe);
  cancel.pass(16384);
  EXPECT_EQ(polls, 1);
  cancel.pass();
  EXPECT_EQ(polls, 1);
  cancel.pass(16382);
  EXPECT_EQ(polls, 1);
  cancel.pass();
  EXPECT_EQ(polls, 2);
  cancel.pass(1'000'000);  // several intervals at once
  EXPECT_EQ(polls, 3);
  for (int i = 0; i < 16383; ++i) cancel.pass();
  EXPECT_EQ(polls, 3);
  cancel.pass();
  EXPECT_EQ(polls, 4);
  cancel.poll();
  EXPECT_EQ(polls, 5);
}

TEST(CancelPoint, ThrowsOnlyWhenItPolls) {
  bool requested = false;
  const StopProbe probe = [&] { return requested; };
  CancelPoint cancel(probe);
  cancel.pass(16384);
  requested = true;
  EXPECT_NO_THROW(cancel.pass(16383));
  EXPECT_THROW(cancel.pass(), Cancelled);
  EXPECT_THROW(cancel.poll(), Cancelled);
  const StopProbe none;
  EXPECT_NO_THROW(CancelPoint(none).poll());
}

TEST(CancelPoint, OnlyACancellationIsCaught) {
  bool ran = false;
  EXPECT_TRUE(run_unless_cancelled([&] { ran = true; }));
  EXPECT_TRUE(ran);
  EXPECT_FALSE(run_unless_cancelled([] { throw Cancelled(); }));
  EXPECT_THROW(run_unless_cancelled([] { throw std::runtime_error("other"); }), std::runtime_error);
}

}  // namespace
}  // namespace clothlab
