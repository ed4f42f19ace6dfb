// SPDX-License-Identifier: MIT
#include "cli/bench/results.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "core/error.h"
#include "core/text_file.h"
#include "io/output_file.h"

namespace clothlab {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

void BenchResults::add_to(CLI::App& app) {
  const auto text = [&](const char* name, std::optional<std::string>& target, const char* help) {
    app.add_option(name, target, help)->type_name("FILE")->take_last()->group("Results");
  };
  text("--csv", csv_, "All figures, one per line.");
  text("--json", json_, "All figures as JSON.");
  text("--markdown", markdown_, "The tables for a document.");
}

OutputFiles BenchResults::outputs() const {
  OutputFiles files;
  if (csv_) files.add(path_of(*csv_), ".csv");
  if (json_) files.add(path_of(*json_), ".json");
  if (markdown_) files.add(path_of(*markdown_), ".md");
  return files;
}

int BenchResults::run(const std::vector<BenchSection>& sections, std::vector<BenchTable>& tables) const {
  std::size_t printed = 0;
  const auto print = [&] {
    for (; printed < tables.size(); ++printed) std::printf("%s\n", text_of(tables[printed]).c_str());
    std::fflush(stdout);
  };
  try {
    for (const BenchSection& section : sections) {
      section(tables);
      print();
    }
  } catch (const Cancelled&) {
  }
  print();
  bool good = !csv_ || try_write([&] { write_file(*csv_, csv_of(tables)); });
  if (json_) good = try_write([&] { write_file(*json_, json_of(tables)); }) && good;
  if (markdown_) {
    std::string text;
    for (const BenchTable& table : tables)
      text += "<!-- bench: " + table.id + " -->\n" + markdown_of(table) + "<!-- end -->\n\n";
    good = try_write([&] { write_file(*markdown_, text); }) && good;
  }
  if (!good) return kExitFault;
  if (!Interrupt::requested()) return kExitDone;
  std::fprintf(stderr, "clothlab: interrupted; what was measured so far is written.\n");
  return Interrupt::exit_status();
}

BenchTable machine_table(int threads) {
#if defined(__clang__)
  const std::string compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
  const std::string compiler = "GCC " __VERSION__;
#else
  const std::string compiler = "unknown";
#endif
  return {.id = "machine",
          .title = "Machine and build",
          .columns = {{"what", "what", ""}, {"value", "", ""}},
          .rows = {{std::string("program"), std::string("clothlab " CLOTHLAB_VERSION)},
                   {std::string("processor"), processor()},
                   {std::string("cores in use"), static_cast<long long>(threads)},
                   {std::string("compiler"), compiler}}};
}

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

}  // namespace clothlab
