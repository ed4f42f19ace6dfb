// SPDX-License-Identifier: MIT
#include "cloth/spring_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <type_traits>

#include "linalg/row_space.h"
#include "linalg/vectors.h"

namespace clothlab {

namespace {

constexpr std::size_t kSpringGrain = 4096;

/// One value for bending springs and one for stretch springs, by table lookup: the branch is badly predicted.
using ByKind = std::array<double, 2>;

Lanes lanes_of(const PairOfVectors& v, std::size_t lane) {
  return {HalfLanes{v.x[lane], v.y[lane]}, HalfLanes{v.z[lane], 0.0}};
}

}  // namespace

/// One or two springs, one per lane: scalar roots and divisions cost twice as much.
struct SpringForce::Pair {
  // A single spring fills both lanes.
  std::array<std::uint32_t, 2> slot, lower, upper;  // the latter two are rows
  std::size_t count;

  /// The slots first and, where it is below `last`, first + 1.
  Pair(const SpringPattern& p, std::size_t first, std::size_t last) : count(last - first > 1 ? 2 : 1) {
    slot = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first + count - 1)};
    lower = {p.lower[slot[0]], p.lower[slot[1]]};
    upper = {p.upper[slot[0]], p.upper[slot[1]]};
  }
  /// The first two, or the only one, of the springs that reach a chunk from lower chunks.
  explicit Pair(std::span<const SpringPattern::Incoming> in) : count(in.size() > 1 ? 2 : 1) {
    const SpringPattern::Incoming &a = in[0], &b = in[count - 1];
    slot = {a.slot, b.slot};
    lower = {a.lower, b.lower};
    upper = {a.upper, b.upper};
  }

  /// 0 in the lane that is not used.
  HalfLanes used(HalfLanes a) const { return count == 2 ? a : HalfLanes{a[0], 0.0}; }

  /// Values at the lower ends minus values at the upper ends.
  PairOfVectors difference(const SpringPattern& p, std::span<const vec3> values) const {
    return PairOfVectors(values[p.particle[lower[0]]], values[p.particle[lower[1]]]) -
           PairOfVectors(values[p.particle[upper[0]]], values[p.particle[upper[1]]]);
  }
  HalfLanes of_kind(const ClothModel& model, const ByKind& value) const {
    return HalfLanes{value[model.is_stretch(slot[0])], value[model.is_stretch(slot[1])]};
  }
  HalfLanes rest_length(const ClothModel& model) const {
    return HalfLanes{model.rest_lengths()[slot[0]], model.rest_lengths()[slot[1]]};
  }
};

/// Geometry of a pair of springs.
struct SpringForce::Pose {
  HalfLanes stiffness;   // k [N/m]
  HalfLanes elongation;  // l − L [m]
  PairOfVectors n;       // unit vector towards the lower end; 0 where l = 0
  HalfLanes ratio;       // 1 − c, L/l or less; 0 for a spring of no length, whose block is then k I
  HalfLanes kept_ratio;  // min(1, L/l), the same with c clamped at 0

  /// `compression`: the factor of c where it is negative.
  Pose(const SpringForce& springs, const ByKind& k, const Pair& pair, std::span<const vec3> x,
       double compression) {
    const HalfLanes zero = both(0), one = both(1);
    const HalfLanes rest_length = pair.rest_length(springs.model_);
    const PairOfVectors along = pair.difference(springs.pattern(), x);
    const HalfLanes length = root(dot(along, along));
    const HalfLanes divisor = where_equal(length, zero, one, length);
    stiffness = pair.of_kind(springs.model_, k);
    elongation = length - rest_length;
    n = one / divisor * along;
    const HalfLanes exact_ratio = where_equal(length, zero, zero, rest_length / divisor);
    kept_ratio = where_greater(exact_ratio, one, one, exact_ratio);
    ratio = compression == 1   ? exact_ratio
            : compression == 0 ? kept_ratio
                               : kept_ratio + both(compression) * (exact_ratio - kept_ratio);
  }
};

/// along n nᵀ + across I
struct SpringForce::Block {
  HalfLanes along = both(0), across = both(0);

  /// Adds scale B.
  void add_stiffness(const Pose& pose, double scale) {
    const HalfLanes k = both(scale) * pose.stiffness;
    along = along + k * pose.ratio;
    across = across + k * (both(1) - pose.ratio);
  }
  /// Adds −scale D.
  void add_damping(const SpringForce& springs, const Pose& pose, double scale) {
    const double k_d = scale * springs.spring_damping_;
    const bool projected = springs.damping_model_ == DampingModel::projected;
    along = along + both(projected ? k_d : 0.0);
    across = across + both(projected ? 0.0 : k_d);
    if (springs.rayleigh_stiffness_ == 0) return;
    const HalfLanes k = both(scale * springs.rayleigh_stiffness_) * pose.stiffness;
    along = along + k * pose.kept_ratio;
    across = across + k * (both(1) - pose.kept_ratio);
  }

  /// pull n − block w
  PairOfVectors force(const Pose& pose, HalfLanes pull, const PairOfVectors& w) const {
    return (pull - along * dot(w, pose.n)) * pose.n - across * w;
  }
  void store(const Pose& pose, const Pair& pair, SpringMatrix& a) const {
    const PairOfVectors u = root(along) * pose.n;
    for (std::size_t k = 0; k < pair.count; ++k) {
      a.spring_in(pair.slot[k]) = {vec3(u.x[k], u.y[k], u.z[k]), across[k]};
    }
  }
};

SpringForce::SpringForce(const ClothModel& model, const Material& material)
    : model_(model), sum_(model.particles()), partial_((model.springs() + kSpringGrain - 1) / kSpringGrain) {
  set_material(material);
}

void SpringForce::set_material(const Material& material) {
  stretch_stiffness_ = material.stretch_stiffness;
  bend_stiffness_ = material.bend_stiffness;
  damping_model_ = material.damping_model;
  spring_damping_ = material.spring_damping;
  rayleigh_stiffness_ = material.rayleigh_stiffness;
}

// As in the products of a SpringMatrix: a spring within a chunk is computed once and added to both ends, one
// between two chunks is computed in both. No two threads write to one place, and the order of a sum depends
// on the mesh alone.
template <class Compute>
void SpringForce::add_forces(WorkerPool& pool, std::span<vec3> f, const Compute& compute) const {
  const SpringPattern& p = pattern();
  for_rows(pool, p, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    std::fill(sum_.begin() + begin, sum_.begin() + end, Padded{});
    const std::span incoming(p.incoming.data() + p.incoming_begin[chunk],
                             p.incoming.data() + p.incoming_begin[chunk + 1]);
    for (std::size_t k = 0; k < incoming.size(); k += 2) {
      const Pair pair(incoming.subspan(k));
      const PairOfVectors force = compute(pair, std::false_type());
      for (std::size_t lane = 0; lane < pair.count; ++lane) {
        Padded& upper = sum_[pair.upper[lane]];
        (Lanes(upper) - lanes_of(force, lane)).store(upper);
      }
    }
    for_pairs(p.slot_begin[begin], p.slot_begin[end], [&](const Pair& pair) {
      const PairOfVectors force = compute(pair, std::true_type());
      for (std::size_t lane = 0; lane < pair.count; ++lane) {
        Padded& lower = sum_[pair.lower[lane]];
        (Lanes(lower) + lanes_of(force, lane)).store(lower);
        if (pair.upper[lane] >= end) continue;
        Padded& upper = sum_[pair.upper[lane]];
        (Lanes(upper) - lanes_of(force, lane)).store(upper);
      }
    });
    for (std::uint32_t i = begin; i < end; ++i) f[p.particle[i]] += unpadded(sum_[i]);
  });
}

template <class Visit>
void SpringForce::for_pairs(std::size_t begin, std::size_t end, const Visit& visit) const {
  for (std::size_t slot = begin; slot < end; slot += 2) visit(Pair(pattern(), slot, end));
}

SpringForce::Measures SpringForce::measure(WorkerPool& pool, std::span<const vec3> x) const {
  const ByKind of_stretch{0, stretch_stiffness_ / 2}, of_bend{bend_stiffness_ / 2, 0}, strained{0, 1};
  const HalfLanes zero = both(0), one = both(1);
  pool.for_chunks(pattern().springs(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    HalfLanes stretch = zero, bend = zero, largest = zero, strains = zero;
    for_pairs(begin, end, [&](const Pair& pair) {
      const PairOfVectors along = pair.difference(pattern(), x);
      const HalfLanes length = root(dot(along, along)), rest_length = pair.rest_length(model_);
      const HalfLanes elongation = length - rest_length;
      const HalfLanes square = pair.used(elongation * elongation);
      stretch = stretch + pair.of_kind(model_, of_stretch) * square;
      bend = bend + pair.of_kind(model_, of_bend) * square;

      const HalfLanes L = pair.of_kind(model_, strained) * rest_length;
      const HalfLanes signed_strain = length / where_equal(L, zero, one, L) - one;
      const HalfLanes strain =
          where_equal(L, zero, zero, where_greater(zero, signed_strain, zero - signed_strain, signed_strain));
      largest = where_greater(strain, largest, strain, largest);
      strains = strains + strain;
    });
    const double sum = strains[0] + strains[1];  // not a number where one of them is not
    partial_[begin / kSpringGrain] = {stretch[0] + stretch[1], bend[0] + bend[1],
                                      std::isnan(sum) ? sum : std::max(largest[0], largest[1])};
  });
  Measures total;
  for (const Measures& part : partial_) {
    total.stretch += part.stretch;
    total.bend += part.bend;
    if (!(part.max_strain <= total.max_strain) && !std::isnan(total.max_strain)) {
      total.max_strain = part.max_strain;
    }
  }
  return total;
}

double SpringForce::energy(WorkerPool& pool, std::span<const vec3> x) const {
  const Measures all = measure(pool, x);
  return all.stretch + all.bend;
}

void SpringForce::add_measures(WorkerPool& pool, std::span<const vec3> x, ForceMeasures& measures) const {
  const Measures own = measure(pool, x);
  measures.energies.stretch += own.stretch;
  measures.energies.bend += own.bend;
  measures.max_strain = own.max_strain;
}

void SpringForce::add_part(WorkerPool& pool, SpringForces part, std::span<const vec3> x,
                           std::span<const vec3> v, std::span<vec3> f) const {
  if (part == SpringForces::rest) return;
  const ByKind k{bend_stiffness_, stretch_stiffness_};
  const ByKind pulling{-bend_stiffness_, part == SpringForces::all ? -stretch_stiffness_ : 0.0};
  add_forces(pool, f, [&](const Pair& pair, auto /*own*/) {
    const Pose pose(*this, k, pair, x, 0);
    const HalfLanes pull = pair.of_kind(model_, pulling) * pose.elongation;
    PairOfVectors force = pull * pose.n;
    if (damped()) {
      Block damping;
      damping.add_damping(*this, pose, 1);
      force = damping.force(pose, pull, pair.difference(pattern(), v));
    }
    return force;
  });
}

void SpringForce::linearize(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double factor,
                            std::span<const vec3> u, const SystemCoefficients& c, JacobianMode mode,
                            std::span<vec3> f, SpringMatrix& a) const {
  const ByKind k{bend_stiffness_, stretch_stiffness_};
  const double compression = mode == JacobianMode::exact ? c.compression : 0.0;
  const bool along_v = u.data() == v.data();
  add_forces(pool, f, [&](const Pair& pair, auto own) {
    const Pose pose(*this, k, pair, x, compression);
    if constexpr (own.value) {
      Block block;
      block.add_stiffness(pose, c.stiffness);
      block.add_damping(*this, pose, c.damping);
      block.store(pose, pair, a);
    }
    Block by_v;
    by_v.add_damping(*this, pose, 1);
    if (along_v) by_v.add_stiffness(pose, factor);
    const HalfLanes pull = both(-1) * pose.stiffness * pose.elongation;
    PairOfVectors force = by_v.force(pose, pull, pair.difference(pattern(), v));
    if (!along_v) {
      Block by_u;
      by_u.add_stiffness(pose, factor);
      force = force + by_u.force(pose, both(0), pair.difference(pattern(), u));
    }
    return force;
  });
}

void SpringForce::add_jacobians(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                                const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const {
  const ByKind k{bend_stiffness_, stretch_stiffness_};
  const double compression = mode == JacobianMode::exact ? c.compression : 0.0;
  pool.for_chunks(pattern().springs(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    for_pairs(begin, end, [&](const Pair& pair) {
      const Pose pose(*this, k, pair, x, compression);
      Block block;
      block.add_stiffness(pose, c.stiffness);
      block.add_damping(*this, pose, c.damping);
      block.store(pose, pair, a);
    });
  });
}

bool SpringForce::has_dissipation_potential() const {
  return rayleigh_stiffness_ == 0 && (spring_damping_ == 0 || damping_model_ == DampingModel::isotropic);
}

double SpringForce::dissipation_potential(WorkerPool& pool, std::span<const vec3> v) const {
  if (spring_damping_ == 0) return 0;
  const SpringPattern& p = pattern();
  return pool.sum(p.springs(), kSpringGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t slot = begin; slot < end; ++slot) {
      const vec3 v_ij = v[p.particle[p.lower[slot]]] - v[p.particle[p.upper[slot]]];
      sum += spring_damping_ / 2 * glm::dot(v_ij, v_ij);
    }
    return sum;
  });
}

}  // namespace clothlab
