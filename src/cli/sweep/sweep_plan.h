// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/sweep/sweep_run.h"
#include "integrate/registry.h"

namespace clothlab {

/// Heading of the options of `sweep` itself in --help.
inline constexpr const char* kSweepGroup = "Sweep";

/// An option of the scene, and the texts that it has in turn.
struct SweepVariation {
  std::string name;
  std::vector<std::string> values;
};

/// "substeps=1,2,4", "gravity=0,-9.8,0;0,-1.6,0", "dt=0.1ms:10ms:log5" or "mass=0.1:0.5:lin3". Throws
/// InputError.
SweepVariation parse_variation(std::string_view text);

/// "rk4:1e-5": the method and the step [s] of references.
struct SweepReference {
  const IntegratorInfo* info = nullptr;
  double h = 0;
};
/// Throws InputError.
SweepReference parse_reference(std::string_view text);

/// All combinations of the values; the last option varies fastest.
class SweepPlan {
 public:
  /// `app` has the options of `scene` and is parsed; both must outlive the plan. Throws InputError for an
  /// unknown option, one that varies twice, and one that excludes another.
  SweepPlan(CLI::App& app, SceneOptions& scene, std::vector<SweepVariation> variations,
            std::optional<SweepReference> reference);

  std::size_t size() const { return size_; }
  const std::vector<SweepVariation>& variations() const { return variations_; }
  /// Run `number`, from 1 on, with the values of the options. Throws InputError if they exclude each other or
  /// one is out of range.
  SweepRun run(std::size_t number);
  /// The texts of the options in that run.
  std::vector<std::string> values(std::size_t number) const;
  /// "dt=0.01, substeps=2".
  std::string text_of(std::size_t number) const;
  /// The same cloth and motion as in `run`, by the reference method with its defaults and small tolerances.
  /// Throws InputError.
  SweepRun reference_of(const SweepRun& run);

 private:
  std::string key_of(const SweepRun& run);

  CLI::App& app_;
  SceneOptions& options_;
  std::vector<SweepVariation> variations_;
  std::optional<SweepReference> reference_;
  std::size_t size_ = 1;
  std::map<std::filesystem::path, std::uint64_t> files_;  // their fingerprints
};

}  // namespace clothlab
