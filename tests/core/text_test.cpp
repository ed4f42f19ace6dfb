#include "core/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace clothlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Text, QuantitiesAreShownWithPrefixesAndWithoutNoise) {
  EXPECT_EQ(format_quantity(0.0167, "s"), "16.7 ms");
  EXPECT_EQ(format_quantity(1234, "J"), "1.23 kJ");
  EXPECT_EQ(format_quantity(0, "J"), "0 J");
  EXPECT_EQ(format_quantity(-0.5, "J"), "-500 mJ");
  EXPECT_EQ(format_quantity(0.001, "s"), "1 ms");
  EXPECT_EQ(format_plain(1e-6), "1e-6");
  EXPECT_EQ(format_plain(2.5e9), "2.5e9");
  EXPECT_EQ(format_plain(12345), "12345");
  EXPECT_EQ(format_plain(1234.5), "1235");  // no digit before the point is lost
  EXPECT_EQ(format_plain(1.2345), "1.23");
  EXPECT_EQ(format_plain(1.2345, 2), "1.2");
  EXPECT_EQ(format_plain(kInfinity), "off");
  EXPECT_EQ(format_digits(12345, 3), "1.23e4");
  EXPECT_EQ(format_digits(-1.2345e-7, 3), "-1.23e-7");
}

TEST(Text, NamesAreJoined) {
  const std::vector<std::string_view> names{"a", "b", "c"};
  EXPECT_EQ(joined(names), "a, b, c");
  EXPECT_EQ(joined({}), "");
}

}  // namespace
}  // namespace clothlab
