// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "chart/lane_style.h"
#include "cli/interrupt.h"
#include "cli/lane_run.h"
#include "cli/options.h"
#include "cli/output/comparison_page.h"
#include "cli/output/progress.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/text_file.h"
#include "documents/command_line.h"
#include "io/output_file.h"

namespace clothlab {
namespace {

constexpr std::size_t kPictures = 6;  // of a lane
constexpr double kPictureZoom = 0.8;  // a sheet that swings leaves so narrow a picture
constexpr int kPictureWidth = 400, kPictureHeight = 300;

struct Compare final : Subcommand {
  explicit Compare(const SubcommandContext& context) : services(context.services) {}

  SceneOptions scene;
  LengthOptions length{120};
  std::string names;
  std::optional<std::string> journal, report;
  const Services& services;

  void add_to(CLI::App& app) override {
    scene.add_to(app);
    app.remove_option(app.get_option("--integrator"));
    length.add_to(app);
    app.add_option("--integrators", names,
                   "The lanes, 1 to " + std::to_string(kMostLanes) +
                       " integrators; one may stand there again. `simulate --help` lists them.")
        ->type_name("A,B,...")
        ->required()
        ->take_last()
        ->group("Comparison");
    add_journal_option(app, journal, "Comparison");
    add_text(app, "Comparison", "--report", report, "DIR",
             "A page DIR/index.html with tables, curves and pictures, which needs no other file; beside "
             "it DIR/A-<id>.csv with the figures of every step, A-<id>.png and curves.png. DIR is made "
             "where it is missing.");
  }

  std::filesystem::path report_folder() const {
    const std::filesystem::path folder = path_of(*report);
    return folder.has_filename() ? folder : folder.parent_path();  // "report/"
  }

  /// The files of the report; throws InputError where one could not be written.
  OutputFiles outputs(std::span<const IntegratorInfo* const> infos) const {
    OutputFiles files;
    if (!report) return files;
    const std::filesystem::path folder = report_folder();
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
      if (std::filesystem::exists(folder, error))
        throw InputError("--report: '" + *report + "' is not a folder.");
      check_writable(folder);  // beside it
      return files;
    }
    for (const std::string& name : report_files(infos))
      files.add(folder / name, path_of(name).extension().string());
    return files;
  }

  /// Without OpenGL there are no pictures, and a sentence says so.
  LaneCamera camera(Comparison& comparison) const {
    if (!report) return {};
    const PictureRequest request{
        .width = kPictureWidth, .height = kPictureHeight, .zoom = kPictureZoom, .light = true};
    try {
      services.make_painter(request);
    } catch (const SystemError& error) {
      comparison.shortfall = error.what();
      return {};
    }
    return {[this, request] { return services.make_painter(request); }, kPictures};
  }

  std::string command(const LaneSource& of) const {
    std::string out =
        journal ? replay_command_line(*journal)
                : command_line(of.scene.scene, nullptr, scene.scene_file().value_or(std::string()), of.steps);
    const std::string_view verb = journal ? "replay" : "simulate";
    const std::size_t at = out.find(verb);
    if (at == std::string::npos) return {};
    std::string instead = "compare --integrators ";
    instead += names;
    if (journal) instead += " --journal";
    return out.replace(at, verb.size(), instead);
  }

  int run() override {
    const std::vector<const IntegratorInfo*> infos = parse_lanes(names);
    const OutputFiles files = outputs(infos);
    const LaneSource of = read_lane_source(journal, scene, length, files);
    Comparison comparison;
    comparison.threads = scene.threads();
    comparison.title = "Comparison of " + std::to_string(infos.size()) +
                       (infos.size() == 1 ? " time integrator" : " time integrators");
    comparison.command = command(of);
    const LaneCamera pictures = camera(comparison);
    WorkerPool pool(comparison.threads);
    {
      Progress progress(infos.size() * of.last_step(), scene.quiet());
      for (std::size_t k = 0; k < infos.size() && !Interrupt::requested(); ++k) {
        const auto show = [&](std::uint64_t step, double time) {
          progress.show(k * of.last_step() + step, time);
        };
        comparison.lanes.push_back(run_lane(of, *infos[k], pictures, pool, show));
      }
    }
    if (!comparison.lanes.empty()) comparison.scene = comparison.lanes.front().scene;
    std::fputs(comparison_text(comparison).c_str(), stdout);
    return status_at_end(report && !write(comparison), "done");
  }

  /// False where it cannot be written.
  bool write(const Comparison& comparison) const {
    const std::filesystem::path folder = report_folder();
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    if (error) throw SystemError("The folder '" + *report + "' cannot be made: " + error.message() + ".");
    if (!try_write([&] { write_report(comparison, folder); })) return false;
    if (!comparison.shortfall.empty())
      std::fprintf(stderr, "clothlab: the report has no pictures: %s\n", comparison.shortfall.c_str());
    return true;
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_compare(const SubcommandContext& context) {
  return std::make_unique<Compare>(context);
}

}  // namespace clothlab
