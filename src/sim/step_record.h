// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "contact/contact_force.h"
#include "contact/contact_pair.h"
#include "dynamics/failed_spring.h"
#include "linalg/linear_solver.h"

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

/// [J]. `total` is the sum without the mouse spring. Where stretch springs are rods
/// (IntegratorInfo::inextensible), `stretch` is 0.
struct EnergyReport {
  double kinetic = 0;
  double stretch = 0;
  double bend = 0;
  double gravity = 0;
  double pressure = 0;  ///< −p V of inflated cloth
  double drivers = 0;   ///< of constant and central forces of drivers
  double total = 0;
};

/// The figures of a step: a row of the diagnostics (docs/command-line.md) without the milliseconds, which the
/// caller measures.
struct StepRecord {
  std::uint64_t step = 0;       ///< number of steps of --dt since the start
  double time = 0;              ///< [s]
  double h = 0;                 ///< [s]; with adaptive steps the smallest substep used
  std::string_view integrator;  ///< id of the method; empty without a step
  EnergyReport energy;
  EnergyLedger ledger;          ///< since the start; effects of commands enter with the step after them
  EnergyLedger ledger_of_step;  ///< of this step alone
  double max_strain = 0;        ///< largest |l/L − 1| over stretch springs
  double volume = 0;            ///< of inflated cloth [m³]; 0 without overpressure
  ContactFigures contacts;      ///< none before the first step
  int newton_iterations = 0;
  int most_newton_iterations = 0;  ///< in one stage
  int cg_iterations = 0;
  int products = 0;           ///< StepReport::products
  int force_evaluations = 0;  ///< StepLedger::evaluations(), with those of rejected substeps
  double cg_residual = 0;
  std::optional<CgSolve> last_cg;  ///< the last linear solve, if it used CG
  SolveCounts solves;              ///< StepReport::solves, of the last substep
  double residual = 0;             ///< StepReport::newton_residual
  std::optional<double> distance;  ///< of XPBD: from backward Euler, ‖r‖/‖h f0‖ of the last substep
  std::optional<ContactSolves> contact_solves;  ///< StepReport::contact_solves, sums over substeps
  bool converged = true;
  double length_violation = 0;       ///< of methods with rods: largest |l − L| [m]
  double rod_force = 0;              ///< of methods with rods: largest |λ| [N]
  std::optional<std::size_t> modes;  ///< number of modes integrated exponentially by a split method
  std::string_view reason;           ///< why not converged; empty when converged
  std::string_view warning;          ///< on an accepted step; usually empty
};

/// Why a step was rejected (model.md, "Blow-up"). The simulation keeps the state before it.
struct BlowUp {
  enum class Cause { not_finite, energy, spurious_energy, squeezed, crowded };
  Cause cause = Cause::not_finite;
  std::uint64_t step = 0;  ///< the step that failed (the last good one is step − 1)
  double time = 0;         ///< at the end of the failed step [s]
  double h = 0;            ///< of the failed step [s]
  double energy = 0;   ///< [J] kinetic (about the centre of mass) + elastic after the bad step, or spurious
                       ///< energy of the step
  double allowed = 0;  ///< [J] the limit that it exceeded
  /// In the step, or since the last good state if the step left no finite numbers.
  std::optional<FailedSpring> spring = {};
  std::optional<FailedContact> contact = {};  ///< the same for contact by forces
};

}  // namespace clothlab
