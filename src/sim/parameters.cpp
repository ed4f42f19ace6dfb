// SPDX-License-Identifier: MIT
#include "sim/parameters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "integrate/registry.h"
#include "integrate/tableau.h"
#include "mesh/cloth_mesh.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

using Kind = ParameterSpec::Kind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array<std::string_view, 2> kMaterialKinds{"springs", "fabric"};
constexpr std::array<std::string_view, 2> kMassModels{"uniform", "area"};
constexpr std::array<std::string_view, 2> kDampingModels{"projected", "isotropic"};
constexpr std::array<std::string_view, 2> kContactPoints{"particles", "triangles"};
constexpr std::array<std::string_view, 2> kStageSolves{"newton", "linear"};
constexpr std::array<std::string_view, 2> kJacobianModes{"clamped", "exact"};

template <class Row, std::size_t n>
constexpr auto names_of(const std::array<Row, n>& rows, std::string_view Row::*name) {
  std::array<std::string_view, n> names;
  for (std::size_t i = 0; i < n; ++i) names[i] = rows[i].*name;
  return names;
}
constexpr auto kContactModelNames = names_of(kContactModels, &ContactModelInfo::id);
constexpr auto kLinearSolverNames = names_of(kLinearSolvers, &LinearSolverName::name);
constexpr auto kPreconditionerNames = names_of(kPreconditioners, &PreconditionerName::name);

// The enumerators of a choice are its indices, also in the two tables of linalg.
template <class Rows>
constexpr bool in_order(const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].kind) != i) return false;
  return true;
}
static_assert(in_order(kLinearSolvers) && in_order(kPreconditioners));

constexpr bool linear = false, logarithmic = true;  // scale of the slider

/// The member that is reached by pointers to members, one after the other.
template <auto first, auto... rest>
auto& member_of(auto& object) {
  if constexpr (sizeof...(rest) == 0)
    return object.*first;
  else
    return member_of<rest...>(object.*first);
}

template <auto... path>
using MemberType = std::remove_reference_t<decltype(member_of<path...>(std::declval<Scene&>()))>;

template <class Owner, class Value>
constexpr bool belongs_to_method(Value Owner::*) {
  return std::is_same_v<Owner, Method>;
}

/// The row of a member of World or Method; its default is that of a scene.
template <auto first, auto... rest>
SceneParameter row_of(const ParameterSpec& spec, std::string_view section) {
  SceneParameter row{spec, section, belongs_to_method(first), nullptr, nullptr};
  row.get = [](const Scene& scene) { return static_cast<double>(member_of<first, rest...>(scene)); };
  row.set = [](Scene& scene, double value) {
    member_of<first, rest...>(scene) = static_cast<MemberType<first, rest...>>(value);
  };
  static const Scene defaults;
  row.spec.fallback = row.get(defaults);
  return row;
}

template <auto... path>
SceneParameter number(std::string_view section, std::string_view id, std::string_view title,
                      std::string_view unit, double min, double max, bool scale, std::string_view help,
                      double most_negative = 0) {
  const Kind kind = std::is_integral_v<MemberType<path...>> ? Kind::integer : Kind::real;
  ParameterSpec spec{id, title, unit, kind, min, max, 0, scale, help};
  spec.most_negative = most_negative;
  return row_of<path...>(spec, section);
}

template <auto... path>
SceneParameter toggle(std::string_view section, std::string_view id, std::string_view title,
                      std::string_view help) {
  return row_of<path...>({id, title, "", Kind::boolean, 0, 1, 0, linear, help}, section);
}

template <auto... path>
SceneParameter choice(std::string_view section, std::string_view id, std::string_view title,
                      std::span<const std::string_view> names, std::string_view help) {
  const double max = static_cast<double>(names.size()) - 1;
  return row_of<path...>({id, title, "", Kind::choice, 0, max, 0, linear, help, names}, section);
}

const auto& parameter_rows() {
  static const std::array rows{
      choice<&World::material, &Material::kind>(
          "Material", "material", "Material", kMaterialKinds,
          "springs: every spring has the same stiffness, so a finer mesh is another cloth. fabric: stiffness "
          "and mass per area, from which the springs are derived."),
      number<&World::material, &Material::fabric, &Fabric::warp>(
          "Material", "membrane-warp", "Membrane, warp", "N/m", 1e-3, 1e9, logarithmic,
          "Tension of a fabric per width and strain along the warp, at constant width. The warp is along u "
          "of the texture coordinates; without them along the longest edge of the mesh's box."),
      number<&World::material, &Material::fabric, &Fabric::weft>(
          "Material", "membrane-weft", "Membrane, weft", "N/m", 1e-3, 1e9, logarithmic,
          "The same along the weft, perpendicular to the warp."),
      number<&World::material, &Material::fabric, &Fabric::shear>(
          "Material", "membrane-shear", "Membrane, shear", "N/m", 0, 1e9, logarithmic,
          "Shear force of a fabric per width and angle between warp and weft, in radians. Also the tension "
          "across a strain, since springs cannot separate the two."),
      number<&World::material, &Material::fabric, &Fabric::bending>(
          "Material", "fabric-bending", "Bending", "N·m", 0, 1e3, logarithmic,
          "Moment of a fabric per width and curvature, the same in all directions. Its rest shape is flat."),
      number<&World::material, &Material::fabric, &Fabric::density>(
          "Material", "density", "Density", "kg/m²", 1e-6, 1e6, logarithmic,
          "Mass of a fabric per area. A particle weighs a third of its triangles."),
      number<&World::material, &Material::mass>(
          "Material", "mass", "Mass", "kg", 1e-6, 1e6, logarithmic,
          "Mass of the whole cloth. Less mass at the same stiffness means faster oscillations and a smaller "
          "stable step."),
      choice<&World::material, &Material::mass_model>(
          "Material", "mass-model", "Mass model", kMassModels,
          "uniform: every particle weighs the same. area: a particle weighs a third of its triangles."),
      number<&World::material, &Material::stretch_stiffness>(
          "Material", "stretch-stiffness", "Stretch stiffness", "N/m", 1e-6, 1e9, logarithmic,
          "Stiffness of the spring along every edge of the mesh. The largest stable step of an explicit "
          "method falls with its square root."),
      number<&World::material, &Material::bend_stiffness>(
          "Material", "bend-stiffness", "Bend stiffness", "N/m", 0, 1e9, logarithmic,
          "Stiffness of the spring between the two vertices opposite an inner edge; it resists folding."),
      number<&World::material, &Material::strain_limit>(
          "Strain limit", "strain-limit", "Strain limit", "m/m", 0, 10, logarithmic,
          "Strain l/L − 1 beyond which stretch springs are stiffer by the factor of the limit stiffness, "
          "as woven cloth is. Linearly implicit methods overshoot it by the displacement of a step. 0: no "
          "limit."),
      number<&World::material, &Material::limit_stiffness>(
          "Strain limit", "limit-stiffness", "Limit stiffness", "×", 1, 1e6, logarithmic,
          "Stiffness of a stretch spring beyond the strain limit, over that below it. The largest stable "
          "step of an explicit method falls with its square root once a spring reaches the limit."),
      number<&World::material, &Material::spring_damping>(
          "Damping", "spring-damping", "Spring damping", "N·s/m", 0, 1e6, logarithmic,
          "Damping of every spring, proportional to the velocity at which its ends move apart."),
      choice<&World::material, &Material::damping_model>(
          "Damping", "damping-model", "Damping model", kDampingModels,
          "projected: damps motion along the spring only, not rigid rotation. isotropic: damps every "
          "relative motion of its two ends."),
      number<&World::material, &Material::rayleigh_stiffness>(
          "Damping", "rayleigh-stiffness", "Rayleigh stiffness", "s", 0, 10, logarithmic,
          "α of Rayleigh damping, f = α K v: damps fast oscillations most."),
      number<&World::material, &Material::rayleigh_mass>(
          "Damping", "rayleigh-mass", "Rayleigh mass", "1/s", 0, 1e4, logarithmic,
          "β of Rayleigh damping, f = −β M v: damps all motion equally, also free fall."),
      number<&World::seam_seconds>(
          "Seams", "seam-seconds", "Sew lines in", "s", 0, kMostSeamSeconds, logarithmic,
          "Line elements (l) of the mesh file are seams that close within this time from the start, as "
          "Blender's sewing springs. 0: they are not sewn. Seams of a scene file have times of their own."),
      number<&World::material, &Material::inflate>(
          "Pressure", "inflate", "Overpressure", "Pa", 0, 1e5, logarithmic,
          "Pressure difference between inside and outside of closed cloth, independent of its volume; a "
          "balloon has about 1000 Pa. Open parts of the cloth are not inflated."),
      toggle<&World::wind, &Wind::on>(
          "Wind", "wind", "Wind", "Air that blows against the cloth and resists its motion. Off: a vacuum."),
      number<&World::wind, &Wind::speed>(
          "Wind", "wind-speed", "Wind speed", "m/s", 0, 50, linear,
          "Mean speed of the wind. At 0 the air is still and slows a falling cloth."),
      number<&World::wind, &Wind::azimuth>(
          "Wind", "wind-azimuth", "Wind azimuth", "°", -180, 180, linear,
          "Direction that the wind blows towards, about the vertical: 0 is along x, 90 along z."),
      number<&World::wind, &Wind::elevation>(
          "Wind", "wind-elevation", "Wind elevation", "°", -90, 90, linear,
          "Angle of the wind above the horizontal: 0 is level, 90 straight up."),
      number<&World::wind, &Wind::gusts>(
          "Wind", "wind-gusts", "Gusts", "%", 0, 100, linear,
          "Largest gust in any direction, in per cent of the wind speed. Gusts are 1.5 m long and travel "
          "with the wind."),
      number<&World::wind, &Wind::seed>(
          "Wind", "wind-seed", "Gust seed", "", 0, 1e6, linear,
          "Seed of the gusts: the same number gives the same gusts, to the last bit."),
      number<&World::wind, &Wind::density>("Wind", "air-density", "Air density", "kg/m³", 0, 1e3, logarithmic,
                                           "Density of the fluid around the cloth: 1.2 is air, 1000 water."),
      number<&World::wind, &Wind::drag_coefficient>(
          "Wind", "drag-coefficient", "Drag coefficient", "", 0, 10, linear,
          "c in the force ρ/2 c A u² on a triangle of area A, with u the flow across it. A square plate that "
          "faces the flow has about 1.2."),
      toggle<&World::floor, &Floor::on>("Floor", "floor", "Floor",
                                        "A level floor that the cloth can lie on."),
      number<&World::floor, &Floor::height>("Floor", "floor-height", "Floor height", "m", -10, 10, linear,
                                            "Height y of the floor."),
      number<&World::floor, &Floor::friction>(
          "Floor", "floor-friction", "Floor friction", "", 0, 10, logarithmic,
          "Coulomb's μ: the cloth slides where the force along the floor exceeds μ times the force onto it. "
          "0: no friction."),
      number<&World::obstacles, &Obstacles::friction>(
          "Obstacles", "friction", "Friction", "", 0, 10, logarithmic,
          "Coulomb's μ between cloth and obstacles: the cloth slides where the force along the surface "
          "exceeds μ times the force onto it. 0: no friction."),
      number<&World::obstacles, &Obstacles::grow>(
          "Obstacles", "grow-bodies", "Grow", "s", 0, 100, logarithmic,
          "Bodies with cloth inside start shrunk below the deepest particle and grow to their size within "
          "this time, at the start and when they are placed. Contact with bodies is nodal meanwhile. Before "
          "impulse and barrier, intersecting cloth also moves apart; they begin when nothing intersects any "
          "more. 0: off."),
      choice<&Method::contact, &Contact::model>(
          "Contact", "contact", "Contact by", kContactModelNames,
          "filter: nodal contact, no particle ends below a surface, with Coulomb friction. penalty: "
          "springs separate cloth from surfaces and from itself, with smoothed friction. impulse: impulses "
          "stop colliding features, also of cloth and cloth, within the step or, by some methods, after "
          "it. barrier: forces prevent any "
          "penetration, also of cloth and cloth. A weak penalty lets cloth through, which a notice "
          "reports."),
      choice<&Method::contact, &Contact::points>(
          "Contact", "contact-points", "Contact points", kContactPoints,
          "Points of the cloth that collide with spheres, capsules, boxes and cylinders. particles: only "
          "particles, so edges of a body may enter triangles. triangles: also the deepest point of each "
          "triangle."),
      number<&Method::contact, &Contact::stiffness>(
          "Contact", "contact-stiffness", "Contact stiffness", "N/m", 1e-3, 1e9, logarithmic,
          "Stiffness k of penalty contact: the force is k (contact distance − gap). The largest stable step "
          "of an explicit method falls with √k."),
      number<&Method::contact, &Contact::barrier_stiffness>(
          "Contact", "barrier-stiffness", "Barrier stiffness", "N/m", 0, 1e9, logarithmic,
          "Stiffness k of barrier contact: at half the contact distance d the force is 1.19 k d. 0: "
          "automatic, as stiff there as a stretch spring and able to carry ten particles. A single run "
          "doubles it when cloth nearly closes the gap; compared runs keep it."),
      number<&Method::contact, &Contact::distance>(
          "Contact", "contact-distance", "Contact distance", "m", 0, 1, logarithmic,
          "Gap at which contact forces begin. 0: a quarter of the mean edge, at most 5 mm."),
      number<&World::thickness>("Contact", "thickness", "Thickness", "m", 0, 1, logarithmic,
                                "Gap at which cloth counts as touching. Contact forces add it to the contact "
                                "distance at surfaces. Impulses keep it to surfaces and between cloth and "
                                "cloth. 0: none for forces, a tenth of the mean edge for impulses."),
      toggle<&World::self_contact>("Contact", "self-contact", "Self-contact",
                                   "The cloth collides with itself. Nodal contact does not support this."),
      number<&Method::contact, &Contact::restitution>(
          "Contact", "restitution", "Restitution", "", 0, 1, linear,
          "Coefficient of restitution e of particles on surfaces: the fraction of the normal velocity that "
          "an impact returns. Impacts slower than 2 h g return nothing, so bounces end."),
      number<&Method::contact, &Contact::friction_speed>(
          "Contact", "friction-speed", "Friction speed", "m/s", 0, 10, logarithmic,
          "Contact by forces smooths friction below this sliding speed, so that cloth creeps instead of "
          "sticking. 0: a thousandth of the cloth's diagonal per second."),
      number<&World::dt>("Stepping", "dt", "Step h", "s", 1e-6, 1e10, logarithmic,
                         "Simulated time per step. Larger steps cost less, but damp more or "
                         "become unstable. Negative: back in time, without contact and by "
                         "methods without memory.",
                         -1),
      number<&Method::substeps>("Stepping", "substeps", "Substeps", "", 1, 1000, logarithmic,
                                "Divides each step into this many equal substeps. Commands act between whole "
                                "steps, so methods with different substeps stay comparable."),
      toggle<&Method::adaptive>(
          "Stepping", "adaptive-dt", "Adaptive steps",
          "Halves a step, down to h/1024, if it strains a stretch spring too much, gains "
          "much spurious energy or blows up. After two good steps in a row h doubles "
          "again."),
      number<&Method::max_strain>(
          "Stepping", "max-strain", "Largest strain", "m/m", 1e-4, 100, logarithmic,
          "Largest allowed strain |l/L − 1| of a stretch spring after an adaptive step."),
      number<&World::energy_limit>("Stepping", "energy-limit", "Energy limit", "×", 1, kInfinity, logarithmic,
                                   "A run has blown up when its energy exceeds this factor times the energy "
                                   "from gravity, the start and your grabs."),
      choice<&Method::solver, &SolverSettings::stage_solve>(
          "Solver", "stage-solve", "Stages", kStageSolves,
          "newton: implicit methods solve the equations of each stage to the tolerance below. linear: one "
          "linear solve per stage about its start, the semi-implicit form of the method."),
      number<&Method::solver, &SolverSettings::newton_tolerance>(
          "Solver", "newton-tolerance", "Newton tolerance", "", 1e-14, 0.5, logarithmic,
          "An implicit step has converged when its momentum residual is below this fraction of the first "
          "residual. XPBD tests the errors of its springs."),
      number<&Method::solver, &SolverSettings::newton_max_iterations>(
          "Solver", "newton-max-iterations", "Newton iterations", "", 1, 1000, logarithmic,
          "Largest number of Newton iterations per stage; a step that needs more is reported as not "
          "converged. Most steps need fewer than 20, buckling cloth up to 140."),
      choice<&Method::solver, &SolverSettings::linear, &LinearSolverSettings::kind>(
          "Solver", "linear-solver", "Linear solver", kLinearSolverNames,
          "cg: conjugate gradients to the tolerance below. cholesky: a direct factorisation, exact but "
          "expensive on large meshes."),
      choice<&Method::solver, &SolverSettings::linear, &LinearSolverSettings::cg, &CgOptions::preconditioner>(
          "Solver", "preconditioner", "Preconditioner", kPreconditionerNames,
          "Preconditioner of the conjugate gradients. A stronger one needs fewer iterations, each a little "
          "more expensive. auto: multigrid for at least 256 particles if h is large for the stiffness, else "
          "block-jacobi."),
      number<&Method::solver, &SolverSettings::linear, &LinearSolverSettings::cg, &CgOptions::tolerance>(
          "Solver", "cg-tolerance", "CG tolerance", "", 1e-14, 0.5, logarithmic,
          "Conjugate gradients stop when the residual has fallen to this fraction of the right-hand side; "
          "within Newton's method at 0.4 or 0.1, if that is larger."),
      number<&Method::solver, &SolverSettings::linear, &LinearSolverSettings::cg, &CgOptions::max_iterations>(
          "Solver", "cg-max-iterations", "CG iterations", "", 1, 100000, logarithmic,
          "Largest number of iterations of one linear solve; a solve that needs more is reported as not "
          "converged."),
      choice<&Method::solver, &SolverSettings::jacobian>(
          "Solver", "jacobian", "Jacobian", kJacobianModes,
          "clamped: drops the terms that make a compressed spring's matrix indefinite. exact: the true "
          "derivative."),
  };
  return rows;
}

}  // namespace

std::span<const SceneParameter> scene_parameters() { return parameter_rows(); }

std::span<const ParameterSpec* const> all_parameters() {
  static const std::vector<const ParameterSpec*> specs = [] {
    std::vector<const ParameterSpec*> all;
    for (const SceneParameter& row : scene_parameters()) all.push_back(&row.spec);
    for (const IntegratorInfo& info : integrators())
      for (const ParameterSpec& spec : info.parameters)
        if (std::ranges::find(all, spec.id, &ParameterSpec::id) == all.end()) all.push_back(&spec);
    return all;
  }();
  return specs;
}

const SceneParameter* find_scene_parameter(std::string_view id) {
  const auto& rows = parameter_rows();
  const auto row = std::ranges::find(rows, id, [](const SceneParameter& each) { return each.spec.id; });
  return row == rows.end() ? nullptr : &*row;
}

const ParameterSpec* find_parameter_spec(std::string_view id) {
  const auto specs = all_parameters();
  const auto spec = std::ranges::find(specs, id, &ParameterSpec::id);
  return spec == specs.end() ? nullptr : *spec;
}

const ParameterSpec& parameter_spec(std::string_view id) {
  if (const ParameterSpec* spec = find_parameter_spec(id)) return *spec;
  std::vector<std::string_view> names;
  for (const ParameterSpec* spec : all_parameters()) names.push_back(spec->id);
  throw InputError("Unknown parameter '" + std::string(id) + "'" + suggestion(id, names));
}

const IntegratorInfo& integrator_info(std::string_view id) {
  if (const IntegratorInfo* info = find_integrator(id)) return *info;
  std::vector<std::string_view> names;
  for (const IntegratorInfo& info : integrators()) names.push_back(info.id);
  throw InputError("Unknown integrator '" + std::string(id) + "'" + suggestion(id, names) + " Allowed are " +
                   joined(names) + ".");
}

const IntegratorInfo& method_info(const Method& method) {
  return method.tableau != nullptr && method.integrator == method.tableau->info.id
             ? method.tableau->info
             : integrator_info(method.integrator);
}

const Tableau& tableau_of(const Method& method) {
  const IntegratorInfo& info = method_info(method);
  return (info.tableau != nullptr ? *info.tableau : default_tableau(info)).tableau;
}

void set_integrator(Method& method, const IntegratorInfo& info) {
  method.integrator = info.id;
  if (!info.table.empty()) method.tableau = info.tableau;
}

void set_integrator(Method& method, std::string_view id) {
  const IntegratorInfo& info = integrator_info(id);
  method.integrator = info.id;
  if (!info.table.empty() && method.tableau != nullptr && method.tableau->info.id != id)
    method.tableau = nullptr;
}

void check_tableau(const Method& method) {
  if (method.tableau == nullptr || integrator_info(method.integrator).table.empty()) return;
  const std::string_view needed = method.tableau->info.id;
  if (method.integrator != needed)
    throw InputError("\"tableau\" is one for \"integrator\": \"" + std::string(needed) +
                     "\", but that is \"" + method.integrator + "\"");
}

std::string allowed_values(const ParameterSpec& spec) {
  switch (spec.kind) {
    case Kind::boolean:
      return "on or off";
    case Kind::choice:
      return "one of " + joined(spec.choices);
    case Kind::real:
    case Kind::integer:
      break;
  }
  std::string text = spec.kind == Kind::integer ? "a whole number " : "a number ";
  if (std::isinf(spec.max))
    text += "of at least " + format_number(spec.min) + ", or off";
  else
    text += "from " + format_number(spec.min) + " to " + format_number(spec.max);
  if (!spec.unit.empty()) text += " " + std::string(spec.unit);
  if (spec.most_negative < 0)
    text += ", or from " + format_number(spec.most_negative) + " to " + format_number(-spec.min);
  return text;
}

void check_parameter(const ParameterSpec& spec, double value) {
  const bool off = std::isinf(spec.max) && value == spec.max;
  if (!off && !is_valid(spec, value))
    throw InputError(std::string(spec.id) + ": " + format_number(value) + " is not allowed; it must be " +
                     allowed_values(spec) + ".");
}

void check_gravity(const vec3& gravity) {
  for (int axis = 0; axis < 3; ++axis)
    if (!(std::abs(gravity[axis]) <= kMaxGravity))
      throw InputError("gravity: " + format_number(gravity[axis]) +
                       " is not allowed; each component must be a number from " +
                       format_number(-kMaxGravity) + " to " + format_number(kMaxGravity) + " m/s².");
}

void check_scale(double scale) {
  if (!(scale >= kMinScale && scale <= kMaxScale))
    throw InputError("scale: " + format_number(scale) + " is not allowed; it must lie between " +
                     format_number(kMinScale) + " and " + format_number(kMaxScale) + ".");
}

void set_parameter(Scene& scene, std::string_view id, double value) {
  const ParameterSpec& spec = parameter_spec(id);
  check_parameter(spec, value);
  if (const SceneParameter* row = find_scene_parameter(id))
    row->set(scene, value);
  else if (value == spec.fallback)
    scene.integrator_parameters.erase(std::string(id));
  else
    scene.integrator_parameters.insert_or_assign(std::string(id), value);
}

Method with_integrator_of(Method method, const Method& lane) {
  method.integrator = lane.integrator;
  method.tableau = lane.tableau;
  method.integrator_parameters = lane.integrator_parameters;
  method.substeps = lane.substeps;
  return method;
}

double parameter_value(const Scene& scene, const ParameterSpec& spec) {
  if (const SceneParameter* row = find_scene_parameter(spec.id)) return row->get(scene);
  const auto own = scene.integrator_parameters.find(spec.id);
  return own == scene.integrator_parameters.end() ? spec.fallback : own->second;
}

std::string parameter_text(const ParameterSpec& spec, double value) {
  if (spec.kind == Kind::boolean) return value != 0 ? "on" : "off";
  if (spec.kind == Kind::choice) return std::string(spec.choices[static_cast<std::size_t>(value)]);
  return std::isinf(value) ? "off" : format_number(value);
}

IntegratorParameters integrator_parameters(const Scene& scene) {
  return integrator_parameters(scene, method_info(scene));
}

IntegratorParameters integrator_parameters(const Scene& scene, const IntegratorInfo& info) {
  IntegratorParameters values;
  for (const ParameterSpec& spec : info.parameters) values.push_back(parameter_value(scene, spec));
  values.insert(values.end(), info.table.begin(), info.table.end());
  return values;
}

void check_parameters(const Scene& scene) {
  for (const SceneParameter& row : scene_parameters()) check_parameter(row.spec, row.get(scene));
  for (const auto& [id, value] : scene.integrator_parameters) check_parameter(parameter_spec(id), value);
  check_gravity(scene.material.gravity);
  check_scale(scene.scale);
  integrator_info(scene.integrator);
  check_contact(scene);
  check_drivers(scene.groups, scene.drivers);
  check_read(scene.obstacles.bodies);
}

}  // namespace clothlab
