// SPDX-License-Identifier: MIT
#include "sim/parameters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/text.h"
#include "integrate/registry.h"
#include "mesh/cloth_mesh.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

using Kind = ParameterSpec::Kind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array<std::string_view, 2> kMassModels{"uniform", "area"};
constexpr std::array<std::string_view, 2> kDampingModels{"projected", "isotropic"};
constexpr std::array<std::string_view, 2> kJacobianModes{"clamped", "exact"};

constexpr auto kContactModelNames = [] {
  std::array<std::string_view, kContactModels.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kContactModels[i].id;
  return names;
}();

template <class Rows>
constexpr auto names_of(const Rows& rows) {
  std::array<std::string_view, std::tuple_size_v<Rows>> names;
  for (std::size_t i = 0; i < rows.size(); ++i) names[i] = rows[i].name;
  return names;
}
constexpr auto kLinearSolverNames = names_of(kLinearSolvers);
constexpr auto kPreconditionerNames = names_of(kPreconditioners);

// The enumerators of a choice are its indices, also in the two tables of linalg.
template <class Rows>
constexpr bool in_order(const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].kind) != i) return false;
  return true;
}
static_assert(in_order(kLinearSolvers) && in_order(kPreconditioners));

template <class Enum>
constexpr double index_of(Enum value) {
  return static_cast<double>(static_cast<int>(value));
}
template <class Enum>
Enum choice(double value) {
  return static_cast<Enum>(static_cast<int>(value));
}

constexpr std::array kParameters{
    SceneParameter{
        {"mass", "Mass", "kg", Kind::real, 1e-6, 1e6, 0.2, true,
         "Mass of the whole cloth. Less mass at the same stiffness means faster oscillations and a smaller "
         "stable step."},
        [](const World& s) { return s.material.mass; },
        [](World& s, double v) { s.material.mass = v; },
        "Material"},
    SceneParameter{
        {"mass-model", "Mass model", "", Kind::choice, 0, 1, 0, false,
         "uniform: every particle weighs the same. area: a particle weighs a third of its triangles.",
         kMassModels},
        [](const World& s) { return index_of(s.material.mass_model); },
        [](World& s, double v) { s.material.mass_model = choice<MassModel>(v); },
        "Material"},
    SceneParameter{
        {"stretch-stiffness", "Stretch stiffness", "N/m", Kind::real, 1e-6, 1e9, 1000, true,
         "Stiffness of the spring along every edge of the mesh. The largest stable step of an explicit "
         "method falls with its square root."},
        [](const World& s) { return s.material.stretch_stiffness; },
        [](World& s, double v) { s.material.stretch_stiffness = v; },
        "Material"},
    SceneParameter{
        {"bend-stiffness", "Bend stiffness", "N/m", Kind::real, 0, 1e9, 1, true,
         "Stiffness of the spring between the two vertices opposite an inner edge; it resists folding."},
        [](const World& s) { return s.material.bend_stiffness; },
        [](World& s, double v) { s.material.bend_stiffness = v; },
        "Material"},
    SceneParameter{{"spring-damping", "Spring damping", "N·s/m", Kind::real, 0, 1e6, 0.01, true,
                    "Damping of every spring, proportional to the velocity at which its ends move apart."},
                   [](const World& s) { return s.material.spring_damping; },
                   [](World& s, double v) { s.material.spring_damping = v; },
                   "Damping"},
    SceneParameter{
        {"damping-model", "Damping model", "", Kind::choice, 0, 1, 0, false,
         "projected: damps motion along the spring only, so that rigid rotation is left alone. isotropic: "
         "damps every relative motion of its two ends.",
         kDampingModels},
        [](const World& s) { return index_of(s.material.damping_model); },
        [](World& s, double v) { s.material.damping_model = choice<DampingModel>(v); },
        "Damping"},
    SceneParameter{{"rayleigh-stiffness", "Rayleigh stiffness", "s", Kind::real, 0, 10, 0, true,
                    "α of Rayleigh damping, f = α K v: damps fast oscillations most."},
                   [](const World& s) { return s.material.rayleigh_stiffness; },
                   [](World& s, double v) { s.material.rayleigh_stiffness = v; },
                   "Damping"},
    SceneParameter{
        {"rayleigh-mass", "Rayleigh mass", "1/s", Kind::real, 0, 1e4, 0, true,
         "β of Rayleigh damping, f = −β M v: slows all motion alike, falling included, as thick air would."},
        [](const World& s) { return s.material.rayleigh_mass; },
        [](World& s, double v) { s.material.rayleigh_mass = v; },
        "Damping"},
    SceneParameter{
        {"inflate", "Overpressure", "Pa", Kind::real, 0, 1e5, 0, true,
         "Pressure in closed cloth above that outside, the same however large it grows; a balloon has some "
         "1000 Pa. Only parts whose surface has no opening are filled."},
        [](const World& s) { return s.material.inflate; },
        [](World& s, double v) { s.material.inflate = v; },
        "Pressure"},
    SceneParameter{{"wind", "Wind", "", Kind::boolean, 0, 1, 0, false,
                    "Air that blows against the cloth and resists its motion. Off: a vacuum."},
                   [](const World& s) { return s.wind.on ? 1.0 : 0.0; },
                   [](World& s, double v) { s.wind.on = v != 0; },
                   "Wind"},
    SceneParameter{{"wind-speed", "Wind speed", "m/s", Kind::real, 0, 50, 5, false,
                    "Mean speed of the wind. At 0 the air is still and slows a falling cloth."},
                   [](const World& s) { return s.wind.speed; },
                   [](World& s, double v) { s.wind.speed = v; },
                   "Wind"},
    SceneParameter{{"wind-azimuth", "Wind azimuth", "°", Kind::real, -180, 180, 0, false,
                    "Direction that the wind blows towards, about the vertical: 0 is along x, 90 along z."},
                   [](const World& s) { return s.wind.azimuth; },
                   [](World& s, double v) { s.wind.azimuth = v; },
                   "Wind"},
    SceneParameter{{"wind-elevation", "Wind elevation", "°", Kind::real, -90, 90, 0, false,
                    "Angle of the wind above the horizontal: 0 is level, 90 straight up."},
                   [](const World& s) { return s.wind.elevation; },
                   [](World& s, double v) { s.wind.elevation = v; },
                   "Wind"},
    SceneParameter{{"wind-gusts", "Gusts", "%", Kind::real, 0, 100, 0, false,
                    "Largest gust in any direction, in per cent of the wind speed. Gusts are 1.5 m long and "
                    "travel with the wind."},
                   [](const World& s) { return s.wind.gusts; },
                   [](World& s, double v) { s.wind.gusts = v; },
                   "Wind"},
    SceneParameter{{"wind-seed", "Gust seed", "", Kind::integer, 0, 1e6, 1, false,
                    "Seed of the gusts: the same number gives the same gusts, to the last bit."},
                   [](const World& s) { return static_cast<double>(s.wind.seed); },
                   [](World& s, double v) { s.wind.seed = static_cast<std::uint32_t>(v); },
                   "Wind"},
    SceneParameter{{"air-density", "Air density", "kg/m³", Kind::real, 0, 1e3, 1.2, true,
                    "Density of the fluid around the cloth: 1.2 is air, 1000 water."},
                   [](const World& s) { return s.wind.density; },
                   [](World& s, double v) { s.wind.density = v; },
                   "Wind"},
    SceneParameter{{"drag-coefficient", "Drag coefficient", "", Kind::real, 0, 10, 1.2, false,
                    "c in the force ρ/2 c A u² on a triangle of area A, with u the flow across it. A square "
                    "plate that faces the flow has about 1.2."},
                   [](const World& s) { return s.wind.drag_coefficient; },
                   [](World& s, double v) { s.wind.drag_coefficient = v; },
                   "Wind"},
    SceneParameter{
        {"floor", "Floor", "", Kind::boolean, 0, 1, 0, false, "A level floor that the cloth can lie on."},
        [](const World& s) { return s.floor.on ? 1.0 : 0.0; },
        [](World& s, double v) { s.floor.on = v != 0; },
        "Floor"},
    SceneParameter{
        {"floor-height", "Floor height", "m", Kind::real, -10, 10, -1, false, "Height y of the floor."},
        [](const World& s) { return s.floor.height; },
        [](World& s, double v) { s.floor.height = v; },
        "Floor"},
    SceneParameter{{"floor-friction", "Floor friction", "", Kind::real, 0, 10, 0.5, true,
                    "Coulomb's μ: the cloth slides where the force along the floor exceeds μ times the force "
                    "onto it. 0: no friction."},
                   [](const World& s) { return s.floor.friction; },
                   [](World& s, double v) { s.floor.friction = v; },
                   "Floor"},
    SceneParameter{{"friction", "Friction", "", Kind::real, 0, 10, 0.3, true,
                    "Coulomb's μ between cloth and obstacles: the cloth slides where the force along the "
                    "surface exceeds μ times the force onto it. 0: no friction."},
                   [](const World& s) { return s.obstacles.friction; },
                   [](World& s, double v) { s.obstacles.friction = v; },
                   "Obstacles"},
    SceneParameter{
        {"contact", "Contact by", "", Kind::choice, 0, kContactModels.size() - 1.0, 0, false,
         "filter: particles in contact are held by the projection, and none ends below a surface. "
         "penalty: springs between cloth and surface, and cloth and cloth, with smoothed friction. "
         "impulse: what meets within a step is stopped after it, also cloth and cloth. "
         "barrier: forces that let nothing through, also cloth and cloth. "
         "Filter and penalty look for contact at the ends of steps only, and so does impulse at the floor "
         "and at obstacles that are not meshes. There a particle may pass through an obstacle when it moves "
         "farther in a step than half the thickness of the obstacle. A notice reports that.",
         kContactModelNames},
        [](const Method& s) { return index_of(s.contact.model); },
        [](Method& s, double v) { s.contact.model = choice<ContactModel>(v); },
        "Contact"},
    SceneParameter{{"contact-stiffness", "Contact stiffness", "N/m", Kind::real, 1e-3, 1e9, 1000, true,
                    "Stiffness k of a contact by penalty: the force is k times what the gap is less than the "
                    "contact distance. The largest stable step of an explicit method falls with its root."},
                   [](const Method& s) { return s.contact.stiffness; },
                   [](Method& s, double v) { s.contact.stiffness = v; },
                   "Contact"},
    SceneParameter{
        {"barrier-stiffness", "Barrier stiffness", "N/m", Kind::real, 0, 1e9, 0, true,
         "Stiffness of contact by a barrier: the force at half the contact distance is 1.19 times this and "
         "that distance. 0: as stiff there as a stretch spring, and able to carry ten particles; where "
         "cloth presses that shut, a run that is compared with no other doubles it."},
        [](const Method& s) { return s.contact.barrier_stiffness; },
        [](Method& s, double v) { s.contact.barrier_stiffness = v; },
        "Contact"},
    SceneParameter{{"contact-distance", "Contact distance", "m", Kind::real, 0, 1, 0, true,
                    "Gap at which contact forces begin. 0: a quarter of the mean edge, at most 5 mm."},
                   [](const Method& s) { return s.contact.distance; },
                   [](Method& s, double v) { s.contact.distance = v; },
                   "Contact"},
    SceneParameter{
        {"thickness", "Thickness", "m", Kind::real, 0, 1, 0, true,
         "Distance that counts as touching: what contact forces keep the cloth away from a surface "
         "besides the contact distance, and impulses from a surface and from itself. 0: none for forces, for "
         "impulses a tenth of the mean edge."},
        [](const World& s) { return s.thickness; },
        [](World& s, double v) { s.thickness = v; },
        "Contact"},
    SceneParameter{{"self-contact", "Self-contact", "", Kind::boolean, 0, 1, 1, false,
                    "The cloth meets itself, where the contact model can: not by the filter."},
                   [](const World& s) { return s.self_contact ? 1.0 : 0.0; },
                   [](World& s, double v) { s.self_contact = v != 0; },
                   "Contact"},
    SceneParameter{{"friction-speed", "Friction speed", "m/s", Kind::real, 0, 10, 0, true,
                    "Sliding slower than this, cloth in contact by forces creeps: friction grows smoothly up "
                    "to there. 0: a thousandth of the cloth's diagonal per second."},
                   [](const Method& s) { return s.contact.friction_speed; },
                   [](Method& s, double v) { s.contact.friction_speed = v; },
                   "Contact"},
    SceneParameter{{"dt", "Step h", "s", Kind::real, 1e-6, 1, 1.0 / 60, true,
                    "Simulated time per step. Larger steps cost less, but damp more or become unstable."},
                   [](const World& s) { return s.dt; },
                   [](World& s, double v) { s.dt = v; },
                   "Stepping"},
    SceneParameter{{"substeps", "Substeps", "", Kind::integer, 1, 1000, 1, true,
                    "Every step of h is taken as so many steps of h over this number. Commands act between "
                    "whole steps, so "
                    "that methods with different substeps stay comparable."},
                   [](const Method& s) { return static_cast<double>(s.substeps); },
                   [](Method& s, double v) { s.substeps = static_cast<int>(v); },
                   "Stepping"},
    SceneParameter{{"adaptive-dt", "Adaptive steps", "", Kind::boolean, 0, 1, 0, false,
                    "Repeats a step in halves, down to h/1024, when it strains a stretch spring too much or "
                    "blows up; after two good steps in a row h doubles again."},
                   [](const Method& s) { return s.adaptive ? 1.0 : 0.0; },
                   [](Method& s, double v) { s.adaptive = v != 0; },
                   "Stepping"},
    SceneParameter{
        {"max-strain", "Largest strain", "m/m", Kind::real, 1e-4, 100, 0.1, true,
         "With adaptive steps, the largest strain |l/L − 1| of a stretch spring that a step may leave."},
        [](const Method& s) { return s.max_strain; },
        [](Method& s, double v) { s.max_strain = v; },
        "Stepping"},
    SceneParameter{{"energy-limit", "Energy limit", "×", Kind::real, 1, kInfinity, 100, true,
                    "A run has blown up when its energy exceeds what gravity, the start and your pulls can "
                    "account for by this factor."},
                   [](const World& s) { return s.energy_limit; },
                   [](World& s, double v) { s.energy_limit = v; },
                   "Stepping"},
    SceneParameter{{"newton-tolerance", "Newton tolerance", "", Kind::real, 1e-14, 0.5, 1e-3, true,
                    "An implicit step is solved when its momentum residual is below this fraction of its "
                    "first value; for XPBD the springs' errors."},
                   [](const Method& s) { return s.solver.newton_tolerance; },
                   [](Method& s, double v) { s.solver.newton_tolerance = v; },
                   "Solver"},
    SceneParameter{
        {"newton-max-iterations", "Newton iterations", "", Kind::integer, 1, 1000, 200, true,
         "Most Newton iterations per stage; a step that needs more is reported as not converged. Most steps "
         "take fewer than 20, steps in which cloth buckles up to 140."},
        [](const Method& s) { return static_cast<double>(s.solver.newton_max_iterations); },
        [](Method& s, double v) { s.solver.newton_max_iterations = static_cast<int>(v); },
        "Solver"},
    SceneParameter{
        {"linear-solver", "Linear solver", "", Kind::choice, 0, kLinearSolverNames.size() - 1.0, 0, false,
         "cg: conjugate gradients to the tolerance below. cholesky: a direct factorisation, exact but "
         "expensive on large meshes.",
         kLinearSolverNames},
        [](const Method& s) { return index_of(s.solver.linear.kind); },
        [](Method& s, double v) { s.solver.linear.kind = choice<LinearSolverSettings::Kind>(v); },
        "Solver"},
    SceneParameter{
        {"preconditioner", "Preconditioner", "", Kind::choice, 0, kPreconditionerNames.size() - 1.0,
         index_of(CgOptions{}.preconditioner), false,
         "Preconditioner of the conjugate gradients. A stronger one takes fewer iterations, each a little "
         "more expensive. auto: multigrid where h is large for the stiffness and there are 256 particles and "
         "more, else block-jacobi.",
         kPreconditionerNames},
        [](const Method& s) { return index_of(s.solver.linear.cg.preconditioner); },
        [](Method& s, double v) { s.solver.linear.cg.preconditioner = choice<PreconditionerKind>(v); },
        "Solver"},
    SceneParameter{
        {"cg-tolerance", "CG tolerance", "", Kind::real, 1e-14, 0.5, 1e-3, true,
         "Conjugate gradients stops when the residual has fallen to this fraction of the right-hand side; "
         "within Newton's method at 0.4 or 0.1, where that is more."},
        [](const Method& s) { return s.solver.linear.cg.tolerance; },
        [](Method& s, double v) { s.solver.linear.cg.tolerance = v; },
        "Solver"},
    SceneParameter{
        {"cg-max-iterations", "CG iterations", "", Kind::integer, 1, 100000, 500, true,
         "Most iterations of one linear solve; a solve that needs more is reported as not converged."},
        [](const Method& s) { return static_cast<double>(s.solver.linear.cg.max_iterations); },
        [](Method& s, double v) { s.solver.linear.cg.max_iterations = static_cast<int>(v); },
        "Solver"},
    SceneParameter{{"jacobian", "Jacobian", "", Kind::choice, 0, 1, 0, false,
                    "clamped: drops the terms that make a compressed spring's matrix indefinite. exact: the "
                    "true derivative.",
                    kJacobianModes},
                   [](const Method& s) { return index_of(s.solver.jacobian); },
                   [](Method& s, double v) { s.solver.jacobian = choice<JacobianMode>(v); },
                   "Solver"},
};

/// An integrator's own parameter, whichever integrator has it.
const ParameterSpec* find_integrator_parameter(std::string_view id) {
  for (const IntegratorInfo& info : integrators())
    for (const ParameterSpec& spec : info.parameters)
      if (spec.id == id) return &spec;
  return nullptr;
}

std::string allowed_values(const ParameterSpec& spec) {
  std::string text;
  switch (spec.kind) {
    case Kind::boolean:
      return "on or off";
    case Kind::choice:
      return "one of " + joined(spec.choices);
    case Kind::real:
    case Kind::integer:
      break;
  }
  text = spec.kind == Kind::integer ? "a whole number " : "a number ";
  if (std::isinf(spec.max))
    text += "of at least " + format_number(spec.min) + ", or off";
  else
    text += "from " + format_number(spec.min) + " to " + format_number(spec.max);
  if (!spec.unit.empty()) text += " " + std::string(spec.unit);
  return text;
}

}  // namespace

std::span<const SceneParameter> scene_parameters() { return kParameters; }

const SceneParameter* find_scene_parameter(std::string_view id) {
  const auto row = std::find_if(kParameters.begin(), kParameters.end(),
                                [&](const SceneParameter& p) { return p.spec.id == id; });
  return row == kParameters.end() ? nullptr : &*row;
}

const ParameterSpec* find_parameter_spec(std::string_view id) {
  const SceneParameter* row = find_scene_parameter(id);
  return row != nullptr ? &row->spec : find_integrator_parameter(id);
}

const ParameterSpec& parameter_spec(std::string_view id) {
  if (const ParameterSpec* spec = find_parameter_spec(id)) return *spec;
  std::vector<std::string_view> names;
  names.reserve(kParameters.size());
  for (const SceneParameter& row : kParameters) names.push_back(row.spec.id);
  for (const IntegratorInfo& info : integrators())
    for (const ParameterSpec& spec : info.parameters) names.push_back(spec.id);
  throw InputError("There is no parameter '" + std::string(id) + "'" + suggestion(id, names));
}

const IntegratorInfo& integrator_info(std::string_view id) {
  if (const IntegratorInfo* info = find_integrator(id)) return *info;
  std::vector<std::string_view> names;
  for (const IntegratorInfo& info : integrators()) names.push_back(info.id);
  throw InputError("There is no integrator '" + std::string(id) + "'" + suggestion(id, names) +
                   " Allowed are " + joined(names) + ".");
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
  method.integrator_parameters = lane.integrator_parameters;
  method.substeps = lane.substeps;
  return method;
}

IntegratorParameters integrator_parameters(const Scene& scene) {
  return integrator_parameters(scene, integrator_info(scene.integrator));
}

IntegratorParameters integrator_parameters(const Scene& scene, const IntegratorInfo& info) {
  IntegratorParameters values = default_parameters(info);
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const auto own = scene.integrator_parameters.find(info.parameters[i].id);
    if (own != scene.integrator_parameters.end()) values[i] = own->second;
  }
  return values;
}

void check_parameters(const Scene& scene) {
  for (const SceneParameter& row : kParameters) check_parameter(row.spec, row.get(scene));
  for (const auto& [id, value] : scene.integrator_parameters) check_parameter(parameter_spec(id), value);
  check_gravity(scene.material.gravity);
  check_scale(scene.scale);
  integrator_info(scene.integrator);
  check_contact(scene);
  check_read(scene.obstacles.bodies);
}

}  // namespace clothlab
