// SPDX-License-Identifier: MIT
#include "cloth/cloth_system.h"

#include <utility>

namespace clothlab {

ClothSystem::ClothSystem(std::shared_ptr<const ClothModel> model, const Material& material)
    : model_(std::move(model)),
      material_(material),
      masses_(model_->masses(material)),
      projection_(model_->particles()),
      springs_(*model_, material) {
  check_inflate(material, model_->enclosing().size());
  update_masses();
}

void ClothSystem::set_material(const Material& material) {
  if (material == material_) return;
  check_inflate(material, model_->enclosing().size());
  masses_ = model_->masses(material);
  material_ = material;
  springs_.set_material(material);
  if (seams_) seams_->set_material(material);
  update_masses();
}

void ClothSystem::set_grab(const std::optional<GrabSpring>& grab) {
  grab_ = grab;
  grab_force_.reset();
  if (grab_) grab_force_.emplace(*grab_);
  list_terms();
}

void ClothSystem::set_wind(const Wind& wind) {
  wind_ = wind;
  if (!wind_.on)
    wind_force_.reset();
  else if (wind_force_)
    wind_force_->set_wind(wind_);
  else
    wind_force_.emplace(*model_, wind_);
  list_terms();
}

void ClothSystem::set_drivers(std::vector<DrivenGroup> groups) {
  drivers_.reset();
  if (!groups.empty()) drivers_.emplace(masses_, std::move(groups));
  list_terms();
}

void ClothSystem::set_seams(std::vector<SewnPair> pairs) {
  seams_.reset();
  if (!pairs.empty()) seams_.emplace(std::move(pairs), material_);
  list_terms();
}

void ClothSystem::update_masses() {
  gravity_.emplace(masses_, material_.gravity);
  rayleigh_mass_.emplace(masses_, material_.rayleigh_mass);
  if (drivers_) drivers_->set_masses(masses_);
  if (material_.inflate == 0)
    pressure_.reset();
  else if (pressure_)
    pressure_->set_pressure(material_.inflate);
  else
    pressure_.emplace(*model_, material_.inflate);
  list_terms();
}

void ClothSystem::list_terms() {
  terms_ = {&springs_, &*gravity_, &*rayleigh_mass_};
  if (pressure_) terms_.push_back(&*pressure_);
  if (wind_force_) terms_.push_back(&*wind_force_);
  if (drivers_) terms_.push_back(&*drivers_);
  if (seams_) terms_.push_back(&*seams_);
  if (contact_ != nullptr) terms_.push_back(contact_);
  if (grab_force_) terms_.push_back(&*grab_force_);
}

ClothSystem::Measures ClothSystem::measure(WorkerPool& pool, std::span<const vec3> x,
                                           std::span<const vec3> v) const {
  Measures measures;
  for (const ForceTerm* term : terms_) term->add_measures(pool, x, v, measures);
  return measures;
}

OuterLoad ClothSystem::outer_load(double mass) const {
  OuterLoad sum;
  for (const ForceTerm* term : terms_) {
    const OuterLoad load = term->outer_load(mass);
    sum.force += load.force;
    sum.energy += load.energy;
  }
  return sum;
}

double ClothSystem::stretch_energy(double strain) const {
  double energy = 0;
  for (const ElasticElement spring : elements())
    if (spring.stretch) {
      const double L = spring.rest_length, stretch = strain * L;
      energy +=
          0.5 * spring.stiffness * stretch * stretch + spring.stiffness * spring.limit.energy(L, L + stretch);
    }
  return energy;
}

void ClothSystem::force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
                        SpringForces springs) const {
  clear(pool, f);
  for (const ForceTerm* term : terms_) term->add_part(pool, springs, x, v, f);
}

void ClothSystem::force_at(WorkerPool& pool, double t, std::span<const vec3> x, std::span<const vec3> v,
                           std::span<vec3> f, SpringForces springs) const {
  clear(pool, f);
  for (const ForceTerm* term : terms_) term->add_part_at(pool, t, springs, x, v, f);
}

void ClothSystem::assemble(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                           const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const {
  springs_.add_jacobians(pool, {x, v, c, mode}, a);
  assemble_others(pool, x, v, c, mode, a);
}

void ClothSystem::assemble_others(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                                  const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const {
  begin_matrix(pool, c, a);
  for (const ForceTerm* term : terms_)
    if (term != &springs_) term->add_jacobians(pool, {x, v, c, mode}, a);
}

void ClothSystem::linearize(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double factor,
                            std::span<const vec3> u, const SystemCoefficients& c, JacobianMode mode,
                            ContactSet& contacts, std::span<vec3> f, SpringMatrix& a) const {
  const Linearization at{x, v, c, mode, factor, u};
  clear(pool, f);
  begin_matrix(pool, c, a);
  for (const ForceTerm* term : terms_) {
    if (term == contact_)
      contact_->linearize_set(pool, masses_, at, contacts, f, a);
    else
      term->linearize(pool, at, f, a);
  }
}

void ClothSystem::begin_matrix(WorkerPool& pool, const SystemCoefficients& c, SpringMatrix& a) const {
  for_each(pool, size(), kGrain, [&](std::size_t i) { a.diagonal(i) = c.mass * masses_[i]; });
  a.clear_stencils();
}

}  // namespace clothlab
