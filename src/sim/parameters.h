#pragma once

#include <span>
#include <string_view>

#include "core/parameter.h"
#include "sim/scene.h"

namespace clothlab {

/// One adjustable number, switch or choice of a scene.
struct SceneParameter {
  ParameterSpec spec;
  double (*get)(const Scene&) = nullptr;
  void (*set)(Scene&, double) = nullptr;  ///< the value must be valid for the spec
  /// Panel section in the window: "Material", "Damping", "Stepping", "Solver".
  std::string_view section;
};

/// The one table of parameter ranges behind command line, scene files and sliders.
std::span<const SceneParameter> scene_parameters();

/// The row with this id; nullptr when there is none.
const SceneParameter* find_scene_parameter(std::string_view id);

/// Value of a scene parameter or of one of the registered integrators' own parameters, by id.
/// Throws InputError for an unknown id (naming the nearest) or a value outside its range.
void set_parameter(Scene& scene, std::string_view id, double value);

/// The current integrator's own parameter values, defaults filled in.
IntegratorParameters integrator_parameters(const Scene& scene);

}  // namespace clothlab
