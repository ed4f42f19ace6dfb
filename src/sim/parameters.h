// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "core/parameter.h"
#include "core/vec.h"
#include "integrate/registry.h"
#include "sim/scene.h"

namespace clothlab {

/// One adjustable number, switch or choice of a scene: of the world or of the method.
class SceneParameter {
 public:
  /// Section: the panel's in the window, "Material", "Damping", "Pressure", "Wind", "Floor", "Stepping",
  /// "Solver".
  constexpr SceneParameter(const ParameterSpec& its_spec, double (*getter)(const World&),
                           void (*setter)(World&, double), std::string_view its_section)
      : spec(its_spec), section(its_section), get_of_world_(getter), set_of_world_(setter) {}
  constexpr SceneParameter(const ParameterSpec& its_spec, double (*getter)(const Method&),
                           void (*setter)(Method&, double), std::string_view its_section)
      : spec(its_spec), section(its_section), get_of_method_(getter), set_of_method_(setter) {}

  /// Each lane has its own.
  constexpr bool is_of_method() const { return get_of_method_ != nullptr; }
  double get(const Scene& scene) const {
    return is_of_method() ? get_of_method_(scene) : get_of_world_(scene);
  }
  /// The value must be valid for the spec.
  void set(Scene& scene, double value) const {
    return is_of_method() ? set_of_method_(scene, value) : set_of_world_(scene, value);
  }

  ParameterSpec spec;
  std::string_view section;

 private:
  double (*get_of_world_)(const World&) = nullptr;
  void (*set_of_world_)(World&, double) = nullptr;
  double (*get_of_method_)(const Method&) = nullptr;
  void (*set_of_method_)(Method&, double) = nullptr;
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

/// The method with the integrator of a lane, its own parameters and its substeps. This is all that a lane
/// keeps when another scene is opened; everything else is that of the scene.
Method with_integrator_of(Method method, const Method& lane);

/// The current integrator's own parameter values, defaults filled in.
IntegratorParameters integrator_parameters(const Scene& scene);
/// The same for another integrator than the scene's.
IntegratorParameters integrator_parameters(const Scene& scene, const IntegratorInfo& info);

}  // namespace clothlab
