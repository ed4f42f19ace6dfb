// SPDX-License-Identifier: MIT
// docs/integrators.md, the README's table and the steps in docs/model.md are generated from the registry's
// rows, by the build target `docs`.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/text.h"
#include "integrate/registry.h"

namespace clothlab {
namespace {

std::string number(double value) { return format_plain(value, 4); }

std::string factor(double value) {
  const double change = std::abs(value - 1);
  if (change < 1e-12) return "1";
  if (change < 1e-3) return "1 " + std::string(value > 1 ? "+ " : "− ") + number(change);
  return number(value);
}

std::string order_mark(const IntegratorInfo& info) {
  return (info.order ? std::to_string(info.order) : "–") + (info.order_needs_exact_jacobian ? "*" : "") +
         (info.inextensible && info.order ? "†" : "");
}

std::string factors(const IntegratorInfo& info, double h_omega) {
  const IntegratorParameters values = default_parameters(info);
  const std::string slow = factor(slow_growth(info, h_omega, values));
  return info.growth_of_slow_modes ? slow + ", the rest " + factor(info.growth(h_omega, 0, values)) : slow;
}

std::string stable_for(const IntegratorInfo& info) {
  return card_lines(info, default_parameters(info), {}).at(2).text;
}

std::string readme_table() {
  std::ostringstream out;
  out << "| name | order | stable for | factor | use |\n|---|---|---|---|---|\n";
  for (const IntegratorInfo& info : integrators()) {
    out << "| [`" << info.id << "`](docs/integrators.md#" << info.id << ") | " << order_mark(info) << " | "
        << stable_for(info) << " | " << factors(info, 1) << " | " << info.use << " |\n";
  }
  return out.str();
}

std::string steps() {
  std::string out;
  for (const IntegratorInfo& info : integrators())
    out += "- `" + std::string(info.id) + "`: " + std::string(info.formula) + "\n";
  return out;
}

std::string document() {
  std::ostringstream out;
  out << "# The integrators\n\n"
         "M v' = f(x, v), x' = v, step h; u = (x, v), F(u) = (v, M⁻¹f), J = ∂F/∂u; all other symbols as in "
         "[model.md](model.md).\n"
         "Each method describes itself in its file in src/integrate/methods/; the cards of the window and "
         "the command line show the same texts.\n\n"
         "A factor is the amplitude of one undamped oscillator of angular frequency ω after a step, relative "
         "to the amplitude\nbefore it: below 1 the method loses energy, above 1 it gains energy. ω_max is "
         "the "
         "fastest oscillation of the cloth; the window shows\nit with the limits. The letters are the short "
         "name of the method. Cost of a step, and of a given accuracy: "
         "[analysis.md](analysis.md#analyze-work-what-a-second-of-motion-and-what-precision-costs).\n\n"
         "| name | letters | order | stable for | factor at h·ω = 0.1 | 1 | 10 "
         "|\n|---|---|---|---|---|---|---|\n";
  for (const IntegratorInfo& info : integrators()) {
    out << "| [`" << info.id << "`](#" << info.id << ") | " << info.letters << " | " << order_mark(info)
        << " | " << stable_for(info);
    for (const double y : {0.1, 1.0, 10.0}) out << " | " << factors(info, y);
    out << " |\n";
  }
  out << "\n\\* with `--jacobian exact` and no damping force that depends on x; otherwise 1. "
         "† compared with its own inextensible motion.\n";
  for (const IntegratorInfo& info : integrators()) {
    out << "\n## " << info.id << "\n\n"
        << "**" << info.title << ".** " << info.summary << "\n\n";
    for (const CardLine& line : card_lines(info, default_parameters(info), {}))
      out << "- " << line.title << ": " << line.text << "\n";
    for (const ParameterSpec& spec : info.parameters) {
      out << "- `--" << spec.id << "`: " << spec.help << " ";
      if (spec.kind == ParameterSpec::Kind::boolean) {
        out << "on or off; default " << (spec.fallback != 0 ? "on" : "off") << ".\n";
      } else if (spec.kind == ParameterSpec::Kind::choice) {
        for (const std::string_view choice : spec.choices) out << '`' << choice << "`, ";
        out << "default `" << spec.choices[static_cast<std::size_t>(spec.fallback)] << "`.\n";
      } else {
        out << number(spec.min) << " to " << number(spec.max) << "; default " << number(spec.fallback)
            << ".\n";
      }
    }
  }
  return out.str();
}

std::string read(const std::string& file) {
  std::ifstream in(std::string(CLOTHLAB_SOURCE_DIR) + "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_written(const std::string& file, const std::string& expected) {
  if (std::getenv("CLOTHLAB_WRITE_DOCS"))
    std::ofstream(std::string(CLOTHLAB_SOURCE_DIR) + "/" + file) << expected;
  EXPECT_EQ(read(file), expected)
      << file << " is out of date. Regenerate all pages with `cmake --build build/check --target docs`.";
}

/// The file with `section` between the line "<!-- registry: NAME -->" and the next "<!-- end -->".
std::string with_section(const std::string& file, const std::string& name, const std::string& section) {
  const std::string text = read(file), mark = "<!-- registry: " + name + " -->\n";
  const std::size_t begin = text.find(mark), end = text.find("<!-- end -->", begin);
  if (begin == std::string::npos || end == std::string::npos) {
    ADD_FAILURE() << file << " has no " << mark;
    return text;
  }
  return text.substr(0, begin) + mark + section + text.substr(end);
}

TEST(IntegratorDocs, SayWhatTheRegistrySays) {
  expect_written("docs/integrators.md", document());
  expect_written("README.md", with_section("README.md", "table", readme_table()));
  expect_written("docs/model.md", with_section("docs/model.md", "steps", steps()));
}

}  // namespace
}  // namespace clothlab
