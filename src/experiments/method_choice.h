// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arena/command_log.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "documents/scene_loader.h"
#include "dynamics/state.h"
#include "experiments/step_loop.h"
#include "integrate/registry.h"
#include "sim/scene.h"

namespace clothlab {

// Error against cost: every method runs the same scene with a ladder of step sizes, and is compared with a
// reference. On cancellation these throw Cancelled.

/// Steps of a duration [s] that are as near to 1/60 s as possible.
std::uint64_t coarsest_steps(double duration);

/// What all runs of a comparison share in addition to the scene.
struct RunScript {
  std::optional<std::uint32_t> particle;  ///< whose path is compared
  /// Recorded changes of the world, each at the number of steps of the scene's dt before it, and the steps of
  /// dt in the whole run. Runs divide dt into substeps, so that changes act at the same times in all of them.
  /// Without steps nothing is recorded, and h is free.
  std::vector<LogEntry> changes = {};
  std::uint64_t steps = 0;

  std::uint64_t coarsest(double duration) const { return steps > 0 ? steps : coarsest_steps(duration); }
};

/// The end of a run from the start of a scene, in steps of equal size, and what it was at the times that all
/// runs share: after each of the coarsest steps.
struct RunEnd {
  State state;
  StepFigures figures;
  double energy = 0;             ///< total [J]
  std::vector<double> energies;  ///< total at the shared times [J]
  double exchanged = 0;          ///< the largest kinetic energy, or change of all other energy, then [J]
  std::vector<vec3> path;        ///< of the script's particle at the shared times [m]
  StepTime took;                 ///< all steps together [ms]
  std::string failure;           ///< why it ended before its time; empty: it did not
  bool gains_energy = false;     ///< the run reported spurious energy
};

/// Runs so many steps of equal size to the time `duration` [s]. Short runs are repeated and have the shortest
/// times. `method`: that of the run, with its energy limit lowered as in trial_scene(). `steps` is a multiple
/// of script.coarsest(duration).
RunEnd run_to(const LoadedScene& loaded, const Method& method, double duration, std::uint64_t steps,
              WorkerPool& pool, const StopProbe& stop, const RunScript& script = {});

/// The measures of an error.
enum class ErrorMeasure {
  rms,      ///< root mean square over the particles, at the end
  largest,  ///< of a particle, at the end
  energy,   ///< largest difference of the total energies at the shared times
  path,     ///< of one particle, root mean square over the shared times
};
/// Their names on the command line, by ErrorMeasure.
inline constexpr std::array<std::string_view, 4> kErrorMeasureNames{"rms", "largest", "energy", "path"};

/// Differences between two runs that reached their ends.
struct RunErrors {
  double error_x = 0, error_v = 0;  ///< root mean square over the particles [m], [m/s]
  double largest_x = 0;             ///< of a particle [m]
  double error_energy = 0;          ///< total energy at the end less that of the other run [J]
  double largest_energy = 0;        ///< ErrorMeasure::energy [J]
  double error_path = 0;            ///< ErrorMeasure::path [m]; 0 without a particle

  /// [m], of energy [J].
  double of(ErrorMeasure measure) const;
  bool operator==(const RunErrors&) const = default;
};
RunErrors errors_between(const RunEnd& run, const RunEnd& other);

/// The most accurate end of a run, with an estimate of its own error.
struct Reference {
  const IntegratorInfo* info = nullptr;
  std::uint64_t steps = 0;
  RunEnd end;
  double displacement = 0;  ///< of the particles since the start, root mean square [m]
  /// Differences from a run with half as many steps, root mean square [m], [m/s]. An upper bound of its own
  /// error, of which Richardson's extrapolation would take a fraction: cloth that buckles does not converge
  /// with the order of the method.
  double change_x = 0, change_v = 0;
  RunErrors change = {};  ///< all of these differences
};

/// By the method of the highest order with h ω_max ≤ ¼, where it stays bounded, or with 8 or 64 times
/// as many steps, which strong dampers require; otherwise by TR-BDF2 with steps of 1/3840 s. loaded.omega_max
/// must be known. Throws InputError if both blow up.
Reference make_reference(const LoadedScene& loaded, double duration, WorkerPool& pool, const StopProbe& stop,
                         const RunScript& script = {});

/// A method with settings of its own.
struct MethodVariant {
  std::string title;  ///< "BDF2", "S-BDF2", "XPBD with 4 sweeps"
  Method method;
  bool is_tuned = false;  ///< with other tolerances or substeps of its own: runs with large h only
};

/// The scene's own method, unless it treats springs as rods; then each of these with the scene's settings,
/// with its stages solved in the other way, and with four times as many sweeps; and tuned, with a tenth and
/// with ten times the tolerance that ends its solves, and with a quarter and four times its own substeps.
std::vector<MethodVariant> variants_of(const Scene& scene, std::span<const IntegratorInfo* const> methods);

/// A run of a variant and its errors.
struct ChoicePoint : RunErrors {
  std::size_t variant = 0;
  std::uint64_t steps = 0;
  double h = 0;                    ///< [s]
  double processor = 0, wall = 0;  ///< computing time per simulated time
  double max_strain = 0;
  double spurious_energy = 0;  ///< largest since the start [J]
  std::uint64_t not_converged = 0;
  bool gains_energy = false;
  std::string failure;  ///< empty: the run has reached its end

  bool operator==(const ChoicePoint&) const = default;
};

/// The goal of a choice.
struct ChoiceGoal {
  /// Largest error (ChoiceFigures::error_of) at the least cost. None: the least error within the budget.
  std::optional<double> error = 0.01;
  double budget = 1;                            ///< computing time per simulated time
  std::optional<double> strain = std::nullopt;  ///< the largest that is allowed
  bool no_energy_gain = false;
  ErrorMeasure measure = ErrorMeasure::rms;
};

/// The runs so far.
struct ChoiceFigures {
  std::vector<MethodVariant> variants;
  std::vector<ChoicePoint> points;
  bool has_own = false;  ///< the first variant is the scene's own method
  // Of the reference; see there.
  const IntegratorInfo* reference = nullptr;
  std::uint64_t reference_steps = 0;
  double displacement = 0, exchanged = 0;
  RunErrors change;
  RunScript script;     ///< without the changes
  double fraction = 0;  ///< of the runs, from 0 to 1

  /// What is 100 %: of energy, the energy that the reference exchanged [J], otherwise the displacement [m].
  double scale(ErrorMeasure measure) const {
    return measure == ErrorMeasure::energy ? exchanged : displacement;
  }
  double error_of(const RunErrors& errors, ErrorMeasure measure = ErrorMeasure::rms) const {
    return errors.of(measure) / scale(measure);
  }
  /// Smaller errors are not significant.
  double least_error(ErrorMeasure measure = ErrorMeasure::rms) const { return error_of(change, measure); }
  /// "path error of particle 24 [% of the displacement]", of an axis.
  std::string axis_title(ErrorMeasure measure) const;
};

/// Runs variants from coarse to fine: all with the largest h, then with the half, and so on. A variant ends
/// with a run that takes longer than `longest_run`, that is as accurate as `accurate_enough`, or that has
/// half of the reference's steps; a tuned one after three runs.
class MethodChoice {
 public:
  struct Settings {
    double duration = 1;         ///< simulated [s]
    double longest_run = 3;      ///< computing time [s]
    double accurate_enough = 0;  ///< ChoiceFigures::error_of
    /// By this measure; none: by all.
    std::optional<ErrorMeasure> measure = ErrorMeasure::rms;
    RunScript script = {};  ///< that of the reference
  };

  /// `reference` must be of this scene and duration.
  MethodChoice(const LoadedScene& loaded, std::vector<MethodVariant> variants, Reference reference,
               const Settings& settings);

  /// Measures the next point; false if there is none.
  bool next(WorkerPool& pool, const StopProbe& stop);
  /// The title and h of the next one; empty if there is none.
  std::string next_name() const;
  const ChoiceFigures& figures() const { return figures_; }

 private:
  struct Ladder {
    std::uint64_t steps = 0;  ///< of the next run
    bool ended = false;
    auto order() const { return std::pair(ended, steps); }
  };
  bool is_accurate_enough(const ChoicePoint& point) const;
  /// Of a variant's finest run.
  std::uint64_t most_steps(std::size_t variant) const;
  void update_fraction();

  const LoadedScene& loaded_;
  Reference reference_;
  Settings settings_;
  std::vector<Ladder> ladders_;  // by variant
  ChoiceFigures figures_;
};

/// True if a run may be chosen.
bool is_allowed(const ChoicePoint& point, const ChoiceGoal& goal);
/// Indices of the allowed points that none is both cheaper and more accurate than, by cost.
std::vector<std::size_t> pareto_front(std::span<const ChoicePoint> points, const ChoiceGoal& goal);

/// The best point for a goal, and the best of another method.
struct Chosen {
  std::optional<std::size_t> best, runner_up;
};
Chosen best_for(const ChoiceFigures& choice, const ChoiceGoal& goal);

/// Both with their figures, what the scene's own method needs, and whether the reference is too inaccurate to
/// tell. Without a best point, which one comes nearest.
std::string text_of(const ChoiceFigures& choice, const ChoiceGoal& goal);

/// A line for each run, with the options that repeat its method on `scene` (docs/analysis.md).
std::string csv_of(const ChoiceFigures& choice, const Scene& scene, const ChoiceGoal& goal);

}  // namespace clothlab
