// SPDX-License-Identifier: MIT
// Justifies choices in the code with figures: our solvers beside those of Eigen and CHOLMOD on the same
// systems, the matrix product beside the machine's streaming limit, multigrid beside block Jacobi. What a
// scene costs on a machine is asked of `clothlab bench`.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/charts.h"
#include "bench/eigen_baseline.h"
#include "bench/sections.h"
#include "cli/bench/bench.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output/progress.h"
#include "core/error.h"
#include "io/png.h"

namespace clothlab {
namespace {

struct Program {
  BenchResults results;
  std::string sizes_text = "20,32,64,128,256", products_text = "64,128,256";
  std::string steps_text = "100", threads_text = std::to_string(hardware_threads());
  std::vector<std::string> meshes;
  std::optional<std::string> samples_text, png;
  bool quiet = false;

  void add_to(CLI::App& app) {
    const auto text = [&](const char* name, auto& target, const char* type, const char* help) {
      return app.add_option(name, target, help)->type_name(type);
    };
    text("--sizes", sizes_text, "N,N,...",
         "Particles along an edge of the sheets, or none; default 20,32,64,128,256.");
    text("--products", products_text, "N,N,...", "The same for the matrix product; default 64,128,256.");
    text("--meshes", meshes, "FILE...", "OBJ files: multigrid beside block Jacobi.");
    text("--steps", steps_text, "N", "Measured steps, after 20 that warm up; default 100.");
    text("--samples", samples_text, "N", "How many of them give their systems to the solvers; default 5.");
    text("--threads", threads_text, "N", "Default all cores; Eigen's conjugate gradients get as many.");
    results.add_to(app);
    text("--png", png, "PREFIX", "PREFIX-cost.png, PREFIX-iterations.png and PREFIX-roofline.png.");
    app.add_flag("--quiet", quiet, "No progress on stderr.");
  }

  void check_outputs() {
    OutputFiles& files = results.files();
    files.check();
    if (png)
      for (const char* ending : kBenchPictures) files.add(*png + ending, ".png");
    for (const std::string& mesh : meshes) files.spare(mesh);
  }

  int run() {
    const Interrupt interrupt;
    const auto sizes = parse_sizes("sizes", sizes_text), products = parse_sizes("products", products_text);
    const auto steps = static_cast<int>(parse_whole("steps", steps_text, 1, 100'000));
    const int samples =
        samples_text ? static_cast<int>(parse_whole("samples", *samples_text, 1, steps)) : std::min(steps, 5);
    const auto threads = static_cast<int>(parse_whole("threads", threads_text, 1, 256));
    check_outputs();
    WorkerPool pool(threads), alone(1);
    Progress progress(sizes.size() + (products.empty() ? 0 : products.size() + 1) + meshes.size(), quiet);
    std::uint64_t begun = 0;
    const BenchSettings settings{pool, alone, steps,
                                 [&](std::string_view what) { progress.show_part(begun++, what); }};
    std::vector<BenchSection> sections;
    if (!sizes.empty())
      sections.push_back([&](auto& tables) { bench_solvers(settings, samples, sizes, tables); });
    if (!products.empty())
      sections.push_back([&](auto& tables) { bench_products(settings, products, tables); });
    if (!meshes.empty())
      sections.push_back([&](auto& tables) {
        bench_meshes(settings, {meshes.begin(), meshes.end()}, tables);
      });

    const auto yes = [](bool there) { return std::string(there ? "yes" : "no"); };
    std::vector<BenchTable> tables{machine_table(threads)};
    tables[0].rows.push_back({std::string("Eigen with OpenMP"), yes(EigenBaseline::has_threads())});
    tables[0].rows.push_back({std::string("CHOLMOD"), yes(EigenBaseline::has(BaselineMethod::cholmod))});
    const int status = results.run(sections, tables);
    if (png) {
      for (const auto& [ending, chart] : bench_charts(tables)) write_png(*png + ending, draw_chart(chart));
    }
    return status;
  }
};

}  // namespace
}  // namespace clothlab

int main(int argc, char** argv) {
  using namespace clothlab;
  CLI::App app{"ClothLab's solvers beside other libraries and beside the machine's limits.",
               "clothlab_bench"};
  Program program;
  program.add_to(app);
  try {
    app.parse(argc, argv);
    return program.run();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  } catch (const InputError& error) {
    std::fprintf(stderr, "clothlab_bench: %s\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clothlab_bench: %s\n", error.what());
    return kExitFault;
  }
}
