// SPDX-License-Identifier: MIT
#include "sim/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

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

double squared_distance(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += glm::dot(a[i] - b[i], a[i] - b[i]);
  return sum;
}

double rms_distance(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  return std::sqrt(squared_distance(a, b) / static_cast<double>(a.size()));
}

double largest_distance(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, glm::distance(a[i], b[i]));
  return largest;
}

}  // namespace clothlab
