// SPDX-License-Identifier: MIT
#pragma once

// Helpers of the generic integrator tests, which iterate the registry, so that a new row is tested too.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cloth/sample_cloth.h"
#include "integrate/registry.h"
#include "integrate/tableau.h"

namespace clothlab::test {

/// Solver settings under which a step is exact up to rounding.
inline SolverSettings tight_settings(JacobianMode mode = JacobianMode::exact) {
  SolverSettings settings;
  settings.linear.cg.tolerance = 1e-14;
  settings.linear.cg.max_iterations = 2000;
  settings.newton_tolerance = 1e-14;
  settings.newton_max_iterations = 50;
  settings.jacobian = mode;
  return settings;
}

/// The defaults, but XPBD in one substep that it sweeps often: the step of backward Euler, as tests write it.
inline IntegratorParameters whole_step_parameters(const IntegratorInfo& info) {
  if (info.id == "xpbd") return {20, 1, 0};
  return default_parameters(info);
}

inline std::unique_ptr<Integrator> make_integrator(const IntegratorInfo& info) {
  return info.make(default_parameters(info));
}

/// A run of one integrator on a rig, by default with `whole_step_parameters`.
class Stepper {
 public:
  Stepper(Rig& rig, const IntegratorInfo& info, const SolverSettings& settings = {})
      : Stepper(rig, info, settings, whole_step_parameters(info)) {}
  Stepper(Rig& rig, const IntegratorInfo& info, const SolverSettings& settings,
          const IntegratorParameters& values)
      : rig_(rig), settings_(settings), integrator_(info.make(values)) {}

  StepReport step(double h) {
    return integrator_->advance(rig_.system, rig_.state, h, {settings_, rig_.pool, stop_});
  }

  /// Takes n steps; the report is the last one's.
  StepReport steps(int n, double h) {
    StepReport report;
    for (int k = 0; k < n; ++k) report = step(h);
    return report;
  }

  void set_stop(StopProbe stop) { stop_ = std::move(stop); }

 private:
  Rig& rig_;
  SolverSettings settings_;
  StopProbe stop_;
  std::unique_ptr<Integrator> integrator_;
};

/// The defaults, and these with one real number among them at either end of its range.
inline std::vector<IntegratorParameters> parameter_corners(const IntegratorInfo& info) {
  std::vector<IntegratorParameters> corners{default_parameters(info)};
  for (std::size_t p = 0; p < info.parameters.size(); ++p) {
    const ParameterSpec& spec = info.parameters[p];
    const bool has_corners =
        spec.kind == ParameterSpec::Kind::real || spec.kind == ParameterSpec::Kind::boolean;
    if (!has_corners) continue;
    for (const double end : {spec.min, spec.max}) {
      corners.push_back(corners.front());
      corners.back()[p] = end;
    }
  }
  return corners;
}

inline std::string name_of(const IntegratorInfo& info) {
  std::string name(info.id);
  for (const TableauPreset& preset : tableau_presets())
    if (info.tableau == &tableau_method(preset.tableau)) name.append("_").append(preset.id);
  std::ranges::replace(name, '-', '_');
  return name;
}

class EveryIntegrator : public ::testing::TestWithParam<const IntegratorInfo*> {
 protected:
  const IntegratorInfo& info() const { return *GetParam(); }
};

/// True of two-step methods with a second root that damping makes grow at every h: leapfrog, Milne's.
inline bool grows_with_damping(const IntegratorInfo& info) {
  return info.id == kTwoStepIntegrator && info.growth(0.1, 0.01, default_parameters(info)) > 1;
}

/// The rows of the registry and those of the tableaux with names.
inline std::vector<const IntegratorInfo*> rows() {
  std::vector<const IntegratorInfo*> all;
  for (const IntegratorInfo& info : integrators()) all.push_back(&info);
  for (const TableauPreset& preset : tableau_presets()) all.push_back(&tableau_method(preset.tableau).info);
  return all;
}

#define CLOTHLAB_FOR_EVERY_INTEGRATOR(Suite)                              \
  INSTANTIATE_TEST_SUITE_P(All, Suite, ::testing::ValuesIn(test::rows()), \
                           [](const auto& row) { return test::name_of(*row.param); })

}  // namespace clothlab::test
