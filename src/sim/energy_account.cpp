#include "sim/energy_account.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <numeric>

namespace clothlab {

InternalEnergy EnergyMeter::measure(const ClothSystem& system, const State& state,
                                    const ClothSystem::Energies& potential) {
  const std::span<const double> m = system.masses();
  const std::span<const std::uint32_t> part = system.model().part_of_particle();
  momentum_.assign(system.model().parts(), vec3(0));
  mass_.assign(system.model().parts(), 0.0);
  for (std::size_t i = 0; i < m.size(); ++i) {
    momentum_[part[i]] += m[i] * state.v[i];
    mass_[part[i]] += m[i];
  }
  InternalEnergy energy;
  for (std::size_t p = 0; p < mass_.size(); ++p) {
    momentum_[p] /= mass_[p];  // from here on the velocity of the centre
    energy.drift += 0.5 * mass_[p] * glm::dot(momentum_[p], momentum_[p]);
  }
  for (std::size_t i = 0; i < m.size(); ++i) {
    const vec3 v = state.v[i] - momentum_[part[i]];
    energy.kinetic += 0.5 * m[i] * glm::dot(v, v);
  }
  energy.elastic = potential.stretch + potential.bend;
  return energy;
}

void EnergyAccount::set_scale(const ClothSystem& system, double diagonal) {
  const std::span<const double> m = system.masses();
  const double mass = std::accumulate(m.begin(), m.end(), 0.0);
  const double weight = mass * glm::length(system.material().gravity);
  weight_ = std::max(weight_, weight * diagonal);

  constexpr double kStrain = 1e-4;
  floor_ = std::max(floor_, weight * weight / system.material().stretch_stiffness);
  double strained = 0;
  for (const ElasticElement spring : system.elements())
    if (spring.stretch) {
      const double stretch = kStrain * spring.rest_length;
      strained += 0.5 * spring.stiffness * stretch * stretch;
    }
  floor_ = std::max(floor_, strained);
}

double EnergyAccount::allowed(double factor) const {
  if (std::isinf(factor)) return std::numeric_limits<double>::infinity();
  return factor * std::max(weight_ + start_ + work_, floor_);
}

}  // namespace clothlab
