#include "cloth/spring_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/cancel_point.h"
#include "linalg/row_space.h"

namespace clothlab {

namespace {

constexpr std::size_t kSpringGrain = 4096;

}  // namespace

/// Some springs at once, for loops that the compiler makes vector instructions of: the root and the divisions
/// that a spring costs take several times as long one by one.
struct SpringForce::Batch {
  static constexpr std::size_t kSize = 8;
  using Numbers = std::array<double, kSize>;
  struct Vectors {
    Numbers x, y, z;
    void set(std::size_t b, const Padded& upper, const Padded& lower) {
      x[b] = lower.x - upper.x;
      y[b] = lower.y - upper.y;
      z[b] = lower.z - upper.z;
    }
  };

  std::size_t count = 0;  // springs in use; what stands beyond repeats the first
  std::array<std::uint32_t, kSize> slot{}, lower{}, upper{};  // rows
  Numbers rest_length, stiffness;                             // L [m], k [N/m]
  Vectors n;                                                  // unit vector to the lower end; 0 where l = 0
  Numbers length;                                             // l [m]
  Numbers ratio;       // L/l = 1 − c; 0 for a spring of no length, so that its block is k I
  Numbers kept_ratio;  // min(1, L/l), the same with c clamped at 0
  Vectors w;           // a difference between the ends, see `subtract`
  Vectors force;       // on the lower end

  /// Slots [first, first + count).
  void take(const SpringPattern& p, std::size_t first, std::size_t n_slots) {
    count = n_slots;
    for (std::size_t b = 0; b < kSize; ++b) {
      slot[b] = static_cast<std::uint32_t>(first + (b < count ? b : 0));
      lower[b] = p.lower[slot[b]];
      upper[b] = p.upper[slot[b]];
    }
  }
  void take(const SpringPattern::Incoming* incoming, std::size_t n_slots) {
    count = n_slots;
    for (std::size_t b = 0; b < kSize; ++b) {
      const SpringPattern::Incoming& in = incoming[b < count ? b : 0];
      slot[b] = in.slot;
      lower[b] = in.lower;
      upper[b] = in.upper;
    }
  }

  void pose(const SpringForce& springs) {
    const std::vector<Padded>& x = springs.x_;
    for (std::size_t b = 0; b < kSize; ++b) {
      rest_length[b] = springs.rest_length_[slot[b]];
      stiffness[b] = springs.stretch_[slot[b]] ? springs.stretch_stiffness_ : springs.bend_stiffness_;
      n.set(b, x[upper[b]], x[lower[b]]);
    }
    for (std::size_t b = 0; b < kSize; ++b) {
      length[b] = std::sqrt(n.x[b] * n.x[b] + n.y[b] * n.y[b] + n.z[b] * n.z[b]);
      const double divisor = length[b] == 0 ? 1.0 : length[b];
      const double inverse = 1 / divisor;
      n.x[b] *= inverse;
      n.y[b] *= inverse;
      n.z[b] *= inverse;
      ratio[b] = length[b] == 0 ? 0.0 : rest_length[b] / divisor;
      kept_ratio[b] = ratio[b] > 1 ? 1.0 : ratio[b];
    }
  }

  void subtract(const std::vector<Padded>& of) {
    for (std::size_t b = 0; b < kSize; ++b) w.set(b, of[upper[b]], of[lower[b]]);
  }

  /// force := pull n − along (w·n) n − across w
  void combine(const Numbers& pull, const Numbers& along, const Numbers& across) {
    for (std::size_t b = 0; b < kSize; ++b) {
      const double factor = pull[b] - along[b] * (w.x[b] * n.x[b] + w.y[b] * n.y[b] + w.z[b] * n.z[b]);
      force.x[b] = factor * n.x[b] - across[b] * w.x[b];
      force.y[b] = factor * n.y[b] - across[b] * w.y[b];
      force.z[b] = factor * n.z[b] - across[b] * w.z[b];
    }
  }
  void pull(const Numbers& pull) {
    for (std::size_t b = 0; b < kSize; ++b) {
      force.x[b] = pull[b] * n.x[b];
      force.y[b] = pull[b] * n.y[b];
      force.z[b] = pull[b] * n.z[b];
    }
  }

  void give_lower(std::size_t b, std::vector<Padded>& sum) const {
    Padded& at = sum[lower[b]];
    at = {at.x + force.x[b], at.y + force.y[b], at.z + force.z[b], 0.0};
  }
  void give_upper(std::size_t b, std::vector<Padded>& sum) const {
    Padded& at = sum[upper[b]];
    at = {at.x - force.x[b], at.y - force.y[b], at.z - force.z[b], 0.0};
  }
};

SpringForce::SpringForce(const ClothModel& model, const Material& material, WorkerPool& pool,
                         const StopProbe& stop)
    : model_(model),
      pool_(pool),
      rest_length_(model.springs().size()),
      stretch_(model.springs().size()),
      x_(model.particles()),
      v_(model.particles()),
      sum_(model.particles()) {
  CancelPoint cancel(stop);
  for (std::size_t s = 0; s < model.springs().size(); ++s) {
    cancel.pass();
    const std::uint32_t slot = pattern().slot[s];
    rest_length_[slot] = model.springs()[s].rest_length;
    stretch_[slot] = s < model.stretch_springs();
  }
  set_material(material);
}

void SpringForce::set_material(const Material& material) {
  stretch_stiffness_ = material.stretch_stiffness;
  bend_stiffness_ = material.bend_stiffness;
  damping_model_ = material.damping_model;
  spring_damping_ = material.spring_damping;
  rayleigh_stiffness_ = material.rayleigh_stiffness;
}

double SpringForce::energy_of(std::span<const RestSpring> springs, double stiffness,
                              std::span<const vec3> x) const {
  return pool_.sum(springs.size(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (const RestSpring& s : springs.subspan(begin, end - begin)) {
      const double elongation = glm::length(x[s.i] - x[s.j]) - s.rest_length;
      sum += stiffness / 2 * elongation * elongation;
    }
    return sum;
  });
}

double SpringForce::stretch_energy(std::span<const vec3> x) const {
  return energy_of(model_.springs().first(model_.stretch_springs()), stretch_stiffness_, x);
}

double SpringForce::bend_energy(std::span<const vec3> x) const {
  return energy_of(model_.springs().subspan(model_.stretch_springs()), bend_stiffness_, x);
}

double SpringForce::energy(std::span<const vec3> x) const { return stretch_energy(x) + bend_energy(x); }

void SpringForce::take_rows(std::span<const vec3> values, std::vector<Padded>& rows) const {
  const SpringPattern& p = pattern();
  for_rows(pool_, p, [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) rows[i] = padded(values[p.particle[i]]);
  });
}

// As in the products of a SpringMatrix: a spring within a chunk is computed once and goes to both its ends,
// one between two chunks is computed by both. No two threads write to one place, and the order of a sum
// depends on the mesh alone.
template <class Compute>
void SpringForce::add_forces(std::span<vec3> f, const Compute& compute) const {
  const SpringPattern& p = pattern();
  for_rows(pool_, p, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    std::fill(sum_.begin() + begin, sum_.begin() + end, Padded{});
    Batch batch;
    const std::size_t last_incoming = p.incoming_begin[chunk + 1];
    for (std::size_t k = p.incoming_begin[chunk]; k < last_incoming; k += Batch::kSize) {
      batch.take(&p.incoming[k], std::min(Batch::kSize, last_incoming - k));
      compute(batch);
      for (std::size_t b = 0; b < batch.count; ++b) batch.give_upper(b, sum_);
    }
    const std::size_t last = p.slot_begin[end];
    for (std::size_t slot = p.slot_begin[begin]; slot < last; slot += Batch::kSize) {
      batch.take(p, slot, std::min(Batch::kSize, last - slot));
      compute(batch);
      for (std::size_t b = 0; b < batch.count; ++b) {
        batch.give_lower(b, sum_);
        if (batch.upper[b] < end) batch.give_upper(b, sum_);
      }
    }
    for (std::uint32_t i = begin; i < end; ++i) f[p.particle[i]] += unpadded(sum_[i]);
  });
}

void SpringForce::add_force(std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
                            SpringForces springs) const {
  const double k_d = spring_damping_;
  const double alpha = rayleigh_stiffness_;
  const bool projected = damping_model_ == DampingModel::projected;
  const bool stretch = springs == SpringForces::all;
  take_rows(x, x_);
  if (damped()) take_rows(v, v_);
  add_forces(f, [&](Batch& batch) {
    batch.pose(*this);
    Batch::Numbers pull, along, across;
    for (std::size_t b = 0; b < Batch::kSize; ++b) {
      pull[b] = -batch.stiffness[b] * (batch.length[b] - batch.rest_length[b]);
    }
    if (!stretch) {
      for (std::size_t b = 0; b < Batch::kSize; ++b) {
        if (stretch_[batch.slot[b]]) pull[b] = 0;
      }
    }
    if (!damped()) return batch.pull(pull);
    batch.subtract(v_);
    for (std::size_t b = 0; b < Batch::kSize; ++b) {
      along[b] = (projected ? k_d : 0.0) + alpha * batch.stiffness[b] * batch.kept_ratio[b];
      across[b] = (projected ? 0.0 : k_d) + alpha * batch.stiffness[b] * (1 - batch.kept_ratio[b]);
    }
    batch.combine(pull, along, across);
  });
}

void SpringForce::add_stiffness_product(std::span<const vec3> x, double factor, std::span<const vec3> u,
                                        JacobianMode mode, std::span<vec3> y) const {
  const bool exact = mode == JacobianMode::exact;
  take_rows(x, x_);
  take_rows(u, v_);
  add_forces(y, [&](Batch& batch) {
    batch.pose(*this);
    batch.subtract(v_);
    constexpr Batch::Numbers kNoPull{};
    Batch::Numbers along, across;
    for (std::size_t b = 0; b < Batch::kSize; ++b) {
      const double ratio = exact ? batch.ratio[b] : batch.kept_ratio[b];
      along[b] = factor * batch.stiffness[b] * ratio;
      across[b] = factor * batch.stiffness[b] * (1 - ratio);
    }
    batch.combine(kNoPull, along, across);
  });
}

void SpringForce::add_jacobians(std::span<const vec3> x, std::span<const vec3> /*v*/,
                                const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const {
  const double d_projected = damping_model_ == DampingModel::projected ? c.damping * spring_damping_ : 0.0;
  const double d_isotropic = damping_model_ == DampingModel::isotropic ? c.damping * spring_damping_ : 0.0;
  const double d_rayleigh = c.damping * rayleigh_stiffness_;
  const double compression = mode == JacobianMode::exact ? c.compression : 0.0;
  const SpringPattern& p = pattern();
  take_rows(x, x_);
  pool_.for_chunks(p.springs(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    Batch batch;
    Batch::Numbers root, b_of;
    for (std::size_t slot = begin; slot < end; slot += Batch::kSize) {
      batch.take(p, slot, std::min(Batch::kSize, end - slot));
      batch.pose(*this);
      for (std::size_t b = 0; b < Batch::kSize; ++b) {
        // B = k [(1 − c) n nᵀ + c I], and the matrix keeps the root of the first factor.
        const double kept = batch.kept_ratio[b];
        const double ratio = compression == 1 ? batch.ratio[b] : kept + compression * (batch.ratio[b] - kept);
        const double k = c.stiffness * batch.stiffness[b];
        const double k_rayleigh = d_rayleigh * batch.stiffness[b];
        root[b] = std::sqrt(k * ratio + d_projected + k_rayleigh * kept);
        b_of[b] = k * (1 - ratio) + d_isotropic + k_rayleigh * (1 - kept);
      }
      for (std::size_t b = 0; b < batch.count; ++b) {
        a.spring_in(slot + b) = {root[b] * vec3(batch.n.x[b], batch.n.y[b], batch.n.z[b]), b_of[b]};
      }
    }
  });
}

bool SpringForce::has_dissipation_potential() const {
  return rayleigh_stiffness_ == 0 && (spring_damping_ == 0 || damping_model_ == DampingModel::isotropic);
}

double SpringForce::dissipation_potential(std::span<const vec3> v) const {
  if (spring_damping_ == 0) return 0;
  const std::span<const RestSpring> springs = model_.springs();
  return pool_.sum(springs.size(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (const RestSpring& s : springs.subspan(begin, end - begin)) {
      const vec3 v_ij = v[s.i] - v[s.j];
      sum += spring_damping_ / 2 * glm::dot(v_ij, v_ij);
    }
    return sum;
  });
}

}  // namespace clothlab
