// SPDX-License-Identifier: MIT
#include "core/text.h"

#include <gtest/gtest.h>

#include <vector>

namespace clothlab {
namespace {

TEST(NearestName, CountsEdits) {
  const std::vector<std::string_view> names{"semi-implicit-euler", "backward-euler", "dt", "mass"};
  EXPECT_EQ(nearest_name("backwards-euler", names), "backward-euler");
  EXPECT_EQ(nearest_name("td", names), "dt");  // one swap, though two replacements
  EXPECT_EQ(nearest_name("MASS", names), "mass");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(NearestName, IsOnlyOneThatIsClose) {
  const std::vector<std::string_view> names{"semi-implicit-euler", "backward-euler", "dt", "mass", "pin"};
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("x", names), "");
  EXPECT_EQ(nearest_name("wind", names), "");  // two of four letters away from "pin"
  EXPECT_EQ(nearest_name("velocity-verlet", names), "");
  // A third of the letters may be wrong, and one always.
  EXPECT_EQ(nearest_name("dz", names), "dt");
  EXPECT_EQ(nearest_name("bakwort-eulr", names), "backward-euler");  // four of fourteen
  EXPECT_EQ(nearest_name("bakwort-ellr", names), "");                // five of fourteen
  // A distinctive part of a name matches it, however much is missing.
  EXPECT_EQ(nearest_name("Semi", names), "semi-implicit-euler");
  EXPECT_EQ(nearest_name("total-mass", names), "mass");
  EXPECT_EQ(nearest_name("se", names), "");
}

TEST(NearestName, EndsASentence) {
  const std::vector<std::string_view> names{"dt", "mass"};
  EXPECT_EQ(suggestion("maas", names), "; did you mean 'mass'?");
  EXPECT_EQ(suggestion("maas", names, "`"), "; did you mean `mass`?");
  EXPECT_EQ(suggestion("wind", names), ".");
}

}  // namespace
}  // namespace clothlab
