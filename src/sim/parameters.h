// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.h"
#include "core/vec.h"
#include "integrate/registry.h"
#include "mesh/mesh.h"
#include "sim/scene.h"

namespace clothlab {

struct Tableau;

/// One adjustable number, switch or choice of a scene: of the world or of the method.
struct SceneParameter {
  ParameterSpec spec;
  std::string_view section;  ///< panel of the window: "Material", "Damping", "Pressure", "Wind", …
  bool of_method;            ///< each lane has its own
  double (*get)(const Scene& scene);
  void (*set)(Scene& scene, double value);  ///< the value must be valid for the spec
};

/// The one table of parameter ranges behind command line, scene files and sliders. A row with an infinite
/// `max` can be switched off: with "off" on the command line and in scene files, elsewhere with infinity.
std::span<const SceneParameter> scene_parameters();

/// The specs of all parameters of scenes, then those of the integrators.
std::span<const ParameterSpec* const> all_parameters();

/// The row with this id; nullptr when there is none.
const SceneParameter* find_scene_parameter(std::string_view id);

/// The row of a scene parameter or of one of the registered integrators' own parameters; nullptr when
/// there is none.
const ParameterSpec* find_parameter_spec(std::string_view id);

/// The same for a name from the user. Throws InputError, naming the nearest, for an unknown one.
const ParameterSpec& parameter_spec(std::string_view id);
const IntegratorInfo& integrator_info(std::string_view id);

/// The row of a method: that of its integrator, or of its tableau. Throws as integrator_info.
const IntegratorInfo& method_info(const Method& method);
/// The tableau of a method whose row has a table.
const Tableau& tableau_of(const Method& method);
/// Gives a method the integrator of a row, also of one that belongs to a tableau.
void set_integrator(Method& method, const IntegratorInfo& info);
/// The same by id; keeps the tableau of the method if that is one of this integrator.
void set_integrator(Method& method, std::string_view id);
/// Throws InputError if the integrator takes tableaux, but not this one.
void check_tableau(const Method& method);

/// "a number from 0 to 10 m", "one of uniform, area".
std::string allowed_values(const ParameterSpec& spec);

/// Throws InputError with the allowed values for a value that the row does not allow.
void check_parameter(const ParameterSpec& spec, double value);

/// Largest component of gravity [m/s²], in absolute value.
inline constexpr double kMaxGravity = 1e6;
/// Throws InputError for a gravity out of range.
void check_gravity(const vec3& gravity);

/// Scale of a mesh, in metres per unit of its file. Throws InputError for one out of range.
void check_scale(double scale);

/// Throws InputError for the first value of the scene that is out of its range, or for an unknown integrator.
void check_parameters(const Scene& scene);

/// Sets a scene parameter or one of the registered integrators' own parameters, by id.
/// Throws InputError for an unknown id (naming the nearest) or a value outside its range.
void set_parameter(Scene& scene, std::string_view id, double value);

/// The value of a scene parameter or of an integrator's own parameter.
double parameter_value(const Scene& scene, const ParameterSpec& spec);

/// A value as an option of the command line: "on", "area", "0.1", "off".
std::string parameter_text(const ParameterSpec& spec, double value);

/// The method with the integrator of a lane, its own parameters and its substeps. A lane keeps only this when
/// another scene is opened; the scene sets everything else.
Method with_integrator_of(Method method, const Method& lane);

/// The current integrator's own parameter values, defaults filled in.
IntegratorParameters integrator_parameters(const Scene& scene);
/// The same for another integrator than the scene's.
IntegratorParameters integrator_parameters(const Scene& scene, const IntegratorInfo& info);

/// The reason why the parameter does not affect the run of this scene, as a sentence: "The wind is off."
/// Empty if it has an effect. `has_closed_parts`: cloth encloses air.
std::string why_without_effect(const Scene& scene, std::string_view id, bool has_closed_parts);

/// True for a value of springs if the material is a fabric, and for a value of fabrics if it is springs.
bool is_of_other_material(const Scene& scene, std::string_view id);

/// The differences between two scenes of the same cloth in values that may change while it runs: parameters,
/// those of the integrators, gravity, integrator and pins. One entry each, as "Stretch stiffness 1000 → 150
/// N/m". Pins are equal when they pin the same particles of `mesh`. Throws InputError for pins that the mesh
/// does not have.
std::vector<std::string> differences(const Scene& from, const Scene& to, const ClothMesh& mesh);

/// The same as one text: at most three entries, then the number of the others.
std::string describe_differences(const Scene& from, const Scene& to, const ClothMesh& mesh);

}  // namespace clothlab
