// SPDX-License-Identifier: MIT
#include "cloth/spring_pass.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "cloth/spring_pass_avx2.h"

namespace clothlab {

namespace {

Lanes lanes_of(const PairOfVectors& v, std::size_t lane) {
  return {HalfLanes{v.x[lane], v.y[lane]}, HalfLanes{v.z[lane], 0.0}};
}

double sum_of(HalfLanes a, HalfLanes b) { return (a[0] + a[1]) + (b[0] + b[1]); }

}  // namespace

/// One or two springs, one per lane: scalar roots and divisions cost twice as much.
struct SpringPass::Pair {
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
  template <class ValueOf>
  PairOfVectors difference(const ValueOf& value_of) const {
    const auto of = [&](const std::array<std::uint32_t, 2>& rows) {
      const Padded &a = value_of(rows[0]), &b = value_of(rows[1]);
      return PairOfVectors(HalfLanes{a.x, b.x}, HalfLanes{a.y, b.y}, HalfLanes{a.z, b.z});
    };
    return of(lower) - of(upper);
  }
  PairOfVectors along(const SpringPass& pass) const {
    return difference([&](std::uint32_t row) -> const Padded& { return pass.motion[row].x; });
  }
  PairOfVectors velocity(const SpringPass& pass) const {
    return difference([&](std::uint32_t row) -> const Padded& { return pass.motion[row].v; });
  }
  HalfLanes of_kind(const SpringPass& pass, const ByKind& value) const {
    return HalfLanes{value[pass.kind(slot[0])], value[pass.kind(slot[1])]};
  }
  HalfLanes rest_length(const SpringPass& pass) const {
    return HalfLanes{pass.rest_lengths[slot[0]], pass.rest_lengths[slot[1]]};
  }
};

/// Geometry of a pair of springs.
struct SpringPass::Pose {
  HalfLanes stiffness;   // k [N/m]
  HalfLanes length;      // l [m]
  HalfLanes elongation;  // l − L [m]
  PairOfVectors n;       // unit vector towards the lower end; 0 where l = 0
  HalfLanes ratio;       // 1 − c, L/l or less; 0 for a spring of no length, whose block is then k I
  HalfLanes kept_ratio;  // min(1, L/l), the same with c clamped at 0

  explicit Pose(const SpringPass& pass, const Pair& pair, JacobianMode mode = JacobianMode::clamped) {
    const HalfLanes zero = both(0), one = both(1);
    const HalfLanes rest_length = pair.rest_length(pass);
    const PairOfVectors along = pair.along(pass);
    length = root(dot(along, along));
    const HalfLanes divisor = where_equal(length, zero, one, length);
    stiffness = pair.of_kind(pass, pass.stiffness);
    elongation = length - rest_length;
    n = one / divisor * along;
    const HalfLanes exact_ratio = where_equal(length, zero, zero, rest_length / divisor);
    kept_ratio = where_greater(exact_ratio, one, one, exact_ratio);
    ratio = mode == JacobianMode::exact ? exact_ratio : kept_ratio;
  }
};

/// along n nᵀ + across I
struct SpringPass::Block {
  HalfLanes along = both(0), across = both(0);

  /// Adds scale B.
  void add_stiffness(const Pose& pose, double scale) {
    const HalfLanes k = both(scale) * pose.stiffness;
    along = along + k * pose.ratio;
    across = across + k * (both(1) - pose.ratio);
  }
  /// Adds −scale D.
  void add_damping(const SpringPass& pass, const Pose& pose, double scale) {
    along = along + both(scale * pass.projected);
    across = across + both(scale * pass.isotropic);
    if (pass.rayleigh == 0) return;
    const HalfLanes k = both(scale * pass.rayleigh) * pose.stiffness;
    along = along + k * pose.kept_ratio;
    across = across + k * (both(1) - pose.kept_ratio);
  }

  /// Adds scale (k_d + α k kept_ratio) (v·n)/l (I − n nᵀ), up to half of `along`.
  void add_damper_tension(const SpringPass& pass, const Pose& pose, const Pair& pair, double scale) {
    const HalfLanes l = where_equal(pose.length, both(0), both(1), pose.length);
    HalfLanes drag = both(scale * pass.projected);
    if (pass.rayleigh != 0) drag = drag + both(scale * pass.rayleigh) * pose.stiffness * pose.kept_ratio;
    const HalfLanes wanted = drag * dot(pair.velocity(pass), pose.n) / l;
    const HalfLanes most = both(0.5) * along;
    const HalfLanes tension = where_greater(wanted, most, most, wanted);
    along = along - tension;
    across = across + tension;
  }

  /// pulling n − block w
  PairOfVectors force(const Pose& pose, HalfLanes pulling, const PairOfVectors& w) const {
    return (pulling - along * dot(w, pose.n)) * pose.n - across * w;
  }
  void store(const Pose& pose, const Pair& pair, SpringMatrix& a) const {
    const PairOfVectors u = root(along) * pose.n;
    for (std::size_t k = 0; k < pair.count; ++k) {
      a.spring_in(pair.slot[k]) = {vec3(u.x[k], u.y[k], u.z[k]), across[k]};
    }
  }
};

/// Sums of two of every four springs.
struct SpringPass::Totals {
  HalfLanes stretch = both(0), bend = both(0), largest = both(0), strains = both(0);

  void add(const SpringPass& pass, const Pair& pair, HalfLanes length, HalfLanes elongation) {
    const ByKind of_stretch{0, pass.stiffness[1] / 2}, of_bend{pass.stiffness[0] / 2, 0}, strained{0, 1};
    const HalfLanes zero = both(0), one = both(1);
    const HalfLanes square = pair.used(elongation * elongation);
    stretch = stretch + pair.of_kind(pass, of_stretch) * square;
    bend = bend + pair.of_kind(pass, of_bend) * square;

    const HalfLanes L = pair.of_kind(pass, strained) * pair.rest_length(pass);
    const HalfLanes signed_strain = length / where_equal(L, zero, one, L) - one;
    const HalfLanes strain =
        where_equal(L, zero, zero, where_greater(zero, signed_strain, zero - signed_strain, signed_strain));
    largest = where_greater(strain, largest, strain, largest);
    strains = strains + strain;
  }
};

/// sums[row] := the forces that compute(pair, own) finds, for the rows of the chunk. Called once for every
/// slot of the chunk with std::true_type as `own`, and before for those that reach it from other chunks.
template <class Compute>
void SpringPass::sum_forces(std::size_t chunk, Padded* sums, const Compute& compute) const {
  const SpringPattern& p = pattern;
  const std::uint32_t begin = p.chunk_begin[chunk], end = p.chunk_begin[chunk + 1];
  std::fill(sums + begin, sums + end, Padded{});
  const std::span incoming(p.incoming.data() + p.incoming_begin[chunk],
                           p.incoming.data() + p.incoming_begin[chunk + 1]);
  for (std::size_t k = 0; k < incoming.size(); k += 2) {
    const Pair pair(incoming.subspan(k));
    const PairOfVectors force = compute(pair, std::false_type());
    for (std::size_t lane = 0; lane < pair.count; ++lane) {
      Padded& upper = sums[pair.upper[lane]];
      (Lanes(upper) - lanes_of(force, lane)).store(upper);
    }
  }
  for_pairs(p.slot_begin[begin], p.slot_begin[end], [&](const Pair& pair) {
    const PairOfVectors force = compute(pair, std::true_type());
    for (std::size_t lane = 0; lane < pair.count; ++lane) {
      Padded& lower = sums[pair.lower[lane]];
      (Lanes(lower) + lanes_of(force, lane)).store(lower);
      if (pair.upper[lane] >= end) continue;
      Padded& upper = sums[pair.upper[lane]];
      (Lanes(upper) - lanes_of(force, lane)).store(upper);
    }
  });
}

/// visit(pair) for the slots [begin, end).
template <class Visit>
void SpringPass::for_pairs(std::size_t begin, std::size_t end, const Visit& visit) const {
  for (std::size_t slot = begin; slot < end; slot += 2) visit(Pair(pattern, slot, end));
}

SpringMeasures SpringPass::run(std::size_t chunk, Padded* sums, Padded* damping, bool measured) const {
  const SpringKernels* avx2 = kernel == Kernel::fastest ? avx2_spring_kernels() : nullptr;
  return avx2 != nullptr ? avx2->run(*this, chunk, sums, damping, measured)
                         : run_portable(chunk, sums, damping, measured);
}

SpringMeasures SpringPass::run_portable(std::size_t chunk, Padded* sums, Padded* damping,
                                        bool measured) const {
  if (damping != nullptr) {
    sum_forces(chunk, damping, [&](const Pair& pair, auto) {
      const Pose pose(*this, pair);
      Block block;
      block.add_damping(*this, pose, 1);
      return block.force(pose, both(0), pair.velocity(*this));
    });
  }
  const std::size_t first = pattern.slot_begin[pattern.chunk_begin[chunk]];
  const std::size_t last = pattern.slot_begin[pattern.chunk_begin[chunk + 1]];
  std::array<Totals, 2> totals;
  const auto totals_of = [&](const Pair& pair) -> Totals& { return totals[(pair.slot[0] - first) / 2 % 2]; };
  if (sums != nullptr) {
    sum_forces(chunk, sums, [&](const Pair& pair, auto own) {
      const Pose pose(*this, pair);
      if constexpr (own.value) {
        if (measured) totals_of(pair).add(*this, pair, pose.length, pose.elongation);
      }
      const HalfLanes pulling = pair.of_kind(*this, pull) * pose.elongation;
      if (!damped()) return pulling * pose.n;
      Block block;
      block.add_damping(*this, pose, 1);
      return block.force(pose, pulling, pair.velocity(*this));
    });
  } else {
    for_pairs(first, last, [&](const Pair& pair) {
      const PairOfVectors along = pair.along(*this);
      const HalfLanes length = root(dot(along, along));
      totals_of(pair).add(*this, pair, length, length - pair.rest_length(*this));
    });
  }
  const auto& [even, odd] = totals;
  const double strains = sum_of(even.strains, odd.strains);  // not a number where one of them is not
  const double largest = std::max({even.largest[0], even.largest[1], odd.largest[0], odd.largest[1]});
  return {sum_of(even.stretch, odd.stretch), sum_of(even.bend, odd.bend),
          std::isnan(strains) ? strains : largest};
}

void SpringPass::assemble(std::size_t begin, std::size_t end, const Blocks& blocks) const {
  const SpringKernels* avx2 = kernel == Kernel::fastest ? avx2_spring_kernels() : nullptr;
  if (avx2 != nullptr) return avx2->assemble(*this, begin, end, blocks);
  assemble_portable(begin, end, blocks);
}

void SpringPass::assemble_portable(std::size_t begin, std::size_t end, const Blocks& blocks) const {
  for_pairs(begin, end, [&](const Pair& pair) {
    const Pose pose(*this, pair, blocks.mode);
    Block block;
    block.add_stiffness(pose, blocks.c.stiffness);
    block.add_damping(*this, pose, blocks.c.damping);
    if (blocks.has_damper_tension()) block.add_damper_tension(*this, pose, pair, blocks.c.stiffness);
    block.store(pose, pair, blocks.a);
  });
}

void SpringPass::linearize(std::size_t chunk, double factor, const Padded* u, const Blocks& blocks,
                           Padded* sums) const {
  const SpringKernels* avx2 = kernel == Kernel::fastest ? avx2_spring_kernels() : nullptr;
  if (avx2 != nullptr) return avx2->linearize(*this, chunk, factor, u, blocks, sums);
  linearize_portable(chunk, factor, u, blocks, sums);
}

void SpringPass::linearize_portable(std::size_t chunk, double factor, const Padded* u, const Blocks& blocks,
                                    Padded* sums) const {
  sum_forces(chunk, sums, [&](const Pair& pair, auto own) {
    const Pose pose(*this, pair, blocks.mode);
    if constexpr (own.value) {
      Block block;
      block.add_stiffness(pose, blocks.c.stiffness);
      block.add_damping(*this, pose, blocks.c.damping);
      block.store(pose, pair, blocks.a);
    }
    Block by_v;
    by_v.add_damping(*this, pose, 1);
    if (u == nullptr) by_v.add_stiffness(pose, factor);
    const HalfLanes pulling = both(-1) * pose.stiffness * pose.elongation;
    PairOfVectors force = by_v.force(pose, pulling, pair.velocity(*this));
    if (u != nullptr) {
      Block by_u;
      by_u.add_stiffness(pose, factor);
      force = force + by_u.force(pose, both(0),
                                 pair.difference([&](std::uint32_t row) -> const Padded& { return u[row]; }));
    }
    return force;
  });
}

}  // namespace clothlab
