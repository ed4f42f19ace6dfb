// docs/integrators.md is made of the registry's rows. Run with CLOTHLAB_WRITE_DOCS=1 to write it anew.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/text.h"
#include "integrate/registry.h"

namespace clothlab {
namespace {

const std::string kPath = std::string(CLOTHLAB_SOURCE_DIR) + "/docs/integrators.md";

std::string number(double value) { return format_plain(value, 4); }

std::string factor(double value) {
  const double change = std::abs(value - 1);
  if (change < 1e-12) return "1";
  if (change < 1e-3) return "1 " + std::string(value > 1 ? "+ " : "− ") + number(change);
  return number(value);
}

std::string document() {
  std::ostringstream out;
  out << "# The integrators\n\n"
         "M v' = f(x, v), x' = v, step h; u = (x, v), F(u) = (v, M⁻¹f), J = ∂F/∂u; everything else as in "
         "[model.md](model.md).\n"
         "This page is made of the registry's rows (src/integrate/registry.cpp), which the window's cards "
         "and the "
         "command line show too.\n\n"
         "The factors say by what one step multiplies the amplitude of one undamped oscillator of angular "
         "frequency ω: under 1 it\nloses energy, over 1 it gains. ω_max, beside which the window shows the "
         "limits, "
         "is the fastest oscillation of the cloth; the letters are its sign for the method. What\na step of "
         "each costs, and an error of a given size: "
         "[analysis.md](analysis.md#analyze-work-what-a-second-of-motion-and-what-precision-costs).\n\n"
         "| name | letters | order | stable for | factor at h·ω = 0.1 | 1 | 10 "
         "|\n|---|---|---|---|---|---|---|\n";
  for (const IntegratorInfo& info : integrators()) {
    out << "| [`" << info.id << "`](#" << info.id << ") | " << info.letters << " | "
        << (info.order ? std::to_string(info.order) : "–") << (info.order_needs_exact_jacobian ? "*" : "")
        << (info.inextensible && info.order ? "†" : "") << " | "
        << card_lines(info, default_parameters(info)).at(2).text;
    const IntegratorParameters values = default_parameters(info);
    for (const double y : {0.1, 1.0, 10.0}) {
      out << " | " << factor(slow_growth(info, y, values));
      if (info.growth_of_slow_modes) out << ", the rest " << factor(info.growth(y, 0, values));
    }
    out << " |\n";
  }
  out << "\n\\* with `--jacobian exact` and no damping force that depends on x; otherwise 1. "
         "† against its own inextensible motion.\n";
  for (const IntegratorInfo& info : integrators()) {
    out << "\n## " << info.id << "\n\n"
        << "**" << info.title << ".** " << info.summary << "\n\n";
    for (const CardLine& line : card_lines(info, default_parameters(info)))
      out << "- " << line.title << ": " << line.text << "\n";
    for (const ParameterSpec& spec : info.parameters) {
      out << "- `--" << spec.id << "`: " << spec.help << " ";
      if (spec.kind == ParameterSpec::Kind::boolean) {
        out << "on or off; default " << (spec.fallback != 0 ? "on" : "off") << ".\n";
      } else {
        out << number(spec.min) << " to " << number(spec.max) << "; default " << number(spec.fallback)
            << ".\n";
      }
    }
  }
  return out.str();
}

TEST(IntegratorDocs, SayWhatTheRegistrySays) {
  if (std::getenv("CLOTHLAB_WRITE_DOCS")) std::ofstream(kPath) << document();
  std::ifstream file(kPath);
  std::ostringstream written;
  written << file.rdbuf();
  EXPECT_EQ(written.str(), document()) << "run docs_test with CLOTHLAB_WRITE_DOCS=1 and look at the result";
}

}  // namespace
}  // namespace clothlab
