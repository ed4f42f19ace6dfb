// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "core/parameter.h"
#include "core/vec.h"
#include "integrate/registry.h"
#include "sim/scene.h"

namespace clothlab {

/// One adjustable number, switch or choice of a scene.
struct SceneParameter {
  ParameterSpec spec;
  double (*get)(const Scene&) = nullptr;
  void (*set)(Scene&, double) = nullptr;  ///< the value must be valid for the spec
  /// Panel section in the window: "Material", "Damping", "Pressure", "Wind", "Floor", "Stepping",
  /// "Solver".
  std::string_view section;
  /// Of the method, which lanes have each for themselves, rather than of the world that they share.
  bool of_method = false;
};

/// The one table of parameter ranges behind command line, scene files and sliders. A row whose `max` is
/// infinite may be switched off: on the command line and in scene files with "off", elsewhere with the
/// value infinity.
std::span<const SceneParameter> scene_parameters();

/// The row with this id; nullptr when there is none.
const SceneParameter* find_scene_parameter(std::string_view id);

/// The row of a scene parameter or of one of the registered integrators' own parameters; nullptr when
/// there is none.
const ParameterSpec* find_parameter_spec(std::string_view id);

/// The same for a name that a user gave. Throws InputError, naming the nearest, for an unknown one.
const ParameterSpec& parameter_spec(std::string_view id);
const IntegratorInfo& integrator_info(std::string_view id);

/// Throws InputError, saying what is allowed, for a value that the row does not allow.
void check_parameter(const ParameterSpec& spec, double value);

/// Largest component of gravity [m/s²], in absolute value.
inline constexpr double kMaxGravity = 1e6;
/// Throws InputError for a gravity out of range.
void check_gravity(const vec3& gravity);

/// Scale of a mesh, in metres per unit of its file. Throws InputError for one out of range.
void check_scale(double scale);

/// Throws InputError for the first value of the scene that is out of its range, or its integrator when
/// there is none of that name.
void check_parameters(const Scene& scene);

/// Sets a scene parameter or one of the registered integrators' own parameters, by id.
/// Throws InputError for an unknown id (naming the nearest) or a value outside its range.
void set_parameter(Scene& scene, std::string_view id, double value);

/// The scene with the integrator of another one, its own parameters and its substeps. This is all that a lane
/// keeps when another scene is opened; everything else is that of the scene.
Scene with_integrator_of(Scene scene, const Scene& lane);
/// The world with the method of another scene: the above and all other rows that are of the method.
Scene with_method_of(Scene world, const Scene& method);

/// The current integrator's own parameter values, defaults filled in.
IntegratorParameters integrator_parameters(const Scene& scene);
/// The same for another integrator than the scene's.
IntegratorParameters integrator_parameters(const Scene& scene, const IntegratorInfo& info);

}  // namespace clothlab
