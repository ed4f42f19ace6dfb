// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cloth/cloth_model.h"
#include "cloth/driver_force.h"
#include "cloth/force_term.h"
#include "cloth/grab_force.h"
#include "cloth/mass_forces.h"
#include "cloth/material.h"
#include "cloth/pressure_force.h"
#include "cloth/seam_force.h"
#include "cloth/spring_force.h"
#include "cloth/wind_force.h"
#include "core/worker_pool.h"
#include "dynamics/dynamic_system.h"

namespace clothlab {

/// The cloth as integrators see it: model, material and forces.
///
/// Material, wind, grab, drivers and projection change between steps only. One caller at a time, as for the
/// pool.
class ClothSystem final : public DynamicSystem {
 public:
  using Energies = PotentialEnergies;
  using Measures = ForceMeasures;

  /// Throws InputError as ClothModel::masses and check_inflate do.
  ClothSystem(std::shared_ptr<const ClothModel> model, const Material& material);
  ClothSystem(const ClothSystem&) = delete;
  ClothSystem& operator=(const ClothSystem&) = delete;

  const ClothModel& model() const { return *model_; }
  const std::shared_ptr<const ClothModel>& shared_model() const { return model_; }
  const Material& material() const { return material_; }
  /// Throws InputError as the constructor does, with nothing changed.
  void set_material(const Material& material);

  /// See FabricSprings::inexact; 0 of springs.
  double inexact_share() const { return springs_.inexact_share(); }

  void set_grab(const std::optional<GrabSpring>& grab);

  const Wind& wind() const { return wind_; }
  void set_wind(const Wind& wind);
  /// Updates the air to positions x and time t; it is constant during a step. No effect without wind.
  void update_wind(WorkerPool& pool, std::span<const vec3> x, double t) {
    if (wind_force_) wind_force_->update_wind(pool, x, t);
  }

  /// The forces of drivers; none: no cost.
  void set_drivers(std::vector<DrivenGroup> groups);
  /// Harmonic forces have their value at time t [s] until the next call.
  void set_driver_time(double t) {
    if (drivers_) drivers_->set_time(t);
  }

  /// The springs of seams, which begin at the lengths of t = 0; none: no cost.
  void set_seams(std::vector<SewnPair> pairs);
  const std::optional<SeamForce>& seams() const { return seams_; }
  /// Seams have their rest lengths of time t [s] until the next call.
  void set_seam_time(double t) {
    if (seams_) seams_->set_time(t);
  }

  /// See WindForce::largest_rate; 0 without wind.
  double wind_rate(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                   const Projection& fixed) const {
    return wind_force_ ? wind_force_->largest_rate(pool, x, v, masses_, fixed) : 0;
  }

  /// Adds contact as a force, which must outlive this; null: none.
  void set_contact(const ContactTerm* contact) {
    contact_ = contact;
    list_terms();
  }

  /// At positions x; see GravityForce for the zero of the gravity energy. Where `v` is not empty, `force`
  /// at (x, v) costs little if it comes next.
  Measures measure(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v = {}) const;
  Energies energies(WorkerPool& pool, std::span<const vec3> x) const { return measure(pool, x).energies; }
  double grab_energy(WorkerPool& pool, std::span<const vec3> x) const {
    return grab_force_ ? grab_force_->energy(pool, x) : 0;
  }
  double contact_energy(WorkerPool& pool, std::span<const vec3> x) const {
    return contact_ != nullptr ? contact_->energy(pool, x) : 0;
  }

  /// Sum of the loads of gravity and wind on cloth of the given mass [kg].
  OuterLoad outer_load(double mass) const;

  /// Energy of all stretch springs when each is longer by a share of `strain` [J].
  double stretch_energy(double strain) const;

  Projection& projection() { return projection_; }

  std::size_t size() const override { return masses_.size(); }
  std::span<const double> masses() const override { return masses_; }
  const Projection& projection() const override { return projection_; }
  using DynamicSystem::force;
  void force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
             SpringForces springs) const override;
  /// Forces at time t [s] with the wind and the drivers at that time and the contacts at x.
  void force_at(WorkerPool& pool, double t, std::span<const vec3> x, std::span<const vec3> v,
                std::span<vec3> f, SpringForces springs) const;
  void add_impulses(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override {
    for (const ForceTerm* term : terms_) term->add_impulse(pool, stage, to);
  }
  void force_and_impulses(WorkerPool& pool, const ImpulseStage& stage, std::span<vec3> f,
                          Impulses& to) const override {
    clear(pool, f);
    for (const ForceTerm* term : terms_) term->add_part_and_impulse(pool, stage, f, to);
  }
  double potential_energy(WorkerPool& pool, std::span<const vec3> x) const override {
    double sum = 0;
    for (const ForceTerm* term : terms_) sum += term->energy(pool, x);
    return sum;
  }
  void assemble(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const override;
  void assemble_others(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                       const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const override;
  void linearize(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double factor,
                 std::span<const vec3> u, const SystemCoefficients& c, JacobianMode mode,
                 ContactSet& contacts, std::span<vec3> f, SpringMatrix& a) const override;
  std::shared_ptr<const SpringPattern> pattern() const override { return model_->pattern(); }
  ElasticElements elements() const override { return springs_.elements(); }
  const StepContact* contact() const override { return contact_; }
  const std::optional<GrabSpring>& grab() const override { return grab_; }
  double mass_damping() const override { return material_.rayleigh_mass; }

 private:
  static constexpr std::size_t kGrain = 1024;

  void update_masses();  // and the forces that depend on them
  void list_terms();
  void clear(WorkerPool& pool, std::span<vec3> f) const {
    for_each(pool, f.size(), kGrain, [&](std::size_t i) { f[i] = vec3(0.0); });
  }
  void begin_matrix(WorkerPool& pool, const SystemCoefficients& c, SpringMatrix& a) const;  // mass part

  std::shared_ptr<const ClothModel> model_;
  Material material_;
  std::vector<double> masses_;
  Projection projection_;
  std::optional<GrabSpring> grab_;
  Wind wind_;

  SpringForce springs_;
  std::optional<GravityForce> gravity_;
  std::optional<RayleighMassForce> rayleigh_mass_;
  std::optional<PressureForce> pressure_;
  std::optional<WindForce> wind_force_;
  std::optional<DriverForces> drivers_;
  std::optional<SeamForce> seams_;
  const ContactTerm* contact_ = nullptr;
  std::optional<GrabForce> grab_force_;
  // The active forces in the order of summation; every sum over forces uses this list.
  std::vector<const ForceTerm*> terms_;
};

}  // namespace clothlab
