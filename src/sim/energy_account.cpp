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

void EnergyAccount::set_scale(const ClothSystem& system, double reach) {
  const std::span<const double> m = system.masses();
  const double mass = std::accumulate(m.begin(), m.end(), 0.0);
  double load = mass * glm::length(system.material().gravity);
  double carried = 0;
  if (const Wind& wind = system.wind(); wind.on) {
    const double fastest = top_speed(wind);
    load += wind.density / 2 * wind.drag_coefficient * system.model().area() * fastest * fastest;
    carried = mass / 2 * fastest * fastest;
  }
  load_ = std::max(load_, load * reach + carried);

  constexpr double kStrain = 1e-4;
  floor_ = std::max(floor_, load * load / system.material().stretch_stiffness);
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
  return factor * std::max(load_ + start_ + work_, floor_);
}

}  // namespace clothlab
