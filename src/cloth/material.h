// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "core/vec.h"

namespace clothlab {

enum class DampingModel { projected, isotropic };
enum class MassModel { uniform, area };

/// What the springs of the cloth are derived from.
enum class MaterialKind { springs, fabric };

/// Woven cloth by values per area (cloth/fabric.h). The defaults are the cotton of sim/presets.cpp.
struct Fabric {
  double warp = 2030;       ///< tension per width and strain along the warp, at constant width [N/m]
  double weft = 2020;       ///< the same along the weft [N/m]
  double shear = 105;       ///< shear force per width and shear angle [N/m]
  double bending = 120e-6;  ///< moment per width and curvature [N·m]
  double density = 0.22;    ///< [kg/m²]

  bool operator==(const Fabric&) const = default;
};

/// Stiffness of springs [N/m].
struct SpringStiffness {
  double stretch = 1000;
  double bend = 1;

  bool operator==(const SpringStiffness&) const = default;
};

/// Values of the faces of a group of the mesh file, in place of those of the whole cloth.
struct GroupMaterial {
  std::string group;  ///< a name of a `g` line
  std::variant<Fabric, SpringStiffness> values;

  bool is_fabric() const { return std::holds_alternative<Fabric>(values); }
  bool operator==(const GroupMaterial&) const = default;
};

/// Material, gravity and overpressure. The defaults are those of the command line
/// (docs/command-line.md).
struct Material {
  MaterialKind kind = MaterialKind::springs;
  Fabric fabric;      ///< of the kind fabric, instead of the next four values
  double mass = 0.2;  ///< of the whole cloth [kg]
  MassModel mass_model = MassModel::uniform;
  double stretch_stiffness = 1000;  ///< k_s [N/m]
  double bend_stiffness = 1;        ///< k_b [N/m]
  double spring_damping = 0.01;     ///< k_d of every spring [N·s/m]
  DampingModel damping_model = DampingModel::projected;
  double rayleigh_stiffness = 0;      ///< α [s]
  double strain_limit = 0;            ///< s, beyond which stretch springs are stiffer; 0: no limit
  double limit_stiffness = 100;       ///< φ, how many times as stiff they are
  double rayleigh_mass = 0;           ///< β [1/s]
  vec3 gravity{0, -9.8, 0};           ///< [m/s²]
  double inflate = 0;                 ///< overpressure in closed parts [Pa]
  std::vector<GroupMaterial> groups;  ///< of the material's kind, by ascending name, each once

  bool is_fabric() const { return kind == MaterialKind::fabric; }
  /// Mass of cloth of this area [m²], without groups, in kg.
  double mass_of(double area) const { return is_fabric() ? fabric.density * area : mass; }
  /// Typical stiffness of a stretch spring, without groups [N/m].
  double stretch_scale() const {
    return is_fabric() ? std::max(fabric.warp, fabric.weft) : stretch_stiffness;
  }
  /// Changes stretch_scale(), and the membrane of a fabric in proportion.
  void set_stretch_scale(double stiffness) {
    if (!is_fabric()) {
      stretch_stiffness = stiffness;
      return;
    }
    const double factor = stiffness / stretch_scale();
    for (double* value : {&fabric.warp, &fabric.weft, &fabric.shear}) *value *= factor;
  }

  bool operator==(const Material&) const = default;
};

}  // namespace clothlab
