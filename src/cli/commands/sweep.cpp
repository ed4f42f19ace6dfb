// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/output_files.h"
#include "cli/output/progress.h"
#include "cli/output/table.h"
#include "cli/subcommand.h"
#include "cli/sweep/processes.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sweep/sweep_run.h"
#include "cli/sweep/sweep_table.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "core/worker_pool.h"
#include "io/output_file.h"
#include "io/png.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

using Json = nlohmann::ordered_json;

/// A run of the plan, or the reference of that run.
struct SweepEntry {
  std::size_t number = 0;
  bool is_reference = false;
  std::string key, reference;

  std::string name() const { return (is_reference ? "r" : "") + std::to_string(number); }
};

/// The runs in their order, and each reference once, with the first run that has it.
struct SweepEntries {
  std::vector<SweepEntry> references, runs;
};

/// Throws InputError, which names the run.
SweepRun run_of(SweepPlan& plan, std::size_t number) {
  try {
    return plan.run(number);
  } catch (const InputError& error) {
    if (plan.variations().empty()) throw;
    throw InputError("Run " + std::to_string(number) + " (" + printable(plan.text_of(number)) +
                     "): " + error.what());
  }
}

/// Throws InputError also if a file of the run has changed since `entry` was planned.
SweepRun run_of(SweepPlan& plan, const SweepEntry& entry) {
  SweepRun run = run_of(plan, entry.number);
  if (entry.is_reference) run = plan.reference_of(run);
  if (run.key != entry.key) throw InputError("A file of the run has changed since the sweep began.");
  return run;
}

/// For the record of a run whose files are gone.
SweepRun without_settings(const SweepEntry& entry) {
  SweepRun run;
  run.name = entry.name();
  run.reference = entry.reference;
  run.key = entry.key;
  return run;
}

/// `each` is called with every run.
SweepEntries entries_of(SweepPlan& plan, std::size_t first, std::size_t last,
                        const std::function<void(const SweepRun&)>& each) {
  SweepEntries entries;
  std::set<std::string> seen;
  for (std::size_t number = first; number <= last; ++number) {
    if (Interrupt::requested()) throw Cancelled();
    const SweepRun run = run_of(plan, number);
    each(run);
    entries.runs.push_back({number, false, run.key, run.reference});
    if (!run.reference.empty() && seen.insert(run.reference).second)
      entries.references.push_back({number, true, run.reference, {}});
  }
  return entries;
}

std::vector<std::string> columns_in(const std::string& option, const std::string& text, std::size_t count,
                                    const char* form) {
  const std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() != count)
    throw InputError(option + ": '" + printable(text) + "' is not of the form " + form + ".");
  return {parts.begin(), parts.end()};
}

/// What became of a run, as the sentence at the end counts it.
std::string_view outcome_of(int exit) {
  switch (exit) {
    case kExitDone:
      return "done";
    case kExitUsage:
      return "refused";
    case kExitBlownUp:
      return "blew up";
    case kExitNotConverged:
      return "with steps that did not converge";
    default:
      return "failed";
  }
}

struct Sweep final : Subcommand {
  explicit Sweep(const SubcommandContext& context) : line(context.line), services(context.services) {}

  std::string line;
  const Services& services;
  CLI::App* app = nullptr;
  SceneOptions scene;
  std::vector<std::string> variations;
  std::optional<std::string> names, reference, out, jobs_text, row, heat_map, lines;
  bool dry_run = false;
  SweepFolder folder;
  int jobs = 1, threads = 1;

  void add_to(CLI::App& to) override {
    app = &to;
    scene.add_to(to);
    scene.add_length_to(to);
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                          const std::string& help) { add_text(to, kSweepGroup, name, target, type, help); };
    to.add_option(
          "--vary", variations,
          "An option of the scene or of stepping with its values: dt=1/60,1/120, dt=0.1ms:10ms:log9 or "
          "mass=0.1:0.5:lin5. A semicolon separates values that have commas: "
          "\"gravity=0,-9.8,0;0,-1.6,0\". Repeat it for more options; all combinations run.")
        ->type_name("NAME=VALUES")
        ->allow_extra_args(false)
        ->group(kSweepGroup);
    text("--integrators", names, "A,B,...", "As --vary integrator=A,B,... before all others.");
    text(
        "--reference", reference, "NAME:h",
        "Errors are differences from this integrator with steps of h seconds, after the same simulated time. "
        "References are computed first, one for each cloth and motion.");
    text("--out", out, "DIR",
         "The folder of the sweep: runs.csv with a row for each run, and a file for each run, so that a "
         "further call continues.");
    text(
        "--jobs", jobs_text, "N",
        "Number of runs at a time, each a process of its own with --threads threads; default all cores. "
        "Default of --threads: cores divided by N. 0: runs nothing, and writes runs.csv of the runs so far.");
    to.add_flag("--dry-run", dry_run, "Lists references and runs as CSV, and writes nothing.")
        ->group(kSweepGroup);
    text("--row", row, "N|N-M|rN",
         "Only run N, runs N to M, or the reference of run N, without runs.csv: the work of one job of a "
         "cluster.");
    text("--heat-map", heat_map, "X,Y,VALUE",
         "Draws three columns of runs.csv as DIR/heat-map.png and .svg.");
    text("--lines", lines, "X,VALUE", "Draws two columns of runs.csv as DIR/lines.png and .svg.");
  }

  SweepPlan plan() {
    std::vector<SweepVariation> all;
    if (names) all.push_back(parse_variation("integrator=" + *names));
    for (const std::string& variation : variations) all.push_back(parse_variation(variation));
    std::optional<SweepReference> by;
    if (reference) by = parse_reference(*reference);
    return {*app, scene, std::move(all), by};
  }

  void read_machine() {
    constexpr int kMostJobs = 1024;
    const int cores = hardware_threads();
    jobs = jobs_text ? static_cast<int>(parse_whole("jobs", *jobs_text, 0, kMostJobs))
                     : std::min(cores, kMostJobs);
    threads =
        app->get_option("--threads")->count() > 0 ? scene.threads() : std::max(1, cores / std::max(1, jobs));
  }

  /// The runs that --row names.
  SweepEntries entries_of_row(SweepPlan& plan) const {
    const bool of_reference = row->starts_with('r');
    const std::size_t dash = row->find('-');
    const auto number = [&](const std::string& text) {
      return static_cast<std::size_t>(parse_whole("row", text, 1, static_cast<std::int64_t>(plan.size())));
    };
    const std::size_t first = number(row->substr(of_reference ? 1 : 0, dash));
    const std::size_t last = dash == std::string::npos ? first : number(row->substr(dash + 1));
    if (last < first) throw InputError("--row: '" + *row + "' ends before it begins.");
    SweepEntries entries = entries_of(plan, first, last, [](const SweepRun&) {});
    if (of_reference && entries.references.empty()) throw InputError("--row " + *row + " needs --reference.");
    if (of_reference) entries.runs.clear();
    return entries;
  }

  /// Runs that a fault of the system or a signal ended are repeated.
  bool is_finished(const SweepEntry& entry) const {
    const std::optional<Json> record = folder.read(entry.key);
    if (!record) return false;
    const std::string_view outcome = outcome_of((*record)["result"].value("exit", kExitFault));
    std::error_code error;
    const bool lacks_state = entry.is_reference && !std::filesystem::exists(folder.state(entry.key), error);
    return outcome != "failed" && !(lacks_state && outcome != "refused" && outcome != "blew up");
  }

  /// Those that are not finished; of equal ones the first.
  std::vector<SweepEntry> unfinished(std::vector<SweepEntry> entries) const {
    std::set<std::string> seen;
    std::erase_if(entries, [&](const SweepEntry& entry) {
      return !seen.insert(entry.key).second || is_finished(entry);
    });
    return entries;
  }

  void run_all(SweepPlan& plan, const std::vector<SweepEntry>& entries,
               const std::function<void()>& ended) const {
    const auto work = [&](std::size_t k) {
      try {
        return execute(run_of(plan, entries[k]), folder, threads);
      } catch (const InputError& error) {
        write_failure(without_settings(entries[k]), folder, kExitFault, error.what());
        return static_cast<int>(kExitDone);
      }
    };
    run_processes(entries.size(), jobs, work, [&](std::size_t k, int status) {
      ended();
      if (status == kExitDone || Interrupt::requested()) return;
      SweepRun run = without_settings(entries[k]);
      try {
        run = run_of(plan, entries[k]);
      } catch (const InputError&) {  // its files are gone
      }
      write_failure(run, folder, status, failure_text(status));
    });
  }

  /// References first. Returns the number of runs that were finished before.
  std::size_t run_unfinished(SweepPlan& plan, const SweepEntries& entries) const {
    const std::vector<SweepEntry> first = unfinished(entries.references), then = unfinished(entries.runs);
    std::set<std::string_view> missing;
    for (const SweepEntry& entry : then) missing.insert(entry.key);
    const auto finished = std::ranges::count_if(
        entries.runs, [&](const SweepEntry& entry) { return !missing.contains(entry.key); });
    if (jobs == 0) return static_cast<std::size_t>(finished);
    Progress progress(first.size() + then.size(), scene.quiet());
    std::size_t done = 0;
    const auto show = [&] { progress.show_part(++done, "runs"); };
    run_all(plan, first, show);
    run_all(plan, then, show);
    return static_cast<std::size_t>(finished);
  }

  void print(SweepPlan& plan, const SweepEntries& entries) const {
    constexpr std::array<std::string_view, 3> kShown{"integrator", "dt", "steps"};
    std::string csv = "run,key,reference,finished,integrator,dt,steps";
    const auto add_varied = [&](const auto& text_of) {
      for (std::size_t k = 0; k < plan.variations().size(); ++k)
        if (std::ranges::find(kShown, plan.variations()[k].name) == kShown.end())
          csv += "," + csv_quoted(text_of(k));
    };
    add_varied([&](std::size_t k) { return plan.variations()[k].name; });
    const auto add = [&](const SweepEntry& entry) {
      const SweepRun run = run_of(plan, entry);
      csv += "\n" + entry.name() + "," + entry.key + "," + entry.reference +
             (is_finished(entry) ? ",1," : ",0,") + std::string(label_of(method_info(run.scene))) + "," +
             format_number(run.scene.dt) + "," + std::to_string(run.steps);
      const std::vector<std::string> values = plan.values(entry.number);
      add_varied([&](std::size_t k) { return entry.is_reference ? std::string() : values[k]; });
    };
    std::ranges::for_each(entries.references, add);
    std::ranges::for_each(entries.runs, add);
    std::printf("%s\n", csv.c_str());
    std::fprintf(stderr, "clothlab: %zu runs, %zu references.\n", entries.runs.size(),
                 entries.references.size());
  }

  /// Reports references that failed, whose runs have no errors, and runs that a fault or a signal ended.
  void report(const std::vector<SweepEntry>& entries) const {
    for (const SweepEntry& entry : entries) {
      const std::optional<Json> record = folder.read(entry.key);
      if (!record) continue;
      const Json& result = (*record)["result"];
      const int exit = result.value("exit", kExitFault);
      if (entry.is_reference ? exit != kExitDone : outcome_of(exit) == "failed")
        std::fprintf(stderr, "clothlab: %s %s: %s\n", entry.is_reference ? "reference" : "run",
                     entry.name().c_str(), printable(result.value("reason", std::string())).c_str());
    }
  }

  /// The exit status of --row: a job that a fault or a signal disturbed must be repeated.
  int finish_row(const SweepEntries& entries) const {
    report(entries.references);
    report(entries.runs);
    const bool failed = !unfinished(entries.references).empty() || !unfinished(entries.runs).empty();
    return status_at_end(failed && jobs > 0 && !Interrupt::requested(), "run");
  }

  /// Writes the table and the charts. Returns the exit status.
  int finish(SweepPlan& plan, const SweepEntries& entries, SweepTable& table,
             std::size_t finished_before) const {
    std::map<std::string_view, std::size_t> outcomes;
    std::size_t ended = 0;
    for (const SweepEntry& entry : entries.runs) {
      const std::optional<Json> record = folder.read(entry.key);
      if (!record) continue;
      table.add(entry.name(), entry.key, plan.values(entry.number), *record);
      ++outcomes[outcome_of((*record)["result"].value("exit", kExitFault))];
      ++ended;
    }
    report(entries.references);
    bool lost = !try_write([&] { write_file(folder.path / "runs.csv", table.csv()); });
    const auto draw = [&](const std::string& name, const auto& chart_of) {
      lost |= !try_write([&] {
        const Chart chart = chart_of();
        write_png(folder.path / (name + ".png"), draw_chart(chart));
        write_file(folder.path / (name + ".svg"), svg_of(chart));
      });
    };
    if (heat_map && ended > 0) {
      const std::vector<std::string> c = heat_map_columns();
      draw("heat-map", [&] { return table.heat_map(c[0], c[1], c[2]); });
    }
    if (lines && ended > 0) {
      const std::vector<std::string> c = line_columns();
      const auto colour = [&](std::size_t k) { return services.integrator_colour(k % integrators().size()); };
      draw("lines", [&] { return table.lines(c[0], c[1], colour); });
    }
    if (!scene.quiet()) {
      std::printf("%zu of %zu runs have ended, %zu of them before this call", ended, entries.runs.size(),
                  finished_before);
      for (const auto& [outcome, count] : outcomes)
        std::printf("%s%zu %s", outcome == outcomes.begin()->first ? ": " : ", ", count,
                    std::string(outcome).c_str());
      std::printf(".\n");
    }
    return status_at_end(lost, "measured");
  }

  std::vector<std::string> heat_map_columns() const {
    return columns_in("--heat-map", *heat_map, 3, "X,Y,VALUE");
  }
  std::vector<std::string> line_columns() const { return columns_in("--lines", *lines, 2, "X,VALUE"); }

  /// Throws InputError for unknown columns, and for more panels or curves than a picture has room for.
  void check_charts(const SweepPlan& plan, const SweepTable& table) const {
    const auto check = [&](const std::string& option, const std::vector<std::string>& axes,
                           std::size_t most) {
      for (const std::string& name : axes) table.check_column(option, name);
      std::size_t combinations = 1;
      for (const SweepVariation& variation : plan.variations())
        if (std::ranges::find(axes, variation.name) == axes.end()) combinations *= variation.values.size();
      if (combinations > most)
        throw InputError(option + ": the other options have " + std::to_string(combinations) +
                         " combinations, and a chart shows at most " + std::to_string(most) + ".");
    };
    if (heat_map) check("--heat-map", heat_map_columns(), 12);
    if (lines) check("--lines", line_columns(), 50);
  }

  /// The folder must be one of a sweep, or have no runs.csv.
  void check_folder() {
    if (!out) throw InputError("A sweep needs a folder: name it with --out DIR.");
    folder.path = path_of(*out);
    std::error_code error;
    if (has_folder(folder.path) && std::filesystem::exists(folder.path / "runs.csv", error) &&
        !std::filesystem::exists(folder.path / "runs", error))
      throw InputError("--out: " + shown_path(folder.path / "runs.csv") +
                       " is not from a sweep: name another folder.");
  }

  int run() override {
    check_folder();
    read_machine();
    SweepPlan plan = this->plan();
    SweepTable table(plan.variations());
    check_charts(plan, table);
    EffectNotices notices;  // of the whole sweep: not of the jobs of a cluster
    const auto check_effects = [&](const SweepRun& run) { notices.add(scene.given_parameters(), run.scene); };
    const SweepEntries entries = row ? entries_of_row(plan) : entries_of(plan, 1, plan.size(), check_effects);
    notices.print();
    if (dry_run) {
      print(plan, entries);
      return kExitDone;
    }
    folder.create(line);
    const std::size_t finished_before = run_unfinished(plan, entries);
    return row ? finish_row(entries) : finish(plan, entries, table, finished_before);
  }
};

}  // namespace

const SubcommandRow kSweepCommand{
    "sweep",
    "Runs all combinations of values of options, each in a process of its own, as a table; continues.",
    make_subcommand<Sweep>};

}  // namespace clothlab
