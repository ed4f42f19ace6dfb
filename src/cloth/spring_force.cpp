#include "cloth/spring_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>

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
    void set(std::size_t b, const vec3& upper, const vec3& lower) {
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
  Vectors w;           // another difference between the ends
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

  void measure(const SpringForce& springs, std::span<const vec3> x) {
    const ClothModel& model = springs.model_;
    for (std::size_t b = 0; b < kSize; ++b) {
      rest_length[b] = model.rest_lengths()[slot[b]];
      stiffness[b] = model.is_stretch(slot[b]) ? springs.stretch_stiffness_ : springs.bend_stiffness_;
    }
    subtract(springs, x, n);
    for (std::size_t b = 0; b < kSize; ++b) {
      length[b] = std::sqrt(n.x[b] * n.x[b] + n.y[b] * n.y[b] + n.z[b] * n.z[b]);
    }
  }

  void pose(const SpringForce& springs, std::span<const vec3> x) {
    measure(springs, x);
    for (std::size_t b = 0; b < kSize; ++b) {
      const double divisor = length[b] == 0 ? 1.0 : length[b];
      const double inverse = 1 / divisor;
      n.x[b] *= inverse;
      n.y[b] *= inverse;
      n.z[b] *= inverse;
      ratio[b] = length[b] == 0 ? 0.0 : rest_length[b] / divisor;
      kept_ratio[b] = ratio[b] > 1 ? 1.0 : ratio[b];
    }
  }

  /// difference := that of values between the ends
  void subtract(const SpringForce& springs, std::span<const vec3> values, Vectors& difference) const {
    const std::vector<std::uint32_t>& particle = springs.pattern().particle;
    for (std::size_t b = 0; b < kSize; ++b) {
      difference.set(b, values[particle[upper[b]]], values[particle[lower[b]]]);
    }
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

  void give_lower(std::size_t b, std::vector<vec3>& sum) const {
    sum[lower[b]] += vec3(force.x[b], force.y[b], force.z[b]);
  }
  void give_upper(std::size_t b, std::vector<vec3>& sum) const {
    sum[upper[b]] -= vec3(force.x[b], force.y[b], force.z[b]);
  }
};

SpringForce::SpringForce(const ClothModel& model, const Material& material, WorkerPool& pool)
    : model_(model),
      pool_(pool),
      sum_(model.particles()),
      partial_((model.springs() + kSpringGrain - 1) / kSpringGrain) {
  set_material(material);
}

void SpringForce::set_material(const Material& material) {
  stretch_stiffness_ = material.stretch_stiffness;
  bend_stiffness_ = material.bend_stiffness;
  damping_model_ = material.damping_model;
  spring_damping_ = material.spring_damping;
  rayleigh_stiffness_ = material.rayleigh_stiffness;
}

SpringForce::Energies SpringForce::energies(std::span<const vec3> x) const {
  pool_.for_chunks(model_.springs(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    Batch batch;
    Energies sum;
    for (std::size_t slot = begin; slot < end; slot += Batch::kSize) {
      batch.take(pattern(), slot, std::min(Batch::kSize, end - slot));
      batch.measure(*this, x);
      for (std::size_t b = 0; b < batch.count; ++b) {
        const double elongation = batch.length[b] - batch.rest_length[b];
        const double energy = batch.stiffness[b] / 2 * elongation * elongation;
        const bool stretch = model_.is_stretch(slot + b);
        sum.stretch += stretch ? energy : 0.0;
        sum.bend += stretch ? 0.0 : energy;
      }
    }
    partial_[begin / kSpringGrain] = sum;
  });
  Energies total;
  for (const auto& [stretch, bend] : partial_) {
    total.stretch += stretch;
    total.bend += bend;
  }
  return total;
}

double SpringForce::energy(std::span<const vec3> x) const {
  const auto [stretch, bend] = energies(x);
  return stretch + bend;
}

// As in the products of a SpringMatrix: a spring within a chunk is computed once and goes to both its ends,
// one between two chunks is computed by both. No two threads write to one place, and the order of a sum
// depends on the mesh alone.
template <class Compute>
void SpringForce::add_forces(std::span<vec3> f, const Compute& compute) const {
  const SpringPattern& p = pattern();
  for_rows(pool_, p, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    std::fill(sum_.begin() + begin, sum_.begin() + end, vec3(0.0));
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
    for (std::uint32_t i = begin; i < end; ++i) f[p.particle[i]] += sum_[i];
  });
}

void SpringForce::add_force(std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
                            SpringForces springs, double h, JacobianMode mode) const {
  const double k_d = spring_damping_;
  const double alpha = rayleigh_stiffness_;
  const bool projected = damping_model_ == DampingModel::projected;
  const bool stretch = springs == SpringForces::all;
  const bool exact = mode == JacobianMode::exact;
  const bool moves = damped() || h != 0;
  add_forces(f, [&](Batch& batch) {
    batch.pose(*this, x);
    Batch::Numbers pull, along, across;
    for (std::size_t b = 0; b < Batch::kSize; ++b) {
      pull[b] = -batch.stiffness[b] * (batch.length[b] - batch.rest_length[b]);
    }
    if (!stretch) {
      for (std::size_t b = 0; b < Batch::kSize; ++b) {
        if (model_.is_stretch(batch.slot[b])) pull[b] = 0;
      }
    }
    if (!moves) return batch.pull(pull);
    batch.subtract(*this, v, batch.w);
    for (std::size_t b = 0; b < Batch::kSize; ++b) {
      const double k = batch.stiffness[b];
      const double kept = batch.kept_ratio[b];
      const double ratio = exact ? batch.ratio[b] : kept;
      along[b] = (projected ? k_d : 0.0) + alpha * k * kept + h * k * ratio;
      across[b] = (projected ? 0.0 : k_d) + alpha * k * (1 - kept) + h * k * (1 - ratio);
    }
    batch.combine(pull, along, across);
  });
}

void SpringForce::add_stiffness_product(std::span<const vec3> x, double factor, std::span<const vec3> u,
                                        JacobianMode mode, std::span<vec3> y) const {
  const bool exact = mode == JacobianMode::exact;
  add_forces(y, [&](Batch& batch) {
    batch.pose(*this, x);
    batch.subtract(*this, u, batch.w);
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
  pool_.for_chunks(p.springs(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    Batch batch;
    Batch::Numbers root, b_of;
    for (std::size_t slot = begin; slot < end; slot += Batch::kSize) {
      batch.take(p, slot, std::min(Batch::kSize, end - slot));
      batch.pose(*this, x);
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
  const SpringPattern& p = pattern();
  return pool_.sum(p.springs(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t slot = begin; slot < end; ++slot) {
      const vec3 v_ij = v[p.particle[p.lower[slot]]] - v[p.particle[p.upper[slot]]];
      sum += spring_damping_ / 2 * glm::dot(v_ij, v_ij);
    }
    return sum;
  });
}

}  // namespace clothlab
