// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cassert>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/spectrum.h"
#include "chart/chart.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/output_files.h"
#include "cli/subcommand.h"
#include "core/stop_probe.h"
#include "integrate/registry.h"
#include "io/csv.h"
#include "sim/scene.h"

namespace clothlab {

/// An analysis that measures one integrator after the other: a table on stdout, --csv, --png and --svg.
class MethodAnalysis : public Subcommand {
 public:
  /// --integrators, --csv, --png, --svg, and those of the analysis.
  void add_to(CLI::App& app) final;
  /// Checks options and outputs before measuring; writes the results until Ctrl-C.
  int run() final;

 protected:
  /// Points of a curve in each of the chart's panels, over the same x.
  struct Points {
    std::vector<double> x;
    std::array<std::vector<double>, 3> y;  // by panel
    void add(double at, std::initializer_list<double> values) {
      assert(values.size() <= y.size());
      x.push_back(at);
      for (std::size_t p = 0; p < values.size(); ++p) y[p].push_back(values.begin()[p]);
    }
  };

  /// `columns` is the first line of the CSV file.
  MethodAnalysis(const SubcommandContext& context, const char* columns, Chart empty_chart);

  /// Prints the table, and appends to `csv` and `chart`.
  virtual void measure_all() = 0;

  /// Adds the options of this analysis; those of `options` are read before measure_all().
  virtual void add_options(CLI::App& app) = 0;
  /// --quiet and the integrators' own parameters, for an analysis without a scene.
  void add_parameters_to(CLI::App& app);

  /// Leaves out integrators and reports them on stderr: "left out: <ids>: <why>". `why` null: in silence.
  void leave_out(const std::function<bool(const IntegratorInfo&)>& is_left_out, const char* why);
  /// Those that do not support the scene's contact model or its distances.
  void leave_out_for(const Scene& scene);
  /// The parameters that options set.
  virtual std::vector<const ParameterSpec*> given_parameters() const { return own_given_; }
  /// The runs of the analysis, as far as parameters affect them: of each method that is measured.
  virtual std::vector<Scene> runs() const;
  /// Reports options that affect none of the runs; call it when the methods are known.
  void tell_of_no_effect() const { warn_of_no_effect(given_parameters(), runs()); }
  bool names_integrators() const { return names_.has_value(); }
  /// Those that are measured.
  std::span<const IntegratorInfo* const> methods() const { return integrators_; }
  /// An integrator's own parameters from the options.
  IntegratorParameters parameters(const IntegratorInfo& info) const;

  /// Measures one integrator after the other until Ctrl-C, with a bar on stderr unless quiet(). `measure` may
  /// throw Cancelled.
  void for_each(const std::function<void(const IntegratorInfo&)>& measure) const;
  /// The same of one measurement; false on Ctrl-C.
  static bool is_completed(const std::function<void()>& measurement);
  virtual bool quiet() const { return quiet_; }

  /// A curve without points, in the integrator's colour and under its id.
  ChartCurve curve(const IntegratorInfo& info, bool markers = false) const;
  /// Adds the points to all panels, with the label and the look of `curve`.
  void add_curves(const ChartCurve& curve, Points points);

  std::string csv;      ///< not written if empty
  bool failed = false;  ///< reported on stderr: the exit status is kExitFault, and the results are written
  Chart chart;
  OptionReaders options{"Analysis"};
  OutputFiles outputs;
  const StopProbe stop;  ///< Ctrl-C

 private:
  std::function<Rgb(std::size_t row)> colour_of_row_;
  std::vector<const IntegratorInfo*> integrators_;  // in the registry's order; all, or those that are named
  std::optional<std::string> names_, csv_, png_, svg_;
  OptionReaders stepping_{"Stepping"};
  std::vector<const ParameterSpec*> own_given_;
  Scene own_parameters_;  // of the integrators
  bool quiet_ = false;
};

/// One that runs a scene with each integrator.
class SceneAnalysis : public MethodAnalysis {
 protected:
  using MethodAnalysis::MethodAnalysis;

  /// Adds the scene's options without these, which the analysis chooses itself.
  void add_scene_to(CLI::App& app, std::initializer_list<const char*> fixed);
  /// The same after --steps and --duration.
  void add_run_to(CLI::App& app, std::uint64_t default_steps, std::initializer_list<const char*> fixed);
  /// In steps, after load(). Throws InputError.
  std::uint64_t run_length() const { return scene.steps(loaded.scene.dt); }
  bool quiet() const override { return scene.quiet(); }
  std::vector<const ParameterSpec*> given_parameters() const override { return scene.given_parameters(); }
  std::vector<Scene> runs() const override;
  /// runs(), and one of elastic cloth without a solver: the analysis also shows ω_max.
  std::vector<Scene> runs_and_omega_max() const;
  /// As tell_of_no_effect(), of an analysis of modes: only steps before them need a solver.
  void tell_of_no_effect_on_modes() const;

  /// Loads the scene that the options name and starts the threads.
  void load() { load(named_scene(scene)); }
  /// The same; without a scene, `own` changed by the options.
  void load_or(const Scene& own) { load(scene.names_a_scene() ? scene.scene() : scene.applied_to(own)); }
  /// The modes of the scene's cloth after run_length() steps by its own method (StabilityMeter::spectrum).
  /// Throws InputError if nothing can oscillate, and Cancelled.
  Spectrum spectrum_at_end(bool with_eigenvalues, std::size_t most_exact = kDenseDirections) const;
  /// The free directions up to which every mode is computed, in some seconds.
  static constexpr std::size_t kDenseDirections = 2000;
  Scene scene_for(const IntegratorInfo& info) const;
  /// Reports on stderr that distances of the scene are left out, if there are any.
  void note_distances() const;

  SceneOptions scene;
  LoadedScene loaded;
  std::unique_ptr<WorkerPool> pool;

 private:
  void load(Scene wanted);
};

/// The scene of `analyze energy`: a soft undamped strip of 1 m × 0.16 m, fixed at both ends, that begins as
/// an arch with a twist and falls [Ascher 2022, figure 6] (docs/analysis.md).
Scene energy_strip();

/// A sheet at rest; particles start at `position(along, across)` [m], both 0 to 1. Both ends of every row are
/// pinned.
Scene pinned_strip(const GridSource& sheet, const std::function<vec3(double along, double across)>& position);

/// Two panels over the same x.
Chart two_panels(std::string title, const ChartAxis& x, ChartAxis first, ChartAxis second);

}  // namespace clothlab
