#include "cli/bench.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/bench_charts.h"
#include "cli/bench_sections.h"
#include "cli/bench_table.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/output_files.h"
#include "cli/parse_value.h"
#include "cli/progress.h"
#include "core/error.h"
#include "core/worker_pool.h"
#include "integrate/registry.h"
#include "io/output_file.h"
#include "io/png.h"
#include "linalg/eigen_baseline.h"

namespace clothlab {
namespace {

/// "64,128"; "none" is the empty list.
std::vector<int> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<int> sizes;
  if (text == "none") return sizes;
  for (;;) {
    const std::size_t comma = text.find(',');
    sizes.push_back(static_cast<int>(parse_whole(option, text.substr(0, comma), 2, 2048)));
    if (comma == std::string_view::npos) return sizes;
    text.remove_prefix(comma + 1);
  }
}

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

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

BenchTable machine_table(int threads) {
#if defined(__clang__)
  const std::string compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  const std::string compiler = "GCC " __VERSION__;
#else
  const std::string compiler = "unknown";
#endif
  return {
      .id = "machine",
      .title = "Machine and build",
      .columns = {{"what", "what", ""}, {"value", "", ""}},
      .rows = {
          {std::string("program"), std::string("clothlab " CLOTHLAB_VERSION)},
          {std::string("processor"), processor()},
          {std::string("cores in use"), static_cast<long long>(threads)},
          {std::string("compiler"), compiler},
          {std::string("Eigen with OpenMP"), std::string(EigenBaseline::has_threads() ? "yes" : "no")},
          {std::string("CHOLMOD"), std::string(EigenBaseline::has(BaselineMethod::cholmod) ? "yes" : "no")}}};
}

struct Bench {
  std::filesystem::path font_file;
  std::optional<std::string> sizes_text, products_text, meshes, steps_text, samples_text, threads_text;
  std::optional<std::string> csv, json, markdown, png;
  bool all_integrators = false, full = false, quiet = false;

  void add_to(CLI::App& app) {
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                          const char* help) {
      return app.add_option(name, target, help)->type_name(type)->take_last();
    };
    const char* what = "What is measured";
    text("--sizes", sizes_text, "N,N,...",
         "Particles along an edge of the sheets, or none; default 20,32,64,128,256.")
        ->group(what);
    text("--products", products_text, "N,N,...",
         "The same for the matrix product, compared with the streaming limit; default 64,128,256.")
        ->group(what);
    text("--meshes", meshes, "DIR", "Also the OBJ files of this folder.")->group(what);
    app.add_flag("--integrators", all_integrators, "Also all integrators on the 64x64 sheet.")->group(what);
    app.add_flag(
           "--full", full,
           "Sheets up to 512x512, products up to 1024x1024 and all integrators; takes a quarter of an hour.")
        ->group(what);
    text("--steps", steps_text, "N", "Measured steps, after 20 that warm up; default 100.")->group(what);
    text("--samples", samples_text, "N",
         "How many of them give their systems to the other solvers too; default 5.")
        ->group(what);
    text("--threads", threads_text, "N", "Default all cores; Eigen's conjugate gradients get as many.")
        ->group(what);
    const char* files = "Results";
    text("--csv", csv, "FILE", "All figures, one per line.")->group(files);
    text("--json", json, "FILE", "All figures as JSON.")->group(files);
    text("--markdown", markdown, "FILE", "The tables for a document.")->group(files);
    text("--png", png, "PREFIX",
         "PREFIX-cost.png, PREFIX-iterations.png and PREFIX-roofline.png; needs no display.")
        ->group(files);
    app.add_flag("--quiet", quiet, "No progress on stderr.")->group(files);
  }

  void check_outputs(const std::vector<std::filesystem::path>& inputs) const {
    OutputFiles files;
    for (const auto* path : {&csv, &json, &markdown})
      if (*path) files.add(**path);
    if (png)
      for (const char* ending : kBenchPictures) files.add(*png + ending);
    for (const std::filesystem::path& input : inputs) files.spare(input);
  }

  void write(const std::vector<BenchTable>& tables) const {
    if (csv) write_file(*csv, csv_of(tables));
    if (json) write_file(*json, json_of(tables));
    if (markdown) {
      std::string text;
      for (const BenchTable& table : tables)
        text += "<!-- bench: " + table.id + " -->\n" + markdown_of(table) + "<!-- end -->\n\n";
      write_file(*markdown, text);
    }
    if (!png) return;
    for (const auto& [ending, chart] : bench_charts(tables)) {
      const Picture picture = draw_chart(chart, font_file);
      write_png(*png + ending, picture.width, picture.height, picture.rgba);
    }
  }

  int run() {
    const Interrupt interrupt;
    const auto sizes =
        parse_sizes("sizes", sizes_text.value_or(full ? "20,32,64,128,256,317,512" : "20,32,64,128,256"));
    const auto products =
        parse_sizes("products", products_text.value_or(full ? "64,128,256,512,1024" : "64,128,256"));
    const auto files = meshes ? meshes_in(*meshes) : std::vector<std::filesystem::path>{};
    const int threads = threads_text ? static_cast<int>(parse_whole("threads", *threads_text, 1, 256))
                                     : std::min(hardware_threads(), 256);
    WorkerPool pool(threads), alone(1);
    const bool integrators_too = all_integrators || full;
    Progress progress(sizes.size() + (products.empty() ? 0 : products.size() + 1) + files.size() +
                          (integrators_too ? integrators().size() : 0),
                      quiet);
    std::uint64_t begun = 0;
    BenchSettings settings{.pool = pool, .alone = alone, .begin = [&](std::string_view what) {
                             progress.show_part(begun++, what);
                           }};
    if (steps_text) settings.steps = static_cast<int>(parse_whole("steps", *steps_text, 1, 100'000));
    if (samples_text)
      settings.samples = static_cast<int>(parse_whole("samples", *samples_text, 1, settings.steps));
    settings.samples = std::min(settings.samples, settings.steps);
    check_outputs(files);

    std::vector<BenchTable> tables{machine_table(threads)};
    std::size_t printed = 0;
    const auto print = [&] {
      for (; printed < tables.size(); ++printed) std::printf("%s\n", text_of(tables[printed]).c_str());
      std::fflush(stdout);
    };
    try {
      if (!sizes.empty()) bench_sheets(settings, sizes, tables);
      print();
      if (!products.empty()) bench_products(settings, products, tables);
      print();
      if (!files.empty()) bench_meshes(settings, files, tables);
      print();
      if (integrators_too) bench_integrators(settings, tables);
    } catch (const Cancelled&) {
    }
    print();
    write(tables);
    if (!Interrupt::requested()) return kExitDone;
    std::fprintf(stderr, "clothlab: interrupted; what was measured so far is written.\n");
    return Interrupt::exit_status();
  }
};

}  // namespace

std::function<int()> add_bench(CLI::App& app, const Services& services) {
  auto command = std::make_shared<Bench>();
  command->font_file = services.font_file;
  command->add_to(
      *app.add_subcommand("bench",
                          "The standard benchmark scenes: whole steps, their parts, the machine's streaming "
                          "limit, and other libraries'\nsolvers on the same systems."));
  return [command] { return command->run(); };
}

}  // namespace clothlab
