// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

namespace clothlab {

/// The energy ledger [J], summed since the start: the sources of H = T + V, with V of springs, gravity and
/// drivers (docs/energy-ledger.md). The entries add up to the change of H.
struct EnergyLedger {
  double hand = 0;        ///< work of the mouse spring
  double pins = 0;        ///< of moving pins
  double wind = 0;        ///< of the air, negative if it brakes
  double drivers = 0;     ///< of harmonic forces and of drag of drivers
  double contact = 0;     ///< of contact: impacts, lifting, friction
  double damping = 0;     ///< of spring dampers and mass damping, mostly negative
  double jump = 0;        ///< of changes between steps: parameters, states set from outside
  double solver = 0;      ///< of residuals that solvers left
  double rods = 0;        ///< of constraints on lengths, ideally 0
  double limit = 0;       ///< of displacements that a barrier shortened
  double method = 0;      ///< of the integrator's own error: numerical damping or spurious energy
  double energy = 0;      ///< H, which the entries account for
  double wind_given = 0;  ///< w·J of its impulses J, w the velocity of the air; no entry

  /// Wind work that did not reach the cloth.
  double lost_to_air() const { return wind_given - wind; }
  double sum() const {
    return hand + pins + wind + drivers + contact + damping + jump + solver + rods + limit + method;
  }
  /// Spurious energy if positive, numerical damping if negative.
  double spurious() const { return method + solver + rods; }
};

/// The entries in the order of tables and files.
struct EnergyEntry {
  std::string_view title;   ///< in tables: "Hand"
  std::string_view column;  ///< of the diagnostics: "work_hand"
  double EnergyLedger::*joule;
};
inline constexpr std::array kEnergyEntries{
    EnergyEntry{"Hand", "work_hand", &EnergyLedger::hand},
    EnergyEntry{"Pins", "work_pins", &EnergyLedger::pins},
    EnergyEntry{"Wind", "work_wind", &EnergyLedger::wind},
    EnergyEntry{"Drivers", "work_drivers", &EnergyLedger::drivers},
    EnergyEntry{"Damping", "work_damping", &EnergyLedger::damping},
    EnergyEntry{"Contact", "work_contact", &EnergyLedger::contact},
    EnergyEntry{"Jumps", "work_jump", &EnergyLedger::jump},
    EnergyEntry{"Solver", "energy_solver", &EnergyLedger::solver},
    EnergyEntry{"Rods", "energy_rods", &EnergyLedger::rods},
    EnergyEntry{"Limit", "energy_limit", &EnergyLedger::limit},
    EnergyEntry{"Method", "energy_method", &EnergyLedger::method},
};

}  // namespace clothlab
