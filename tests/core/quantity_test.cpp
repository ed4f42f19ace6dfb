// SPDX-License-Identifier: MIT
#include "core/quantity.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace clothlab {
namespace {

double value(std::string_view text, std::string_view unit, std::string_view alone = {}) {
  const Quantity read = parse_quantity(text, unit, alone);
  EXPECT_TRUE(read.value.has_value()) << text << ": " << read.refusal;
  EXPECT_EQ(read.refusal, "") << text;
  return read.value.value_or(-1e300);
}

std::string refusal(std::string_view text, std::string_view unit) {
  const Quantity read = parse_quantity(text, unit);
  EXPECT_FALSE(read.value.has_value()) << text;
  return read.refusal;
}

TEST(Quantity, ReadsFractionsPrefixesUnitsAndExpressions) {
  EXPECT_EQ(value("1/60 s", "s"), 1.0 / 60);
  EXPECT_EQ(value("1/60", "s"), 1.0 / 60);
  EXPECT_EQ(value("20 us", "s"), 2e-5);
  EXPECT_EQ(value("20µs", "s"), 2e-5);
  EXPECT_EQ(value("0.5 mm", "m"), 5e-4);
  EXPECT_EQ(value("2*0.01", "s"), 2 * 0.01);
  EXPECT_EQ(value("(1 + 2) * 5 ms", "s"), 0.015);
  EXPECT_EQ(value("1 min - 15 s", "s"), 45);
  EXPECT_EQ(value("-(3 - 5)", ""), 2);
  EXPECT_EQ(value("-(-5 mm)", "m"), 5e-3);
  EXPECT_EQ(value("−20 cm", "m"), -0.2);
  EXPECT_EQ(value("200 g", "kg"), 0.2);
  EXPECT_EQ(value("1.2 g/dm^3", "kg/m³"), 1.2);
  EXPECT_EQ(value("2 N/mm", "N/m"), 2000);
  EXPECT_EQ(value("3 mN s/m", "N·s/m"), 3e-3);
  EXPECT_EQ(value("9.81 m/s2", "m/s²"), 9.81);
  EXPECT_EQ(value("9.81 m s⁻²", "m/s²"), 9.81);
  EXPECT_EQ(value("60 Hz", "1/s"), 60);
  EXPECT_EQ(value("5 1/s", "1/s"), 5);
  EXPECT_EQ(value("5/s", "1/s"), 5);
  EXPECT_EQ(value("1 kPa", "Pa"), 1000);
  EXPECT_EQ(value("45°", "°"), 45);
  EXPECT_NEAR(value("1 rad", "°"), 57.29577951308232, 1e-13);
  EXPECT_EQ(value("20 %", "m/m"), 0.2);
  EXPECT_EQ(value("20 %", "%"), 20);
  EXPECT_EQ(value("100 ×", "×"), 100);
  EXPECT_EQ(value("1 step", "steps"), 1);
  EXPECT_EQ(value("2*30 fps", "fps"), 60);
}

TEST(Quantity, ANumberAloneHasTheBitsThatItHasAnywhere) {
  for (const char* text : {"0.1", "16.67", "1e-3", "+2.5E+3", "-7", "1234567890123456789", "5e-324"})
    EXPECT_EQ(value(text, "s"), std::strtod(text, nullptr)) << text;
  // As if it were written in the parameter's unit.
  EXPECT_EQ(value("16.67 ms", "s"), 0.01667);
  EXPECT_EQ(value("0.07 mm", "m"), 0.00007);
  EXPECT_EQ(value("1.1e2 km", "m"), 1.1e5);
  EXPECT_EQ(value("16.67", "s", "ms"), 0.01667);
  EXPECT_EQ(value("1/60", "s", "ms"), 1.0 / 60) << "an expression is in the parameter's unit";
  EXPECT_EQ(value("55", "%", "%"), 55);
}

TEST(Quantity, RefusesOtherUnitsAndWhatIsNoNumber) {
  EXPECT_EQ(refusal("5 kg", "s"), "is not in s");
  EXPECT_EQ(refusal("60 Hz", "s"), "is not in s");
  EXPECT_EQ(refusal("5 m", ""), "has a unit, but this value has none");
  EXPECT_EQ(refusal("5 foot", "m"), "has an unknown unit, 'foot'");
  EXPECT_EQ(refusal("10 ms + 1", "s"), "adds numbers of different units");
  EXPECT_EQ(refusal("1 s + 1 m", "s"), "adds numbers of different units");
  EXPECT_EQ(refusal("1/0", "s"), "is not a finite number");
  for (const char* text : {"", " ", "s", "nan", "inf", "soon", "1//2", "--1", "1 2", "(1", "1)", "2*", "0,5",
                           "1^", "2^1000", "."})
    EXPECT_EQ(refusal(text, "s"), "") << text;
  EXPECT_FALSE(parse_quantity("0x10", "").value.has_value());
  EXPECT_FALSE(parse_quantity("1e", "s").value.has_value());
  EXPECT_FALSE(parse_quantity("1e999", "").value.has_value());
  EXPECT_FALSE(parse_quantity(std::string(100000, '(') + "1", "s").value.has_value());
}

}  // namespace
}  // namespace clothlab
