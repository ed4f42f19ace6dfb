// SPDX-License-Identifier: MIT
#include "ui/widgets/slider_span.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "integrate/registry.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

using Kind = ParameterSpec::Kind;

const ParameterSpec& spec_of(std::string_view id) { return *find_parameter_spec(id); }

std::vector<const ParameterSpec*> sliders() {
  std::vector<const ParameterSpec*> all;
  for (const SceneParameter& row : scene_parameters()) all.push_back(&row.spec);
  for (const IntegratorInfo& info : integrators())
    for (const ParameterSpec& spec : info.parameters) all.push_back(&spec);
  std::erase_if(
      all, [](const ParameterSpec* spec) { return spec->kind != Kind::real && spec->kind != Kind::integer; });
  return all;
}

// For every numeric parameter the slider's ends are exactly the span's, its scale is monotone, and every
// place outside the zones of zero and "off" gives a value of the span that has that place.
TEST(SliderSpan, SlidersReachBothEndsExactly) {
  for (const ParameterSpec* spec : sliders()) {
    SCOPED_TRACE(spec->id);
    const SliderSpan span = sensible_span(*spec, spec->fallback, 1.5);
    EXPECT_GE(span.low, spec->min);
    EXPECT_LE(span.high, spec->max);
    EXPECT_TRUE(shows(span, *spec, spec->fallback));
    const bool from_zero = spec->logarithmic && spec->min == 0;
    const double first = from_zero ? 0 : span.low, end = std::isinf(spec->max) ? spec->max : span.high;
    EXPECT_EQ(slider_value(*spec, span, 0), first);
    EXPECT_EQ(slider_value(*spec, span, 1), end);
    EXPECT_EQ(slider_position(*spec, span, first), 0);
    EXPECT_EQ(slider_position(*spec, span, end), 1);
    double last = first;
    for (int i = 1; i < 200; ++i) {
      const double value = slider_value(*spec, span, i / 200.0);
      EXPECT_GE(value, last);
      last = value;
      if (value == 0 || std::isinf(value)) continue;
      EXPECT_TRUE(is_valid(*spec, value) && shows(span, *spec, value)) << value;
      // Rounded to three digits, or to a whole number: up to 5e-3 of a value, 0.5 of a count.
      const double again = slider_value(*spec, span, slider_position(*spec, span, value));
      EXPECT_NEAR(again, value, spec->kind == Kind::integer ? 1 : 5e-3 * std::abs(value));
    }
  }
}

TEST(SliderSpan, LogarithmicOnesHaveAtMostFourDecadesAboutTheValue) {
  for (const ParameterSpec* spec : sliders()) {
    if (!spec->logarithmic) continue;
    SCOPED_TRACE(spec->id);
    const SliderSpan span = sensible_span(*spec, spec->fallback, 1.5);
    EXPECT_GT(span.low, 0);
    EXPECT_LE(std::log10(span.high / span.low), 4 + 1e-9);
  }
  const SliderSpan stiffness = sensible_span(spec_of("stretch-stiffness"), 1000, 1.5);
  EXPECT_EQ(stiffness.low, 20);
  EXPECT_EQ(stiffness.high, 50000);
  const SliderSpan light = sensible_span(spec_of("mass"), 0.15, 1.5);
  EXPECT_EQ(light.low, 0.003);
  EXPECT_EQ(light.high, 8);
  // Beside the end of what is allowed it goes as far as that.
  EXPECT_EQ(sensible_span(spec_of("stretch-stiffness"), 1e9, 1.5).high, 1e9);
}

TEST(SliderSpan, LengthsGoByTheClothAndWholeNumbersCanBeHit) {
  const SliderSpan floor = sensible_span(spec_of("floor-height"), -1, 1.5);
  EXPECT_EQ(floor.low, -4);
  EXPECT_EQ(floor.high, 2);
  const SliderSpan seed = sensible_span(spec_of("wind-seed"), 1, 1.5);
  EXPECT_EQ(seed.low, 0);
  EXPECT_EQ(seed.high, 100);
  EXPECT_TRUE(shows(sensible_span(spec_of("wind-seed"), 123456, 1.5), spec_of("wind-seed"), 123456));
}

// h goes from well below what explicit methods can take to frame-length steps and beyond, whatever the cloth.
TEST(SliderSpan, TheStepGoesAboutTheExplicitLimit) {
  EXPECT_FALSE(step_size_span(1e-3, {}).has_value());
  EXPECT_FALSE(step_size_span(1e-3, std::numeric_limits<double>::infinity()).has_value());
  for (const double omega_max : {30.0, 1400.0, 47000.0}) {
    const double limit = 2 / omega_max;
    const SliderSpan span = step_size_span(1.0 / 60, limit).value();
    EXPECT_LE(span.low, 0.1 * limit * (1 + 1e-9));
    EXPECT_GE(span.low, 0.05 * limit) << "one digit, downwards";
    EXPECT_GE(span.high, 0.05);
    EXPECT_LE(span.high, std::max(0.05, 20 * limit)) << "one digit, upwards";
    EXPECT_TRUE(shows(span, spec_of("dt"), 1.0 / 60));
  }
  EXPECT_TRUE(shows(step_size_span(1.0, 1.4e-3).value(), spec_of("dt"), 1.0));
}

TEST(SliderSpan, StaysUntilAValueLeavesIt) {
  const ParameterSpec& mass = spec_of("mass");
  SliderSpans spans;
  spans.reset(1.5);
  const auto same = [](const SliderSpan& a, const SliderSpan& b) {
    return a.low == b.low && a.high == b.high;
  };
  const SliderSpan first = spans.of(mass, 0.2);
  for (const double value : {first.low, 0.05, first.high}) EXPECT_TRUE(same(spans.of(mass, value), first));
  const SliderSpan typed = spans.of(mass, 1000);
  EXPECT_FALSE(same(typed, first));
  EXPECT_TRUE(shows(typed, mass, 1000));
  EXPECT_TRUE(same(spans.of(mass, typed.low), typed)) << "and stays there";
  spans.reset(1.5);
  EXPECT_TRUE(same(spans.of(mass, 0.2), first));

  const ParameterSpec& damping = spec_of("spring-damping");
  const SliderSpan damped = spans.of(damping, 0.01);
  EXPECT_TRUE(same(spans.of(damping, 0), damped)) << "zero has a place on every such slider";
  const ParameterSpec& limit = spec_of("energy-limit");
  const SliderSpan limited = spans.of(limit, 100);
  EXPECT_TRUE(same(spans.of(limit, std::numeric_limits<double>::infinity()), limited)) << "as has \"off\"";

  // A mark that has left, because the limit has changed, is brought back.
  const ParameterSpec& dt = spec_of("dt");
  const SliderSpan soft = spans.of(dt, 1.0 / 60, 1e-3, step_size_span(1.0 / 60, 1e-3));
  EXPECT_TRUE(same(spans.of(dt, 1.0 / 60, 5e-4, step_size_span(1.0 / 60, 5e-4)), soft));
  EXPECT_LE(spans.of(dt, 1.0 / 60, 1e-5, step_size_span(1.0 / 60, 1e-5)).low, 1e-5);
}

}  // namespace
}  // namespace clothlab
