// SPDX-License-Identifier: MIT
#include "cloth/spring_pass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "linalg/registers.h"

namespace clothlab {

namespace {

enum class Damping { none, projected, general };

/// What is summed: forces, or with them their part of damping; split_along_n for that of projected damping.
enum class Sums { forces, split, split_along_n };

const Padded& position_of(const SpringPass::Motion& row) { return row.x; }
const Padded& velocity_of(const SpringPass::Motion& row) { return row.v; }
const Padded& itself(const Padded& row) { return row; }

/// 1 of stretch springs and 0 of bending springs, by four flags as the digits of a binary number.
alignas(32) constexpr double kStretch[16][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0},
                                                {0, 0, 1, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0},
                                                {0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 1},
                                                {0, 0, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}};

/// The springs of a chunk, four per register. They go in blocks through four short loops: vectors along the
/// springs; roots, divisions and measures; forces; sums by row. In one loop the chain of operations of a
/// spring is so long that the processor would overlap hardly more than four springs. Data between the loops
/// stay in the first-level cache.
template <class Four>
class SpringSweep {
  using Vectors = VectorsOf<Four>;
  using Blocks = SpringPass::Blocks;

 public:
  explicit SpringSweep(const SpringPass& pass) : pass_(pass), p_(pass.pattern) {}

  template <bool kForces, bool kMeasured, Damping kDamping, bool kSplit>
  SpringMeasures run(std::size_t chunk, Padded* sums, Padded* damping) {
    constexpr bool kDamped = kForces && kDamping != Damping::none;
    constexpr bool kRatio = kForces && kDamping == Damping::general;
    constexpr Sums kSums = !kSplit                          ? Sums::forces
                           : kDamping == Damping::projected ? Sums::split_along_n
                                                            : Sums::split;
    if constexpr (kForces) {
      sum_incoming<kSums>(chunk, sums, damping, [&](const Run& s) {
        find_differences<true, kDamped>(s);
        find_lengths<true, false, kRatio>(s);
        find_forces<kDamping, kSplit>(s.count);
      });
    }
    sum_own<kForces, kSums>(chunk, sums, damping, [&](std::size_t /*slot*/, const Run& s) {
      find_differences<kForces, kDamped>(s);
      find_lengths<kForces, kMeasured, kRatio>(s);
      if constexpr (kForces) find_forces<kDamping, kSplit>(s.count);
    });
    return measures();
  }

  void linearize(std::size_t chunk, double factor, const Padded* u, const Blocks& blocks, Padded* sums) {
    const auto find = [&](const Run& s, double* to) {
      find_differences<true, true>(s);
      find_lengths<true, false, true>(s);
      find_linear_forces(s, factor, u, blocks, to);
    };
    sum_incoming<Sums::forces>(chunk, sums, nullptr, [&](const Run& s) { find(s, nullptr); });
    sum_own<true, Sums::forces>(chunk, sums, nullptr, [&](std::size_t slot, const Run& s) {
      store_springs(blocks, slot, s.count, [&](double* to) { find(s, to); });
    });
  }

  void assemble(std::size_t begin, std::size_t end, const Blocks& blocks) {
    for_blocks(begin, end, [&](std::size_t slot, const Run& s) {
      if (blocks.has_damper_tension())
        find_differences<true, true>(s);
      else
        find_differences<true, false>(s);
      find_lengths<true, false, true>(s);
      store_springs(blocks, slot, s.count, [&](double* to) {
        for (std::size_t k = 0; k < s.count; k += 4) store_matrix(k, blocks, normals(k), to + 4 * k);
      });
    });
  }

 private:
  static constexpr std::size_t kBlockSprings = 64;

  /// Springs side by side, with at least as many behind them as fill a register.
  struct Run {
    const std::uint32_t *lower, *upper;  // rows
    const double* rest_lengths;
    const char* is_stretch;
    const double *stiffness, *bending;  // null without a fabric
    std::size_t count;
  };

  /// Four blocks along n nᵀ + across I.
  struct Block {
    Four along{}, across{};

    CLOTHLAB_INLINED void add(const Four& k, const Four& ratio) {
      along = along + k * ratio;
      across = across + k * (all<Four>(1.0) - ratio);
    }
    /// Adds scale B.
    CLOTHLAB_INLINED void add_stiffness(const Four& stiffness, const Four& ratio, const Four& bending,
                                        double scale) {
      add(scale * stiffness, ratio);
      across = across + scale * bending;
    }
    /// Adds −scale D.
    CLOTHLAB_INLINED void add_damping(const SpringPass& pass, const Four& stiffness, const Four& kept_ratio,
                                      const Four& bending, double scale) {
      along = along + all<Four>(scale * pass.projected);
      across = across + all<Four>(scale * pass.isotropic);
      if (pass.rayleigh != 0) add_stiffness(stiffness, kept_ratio, bending, scale * pass.rayleigh);
    }
    /// Adds `wanted` (I − n nᵀ), up to half of `along`.
    CLOTHLAB_INLINED void add_tension(const Four& wanted) {
      const Four tension = smaller(0.5 * along, wanted);
      along = along - tension;
      across = across + tension;
    }
    /// pull n − block w
    CLOTHLAB_INLINED Vectors force(const Vectors& n, const Four& pull, const Vectors& w) const {
      return (pull - along * dot(w, n)) * n - across * w;
    }
  };

  /// Forces on the lower end of a spring.
  struct Sum {
    Four force, damping;
  };

  /// Vectors of the springs of a block.
  struct BlockVectors {
    double x[kBlockSprings], y[kBlockSprings], z[kBlockSprings];

    CLOTHLAB_INLINED Vectors at(std::size_t k) const {
      return {load<Four>(x + k), load<Four>(y + k), load<Four>(z + k)};
    }
    CLOTHLAB_INLINED void set(std::size_t k, const Vectors& a) {
      store(a.x, x + k);
      store(a.y, y + k);
      store(a.z, z + k);
    }
  };

  /// Copies of springs of any slots; the last is repeated to fill a register.
  template <class SlotOf>
  Run copy(std::size_t count, const SlotOf& slot_of) {
    for (std::size_t k = 0; k < (count + 3) / 4 * 4; ++k) {
      const std::size_t slot = slot_of(std::min(k, count - 1));
      lower_[k] = p_.lower[slot];
      upper_[k] = p_.upper[slot];
      rest_lengths_[k] = pass_.rest_lengths[slot];
      is_stretch_[k] = pass_.is_stretch[slot];
      if (!is_by_slot()) continue;
      stiffness_copy_[k] = pass_.stiffness_by_slot[slot];
      bending_copy_[k] = pass_.bending_by_slot[slot];
    }
    return {lower_,
            upper_,
            rest_lengths_,
            is_stretch_,
            is_by_slot() ? stiffness_copy_ : nullptr,
            is_by_slot() ? bending_copy_ : nullptr,
            count};
  }

  /// The slots [first, last) in blocks: visit(slot, springs).
  template <class Visit>
  void for_blocks(std::size_t first, std::size_t last, const Visit& visit) {
    for (std::size_t slot = first; slot < last; slot += kBlockSprings) {
      const std::size_t count = std::min(kBlockSprings, last - slot);
      const Run in_place{p_.lower.data() + slot,
                         p_.upper.data() + slot,
                         pass_.rest_lengths + slot,
                         pass_.is_stretch + slot,
                         is_by_slot() ? pass_.stiffness_by_slot + slot : nullptr,
                         is_by_slot() ? pass_.bending_by_slot + slot : nullptr,
                         count};
      visit(slot, count % 4 == 0 ? in_place : copy(count, [&](std::size_t i) { return slot + i; }));
    }
  }

  /// find(to) with `to` the springs of the matrix from a slot on, or room for as many as fill registers.
  template <class Find>
  static void store_springs(const Blocks& blocks, std::size_t slot, std::size_t count, const Find& find) {
    double* const first = &blocks.a.spring_in(slot).u.x;
    if (count % 4 == 0) return find(first);
    alignas(32) double values[4 * kBlockSprings];
    find(values);
    std::copy(values, values + 4 * count, first);
  }

  /// Springs that reach a chunk from lower ones, in blocks: find(springs) and then the sums of their upper
  /// rows.
  template <Sums kSums, class Find>
  void sum_incoming(std::size_t chunk, Padded* sums, Padded* damping, const Find& find) {
    constexpr bool kSplit = kSums != Sums::forces;
    clear_rows(chunk, sums);
    if constexpr (kSplit) clear_rows(chunk, damping);
    const std::span<const SpringPattern::Incoming> springs = p_.incoming[chunk];
    for (std::size_t k = 0; k < springs.size(); k += kBlockSprings) {
      const Run s = copy(std::min(kBlockSprings, springs.size() - k),
                         [&](std::size_t i) { return springs[k + i].slot; });
      find(s);
      for (std::size_t i = 0; i < s.count; ++i) {
        const Sum of = forces_of<kSums>(i);
        subtract_from(sums[s.upper[i]], of.force);
        if constexpr (kSplit) subtract_from(damping[s.upper[i]], of.damping);
      }
    }
  }

  /// sums[row] := 0 for the rows of the chunk
  void clear_rows(std::size_t chunk, Padded* sums) const {
    std::fill(sums + p_.chunk_begin[chunk], sums + p_.chunk_begin[chunk + 1], Padded{});
  }

  /// The chunk's own springs in blocks: find(slot, springs) and then, where kForces, the sums of their rows.
  template <bool kForces, Sums kSums, class Find>
  void sum_own(std::size_t chunk, Padded* sums, Padded* damping, const Find& find) {
    const std::uint32_t end = p_.chunk_begin[chunk + 1];
    const auto unused = static_cast<std::uint32_t>(p_.particles() + chunk);
    for_blocks(p_.slot_begin[p_.chunk_begin[chunk]], p_.slot_begin[end], [&](std::size_t slot, const Run& s) {
      find(slot, s);
      if constexpr (kForces) sum_block<kSums>(s, end, unused, sums, damping);
    });
  }

  /// Adds the forces to the rows of a chunk, and the part of damping in the same loop, since a row waits for
  /// the sum of the spring before. Springs of one lower row follow each other: its sum stays in a
  /// register. Upper rows of other chunks, those from `end` on, are replaced by the row `unused`: branches
  /// would be badly predicted.
  template <Sums kSums>
  void sum_block(const Run& s, std::uint32_t end, std::uint32_t unused, Padded* sums, Padded* damping) const {
    constexpr bool kSplit = kSums != Sums::forces;
    for (std::size_t k = 0; k < s.count;) {
      const std::uint32_t lower = s.lower[k];
      Four sum = load<Four>(&sums[lower].x), damped{};
      if constexpr (kSplit) damped = load<Four>(&damping[lower].x);
      do {
        const Sum of = forces_of<kSums>(k);
        const std::uint32_t above = s.upper[k], upper = above < end ? above : unused;
        sum = sum + of.force;
        subtract_from(sums[upper], of.force);
        if constexpr (kSplit) damped = damped + of.damping;
        if constexpr (kSplit) subtract_from(damping[upper], of.damping);
        ++k;
      } while (k < s.count && s.lower[k] == lower);
      store(sum, sums[lower]);
      if constexpr (kSplit) store(damped, damping[lower]);
    }
  }
  template <Sums kSums>
  CLOTHLAB_INLINED Sum forces_of(std::size_t k) const {
    const Four force = load<Four>(&force_[k].x);
    if constexpr (kSums == Sums::forces) return {force, force};
    if constexpr (kSums == Sums::split) return {force, load<Four>(&damping_[k].x)};
    return {pull_[k] * force, drag_[k] * force};
  }
  CLOTHLAB_INLINED static void subtract_from(Padded& sum, const Four& force) {
    store(load<Four>(&sum.x) - force, sum);
  }

  template <bool kForces, bool kDamped>
  void find_differences(const Run& s) {
    for (std::size_t k = 0; k < s.count; k += 4) {
      const Vectors along = differences<position_of>(pass_.motion, s, k);
      store(dot(along, along), length_ + k);
      if constexpr (kForces) along_.set(k, along);
      if constexpr (kDamped) velocity_.set(k, differences<velocity_of>(pass_.motion, s, k));
    }
  }

  /// Values at the lower ends minus values at the upper ends, of the springs from k on.
  template <auto kValueOf, class Row>
  CLOTHLAB_INLINED static Vectors differences(const Row* rows, const Run& s, std::size_t k) {
    const auto difference = [&](std::size_t i) CLOTHLAB_INLINED {
      return load<Four>(&kValueOf(rows[s.lower[i]]).x) - load<Four>(&kValueOf(rows[s.upper[i]]).x);
    };
    const Four a = difference(k), b = difference(k + 1), c = difference(k + 2), d = difference(k + 3);
    const Four xz01 = shuffled<0, 4, 2, 6>(a, b), y01 = shuffled<1, 5, 3, 7>(a, b);
    const Four xz23 = shuffled<0, 4, 2, 6>(c, d), y23 = shuffled<1, 5, 3, 7>(c, d);
    return {shuffled<0, 1, 4, 5>(xz01, xz23), shuffled<0, 1, 4, 5>(y01, y23),
            shuffled<2, 3, 6, 7>(xz01, xz23)};
  }

  template <bool kForces, bool kMeasured, bool kRatio>
  void find_lengths(const Run& s) {
    for (std::size_t k = 0; k < s.count; k += 4) {
      const Four length = root(load<Four>(length_ + k));
      const Four rest_length = load_unaligned<Four>(s.rest_lengths + k);
      const Four elongation = length - rest_length, of_stretch = stretch(s, k);
      if constexpr (kMeasured) measure(s, k, of_stretch, length, elongation);
      if constexpr (kForces) {
        const Four divisor = one_where_zero(length);
        store(all<Four>(1.0) / divisor, inverse_ + k);
        const Four pull_factor = factor_of(s, k, by_kind(pass_.pull, of_stretch));
        Four pull = pull_factor * elongation;
        if (pass_.limit.strain > 0)
          pull = pull + pull_factor * find_limit<kRatio>(s, k, of_stretch, length, divisor);
        if (is_by_slot() && pass_.bends) pull = pull - bending(s, k) * length;
        store(pull, pull_ + k);
        if constexpr (kRatio) {
          store(where_equal(length, Four{}, Four{}, rest_length / divisor), ratio_ + k);
          store(factor_of(s, k, by_kind(pass_.stiffness, of_stretch)), stiffness_ + k);
          if (is_by_slot()) store(bending(s, k), bending_ + k);
        }
      }
    }
  }
  /// Lengths from which springs are stiffer; infinity of those without a limit.
  CLOTHLAB_INLINED Four reach_of(const Four& of_stretch, const Four& rest_length) const {
    const Four zero{}, never = all<Four>(std::numeric_limits<double>::infinity());
    const Four limited = where_equal(of_stretch, zero, zero, rest_length);
    return where_equal(limited, zero, never, pass_.limit.reach(1) * limited);
  }
  CLOTHLAB_INLINED static Four beyond(const Four& length, const Four& reach) {
    return where_greater(length, reach, length - reach, Four{});
  }
  /// The springs that act beyond the strain limit: their elongation times their stiffness over k.
  template <bool kRatio>
  CLOTHLAB_INLINED Four find_limit(const Run& s, std::size_t k, const Four& of_stretch, const Four& length,
                                   const Four& divisor) {
    const Four zero{}, reach = reach_of(of_stretch, load_unaligned<Four>(s.rest_lengths + k));
    const double factor = pass_.limit.factor - 1;
    if constexpr (kRatio) {
      const Four stiffness = factor * factor_of(s, k, by_kind(pass_.stiffness, of_stretch));
      store(where_greater(length, reach, stiffness, zero), limit_ + k);
      store(where_greater(length, reach, reach / divisor, zero), limit_ratio_ + k);
    }
    return factor * beyond(length, reach);
  }
  /// True if every spring has stiffnesses of its own.
  bool is_by_slot() const { return pass_.stiffness_by_slot != nullptr; }
  /// A value, or its products with the springs' own stiffnesses.
  CLOTHLAB_INLINED Four factor_of(const Run& s, std::size_t k, const Four& value) const {
    return is_by_slot() ? value * load_unaligned<Four>(s.stiffness + k) : value;
  }
  CLOTHLAB_INLINED static Four bending(const Run& s, std::size_t k) {
    return load_unaligned<Four>(s.bending + k);
  }
  CLOTHLAB_INLINED static Four one_where_zero(const Four& a) {
    return where_equal(a, Four{}, all<Four>(1.0), a);
  }
  CLOTHLAB_INLINED static Four smaller(const Four& a, const Four& b) { return where_greater(b, a, a, b); }

  CLOTHLAB_INLINED static Four by_kind(const SpringPass::ByKind& value, const Four& of_stretch) {
    return where_equal(of_stretch, Four{}, all<Four>(value[0]), all<Four>(value[1]));
  }
  /// 1 of stretch springs and 0 of bending springs, of those from k on.
  CLOTHLAB_INLINED static Four stretch(const Run& s, std::size_t k) {
    const char* const flag = s.is_stretch + k;
    return load<Four>(kStretch[flag[0] + 2 * flag[1] + 4 * flag[2] + 8 * flag[3]]);
  }

  CLOTHLAB_INLINED void measure(const Run& s, std::size_t k, const Four& of_stretch, const Four& length,
                                const Four& elongation) {
    const Four zero{};
    const auto counted = [&](const Four& square) CLOTHLAB_INLINED {
      if (s.count - k >= 4) return square;
      const auto rest = static_cast<double>(s.count - k);
      return where_greater(all<Four>(rest), load<Four>(kPlaces), square, zero);
    };
    const Four square = counted(factor_of(s, k, elongation * elongation));
    stretch_energy_ = stretch_energy_ + by_kind({0, pass_.stiffness[1] / 2}, of_stretch) * square;
    bend_energy_ = bend_energy_ + by_kind({pass_.stiffness[0] / 2, 0}, of_stretch) * square;
    if (pass_.limit.strain > 0) {
      const Four excess = beyond(length, reach_of(of_stretch, load_unaligned<Four>(s.rest_lengths + k)));
      stretch_energy_ = stretch_energy_ + (0.5 * (pass_.limit.factor - 1) * pass_.stiffness[1]) *
                                              counted(factor_of(s, k, excess * excess));
    }
    if (is_by_slot()) bend_energy_ = bend_energy_ + counted(0.5 * bending(s, k) * length * length);

    const Four L = where_equal(of_stretch, zero, zero, load_unaligned<Four>(s.rest_lengths + k));
    const Four signed_strain = length / one_where_zero(L) - all<Four>(1.0);
    const Four strain =
        where_equal(L, zero, zero, where_greater(zero, signed_strain, zero - signed_strain, signed_strain));
    largest_ = where_greater(strain, largest_, strain, largest_);  // the latter where one is not a number
    strains_ = strains_ + strain;
  }
  SpringMeasures measures() const {
    alignas(32) double s[4], b[4], l[4], n[4];
    store(stretch_energy_, s);
    store(bend_energy_, b);
    store(largest_, l);
    store(strains_, n);
    const double strains = (n[0] + n[1]) + (n[2] + n[3]);  // not a number where one of them is not
    return {(s[0] + s[1]) + (s[2] + s[3]), (b[0] + b[1]) + (b[2] + b[3]),
            std::isnan(strains) ? strains : *std::max_element(l, l + 4)};
  }

  /// Unit vectors towards the lower end; 0 where l = 0.
  CLOTHLAB_INLINED Vectors normals(std::size_t k) const { return load<Four>(inverse_ + k) * along_.at(k); }
  /// min(1, L/l)
  CLOTHLAB_INLINED Four kept_ratio(std::size_t k) const {
    return smaller(all<Four>(1.0), load<Four>(ratio_ + k));
  }

  /// Where kSplit, the part of damping as well: of projected damping, which acts along n as all does, force_
  /// becomes n, pull_ the whole force along it and drag_ its part of damping.
  template <Damping kDamping, bool kSplit>
  void find_forces(std::size_t count) {
    for (std::size_t k = 0; k < count; k += 4) {
      const Vectors n = normals(k);
      const Four pull = load<Four>(pull_ + k);
      Vectors force;
      if constexpr (kDamping == Damping::none) {
        force = pull * n;
      } else if constexpr (kDamping == Damping::projected) {
        const Four drag = pass_.projected * dot(velocity_.at(k), n);
        const Four along = pull - drag;
        if constexpr (kSplit) {
          force = n;
          store(along, pull_ + k);
          store(Four{} - drag, drag_ + k);
        } else {
          force = along * n;
        }
      } else {
        const Vectors w = velocity_.at(k);
        Block damping;
        damping.add_damping(pass_, load<Four>(stiffness_ + k), kept_ratio(k), load<Four>(bending_ + k), 1);
        force = damping.force(n, pull, w);
        if constexpr (kSplit) store_four(damping.force(n, Four{}, w), Four{}, &damping_[k].x);
      }
      store_four(force, Four{}, &force_[k].x);
    }
  }

  /// find_forces with the forces of K: SpringPass::linearize for a block. The blocks go to `to` if it is not
  /// null.
  void find_linear_forces(const Run& s, double factor, const Padded* u, const Blocks& blocks, double* to) {
    for (std::size_t k = 0; k < s.count; k += 4) {
      const Vectors n = normals(k);
      const Four stiffness = load<Four>(stiffness_ + k), kept = kept_ratio(k);
      const Four bending = load<Four>(bending_ + k);
      const Four ratio = blocks.mode == JacobianMode::exact ? load<Four>(ratio_ + k) : kept;
      if (to != nullptr) store_matrix(k, blocks, n, to + 4 * k);
      Block by_v;
      by_v.add_damping(pass_, stiffness, kept, bending, 1);
      if (u == nullptr) {
        by_v.add_stiffness(stiffness, ratio, bending, factor);
        add_limit(by_v, k, factor);
      }
      Vectors force = by_v.force(n, load<Four>(pull_ + k), velocity_.at(k));
      if (u != nullptr) {
        Block by_u;
        by_u.add_stiffness(stiffness, ratio, bending, factor);
        add_limit(by_u, k, factor);
        force = force + by_u.force(n, Four{}, differences<itself>(u, s, k));
      }
      store_four(force, Four{}, &force_[k].x);
    }
  }

  /// Adds scale B of the springs beyond the strain limit.
  CLOTHLAB_INLINED void add_limit(Block& to, std::size_t k, double scale) const {
    if (pass_.limit.strain > 0) to.add(scale * load<Four>(limit_ + k), load<Four>(limit_ratio_ + k));
  }

  /// Four springs of the matrix, from k on.
  CLOTHLAB_INLINED void store_matrix(std::size_t k, const Blocks& blocks, const Vectors& n,
                                     double* to) const {
    const Four kept = kept_ratio(k), stiffness = load<Four>(stiffness_ + k),
               bending = load<Four>(bending_ + k);
    const Four ratio = blocks.mode == JacobianMode::exact ? load<Four>(ratio_ + k) : kept;
    const double scale = blocks.c.stiffness;
    Block sum;
    sum.add_stiffness(stiffness, ratio, bending, scale);
    add_limit(sum, k, scale);
    sum.add_damping(pass_, stiffness, kept, bending, blocks.c.damping);
    if (blocks.has_damper_tension()) {
      // (k_d + α k kept) (v·n)/l
      Four drag = all<Four>(scale * pass_.projected);
      if (pass_.rayleigh != 0) drag = drag + (scale * pass_.rayleigh) * stiffness * kept;
      sum.add_tension(drag * dot(velocity_.at(k), n) / one_where_zero(root(load<Four>(length_ + k))));
    }
    // Where dampers of a step with h < 0 outweigh the spring, the form of the matrix has no room for them.
    const Four none = all<Four>(0.0), along = where_greater(none, sum.along, none, sum.along);
    store_four(root(along) * n, sum.across, to);
  }

  /// Four numbers each: a vector and one behind it.
  CLOTHLAB_INLINED static void store_four(const Vectors& a, const Four& fourth, double* to) {
    const Four xy02 = shuffled<0, 4, 2, 6>(a.x, a.y), xy13 = shuffled<1, 5, 3, 7>(a.x, a.y);
    const Four z02 = shuffled<0, 4, 2, 6>(a.z, fourth), z13 = shuffled<1, 5, 3, 7>(a.z, fourth);
    store(shuffled<0, 1, 4, 5>(xy02, z02), to);
    store(shuffled<0, 1, 4, 5>(xy13, z13), to + 4);
    store(shuffled<2, 3, 6, 7>(xy02, z02), to + 8);
    store(shuffled<2, 3, 6, 7>(xy13, z13), to + 12);
  }

  alignas(32) static constexpr double kPlaces[4] = {0, 1, 2, 3};

  const SpringPass& pass_;
  const SpringPattern& p_;
  Four stretch_energy_{}, bend_energy_{}, largest_{}, strains_{};  // sums over the springs, lane by lane
  // Copies, see `copy`.
  std::uint32_t lower_[kBlockSprings], upper_[kBlockSprings];
  double rest_lengths_[kBlockSprings];
  char is_stretch_[kBlockSprings];
  double stiffness_copy_[kBlockSprings], bending_copy_[kBlockSprings];
  // A block of springs between the loops.
  alignas(32) BlockVectors along_;               // x_ij [m]
  alignas(32) BlockVectors velocity_;            // v_ij [m/s]
  alignas(32) double length_[kBlockSprings];     // its square [m²]
  alignas(32) double inverse_[kBlockSprings];    // 1/l [1/m]
  alignas(32) double pull_[kBlockSprings];       // elastic force along n [N]; see find_forces
  alignas(32) double ratio_[kBlockSprings];      // L/l; 0 for a spring of no length, whose block is k I
  alignas(32) double stiffness_[kBlockSprings];  // k [N/m]
  alignas(32) double bending_[kBlockSprings]{};  // β of hinges [N/m]
  // Of the springs that act beyond the strain limit: stiffness [N/m], and the length of the limit over l.
  alignas(32) double limit_[kBlockSprings], limit_ratio_[kBlockSprings];
  alignas(32) Padded force_[kBlockSprings];    // on the lower end [N]
  alignas(32) Padded damping_[kBlockSprings];  // the part of damping in it
  alignas(32) double drag_[kBlockSprings];     // the part of damping in pull_
};

/// use(sweep), compiled for AVX2 where the pass allows it.
template <class Use>
auto sweep(const SpringPass& pass, const Use& use) {
  return with_best_registers(
      [&](auto registers) {
        SpringSweep<typename decltype(registers)::Four> springs(pass);
        return use(springs);
      },
      pass.kernel == SpringPass::Kernel::fastest);
}

template <bool kForces, bool kMeasured, Damping kDamping, bool kSplit>
SpringMeasures run_springs(const SpringPass& pass, std::size_t chunk, Padded* sums, Padded* damping) {
  return sweep(pass, [&](auto& springs) {
    return springs.template run<kForces, kMeasured, kDamping, kSplit>(chunk, sums, damping);
  });
}

/// use(flag), with the flag as a constant.
template <class Use>
auto with_constant(bool flag, const Use& use) {
  return flag ? use(std::true_type()) : use(std::false_type());
}

}  // namespace

SpringMeasures SpringPass::run(std::size_t chunk, Padded* sums, Padded* damping, bool measured) const {
  if (sums == nullptr) return run_springs<false, true, Damping::none, false>(*this, chunk, sums, nullptr);
  return with_constant(measured, [&](auto is_measured) {
    if (!damped())
      return run_springs<true, is_measured.value, Damping::none, false>(*this, chunk, sums, nullptr);
    return with_constant(damping != nullptr, [&](auto is_split) {
      return isotropic == 0 && rayleigh == 0
                 ? run_springs<true, is_measured.value, Damping::projected, is_split.value>(*this, chunk,
                                                                                            sums, damping)
                 : run_springs<true, is_measured.value, Damping::general, is_split.value>(*this, chunk, sums,
                                                                                          damping);
    });
  });
}

void SpringPass::linearize(std::size_t chunk, double factor, const Padded* u, const Blocks& blocks,
                           Padded* sums) const {
  sweep(*this, [&](auto& springs) { springs.linearize(chunk, factor, u, blocks, sums); });
}

void SpringPass::assemble(std::size_t begin, std::size_t end, const Blocks& blocks) const {
  sweep(*this, [&](auto& springs) { springs.assemble(begin, end, blocks); });
}

}  // namespace clothlab
