// SPDX-License-Identifier: MIT
#include "core/quantile.h"

#include <gtest/gtest.h>

namespace clothlab {
namespace {

TEST(Quantile, IsOneOfTheValues) {
  const std::vector<double> values{5, 1, 4, 2, 3};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 0.5), 3);
  EXPECT_EQ(quantile(values, 0.7), 4);  // 0.7 of the way from the first to the last: rank 2.8 of 0 to 4
  EXPECT_EQ(quantile(values, 1), 5);
  EXPECT_EQ(quantile({7}, 0.95), 7);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

}  // namespace
}  // namespace clothlab
