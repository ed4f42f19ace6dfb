// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cloth/cloth_system.h"
#include "cloth/sample_cloth.h"
#include "collide/mesh_body.h"
#include "contact/contact_force.h"

namespace clothlab::test {

/// One row of the finite-difference tests: a force on the sample sheet.
struct ForceRow {
  std::string name;
  std::function<std::unique_ptr<ForceTerm>(Rig&)> make;
  bool in_rest = true;      ///< SpringForces::rest includes it
  bool at_any_time = true;  ///< and what is asked for another time
  bool smooth = true;
  bool clamps_damping = false;  ///< its D is another then
  bool closed = false;          ///< it needs a closed surface
  bool has_K = true;            ///< or leaves it out
};

inline Material sample_material() {
  Material material;
  material.mass = 0.4;
  material.stretch_stiffness = 120;
  material.bend_stiffness = 7;
  material.spring_damping = 0;
  return material;
}

inline ForceRow spring_row(std::string name, DampingModel model, double k_d, double alpha) {
  return {std::move(name),
          [=](Rig& rig) {
            Material material = sample_material();
            material.damping_model = model;
            material.spring_damping = k_d;
            material.rayleigh_stiffness = alpha;
            return std::make_unique<SpringForce>(rig.system.model(), material);
          },
          false};
}

inline ForceRow fabric_row(std::string name, double alpha) {
  return {std::move(name),
          [=](Rig& rig) {
            Material material = sample_material();
            material.kind = MaterialKind::fabric;
            material.fabric = {120, 80, 15, 0.02, 0.3};
            material.rayleigh_stiffness = alpha;
            return std::make_unique<SpringForce>(rig.system.model(), material);
          },
          false};
}

/// The row with springs that are stiffer beyond a strain of 5 %.
inline ForceRow limited(std::string name, double damping, double rayleigh) {
  return {std::move(name),
          [=](Rig& rig) {
            Material material = sample_material();
            material.spring_damping = damping;
            material.rayleigh_stiffness = rayleigh;
            material.strain_limit = 0.05;
            material.limit_stiffness = 30;
            return std::make_unique<SpringForce>(rig.system.model(), material);
          },
          false};
}

inline ForceRow grab_row(std::string name, double max_force) {
  return {std::move(name),
          [=](Rig&) {
            const GrabSpring grab{{1, 3, 4}, vec3(0.2, 0.5, 0.3), vec3(0.4, 0.5, -0.2), 35, 0.6, max_force};
            return std::make_unique<GrabForce>(grab);
          },
          false,
          true,
          true,
          true};
}

/// Particles of the sample sheet that are sewn together, in `seconds`.
inline ForceRow seam_row(std::string name, double seconds) {
  return {std::move(name),
          [=](Rig&) {
            Material material = sample_material();
            material.spring_damping = 0.8;
            material.rayleigh_stiffness = 0.02;
            return std::make_unique<SeamForce>(
                std::vector<SewnPair>{{0, 8, 0.7, seconds}, {2, 6, 3, seconds}, {8, 1, 0.2, seconds}},
                material);
          },
          false};
}

/// A sphere, a bar and their friction, in the middle of the sample sheet.
struct ContactOnSurfaces : ContactForce {
  Surfaces placed;
};
inline std::unique_ptr<ContactForce> some_contact(Rig& rig, double friction, double damping) {
  Obstacles obstacles;
  obstacles.friction = friction;
  for (const char* body : {"sphere:0.5,-0.3,0.5,0.5", "capsule:0,0.1,0.2,1,0.2,0.3,0.1", "plane:0,1,0,0.02",
                           "box:0.1,-0.1,0.45,0.3,0.2,0.3", "cylinder:0.4,-0.4,0.2,0.4,-0.1,0.2,0.15"})
    obstacles.bodies.push_back(parse_obstacle(body));
  obstacles.bodies.push_back(angle_body(vec3(0.05, -0.05, 0.45), 0.2));
  ContactSettings settings;
  settings.law = {300, 0.25};
  settings.thickness = 0.01;
  settings.damping = damping;
  settings.friction = {0.5};
  auto contact = std::make_unique<ContactOnSurfaces>();
  contact->placed.place({}, obstacles, 0, {}, rig.state.x.size(), 0, 0);
  contact->set(settings, contact->placed);
  contact->begin(rig.pool, rig.state.x, 0, 0);
  return contact;
}

/// Every force term there is, with all its damping models. A new force is a new row.
inline std::vector<ForceRow> force_rows() {
  return {
      spring_row("springs", DampingModel::projected, 0, 0),
      spring_row("springs, projected damping", DampingModel::projected, 0.8, 0),
      spring_row("springs, isotropic damping", DampingModel::isotropic, 0.8, 0),
      spring_row("springs, Rayleigh damping", DampingModel::projected, 0, 0.02),
      spring_row("springs, isotropic and Rayleigh damping", DampingModel::isotropic, 0.8, 0.02),
      limited("springs with a strain limit", 0, 0),
      limited("springs with a strain limit, damped", 0.8, 0.02),
      fabric_row("a fabric", 0),
      fabric_row("a fabric, Rayleigh damping", 0.02),
      {"gravity",
       [](Rig& rig) { return std::make_unique<GravityForce>(rig.system.masses(), vec3(0.5, -9.8, 0.25)); }},
      {"Rayleigh mass",
       [](Rig& rig) { return std::make_unique<RayleighMassForce>(rig.system.masses(), 1.7); }, false},
      // With wind there is force at rest as well, and no energy: see wind_test.cpp.
      {"air at rest",
       [](Rig& rig) {
         Wind wind;
         wind.on = true;
         wind.speed = 0;
         return std::make_unique<WindForce>(rig.system.model(), wind);
       }},
      {"contact", [](Rig& rig) { return some_contact(rig, 0, 0); }, false, true, false},
      {"contact with damping", [](Rig& rig) { return some_contact(rig, 0, 0.7); }, false, true, false},
      {"contact with friction", [](Rig& rig) { return some_contact(rig, 0.4, 0); }, false, true, false, true},
      {"pressure", [](Rig& rig) { return std::make_unique<PressureForce>(rig.system.model(), 80); }, true,
       true, true, false, true, false},
      {"constant and central drivers",
       [](Rig& rig) {
         DriverForce constant, central;
         constant.force = vec3(0.3, -1, 2);
         central.kind = DriverForce::Kind::central;
         central.centre = vec3(0.2, -0.4, 0.3);
         central.strength = 1.5;
         return std::make_unique<DriverForces>(
             rig.system.masses(), std::vector<DrivenGroup>{{{0, 2, 5, 8}, constant}, {{1, 2, 3}, central}});
       }},
      {"springs of drivers",
       [](Rig& rig) {
         DriverForce spring;
         spring.kind = DriverForce::Kind::spring;
         spring.stiffness = 12;
         return std::make_unique<DriverForces>(
             rig.system.masses(),
             std::vector<DrivenGroup>{{{0, 2, 5}, spring, {vec3(0.1, 0, 0.2), vec3(1, -1, 0), vec3(0)}}});
       }},
      // A harmonic force has no energy: tests/sim/driver_test.cpp.
      {"drag of drivers",
       [](Rig& rig) {
         DriverForce drag;
         drag.kind = DriverForce::Kind::drag;
         drag.drag = 0.7;
         return std::make_unique<DriverForces>(rig.system.masses(),
                                               std::vector<DrivenGroup>{{{0, 2, 5, 8}, drag}});
       }},
      seam_row("seams, open", 1e9),
      seam_row("seams, closed", 0),
      grab_row("grab, far from its bound", 1e4),
      grab_row("grab, near its bound", 20),
      grab_row("grab, far beyond its bound", 0.5),
      grab_row("grab, switched off", 0),
  };
}

}  // namespace clothlab::test
