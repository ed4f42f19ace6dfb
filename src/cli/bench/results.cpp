// SPDX-License-Identifier: MIT
#include "cli/bench/bench.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "core/error.h"
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
  const auto file = [&](const char* name, const char* extension, std::optional<std::string>& target,
                        const char* help) {
    files_.add_option(app, "Results", name, extension, target, "FILE", help);
  };
  file("--csv", ".csv", csv_, "All figures, one per line.");
  file("--json", ".json", json_, "All figures as JSON.");
  file("--markdown", ".md", markdown_, "The tables for a document.");
}

int BenchResults::run(const std::vector<BenchSection>& sections, std::vector<BenchTable>& tables) {
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
  std::string markdown;
  for (const BenchTable& table : tables)
    markdown += "<!-- bench: " + table.id + " -->\n" + markdown_of(table) + "<!-- end -->\n\n";
  files_.attempt(csv_, [&](const std::string& path) { write_file(path, csv_of(tables)); });
  files_.attempt(json_, [&](const std::string& path) { write_file(path, json_of(tables)); });
  files_.attempt(markdown_, [&](const std::string& path) { write_file(path, markdown); });
  return status_at_end(files_.lost(), "measured");
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
