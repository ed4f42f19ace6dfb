// SPDX-License-Identifier: MIT
#include "ui/widgets/numbers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>

#include "core/text.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

std::optional<double> value_of(const ParameterSpec& spec, std::string_view text) {
  return typed_number(spec, text).value;
}

TEST(Numbers, CountsAreGrouped) {
  EXPECT_EQ(format_count(7), "7");
  EXPECT_EQ(format_count(1234567), "1\u00A0234\u00A0567");
}

TEST(Numbers, WhatIsShownCanBeTyped) {
  for (const SceneParameter& row : scene_parameters()) {
    const ParameterSpec& spec = row.spec;
    if (spec.kind == ParameterSpec::Kind::choice || spec.kind == ParameterSpec::Kind::boolean) continue;
    SCOPED_TRACE(spec.id);
    for (const double value : {spec.min, spec.max, spec.fallback}) {
      const auto typed = value_of(spec, shown_value(spec, value));
      ASSERT_TRUE(typed.has_value()) << shown_value(spec, value);
      if (std::isinf(value)) {
        EXPECT_EQ(*typed, value);
      } else {
        EXPECT_NEAR(*typed, value, 5e-4 * std::abs(value));  // four digits are shown
      }
    }
  }
}

TEST(Numbers, TimesAreTypedInMillisecondsOrWithAUnit) {
  const ParameterSpec& dt = find_scene_parameter("dt")->spec;
  EXPECT_EQ(value_of(dt, "10"), 10 * 1e-3);
  EXPECT_EQ(value_of(dt, " 10 ms "), 10 * 1e-3);
  EXPECT_EQ(value_of(dt, "0.01 s"), 0.01);
  EXPECT_EQ(value_of(dt, "1/60 s"), 1.0 / 60);
  EXPECT_EQ(value_of(dt, "1/60"), 1.0 / 60);
  EXPECT_EQ(value_of(dt, "20 us"), 20e-6);
  EXPECT_EQ(value_of(dt, "2*0.01"), 2 * 0.01) << "an expression without a unit is in seconds";
  EXPECT_EQ(value_of(dt, "2*10 ms"), 0.02);
  for (const char* bad : {"", "x", "1/0", "1 kg", "nan", "1//2", "--1", "1 ms kg", "10 ms + 1"}) {
    EXPECT_FALSE(value_of(dt, bad).has_value()) << bad;
  }
  const ParameterSpec& stiffness = find_scene_parameter("stretch-stiffness")->spec;
  EXPECT_EQ(value_of(stiffness, "1e3"), 1000);
  EXPECT_EQ(value_of(stiffness, "1000 N/m"), 1000);
  EXPECT_EQ(value_of(stiffness, "1/4"), 0.25);
  const ParameterSpec& limit = find_scene_parameter("energy-limit")->spec;
  EXPECT_EQ(value_of(limit, "off"), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(value_of(stiffness, "off").has_value());
  EXPECT_EQ(shown_value(limit, 100), "100 ×");
  ParameterSpec reach = find_scene_parameter("contact-distance")->spec;
  EXPECT_EQ(shown_value(reach, 0), "0 m");
  reach.zero = "auto";
  EXPECT_EQ(shown_value(reach, 0), "auto");
  EXPECT_EQ(value_of(reach, "auto"), 0);
  EXPECT_FALSE(value_of(stiffness, "auto").has_value());
  const ParameterSpec& strain = find_scene_parameter("max-strain")->spec;
  EXPECT_EQ(shown_value(strain, 0.1), "10 %");
  EXPECT_EQ(value_of(strain, "20"), 20 * 1e-2);
  EXPECT_EQ(value_of(strain, "20 %"), 20 * 1e-2);
  EXPECT_EQ(value_of(strain, "0.2 m/m"), 0.2);
  EXPECT_EQ(value_of(strain, "20/2"), 0.1) << "in per cent, as it is shown";
  EXPECT_EQ(value_of(limit, " off "), std::numeric_limits<double>::infinity());
}

TEST(Numbers, LongTimesAreShownAndTypedInSeconds) {
  const ParameterSpec& grow = find_scene_parameter("grow-bodies")->spec;
  EXPECT_EQ(shown_value(grow, 2), "2 s");
  EXPECT_EQ(value_of(grow, "0.3"), 0.3);
  EXPECT_EQ(value_of(grow, "5/2"), 2.5);
  EXPECT_NEAR(*value_of(grow, "200 ms"), 0.2, 1e-15);
}

TEST(Numbers, WhatIsRefusedOrChangedIsExplained) {
  const ParameterSpec& dt = find_scene_parameter("dt")->spec;
  const auto note = [](const ParameterSpec& spec, std::string_view text) {
    return typed_number(spec, text).note;
  };
  EXPECT_EQ(note(dt, "20 us"), "");
  EXPECT_EQ(note(dt, "soon"), "'soon' is not a number. Examples: 1/60 s, 20 us or 2*0.01 (in s).");
  EXPECT_TRUE(note(dt, "5 kg").starts_with("'5 kg' is not in s. "));
  EXPECT_EQ(note(dt, "16.67/2"), "'16.67/2' is 8.34 s. For ms, type '(16.67/2) ms'; for s, add the unit.");
  EXPECT_FALSE(value_of(dt, "16.67/2").has_value());
  EXPECT_EQ(note(dt, "2e10 s"), "'2e10 s' is above the largest value; set to 1e10 s.");
  EXPECT_EQ(value_of(dt, "2e10 s"), 1e10);
  EXPECT_EQ(value_of(dt, "5 s"), 5);
  EXPECT_EQ(value_of(dt, "0"), dt.min);
  EXPECT_EQ(value_of(dt, "-10"), -0.01);
  EXPECT_EQ(note(dt, "-2 s"), "'-2 s' is out of range; set to -1000 ms.");
  EXPECT_EQ(value_of(dt, "-1 ns"), -dt.min);
  EXPECT_EQ(value_of(find_scene_parameter("mass")->spec, "-1"), find_scene_parameter("mass")->spec.min);
  const ParameterSpec& substeps = find_scene_parameter("substeps")->spec;
  EXPECT_EQ(note(substeps, "5/2"), "'5/2' is not a whole number; set to 3.");
  EXPECT_TRUE(note(substeps, "3 s").starts_with("'3 s' has a unit, but this value has none. "));
}

TEST(Numbers, SteadyOnesKeepTheirZeros) {
  EXPECT_EQ(format_steady(20.2), "20.2");
  EXPECT_EQ(format_steady(12), "12.0");
  EXPECT_EQ(format_steady(9.6), "9.60");
  EXPECT_EQ(format_steady(0.3), "0.300");
  EXPECT_EQ(format_steady(0.025), "0.0250");
  EXPECT_EQ(format_steady(1.5, 4), "1.500");
  EXPECT_EQ(format_steady(1450), "1450");
  EXPECT_EQ(format_steady(-2), "-2.00");
  EXPECT_EQ(format_steady(0), "0.00");
  EXPECT_EQ(format_steady(1e-9), format_plain(1e-9));
}

TEST(Numbers, OneOfWhatIsCountedIsSingular) {
  ParameterSpec steps;
  steps.kind = ParameterSpec::Kind::integer;
  steps.unit = "steps";
  steps.max = 10;
  EXPECT_EQ(shown_value(steps, 1), "1 step");
  EXPECT_EQ(shown_value(steps, 2), "2 steps");
  EXPECT_EQ(shown_value(find_scene_parameter("preconditioner")->spec, 2), "jacobi");
  EXPECT_EQ(shown_value(find_scene_parameter("adaptive-dt")->spec, 1), "on");
  EXPECT_EQ(value_of(steps, "1 step"), 1);
  EXPECT_EQ(value_of(steps, "2 steps"), 2);
}

TEST(Numbers, FileTimesAreLocal) {
  std::tm wanted{};
  wanted.tm_year = 2026 - 1900;
  wanted.tm_mon = 10;
  wanted.tm_mday = 22;
  wanted.tm_hour = 10;
  wanted.tm_min = 4;
  const auto ago =
      std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(std::mktime(&wanted));
  using FileTime = std::filesystem::file_time_type;
  EXPECT_EQ(format_time(FileTime::clock::now() - std::chrono::duration_cast<FileTime::duration>(ago)),
            "2026-11-22 10:04");
}

}  // namespace
}  // namespace clothlab
