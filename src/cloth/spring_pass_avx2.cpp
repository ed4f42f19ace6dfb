// SPDX-License-Identifier: MIT
#include "cloth/spring_pass_avx2.h"

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#define CLOTHLAB_AVX2 __attribute__((target("avx2")))
#define CLOTHLAB_AVX2_LAMBDA __attribute__((target("avx2"), always_inline))
#define CLOTHLAB_AVX2_INLINE CLOTHLAB_AVX2_LAMBDA inline
#endif

namespace clothlab {

#if defined(CLOTHLAB_AVX2)

namespace {

// The operations of run_portable and linearize_portable in the same order, four springs per register. None is
// fused.
//
// Springs go in blocks through four short loops: vectors along the springs; roots, divisions and measures;
// forces; sums by row. In one loop the chain of operations of a spring, which is long, would leave the
// processor room for hardly more than four springs at a time. What passes from loop to loop stays in the
// first-level cache.

constexpr std::size_t kBlockSprings = 64;

enum class Damping { none, projected, general };

struct FourVectors {
  __m256d x, y, z;
};

/// Springs side by side, with at least as many behind them as fill a register.
struct SpringRun {
  const std::uint32_t *lower, *upper;  // rows
  const double* rest_lengths;
  const char* is_stretch;
  std::size_t count;
};

/// Copies of springs of any slots; the last is repeated to fill a register.
class SpringCopies {
 public:
  template <class SlotOf>
  SpringRun copy(const SpringPass& pass, std::size_t count, const SlotOf& slot_of) {
    for (std::size_t k = 0; k < (count + 3) / 4 * 4; ++k) {
      const std::size_t slot = slot_of(std::min(k, count - 1));
      lower_[k] = pass.pattern.lower[slot];
      upper_[k] = pass.pattern.upper[slot];
      rest_lengths_[k] = pass.rest_lengths[slot];
      is_stretch_[k] = pass.is_stretch[slot];
    }
    return {lower_, upper_, rest_lengths_, is_stretch_, count};
  }

 private:
  std::uint32_t lower_[kBlockSprings], upper_[kBlockSprings];
  double rest_lengths_[kBlockSprings];
  char is_stretch_[kBlockSprings];
};

CLOTHLAB_AVX2_INLINE __m256d dot(const FourVectors& a, const FourVectors& b) {
  return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(a.x, b.x), _mm256_mul_pd(a.y, b.y)),
                       _mm256_mul_pd(a.z, b.z));
}

CLOTHLAB_AVX2_INLINE FourVectors scaled(__m256d s, const FourVectors& a) {
  return {_mm256_mul_pd(s, a.x), _mm256_mul_pd(s, a.y), _mm256_mul_pd(s, a.z)};
}

const Padded& position_of(const SpringPass::Motion& row) { return row.x; }
const Padded& velocity_of(const SpringPass::Motion& row) { return row.v; }
const Padded& itself(const Padded& row) { return row; }

/// Values at the lower ends minus values at the upper ends, of the springs from k on.
template <auto kValueOf, class Row>
CLOTHLAB_AVX2_INLINE FourVectors four_differences(const Row* rows, const SpringRun& s, std::size_t k) {
  const auto difference = [&](std::size_t i) CLOTHLAB_AVX2_LAMBDA {
    const Padded &lower = kValueOf(rows[s.lower[i]]), &upper = kValueOf(rows[s.upper[i]]);
    return _mm256_sub_pd(_mm256_load_pd(&lower.x), _mm256_load_pd(&upper.x));
  };
  const __m256d a = difference(k), b = difference(k + 1), c = difference(k + 2), d = difference(k + 3);
  const __m256d xz01 = _mm256_unpacklo_pd(a, b), y01 = _mm256_unpackhi_pd(a, b);
  const __m256d xz23 = _mm256_unpacklo_pd(c, d), y23 = _mm256_unpackhi_pd(c, d);
  return {_mm256_permute2f128_pd(xz01, xz23, 0x20), _mm256_permute2f128_pd(y01, y23, 0x20),
          _mm256_permute2f128_pd(xz01, xz23, 0x31)};
}

/// Four numbers each: a vector and one behind it.
CLOTHLAB_AVX2_INLINE void store_four(const FourVectors& a, __m256d fourth, double* to) {
  const __m256d xy02 = _mm256_unpacklo_pd(a.x, a.y), xy13 = _mm256_unpackhi_pd(a.x, a.y);
  const __m256d z02 = _mm256_unpacklo_pd(a.z, fourth), z13 = _mm256_unpackhi_pd(a.z, fourth);
  _mm256_store_pd(to, _mm256_permute2f128_pd(xy02, z02, 0x20));
  _mm256_store_pd(to + 4, _mm256_permute2f128_pd(xy13, z13, 0x20));
  _mm256_store_pd(to + 8, _mm256_permute2f128_pd(xy02, z02, 0x31));
  _mm256_store_pd(to + 12, _mm256_permute2f128_pd(xy13, z13, 0x31));
}

CLOTHLAB_AVX2_INLINE __m256d bending(const SpringRun& s, std::size_t k) {
  int flags;
  std::memcpy(&flags, s.is_stretch + k, sizeof flags);
  const __m256i wide = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128(flags));
  return _mm256_castsi256_pd(_mm256_cmpeq_epi64(wide, _mm256_setzero_si256()));
}

CLOTHLAB_AVX2_INLINE __m256d by_kind(const SpringPass::ByKind& value, __m256d bend) {
  return _mm256_blendv_pd(_mm256_set1_pd(value[1]), _mm256_set1_pd(value[0]), bend);
}

CLOTHLAB_AVX2_INLINE __m256d is_zero(__m256d a) { return _mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_EQ_OQ); }

/// Sums over the springs, lane by lane.
struct FourTotals {
  __m256d stretch, bend, largest, strains;

  CLOTHLAB_AVX2_INLINE FourTotals()
      : stretch(_mm256_setzero_pd()), bend(stretch), largest(stretch), strains(stretch) {}

  CLOTHLAB_AVX2_INLINE void add(const SpringPass& pass, const SpringRun& s, std::size_t k, __m256d bend_only,
                                __m256d length, __m256d elongation) {
    const __m256d one = _mm256_set1_pd(1.0);
    __m256d square = _mm256_mul_pd(elongation, elongation);
    if (s.count - k < 4) {
      const __m256i rest = _mm256_set1_epi64x(static_cast<long long>(s.count - k));
      square =
          _mm256_and_pd(square, _mm256_castsi256_pd(_mm256_cmpgt_epi64(rest, _mm256_set_epi64x(3, 2, 1, 0))));
    }
    const __m256d of_stretch = _mm256_andnot_pd(bend_only, _mm256_set1_pd(pass.stiffness[1] / 2));
    const __m256d of_bend = _mm256_and_pd(bend_only, _mm256_set1_pd(pass.stiffness[0] / 2));
    stretch = _mm256_add_pd(stretch, _mm256_mul_pd(of_stretch, square));
    bend = _mm256_add_pd(bend, _mm256_mul_pd(of_bend, square));

    const __m256d L = _mm256_andnot_pd(bend_only, _mm256_loadu_pd(s.rest_lengths + k));
    const __m256d none = is_zero(L);
    const __m256d signed_strain = _mm256_sub_pd(_mm256_div_pd(length, _mm256_blendv_pd(L, one, none)), one);
    const __m256d strain = _mm256_andnot_pd(none, _mm256_andnot_pd(_mm256_set1_pd(-0.0), signed_strain));
    largest = _mm256_max_pd(strain, largest);  // the latter where one is not a number
    strains = _mm256_add_pd(strains, strain);
  }

  CLOTHLAB_AVX2_INLINE SpringMeasures measures() const {
    alignas(32) double s[4], b[4], l[4], n[4];
    _mm256_store_pd(s, stretch);
    _mm256_store_pd(b, bend);
    _mm256_store_pd(l, largest);
    _mm256_store_pd(n, strains);
    const double all = (n[0] + n[1]) + (n[2] + n[3]);
    return {(s[0] + s[1]) + (s[2] + s[3]), (b[0] + b[1]) + (b[2] + b[3]),
            all != all ? all : *std::max_element(l, l + 4)};
  }
};

/// Vectors of the springs of a block.
struct BlockVectors {
  double x[kBlockSprings], y[kBlockSprings], z[kBlockSprings];

  CLOTHLAB_AVX2_INLINE FourVectors load(std::size_t k) const {
    return {_mm256_load_pd(x + k), _mm256_load_pd(y + k), _mm256_load_pd(z + k)};
  }
  CLOTHLAB_AVX2_INLINE void store(std::size_t k, const FourVectors& a) {
    _mm256_store_pd(x + k, a.x);
    _mm256_store_pd(y + k, a.y);
    _mm256_store_pd(z + k, a.z);
  }
};

/// A block of springs between the loops.
struct alignas(32) SpringBlock {
  BlockVectors along;             // x_ij [m]
  BlockVectors velocity;          // v_ij [m/s]
  double length[kBlockSprings];   // its square [m²]
  double inverse[kBlockSprings];  // 1/l [1/m]
  double pull[kBlockSprings];     // elastic force along n [N]; see find_forces
  double ratio[kBlockSprings];    // L/l, see SpringPass::Pose
  Padded force[kBlockSprings];    // on the lower end [N]
  Padded damping[kBlockSprings];  // the part of damping in it
  double drag[kBlockSprings];     // the part of damping in `pull`
};

template <bool kForces, bool kDamped>
CLOTHLAB_AVX2_INLINE void find_differences(const SpringPass& pass, const SpringRun& s, SpringBlock& block) {
  for (std::size_t k = 0; k < s.count; k += 4) {
    const FourVectors along = four_differences<position_of>(pass.motion, s, k);
    _mm256_store_pd(block.length + k, dot(along, along));
    if constexpr (kForces) block.along.store(k, along);
    if constexpr (kDamped) {
      block.velocity.store(k, four_differences<velocity_of>(pass.motion, s, k));
    }
  }
}

template <bool kForces, bool kMeasured, bool kRatio>
CLOTHLAB_AVX2_INLINE void find_lengths(const SpringPass& pass, const SpringRun& s, SpringBlock& block,
                                       FourTotals& totals) {
  const __m256d one = _mm256_set1_pd(1.0);
  for (std::size_t k = 0; k < s.count; k += 4) {
    const __m256d length = _mm256_sqrt_pd(_mm256_load_pd(block.length + k));
    const __m256d elongation = _mm256_sub_pd(length, _mm256_loadu_pd(s.rest_lengths + k));
    const __m256d bend = bending(s, k);
    if constexpr (kMeasured) totals.add(pass, s, k, bend, length, elongation);
    if constexpr (kForces) {
      const __m256d none = is_zero(length), divisor = _mm256_blendv_pd(length, one, none);
      _mm256_store_pd(block.inverse + k, _mm256_div_pd(one, divisor));
      _mm256_store_pd(block.pull + k, _mm256_mul_pd(by_kind(pass.pull, bend), elongation));
      if constexpr (kRatio) {
        const __m256d ratio = _mm256_div_pd(_mm256_loadu_pd(s.rest_lengths + k), divisor);
        _mm256_store_pd(block.ratio + k, _mm256_andnot_pd(none, ratio));
      }
    }
  }
}

/// Four blocks along n nᵀ + across I.
struct FourBlocks {
  __m256d along, across;

  CLOTHLAB_AVX2_INLINE void add(__m256d k, __m256d ratio) {
    along = _mm256_add_pd(along, _mm256_mul_pd(k, ratio));
    across = _mm256_add_pd(across, _mm256_mul_pd(k, _mm256_sub_pd(_mm256_set1_pd(1.0), ratio)));
  }
  /// Adds scale B.
  CLOTHLAB_AVX2_INLINE void add_stiffness(__m256d stiffness, __m256d ratio, double scale) {
    add(_mm256_mul_pd(_mm256_set1_pd(scale), stiffness), ratio);
  }
  /// Adds −scale D.
  CLOTHLAB_AVX2_INLINE void add_damping(const SpringPass& pass, __m256d stiffness, __m256d kept_ratio,
                                        double scale) {
    along = _mm256_add_pd(along, _mm256_set1_pd(scale * pass.projected));
    across = _mm256_add_pd(across, _mm256_set1_pd(scale * pass.isotropic));
    if (pass.rayleigh != 0) add(_mm256_mul_pd(_mm256_set1_pd(scale * pass.rayleigh), stiffness), kept_ratio);
  }
  /// pull n − block w
  CLOTHLAB_AVX2_INLINE FourVectors force(const FourVectors& n, __m256d pull, const FourVectors& w) const {
    const FourVectors f = scaled(_mm256_sub_pd(pull, _mm256_mul_pd(along, dot(w, n))), n);
    const FourVectors drag = scaled(across, w);
    return {_mm256_sub_pd(f.x, drag.x), _mm256_sub_pd(f.y, drag.y), _mm256_sub_pd(f.z, drag.z)};
  }
};

CLOTHLAB_AVX2_INLINE FourBlocks no_blocks() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }

CLOTHLAB_AVX2_INLINE __m256d kept_ratio(const SpringBlock& block, std::size_t k) {
  return _mm256_min_pd(_mm256_set1_pd(1.0), _mm256_load_pd(block.ratio + k));
}

/// Where kSplit, the part of damping as well: of projected damping, which acts along n as all does, `force`
/// becomes n, `pull` the whole force along it and `drag` its part of damping.
template <Damping kDamping, bool kSplit>
CLOTHLAB_AVX2_INLINE void find_forces(const SpringPass& pass, const SpringRun& s, SpringBlock& block) {
  const __m256d zero = _mm256_setzero_pd();
  for (std::size_t k = 0; k < s.count; k += 4) {
    const FourVectors n = scaled(_mm256_load_pd(block.inverse + k), block.along.load(k));
    const __m256d pull = _mm256_load_pd(block.pull + k);
    FourVectors force;
    if constexpr (kDamping == Damping::none) {
      force = scaled(pull, n);
    } else {
      const FourVectors w = block.velocity.load(k);
      if constexpr (kDamping == Damping::projected) {
        const __m256d drag = _mm256_mul_pd(_mm256_set1_pd(pass.projected), dot(w, n));
        const __m256d along = _mm256_sub_pd(pull, drag);
        if constexpr (kSplit) {
          force = n;
          _mm256_store_pd(block.pull + k, along);
          _mm256_store_pd(block.drag + k, _mm256_sub_pd(zero, drag));
        } else {
          force = scaled(along, n);
        }
      } else {
        FourBlocks damping = no_blocks();
        damping.add_damping(pass, by_kind(pass.stiffness, bending(s, k)), kept_ratio(block, k), 1);
        force = damping.force(n, pull, w);
        if constexpr (kSplit) store_four(damping.force(n, zero, w), zero, &block.damping[k].x);
      }
    }
    store_four(force, zero, &block.force[k].x);
  }
}

/// Four springs of the matrix, from k on, with the unit vectors n: SpringPass::assemble.
CLOTHLAB_AVX2_INLINE void store_matrix(const SpringPass& pass, const SpringRun& s, std::size_t k,
                                       const SpringPass::Blocks& blocks, const SpringBlock& block,
                                       const FourVectors& n, double* to) {
  const __m256d kept = kept_ratio(block, k);
  const bool exact = blocks.mode == JacobianMode::exact;
  const __m256d ratio = exact ? _mm256_load_pd(block.ratio + k) : kept;
  const __m256d stiffness = by_kind(pass.stiffness, bending(s, k));
  FourBlocks sum = no_blocks();
  sum.add_stiffness(stiffness, ratio, blocks.c.stiffness);
  sum.add_damping(pass, stiffness, kept, blocks.c.damping);
  if (blocks.has_damper_tension()) {
    const __m256d length = _mm256_sqrt_pd(_mm256_load_pd(block.length + k));
    __m256d drag = _mm256_set1_pd(blocks.c.stiffness * pass.projected);
    if (pass.rayleigh != 0) {
      const __m256d k_scaled = _mm256_mul_pd(_mm256_set1_pd(blocks.c.stiffness * pass.rayleigh), stiffness);
      drag = _mm256_add_pd(drag, _mm256_mul_pd(k_scaled, kept));
    }
    const __m256d wanted =
        _mm256_div_pd(_mm256_mul_pd(drag, dot(block.velocity.load(k), n)),
                      _mm256_blendv_pd(length, _mm256_set1_pd(1.0), is_zero(length)));  // 1 where it is 0
    const __m256d tension = _mm256_min_pd(_mm256_mul_pd(_mm256_set1_pd(0.5), sum.along), wanted);
    sum.along = _mm256_sub_pd(sum.along, tension);
    sum.across = _mm256_add_pd(sum.across, tension);
  }
  store_four(scaled(_mm256_sqrt_pd(sum.along), n), sum.across, to);
}

/// find_forces with those of K: SpringPass::linearize for a block. The blocks go to `to` where it is not
/// null.
CLOTHLAB_AVX2_INLINE void linearize_block(const SpringPass& pass, const SpringRun& s, double factor,
                                          const Padded* u, const SpringPass::Blocks& blocks, double* to,
                                          SpringBlock& block) {
  const __m256d zero = _mm256_setzero_pd();
  for (std::size_t k = 0; k < s.count; k += 4) {
    const FourVectors n = scaled(_mm256_load_pd(block.inverse + k), block.along.load(k));
    const __m256d stiffness = by_kind(pass.stiffness, bending(s, k)), kept = kept_ratio(block, k);
    const __m256d exact = _mm256_load_pd(block.ratio + k);
    const __m256d ratio = blocks.mode == JacobianMode::exact ? exact : kept;
    if (to != nullptr) store_matrix(pass, s, k, blocks, block, n, to + 4 * k);
    FourBlocks by_v = no_blocks();
    by_v.add_damping(pass, stiffness, kept, 1);
    if (u == nullptr) by_v.add_stiffness(stiffness, ratio, factor);
    FourVectors force = by_v.force(n, _mm256_load_pd(block.pull + k), block.velocity.load(k));
    if (u != nullptr) {
      FourBlocks by_u = no_blocks();
      by_u.add_stiffness(stiffness, ratio, factor);
      const FourVectors more = by_u.force(n, zero, four_differences<itself>(u, s, k));
      force = {_mm256_add_pd(force.x, more.x), _mm256_add_pd(force.y, more.y),
               _mm256_add_pd(force.z, more.z)};
    }
    store_four(force, zero, &block.force[k].x);
  }
}

CLOTHLAB_AVX2_INLINE void subtract_from(Padded& sum, __m256d force) {
  _mm256_store_pd(&sum.x, _mm256_sub_pd(_mm256_load_pd(&sum.x), force));
}

/// What is summed: forces, or with them their part of damping; split_along_n for that of projected damping.
enum class Sums { forces, split, split_along_n };

/// On the lower end of a spring.
struct SpringSum {
  __m256d force, damping;
};
template <Sums kSums>
CLOTHLAB_AVX2_INLINE SpringSum forces_of(const SpringBlock& block, std::size_t k) {
  const __m256d force = _mm256_load_pd(&block.force[k].x);
  if constexpr (kSums == Sums::forces) return {force, force};
  if constexpr (kSums == Sums::split) return {force, _mm256_load_pd(&block.damping[k].x)};
  return {_mm256_mul_pd(_mm256_broadcast_sd(block.pull + k), force),
          _mm256_mul_pd(_mm256_broadcast_sd(block.drag + k), force)};
}

/// Adds the forces to the rows of a chunk, and those of damping side by side with them, since a row waits for
/// the sum of the spring before. Springs of one lower row follow each other: its sum stays in a register.
/// Upper rows of other chunks, those from `end` on, are replaced by the row `unused`: branches would be badly
/// predicted.
template <Sums kSums>
CLOTHLAB_AVX2_INLINE void sum_block(const SpringRun& s, const SpringBlock& block, std::uint32_t end,
                                    std::uint32_t unused, Padded* sums, Padded* damping) {
  constexpr bool kSplit = kSums != Sums::forces;
  for (std::size_t k = 0; k < s.count;) {
    const std::uint32_t lower = s.lower[k];
    __m256d sum = _mm256_load_pd(&sums[lower].x), damped = _mm256_setzero_pd();
    if constexpr (kSplit) damped = _mm256_load_pd(&damping[lower].x);
    do {
      const SpringSum of = forces_of<kSums>(block, k);
      const std::uint32_t above = s.upper[k], upper = above < end ? above : unused;
      sum = _mm256_add_pd(sum, of.force);
      subtract_from(sums[upper], of.force);
      if constexpr (kSplit) damped = _mm256_add_pd(damped, of.damping);
      if constexpr (kSplit) subtract_from(damping[upper], of.damping);
      ++k;
    } while (k < s.count && s.lower[k] == lower);
    _mm256_store_pd(&sums[lower].x, sum);
    if constexpr (kSplit) _mm256_store_pd(&damping[lower].x, damped);
  }
}

/// sums[row] := 0 for the rows of the chunk
void clear_rows(const SpringPattern& p, std::size_t chunk, Padded* sums) {
  std::fill(sums + p.chunk_begin[chunk], sums + p.chunk_begin[chunk + 1], Padded{});
}

/// Springs that reach a chunk from lower ones, in blocks: find(springs, block) and then the sums of their
/// upper rows.
template <Sums kSums, class Find>
CLOTHLAB_AVX2_INLINE void take_incoming(const SpringPass& pass, std::size_t chunk, Padded* sums,
                                        Padded* damping, SpringCopies& copies, SpringBlock& block,
                                        const Find& find) {
  const SpringPattern& p = pass.pattern;
  constexpr bool kSplit = kSums != Sums::forces;
  clear_rows(p, chunk, sums);
  if constexpr (kSplit) clear_rows(p, chunk, damping);
  const std::size_t last = p.incoming_begin[chunk + 1];
  for (std::size_t k = p.incoming_begin[chunk]; k < last; k += kBlockSprings) {
    const SpringRun s = copies.copy(pass, std::min(kBlockSprings, last - k),
                                    [&](std::size_t i) { return p.incoming[k + i].slot; });
    find(s, block);
    for (std::size_t i = 0; i < s.count; ++i) {
      const SpringSum of = forces_of<kSums>(block, i);
      subtract_from(sums[s.upper[i]], of.force);
      if constexpr (kSplit) subtract_from(damping[s.upper[i]], of.damping);
    }
  }
}

/// The slots [first, last) in blocks: visit(slot, springs).
template <class Visit>
CLOTHLAB_AVX2_INLINE void for_blocks(const SpringPass& pass, std::size_t first, std::size_t last,
                                     SpringCopies& copies, const Visit& visit) {
  const SpringPattern& p = pass.pattern;
  for (std::size_t slot = first; slot < last; slot += kBlockSprings) {
    const std::size_t count = std::min(kBlockSprings, last - slot);
    const SpringRun in_place{p.lower.data() + slot, p.upper.data() + slot, pass.rest_lengths + slot,
                             pass.is_stretch + slot, count};
    visit(slot,
          count % 4 == 0 ? in_place : copies.copy(pass, count, [&](std::size_t i) { return slot + i; }));
  }
}

/// The chunk's own springs in blocks: find(slot, springs, block) and then, where kForces, the sums of their
/// rows.
template <bool kForces, Sums kSums, class Find>
CLOTHLAB_AVX2_INLINE void take_own(const SpringPass& pass, std::size_t chunk, Padded* sums, Padded* damping,
                                   SpringCopies& copies, SpringBlock& block, const Find& find) {
  const SpringPattern& p = pass.pattern;
  const std::uint32_t end = p.chunk_begin[chunk + 1];
  const auto unused = static_cast<std::uint32_t>(p.particles() + chunk);
  for_blocks(pass, p.slot_begin[p.chunk_begin[chunk]], p.slot_begin[end], copies,
             [&](std::size_t slot, const SpringRun& s) CLOTHLAB_AVX2_LAMBDA {
               find(slot, s, block);
               if constexpr (kForces) sum_block<kSums>(s, block, end, unused, sums, damping);
             });
}

/// find(to) with `to` the springs of the matrix from a slot on, or room for as many as fill registers.
template <class Find>
CLOTHLAB_AVX2_INLINE void store_springs(const SpringPass::Blocks& blocks, std::size_t slot, std::size_t count,
                                        const Find& find) {
  double* const first = &blocks.a.spring_in(slot).u.x;
  if (count % 4 == 0) return find(first);
  alignas(32) double values[4 * kBlockSprings];
  find(values);
  std::copy(values, values + 4 * count, first);
}

template <bool kForces, bool kMeasured, Damping kDamping, bool kSplit>
CLOTHLAB_AVX2 SpringMeasures run_avx2(const SpringPass& pass, std::size_t chunk, Padded* sums,
                                      Padded* damping) {
  constexpr bool kDamped = kForces && kDamping != Damping::none;
  constexpr bool kRatio = kForces && kDamping == Damping::general;
  constexpr Sums kSums = !kSplit                          ? Sums::forces
                         : kDamping == Damping::projected ? Sums::split_along_n
                                                          : Sums::split;
  FourTotals totals;
  SpringBlock block;
  SpringCopies copies;
  if constexpr (kForces) {
    const auto find = [&](const SpringRun& s, SpringBlock& b) CLOTHLAB_AVX2_LAMBDA {
      find_differences<true, kDamped>(pass, s, b);
      find_lengths<true, false, kRatio>(pass, s, b, totals);
      find_forces<kDamping, kSplit>(pass, s, b);
    };
    take_incoming<kSums>(pass, chunk, sums, damping, copies, block, find);
  }
  const auto find = [&](std::size_t /*slot*/, const SpringRun& s, SpringBlock& b) CLOTHLAB_AVX2_LAMBDA {
    find_differences<kForces, kDamped>(pass, s, b);
    find_lengths<kForces, kMeasured, kRatio>(pass, s, b, totals);
    if constexpr (kForces) find_forces<kDamping, kSplit>(pass, s, b);
  };
  take_own<kForces, kSums>(pass, chunk, sums, damping, copies, block, find);
  return totals.measures();
}

CLOTHLAB_AVX2 void linearize_avx2(const SpringPass& pass, std::size_t chunk, double factor, const Padded* u,
                                  const SpringPass::Blocks& blocks, Padded* sums) {
  FourTotals totals;
  SpringBlock block;
  SpringCopies copies;
  const auto find = [&](const SpringRun& s, SpringBlock& b, double* to) CLOTHLAB_AVX2_LAMBDA {
    find_differences<true, true>(pass, s, b);
    find_lengths<true, false, true>(pass, s, b, totals);
    linearize_block(pass, s, factor, u, blocks, to, b);
  };
  take_incoming<Sums::forces>(pass, chunk, sums, nullptr, copies, block,
                              [&](const SpringRun& s, SpringBlock& b)
                                  CLOTHLAB_AVX2_LAMBDA { find(s, b, nullptr); });
  take_own<true, Sums::forces>(
      pass, chunk, sums, nullptr, copies, block,
      [&](std::size_t slot, const SpringRun& s, SpringBlock& b) CLOTHLAB_AVX2_LAMBDA {
        store_springs(blocks, slot, s.count, [&](double* to) CLOTHLAB_AVX2_LAMBDA { find(s, b, to); });
      });
}

CLOTHLAB_AVX2 void assemble_avx2(const SpringPass& pass, std::size_t begin, std::size_t end,
                                 const SpringPass::Blocks& blocks) {
  FourTotals totals;
  SpringBlock block;
  SpringCopies copies;
  for_blocks(pass, begin, end, copies, [&](std::size_t slot, const SpringRun& s) CLOTHLAB_AVX2_LAMBDA {
    if (blocks.has_damper_tension()) {
      find_differences<true, true>(pass, s, block);
    } else {
      find_differences<true, false>(pass, s, block);
    }
    find_lengths<true, false, true>(pass, s, block, totals);
    store_springs(blocks, slot, s.count, [&](double* to) CLOTHLAB_AVX2_LAMBDA {
      for (std::size_t k = 0; k < s.count; k += 4) {
        const FourVectors n = scaled(_mm256_load_pd(block.inverse + k), block.along.load(k));
        store_matrix(pass, s, k, blocks, block, n, to + 4 * k);
      }
    });
  });
}

template <Damping kDamping, bool kSplit>
SpringMeasures run_forces(const SpringPass& pass, std::size_t chunk, Padded* sums, Padded* damping,
                          bool measured) {
  return measured ? run_avx2<true, true, kDamping, kSplit>(pass, chunk, sums, damping)
                  : run_avx2<true, false, kDamping, kSplit>(pass, chunk, sums, damping);
}

template <Damping kDamping>
SpringMeasures run_damped(const SpringPass& pass, std::size_t chunk, Padded* sums, Padded* damping,
                          bool measured) {
  return damping != nullptr ? run_forces<kDamping, true>(pass, chunk, sums, damping, measured)
                            : run_forces<kDamping, false>(pass, chunk, sums, damping, measured);
}

SpringMeasures run_with_avx2(const SpringPass& pass, std::size_t chunk, Padded* sums, Padded* damping,
                             bool measured) {
  if (sums == nullptr) return run_avx2<false, true, Damping::none, false>(pass, chunk, sums, nullptr);
  if (!pass.damped()) return run_forces<Damping::none, false>(pass, chunk, sums, nullptr, measured);
  if (pass.isotropic == 0 && pass.rayleigh == 0) {
    return run_damped<Damping::projected>(pass, chunk, sums, damping, measured);
  }
  return run_damped<Damping::general>(pass, chunk, sums, damping, measured);
}

const bool kSpringsHaveAvx2 = __builtin_cpu_supports("avx2");

}  // namespace

const SpringKernels* avx2_spring_kernels() {
  static constexpr SpringKernels kKernels{run_with_avx2, assemble_avx2, linearize_avx2};
  return kSpringsHaveAvx2 ? &kKernels : nullptr;
}

#else

const SpringKernels* avx2_spring_kernels() { return nullptr; }

#endif

}  // namespace clothlab
