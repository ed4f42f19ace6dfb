// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/bench/bench.h"
#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/progress.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/text_file.h"
#include "integrate/registry.h"
#include "io/png.h"
#include "mesh/generators.h"

namespace clothlab {
namespace {

constexpr int kSheetOfIntegrators = 64;

/// By name.
std::vector<std::filesystem::path> meshes_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".obj") files.push_back(entry.path());
  if (error) throw InputError("--meshes: '" + folder + "' cannot be read: " + error.message() + ".");
  if (files.empty()) throw InputError("--meshes: there is no .obj file in '" + folder + "'.");
  std::ranges::sort(files);
  return files;
}

std::string name_of(const Scene& scene) {
  if (!scene.title.empty()) return scene.title;
  if (const auto* file = std::get_if<FileSource>(&scene.mesh)) return shown_path(path_of(file->path).stem());
  const auto* grid = std::get_if<GridSource>(&scene.mesh);
  return grid == nullptr ? "scene" : std::to_string(grid->rows) + "×" + std::to_string(grid->cols);
}

struct Bench final : Subcommand {
  explicit Bench(const SubcommandContext& /*context*/) {}

  SceneOptions scene;
  BenchResults results;
  std::optional<std::string> sizes_text, meshes, png, svg;
  int steps = RunPlan().steps;
  OptionReaders options{"What is measured"};
  bool all_integrators = false, contacts = false, full = false;

  void add_to(CLI::App& app) override {
    const char* what = "What is measured";
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                          const char* help) { add_text(app, what, name, target, type, help); };
    text("--sizes", sizes_text, "N,N,...",
         "Particles along an edge of the sheets, or none; default 20,32,64,128,256. A named scene, mesh or "
         "grid replaces them.");
    text("--meshes", meshes, "DIR", "Also the OBJ files of this folder.");
    app.add_flag("--integrators", all_integrators,
                 "Also all integrators, on the named scene and meshes; without any, on the 64x64 sheet and "
                 "the bundled skirt, poncho and tablecloth.")
        ->group(what);
    app.add_flag("--contacts", contacts,
                 "Also contact: loose sheets of 2,500 to 100,000 particles on a sphere, by each contact "
                 "model, and on a mesh of 10,000 triangles, and what nodal contact adds to a solve; needs "
                 "some ten minutes.")
        ->group(what);
    app.add_flag("--full", full, "Sheets up to 512x512 and all integrators; needs some minutes.")
        ->group(what);
    options.add_whole(app, "steps", steps, 1, 100'000, "Measured steps, after 20 that warm up; default 100.");
    scene.add_to(app);
    results.add_to(app);
    results.files().add_option(
        app, "Results", "--png", ".png", png, "FILE",
        "A chart of computing time over simulated time for all integrators; needs no display.");
    results.files().add_option(app, "Results", "--svg", ".svg", svg, "FILE", "The same as a vector picture.");
  }

  std::vector<BenchScene> loading(const std::vector<Scene>& scenes, const OutputFiles& outputs) const {
    std::vector<BenchScene> out;
    for (const Scene& each : scenes)
      out.push_back({name_of(each), [=, this, &outputs] { return load_with_state(each, scene, outputs); }});
    return out;
  }

  /// The named scene and the meshes, with the options of the command line.
  std::vector<Scene> named_scenes(const Scene& base, const OutputFiles& outputs) const {
    std::vector<Scene> all;
    if (scene.names_a_scene()) all.push_back(base);
    if (!meshes) return all;
    for (const std::filesystem::path& file : meshes_in(*meshes)) {
      outputs.spare(file);
      Scene garment = base;
      garment.title.clear();
      garment.mesh = FileSource{file.string()};
      all.push_back(std::move(garment));
    }
    return all;
  }

  /// Sheets of --sizes; none if a scene is named.
  std::vector<Scene> sheets(const Scene& base) const {
    std::vector<Scene> all;
    if (scene.names_a_scene() && sizes_text)
      throw InputError("--sizes and a scene exclude each other: give one of them.");
    if (scene.names_a_scene()) return all;
    for (const int n :
         parse_sizes("sizes", sizes_text.value_or(full ? "20,32,64,128,256,317,512" : "20,32,64,128,256")))
      all.push_back(hanging_sheet(n, base));
    return all;
  }

  /// For all integrators if nothing is named.
  static std::vector<Scene> bundled_scenes(const Scene& base) {
    std::vector<Scene> all{hanging_sheet(kSheetOfIntegrators, base)};
    for (const char* name : {"skirt", "poncho", "tablecloth"}) {
      Scene garment = base;
      garment.title = name;
      garment.mesh = GeneratedSource{name};
      garment.pins = VertexList(find_generated_mesh(name).pins());
      all.push_back(std::move(garment));
    }
    return all;
  }

  void tell_of_no_effect(std::vector<Scene> runs, const std::vector<Scene>& by_all) const {
    for (const Scene& each : by_all)
      for (const IntegratorInfo& info : integrators())
        if (supports(each, info)) set_integrator(runs.emplace_back(each), info);
    warn_of_no_effect(scene.given_parameters(), runs);
  }

  int run() override {
    const bool with_integrators = all_integrators || full;
    if ((png || svg) && !with_integrators)
      throw InputError((png ? "--png" : "--svg") +
                       std::string(": the chart shows all integrators; give --integrators too."));
    OutputFiles& outputs = results.files();
    options.read_all();
    outputs.check();
    const Scene base = scene.scene();
    if (scene.scene_file()) outputs.spare(path_of(*scene.scene_file()));
    outputs.spare(base);
    std::vector<Scene> of_steps = sheets(base), of_methods;
    const std::vector<Scene> named = named_scenes(base, outputs);
    of_steps.insert(of_steps.end(), named.begin(), named.end());
    if (with_integrators) of_methods = named.empty() ? bundled_scenes(base) : named;
    tell_of_no_effect(of_steps, of_methods);
    const std::vector<BenchScene> measured = loading(of_steps, outputs),
                                  by_all = loading(of_methods, outputs);
    WorkerPool pool(scene.threads()), alone(1);
    Progress progress(
        measured.size() + by_all.size() * integrators().size() + (contacts ? kBenchContactRows : 0),
        scene.quiet());
    std::uint64_t begun = 0;
    BenchSettings settings{.pool = pool, .alone = alone, .steps = steps, .begin = [&](std::string_view what) {
                             progress.show_part(begun++, what);
                           }};
    std::vector<BenchSection> sections;
    if (!measured.empty())
      sections.emplace_back([&](auto& tables) { bench_scenes(settings, measured, tables); });
    if (with_integrators)
      sections.emplace_back([&](auto& tables) { bench_integrators(settings, by_all, tables); });
    if (contacts) sections.emplace_back([&](auto& tables) { bench_contacts(settings, tables); });
    std::vector<BenchTable> tables{machine_table(pool.threads())};
    const int status = results.run(sections, tables);
    if (const BenchTable* table = find_table(tables, "integrators")) {
      outputs.attempt(png, [&](const auto& path) { write_png(path, draw_chart(integrators_chart(*table))); });
      outputs.attempt(svg, [&](const auto& path) { write_file(path, svg_of(integrators_chart(*table))); });
    }
    return outputs.lost() ? kExitFault : status;
  }
};

}  // namespace

const SubcommandRow kBenchCommand{"bench",
                                  "Measures this machine on a scene or on the standard sheets: time of a "
                                  "step, real-time factor,\niterations, strain.",
                                  make_subcommand<Bench>};

}  // namespace clothlab
