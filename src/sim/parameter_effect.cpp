// SPDX-License-Identifier: MIT

#include <algorithm>

#include "sim/contact.h"
#include "sim/parameters.h"
#include "sim/scene.h"

namespace clothlab {
namespace {

constexpr const char* kNoSurfaces = "There is no floor and no obstacle.";

std::string of_wind(const Wind& wind, std::string_view id) {
  if (id == "wind") return {};
  if (!wind.on) return "The wind is off.";
  if (id != "air-density" && wind.density == 0) return "The air has no density.";
  if (id != "drag-coefficient" && wind.drag_coefficient == 0) return "The drag coefficient is 0.";
  const bool of_moving_air = id.starts_with("wind-") && id != "wind-speed";
  if (of_moving_air && wind.speed == 0) return "The wind speed is 0.";
  if (id == "wind-seed" && wind.gusts == 0) return "There are no gusts.";
  return {};
}

std::string of_contact(const Scene& scene, std::string_view id) {
  const ContactModelInfo& model = info_of(scene.contact.model);
  if (id == "contact") return {};
  if (!std::ranges::count(model.parameters, id))
    return "Contact by " + std::string(model.id) + " does not use it.";
  if (id != "self-contact" && !may_touch(scene)) return "The cloth has nothing to touch.";
  if (id == "restitution" && !has_surfaces(scene)) return kNoSurfaces;
  if (id == "contact-points") {
    if (std::ranges::none_of(scene.obstacles.bodies, has_convex_gap))
      return "There is no sphere, capsule, box or cylinder.";
    const IntegratorInfo& method = method_info(scene);
    if (!supports_contact(ContactModel::penalty, method))
      return std::string(method.title) + " does not support contact by forces.";
  }
  if (id == "restitution" && scene.integrator == "xpbd" &&
      parameter_value(scene, parameter_spec("xpbd-contact")) != 0)
    return "XPBD contact in positions does not use it.";
  return {};
}

std::string of_solver(const Scene& scene, std::string_view id) {
  const IntegratorInfo& info = method_info(scene);
  const auto unused = [&](const char* what) { return std::string(info.title) + " " + what + "."; };
  if (id == "stage-solve")
    return info.always_newton
               ? unused("has stages that depend on each other, and solves them by Newton's method")
           : info.family == IntegratorFamily::implicit ? ""
           : info.family == IntegratorFamily::linearly_implicit
               ? unused("always makes one linear solve")
               : unused("is not an implicit method with stages");
  if (solves_stages_once(info, scene.solver) && id.starts_with("newton-"))
    return "Each stage is solved by one linear solve.";
  if (id == "newton-max-iterations") return info.uses_newton ? "" : unused("does not use Newton's method");
  if (id == "newton-tolerance") {
    // Sweeps use it to report convergence; rods have a tolerance of their own.
    const bool sweeps = info.family == IntegratorFamily::position_based;
    if (info.inextensible) return unused("has a fixed tolerance for the lengths of its rods");
    return info.uses_newton || sweeps ? "" : unused("does not use Newton's method");
  }
  const bool exponential = info.family == IntegratorFamily::exponential;
  if (id == "jacobian") return {};  // also changes the shown stability limit
  // Impulses solve for the motion of connected particles, but not with explicit methods.
  const bool is_explicit = info.family == IntegratorFamily::explicit_method;
  const bool corrects = exponential && scene.contact.model == ContactModel::filter && may_touch(scene);
  const bool solves = info.uses_linear_solver || corrects || (uses_impulses(scene) && !is_explicit);
  const bool solves_pairs = uses_impulses(scene) && scene.self_contact && info.solves_pairs;
  if (id == "cg-tolerance" && (exponential || solves_pairs)) return {};
  if (id == "cg-max-iterations" && info.inextensible) return {};
  if (!solves) return unused("solves no linear system by conjugate gradients");
  const bool of_gradients = id == "preconditioner" || id == "cg-max-iterations";
  const bool direct = scene.solver.linear.kind == LinearSolverSettings::Kind::cholesky;
  if (direct && !exponential && of_gradients) return "The linear solver is cholesky.";
  return {};
}

std::string of_shared_matrix(const Scene& scene) {
  if (scene.solver.stage_solve == StageSolve::newton)
    return "Newton's method has a matrix of its own in every iteration.";
  return info_of(scene.contact.model).by_forces && may_touch(scene)
             ? "Contact by forces needs the matrix of each stage."
             : "";
}

}  // namespace

bool is_of_other_material(const Scene& scene, std::string_view id) {
  const bool of_fabric = id.starts_with("membrane-") || id == "fabric-bending" || id == "density";
  const bool of_springs =
      id == "mass" || id == "mass-model" || id == "stretch-stiffness" || id == "bend-stiffness";
  return scene.material.is_fabric() ? of_springs : of_fabric;
}

std::string why_without_effect(const Scene& scene, std::string_view id, bool has_closed_parts) {
  const SceneParameter* row = find_scene_parameter(id);
  if (row == nullptr) {
    const IntegratorInfo& method = method_info(scene);
    if (std::ranges::find(method.parameters, id, &ParameterSpec::id) == method.parameters.end())
      return std::string(method.title) + " does not use it.";
    const auto modes = scene.integrator_parameters.find("modes");
    const bool none = modes != scene.integrator_parameters.end() && modes->second == 0;
    if (id == "shared-matrix") return of_shared_matrix(scene);
    if (id == "xpbd-contact" && info_of(scene.contact.model).by_forces) return "Contact is by forces.";
    if (id == "xpbd-contact" && !has_surfaces(scene)) return kNoSurfaces;
    return id == "mode-refresh" && none ? "There are no modes." : "";
  }
  if (is_of_other_material(scene, id))
    return scene.material.is_fabric() ? "The material is a fabric." : "The material is springs.";
  if (row->section == "Wind") return of_wind(scene.wind, id);
  if (row->section == "Contact") return of_contact(scene, id);
  if (row->section == "Solver") return of_solver(scene, id);
  if (row->section == "Floor") return id == "floor" || scene.floor.on ? "" : "The floor is off.";
  const bool rubs_itself = scene.self_contact && scene.contact.model != ContactModel::filter;
  if (id == "friction" && scene.obstacles.bodies.empty() && !rubs_itself) return "There are no obstacles.";
  const bool moves_apart = scene.self_contact && info_of(scene.contact.model).sees_within_steps;
  if (id == "grow-bodies" && scene.obstacles.bodies.empty() && !moves_apart) return "There are no obstacles.";
  if (id == "max-strain" && !scene.adaptive) return "Adaptive steps are off.";
  const IntegratorInfo& info = method_info(scene);
  if (id == "limit-stiffness" && scene.material.strain_limit == 0) return "There is no strain limit.";
  const bool stretches = id == "stretch-stiffness" || id.starts_with("membrane-") || id == "strain-limit" ||
                         id == "limit-stiffness";
  if (stretches && info.inextensible && !uses_impulses(scene))
    return std::string(info.title) + " takes stretch springs as rods.";
  const bool damps_alone = info.family == IntegratorFamily::position_based && !info.inextensible;
  if ((id == "damping-model" || id == "rayleigh-stiffness") && damps_alone && !uses_impulses(scene))
    return std::string(info.title) + " does not use it without contact.";
  if (id == "damping-model" && scene.material.spring_damping == 0) return "The spring damping is 0.";
  if (id == "inflate" && !has_closed_parts) return "No part of the cloth is closed.";
  return {};
}

}  // namespace clothlab
