// SPDX-License-Identifier: MIT
#include "sim/diagnostics.h"

#include "io/csv.h"

namespace clothlab {

std::string diagnostics_row(const StepRecord& r, double milliseconds) {
  const EnergyLedger& e = r.ledger_of_step;
  const ContactSolves contact = r.contact_solves.value_or(ContactSolves());
  return csv_row(r.step, r.time, r.h, r.energy.kinetic, r.energy.stretch, r.energy.bend, r.energy.gravity,
                 r.energy.pressure, r.energy.total, r.max_strain, r.volume, r.newton_iterations,
                 r.cg_iterations, r.cg_residual, milliseconds, e.hand, e.pins, e.wind, e.damping, e.contact,
                 e.jump, e.solver, e.rods, e.limit, e.method, r.contacts.pairs, r.contacts.sticking,
                 r.contacts.least_gap, r.contacts.push, r.contacts.friction_power, r.contacts.limit,
                 contact.rounds, contact.changes, contact.residual, r.energy.drivers, e.drivers);
}

}  // namespace clothlab
