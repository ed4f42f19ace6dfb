// SPDX-License-Identifier: MIT
#include "cli/analyses/analyze_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/output/progress.h"
#include "cli/parse_value.h"
#include "cli/scene_options.h"
#include "core/error.h"
#include "core/text_file.h"
#include "io/output_file.h"
#include "io/png.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {

AnalyzeOptions::AnalyzeOptions(const Services& services) : colour_of_row_(services.integrator_colour) {}

void AnalyzeOptions::add_option(CLI::App& app, const char* name, std::optional<std::string>& target,
                                const char* type, const char* help) {
  app.add_option(name, target, help)->type_name(type)->take_last()->group("Analysis");
}

void AnalyzeOptions::add_to(CLI::App& app) {
  std::string names;
  for (const IntegratorInfo& info : clothlab::integrators())
    names += (names.empty() ? "" : ", ") + std::string(info.id);
  add_option(app, "--integrators", names_, "A,B,...",
             ("Integrators to measure; default all of " + names + ".").c_str());
  add_option(app, "--csv", csv_, "FILE", "All figures as a table.");
  add_option(app, "--png", png_, "FILE", "A chart of the figures; needs no display.");
}

void AnalyzeOptions::add_parameters_to(CLI::App& app) {
  for (const IntegratorInfo& info : clothlab::integrators())
    for (const ParameterSpec& spec : info.parameters)
      if (!values_.contains(spec.id))
        add_parameter_option(app, spec, values_[std::string(spec.id)])->group("Stepping");
  app.add_flag("--quiet", quiet_, "No progress on stderr.")->group("Analysis");
}

void AnalyzeOptions::check() {
  std::vector<const IntegratorInfo*> wanted;
  if (names_) wanted = parse_integrators(*names_);
  integrators_.clear();
  for (const IntegratorInfo& info : clothlab::integrators()) {
    if (names_ && std::ranges::find(wanted, &info) == wanted.end()) continue;
    parameters(info);
    integrators_.push_back(&info);
  }
  if (csv_) outputs_.add(path_of(*csv_), ".csv");
  if (png_) outputs_.add(path_of(*png_), ".png");
}

void AnalyzeOptions::leave_out_for(const Scene& scene) {
  const auto without =
      std::stable_partition(integrators_.begin(), integrators_.end(),
                            [&](const IntegratorInfo* info) { return has_place_for(scene, *info); });
  report_skipped({without, integrators_.end()}, kNoPlaceForContact);
  integrators_.erase(without, integrators_.end());
}

IntegratorParameters AnalyzeOptions::parameters(const IntegratorInfo& info) const {
  IntegratorParameters values = default_parameters(info);
  for (std::size_t p = 0; p < values.size(); ++p) {
    const auto given = values_.find(info.parameters[p].id);
    if (given != values_.end() && given->second)
      values[p] = parse_parameter(info.parameters[p], *given->second);
  }
  return values;
}

void AnalyzeOptions::for_each(bool quiet, const std::function<void(const IntegratorInfo&)>& measure) const {
  Progress progress(integrators_.size(), quiet);
  std::uint64_t done = 0;
  for (const IntegratorInfo* info : integrators_) {
    progress.show_part(done++, info->id);
    measure(*info);
    if (Interrupt::requested()) return;
  }
}

ChartCurve AnalyzeOptions::curve(const IntegratorInfo& info) const {
  const auto row = static_cast<std::size_t>(&info - clothlab::integrators().data());
  return {.label = std::string(info.id), .colour = colour_of_row_(row)};
}

void AnalyzeOptions::report_skipped(const std::vector<const IntegratorInfo*>& skipped, const char* why) {
  if (skipped.empty()) return;
  std::string names;
  for (const IntegratorInfo* info : skipped) names += (names.empty() ? "" : ", ") + std::string(info->id);
  std::fprintf(stderr, "clothlab: left out: %s: %s.\n", names.c_str(), why);
}

int AnalyzeOptions::finish(std::string_view csv, const Chart& chart) const {
  bool good = !csv_ || try_write([&] { write_file(*csv_, csv); });
  if (png_) {
    const Image image = draw_chart(chart);
    good = try_write([&] { write_png(*png_, image.width, image.height, image.rgba); }) && good;
  }
  if (!good) return kExitFault;
  if (!Interrupt::requested()) return kExitDone;
  std::fprintf(stderr, "clothlab: interrupted; what was measured so far is written.\n");
  return Interrupt::exit_status();
}

}  // namespace clothlab
