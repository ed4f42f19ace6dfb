// SPDX-License-Identifier: MIT
#include "core/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace clothlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Text, QuantitiesAreShownWithPrefixesAndWithoutNoise) {
  EXPECT_EQ(format_quantity(0.0167, "s"), "16.7 ms");
  EXPECT_EQ(format_quantity(1234, "J"), "1.23 kJ");
  EXPECT_EQ(format_quantity(0, "J"), "0 J");
  EXPECT_EQ(format_quantity(-0.5, "J"), "-500 mJ");
  EXPECT_EQ(format_quantity(0.001, "s"), "1 ms");
  EXPECT_EQ(format_quantity(3.802e-4, "m/s"), "380 µm/s");
  EXPECT_EQ(format_quantity(0.5, "m/s^2"), "0.5 m/s^2");
  EXPECT_EQ(format_plain(1e-6), "1e-6");
  EXPECT_EQ(format_plain(2.5e9), "2.5e9");
  EXPECT_EQ(format_plain(12345), "12345");
  EXPECT_EQ(format_plain(1234.5), "1235");  // no digit before the point is lost
  EXPECT_EQ(format_plain(1.2345), "1.23");
  EXPECT_EQ(format_plain(1.2345, 2), "1.2");
  EXPECT_EQ(format_plain(kInfinity), "infinity");
  EXPECT_EQ(format_quantity(-kInfinity, "J"), "-infinity");
  EXPECT_EQ(format_digits(12345, 3), "1.23e4");
  EXPECT_EQ(format_digits(-1.2345e-7, 3), "-1.23e-7");
}

TEST(Text, TextFromOutsideIsMadePrintable) {
  EXPECT_EQ(printable("a\\b.obj, \"ω\", 日本語, 😀"), "a\\b.obj, \"ω\", 日本語, 😀");
  // Escape codes, NUL, line ends, C1 controls (U+009B begins a terminal's sequence too), right-to-left
  // override.
  EXPECT_EQ(printable(std::string_view("\x1b[2J\0\r\n\t\x7f", 9)), "?[2J?????");
  EXPECT_EQ(printable("\xc2\x9b"
                      "A\xe2\x80\xae"
                      "B"),
            "?A?B");
  EXPECT_EQ(printable("one\ntwo\x1b", 500, "\n"), "one\ntwo?");
  // Arabic letter mark, word joiner, an isolate, byte order mark.
  EXPECT_EQ(printable("\xd8\x9c \xe2\x81\xa0 \xe2\x81\xa7 \xef\xbb\xbf"), "? ? ? ?");
  // Each byte that is not UTF-8: a lone continuation, an overlong form, a surrogate, beyond U+10FFFF, cut
  // off.
  for (const std::string_view bad : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_FALSE(is_utf8(bad));
    EXPECT_EQ(printable(bad), std::string(bad.size(), '?'));
  }
  EXPECT_TRUE(is_utf8("ω\U0010FFFF"));
  EXPECT_EQ(printable(std::string(500, 'x')), std::string(500, 'x'));
  std::string cut(499, 'x');
  EXPECT_EQ(printable(std::string(1 << 20, 'x')), cut += "…");
  EXPECT_EQ(printable("ωωω", 2), "ω…");
}

TEST(Text, NumbersThatAreNotFiniteAreNotAppended) {
  std::string text;
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(append_number(text, bad), SystemError);
  EXPECT_EQ(text, "");
}

TEST(Text, NamesAreJoined) {
  const std::vector<std::string_view> names{"a", "b", "c"};
  EXPECT_EQ(joined(names), "a, b, c");
  EXPECT_EQ(joined({}), "");
}

}  // namespace
}  // namespace clothlab
