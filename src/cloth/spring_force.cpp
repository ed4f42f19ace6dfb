// SPDX-License-Identifier: MIT
#include "cloth/spring_force.h"

#include <bit>
#include <cmath>
#include <tuple>

#include "linalg/row_space.h"

namespace clothlab {

namespace {

constexpr std::size_t kSpringGrain = 4096;

/// to := from; true if any bit changed.
bool replace(Padded& to, const vec3& from) {
  const auto differs = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) ^ std::bit_cast<std::uint64_t>(b);
  };
  const bool fresh = (differs(to.x, from.x) | differs(to.y, from.y) | differs(to.z, from.z)) != 0;
  if (fresh) to = padded(from);
  return fresh;
}

}  // namespace

SpringForce::SpringForce(const ClothModel& model, const Material& material, SpringPass::Kernel kernel)
    : model_(model),
      kernel_(kernel),
      motion_(model.particles()),
      sum_(model.particles() + pattern().chunks()),
      parts_(pattern().chunks()) {
  set_material(material);
}

void SpringForce::set_material(const Material& material) {
  law_ = {.stretch_stiffness = material.stretch_stiffness,
          .bend_stiffness = material.bend_stiffness,
          .damping = material.spring_damping,
          .projected = material.damping_model == DampingModel::projected,
          .rayleigh = material.rayleigh_stiffness,
          .limit = {material.strain_limit, material.limit_stiffness}};
  const auto values = [](const Material& of) {
    return std::tie(of.kind, of.fabric, of.groups, of.stretch_stiffness, of.bend_stiffness);
  };
  if (!material.is_fabric() && material.groups.empty())
    by_slot_.reset();
  else if (!by_slot_ || values(material) != values(material_))
    by_slot_ = model_.springs_of(material);
  material_ = material;
  has_forces_ = has_damping_ = has_measures_ = wants_damping_ = false;
}

SpringPass SpringForce::pass(SpringForces part) const {
  const double stretch = by_slot_ ? 1 : law_.stretch_stiffness, bend = by_slot_ ? 1 : law_.bend_stiffness;
  return {.kernel = kernel_,
          .pattern = pattern(),
          .rest_lengths = model_.rest_lengths().data(),
          .is_stretch = model_.stretch_flags().data(),
          .motion = motion_.data(),
          .stiffness = {bend, stretch},
          .pull = {-bend, part == SpringForces::all ? -stretch : 0.0},
          .stiffness_by_slot = stiffness_by_slot(),
          .bending_by_slot = bending_by_slot(),
          .projected = law_.projected ? law_.damping : 0.0,
          .isotropic = law_.projected ? 0.0 : law_.damping,
          .rayleigh = law_.rayleigh,
          .limit = law_.limit};
}

/// Sets positions and velocities of the next pass. Empty velocities are not changed.
void SpringForce::take(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v) const {
  const SpringPattern& p = pattern();
  for_rows(pool, p, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    bool new_x = false, new_v = false;
    for (std::uint32_t i = begin; i < end; ++i) {
      new_x |= replace(motion_[i].x, x[p.particle[i]]);
      if (!v.empty()) new_v |= replace(motion_[i].v, v[p.particle[i]]);
    }
    parts_[chunk].new_x = new_x;
    parts_[chunk].new_v = new_v;
  });
  for (const Part& part : parts_) {
    if (part.new_x) has_measures_ = false;
    if (part.new_x || part.new_v) has_forces_ = has_damping_ = false;
  }
}

/// Forces of part_, their part of damping and measures at motion_.
void SpringForce::run(WorkerPool& pool, bool forces, bool measures, bool damping) const {
  damping = damping && !has_damping_;
  forces = damping || (forces && !has_forces_);
  measures = measures && !has_measures_;
  if (!forces && !measures) return;
  if (damping) damping_.resize(sum_.size());
  const SpringPass of_part = pass(part_);
  for_rows(pool, pattern(), [&](std::size_t chunk, std::uint32_t /*begin*/, std::uint32_t /*end*/) {
    const SpringMeasures found =
        of_part.run(chunk, forces ? sum_.data() : nullptr, damping ? damping_.data() : nullptr, measures);
    if (measures) parts_[chunk].measures = found;
  });
  has_forces_ = has_forces_ || forces;
  has_damping_ = has_damping_ || damping;
  if (!measures) return;
  has_measures_ = true;
  measures_ = {};
  for (const auto& [new_x, new_v, part] : parts_) {
    measures_.stretch += part.stretch;
    measures_.bend += part.bend;
    if (!(part.max_strain <= measures_.max_strain) && !std::isnan(measures_.max_strain))
      measures_.max_strain = part.max_strain;
  }
}

void SpringForce::add_sums(WorkerPool& pool, std::span<vec3> f) const {
  const SpringPattern& p = pattern();
  for_each_row(pool, p, [&](std::size_t i) { f[p.particle[i]] += unpadded(sum_[i]); });
}

SpringMeasures SpringForce::measure(WorkerPool& pool, std::span<const vec3> x,
                                    std::span<const vec3> v) const {
  take(pool, x, damped() ? v : std::span<const vec3>());
  run(pool, !v.empty(), true, !v.empty() && wants_damping_);
  return measures_;
}

void SpringForce::add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                               ForceMeasures& measures) const {
  const SpringMeasures own = measure(pool, x, v);
  measures.energies.stretch += own.stretch;
  measures.energies.bend += own.bend;
  measures.max_strain = own.max_strain;
}

void SpringForce::add_part(WorkerPool& pool, SpringForces part, std::span<const vec3> x,
                           std::span<const vec3> v, std::span<vec3> f) const {
  if (part == SpringForces::rest) return;
  has_forces_ = has_forces_ && part == part_;
  part_ = part;
  take(pool, x, damped() ? v : std::span<const vec3>());
  run(pool, true, false, false);
  wants_damping_ = false;
  add_sums(pool, f);
}

/// Damping is linear in v: f + D (v_end − v) is the force at v_end.
void SpringForce::add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const {
  if (!damped() || stage.springs == SpringForces::rest) return;
  take(pool, stage.x, stage.v_end);
  SpringPass damping = pass(SpringForces::all);
  damping.pull = {};
  damping.bends = false;
  has_forces_ = has_damping_ = false;
  const SpringPattern& p = pattern();
  const ImpulseSum impulse = to.add_to_all(ImpulseKind::damping, stage.x.size());
  for_rows(pool, p, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    damping.run(chunk, sum_.data(), nullptr, false);
    for (std::uint32_t i = begin; i < end; ++i) impulse.add(p.particle[i], stage.weight * unpadded(sum_[i]));
  });
}

void SpringForce::add_part_and_impulse(WorkerPool& pool, const ImpulseStage& stage, std::span<vec3> f,
                                       Impulses& to) const {
  if (!damped() || stage.springs == SpringForces::rest)
    return add_part(pool, stage.springs, stage.x, stage.v, f);
  has_forces_ = has_forces_ && stage.springs == part_;
  part_ = stage.springs;
  take(pool, stage.x, stage.v);
  run(pool, true, false, true);
  wants_damping_ = true;
  const SpringPattern& p = pattern();
  const ImpulseSum impulse = to.add_to_all(ImpulseKind::damping, stage.x.size());
  for_each_row(pool, p, [&](std::size_t i) {
    f[p.particle[i]] += unpadded(sum_[i]);
    impulse.add(p.particle[i], stage.weight * unpadded(damping_[i]));
  });
}

void SpringForce::linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                            SpringMatrix& a) const {
  take(pool, at.x, at.v);
  const SpringPattern& p = pattern();
  const bool along_v = at.u.data() == at.v.data();
  if (!along_v) {
    u_.resize(p.particles());
    for_each_row(pool, p, [&](std::size_t i) { u_[i] = padded(at.u[p.particle[i]]); });
  }
  const SpringPass all = pass(SpringForces::all);
  const SpringPass::Blocks blocks{at.c, at.mode, a};
  for_rows(pool, p, [&](std::size_t chunk, std::uint32_t /*begin*/, std::uint32_t /*end*/) {
    all.linearize(chunk, at.factor, along_v ? nullptr : u_.data(), blocks, sum_.data());
  });
  has_forces_ = has_damping_ = false;
  add_sums(pool, f);
}

void SpringForce::add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const {
  take(pool, at.x, at.c.damper_tension ? at.v : std::span<const vec3>());
  const SpringPass all = pass(SpringForces::all);
  const SpringPass::Blocks blocks{at.c, at.mode, a};
  pool.for_chunks(pattern().springs(), kSpringGrain,
                  [&](std::size_t begin, std::size_t end) { all.assemble(begin, end, blocks); });
}

}  // namespace clothlab
