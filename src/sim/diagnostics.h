// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/simulation.h"

namespace clothlab {

/// The table of `--diagnostics` and of recordings (docs/command-line.md): a row per step.
inline constexpr std::string_view kDiagnosticsHeader =
    "step,time,dt,kinetic_energy,stretch_energy,bend_energy,gravity_energy,pressure_energy,total_energy,max_"
    "strain,volume,"
    "newton_iterations,cg_iterations,cg_residual,step_ms,"
    "work_hand,work_pins,work_wind,work_damping,work_contact,work_jump,energy_solver,energy_rods,energy_"
    "limit,energy_method,contacts,contacts_sticking,contact_gap,contact_force,friction_power,contact_limit,"
    "contact_rounds,contact_changes,contact_residual,drivers_energy,work_drivers\n";

/// The row of a step that took `step_ms` milliseconds.
std::string diagnostics_row(const StepRecord& record, double milliseconds);

/// Sum of the squared distances between the points of a and b [m²], and root of its mean over them [m]; the
/// same of velocities.
double squared_distance(const std::vector<vec3>& a, const std::vector<vec3>& b);
double rms_distance(const std::vector<vec3>& a, const std::vector<vec3>& b);
/// The largest distance between two points [m].
double largest_distance(const std::vector<vec3>& a, const std::vector<vec3>& b);

}  // namespace clothlab
