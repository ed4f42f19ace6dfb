// SPDX-License-Identifier: MIT
#pragma once

#include "core/vec.h"

namespace clothlab {

enum class DampingModel { projected, isotropic };
enum class MassModel { uniform, area };

/// Material, gravity and overpressure. The defaults are those of the command line
/// (docs/command-line.md).
struct Material {
  double mass = 0.2;  ///< of the whole cloth [kg]
  MassModel mass_model = MassModel::uniform;
  double stretch_stiffness = 1000;  ///< k_s [N/m]
  double bend_stiffness = 1;        ///< k_b [N/m]
  double spring_damping = 0.01;     ///< k_d of every spring [N·s/m]
  DampingModel damping_model = DampingModel::projected;
  double rayleigh_stiffness = 0;  ///< α [s]
  double rayleigh_mass = 0;       ///< β [1/s]
  vec3 gravity{0, -9.8, 0};       ///< [m/s²]
  double inflate = 0;             ///< overpressure in closed parts [Pa]

  bool operator==(const Material&) const = default;
};

}  // namespace clothlab
