// SPDX-License-Identifier: MIT
#include "linalg/multigrid.h"

#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "core/cancel_point.h"
#include "linalg/multigrid_hierarchy.h"

namespace clothlab {
namespace {

/// The first `count` numbers; 0 for the others.
CLOTHLAB_INLINED inline Quad first_of(const Quad& q, std::uint32_t count) {
  return where_greater(all<Quad>(static_cast<float>(count)), Quad{0, 1, 2, 3}, q, Quad{});
}

}  // namespace

// The V-cycle.
struct Multigrid::Cycle : MultigridHierarchy {
  // kCoarseGrain of the finest level.
  static constexpr std::size_t kFinestGrain = 512;

  /// Calls finish(row, (A x)_row) for every row of the level; uses spare(level) as scratch.
  template <class Finish>
  void product(Finest& f, const Finish& finish) {
    pool->for_chunks(pattern->chunks(), 1,
                     [&](std::size_t chunk, std::size_t) { f.A.multiply_chunk(chunk, f.x, f.next, finish); });
  }
  template <class Finish>
  void product(CoarseLevel& level, const Finish& finish) {
    pool->for_chunks(level.x.size(), kCoarseGrain, [&](std::size_t begin, std::size_t end) {
      level.single.multiply_rows(level.A, begin, end, level.x, finish);
    });
  }
  // The vector that receives the next iterate or a residual.
  static SingleVector& spare(Finest& f) { return f.next; }
  static SingleVector& spare(CoarseLevel& level) { return level.previous; }
  static void advance_iterate(Finest& f) {
    std::swap(f.previous, f.x);
    std::swap(f.x, f.next);
  }
  static void advance_iterate(CoarseLevel& level) { std::swap(level.previous, level.x); }

  /// previous := x, and x := value(row, (A x)_row).
  template <class Level, class Value>
  void iterate(Level& level, const Value& value) {
    SingleVector& next = spare(level);
    product(level, [&](std::size_t i, Quad Ax) { next[i] = value(i, Ax); });
    advance_iterate(level);
  }
  /// The smoother's steps from 0 after the first one.
  template <class Level>
  void smooth_from_zero(Level& level) {
    iterate(level, [&](std::size_t i, Quad Ax) { return level.second_from_zero(i, Ax); });
    smooth(level, std::span<const ChebyshevStep>(level.chebyshev.steps).subspan(1));
  }
  /// Some of the steps after the first.
  template <class Level>
  void smooth(Level& level, std::span<const ChebyshevStep> steps) {
    for (const ChebyshevStep step : steps)
      iterate(level, [&](std::size_t i, Quad Ax) { return level.next_iterate(step, i, Ax); });
  }

  /// z := M⁻¹ r; returns r . z. Computed with r times a power of two near 1/‖r‖.
  double apply(const RowVector& r, double r_norm, RowVector& z) {
    const double down = r_norm > 0 ? std::ldexp(1.0, -std::ilogb(r_norm)) : 1.0;
    Finest& f = finest;
    for_each_row(*pool, *pattern, [&](std::size_t i) {
      f.r[i] = single(down * lanes(r[i]));
      f.x[i] = f.first_from_zero(i);
    });
    smooth_from_zero(f);
    if (stop_requested(*stop)) return 0;
    correct(f, 0, kFinestGrain);
    if (stop_requested(*stop)) return 0;
    iterate(f, [&](std::size_t i, Quad Ax) { return f.first(i, Ax); });
    const std::span<const ChebyshevStep> steps(f.chebyshev.steps);
    smooth(f, steps.first(steps.size() - 1));
    const double up = f.A.scale() / down;
    return sum_rows(*pool, *pattern, [&](std::size_t chunk, std::uint32_t, std::uint32_t) {
      Lanes r_dot_z;
      f.A.multiply_chunk(chunk, f.x, f.next, [&](std::uint32_t i, Quad Ax) {
        const Lanes zi = up * double_precision(f.next_iterate(steps.back(), i, Ax));
        store(zi, z[i]);
        r_dot_z = r_dot_z + lanes(r[i]) * zi;
      });
      filter->filter(chunk, z.data());  // removes rounding along constrained directions
      return sum_of(r_dot_z);
    });
  }

  /// x += P e, with e from the coarser level l for Pᵀ (r - A x).
  template <class Level>
  void correct(Level& level, std::size_t l, std::size_t grain) {
    if (l == coarser.size()) return;
    CoarseLevel& coarse = coarser[l];
    SingleVector& residual = spare(level);
    product(level, [&](std::size_t i, Quad Ax) { residual[i] = level.r[i] - Ax; });
    filter_passing(level, residual);
    restrict(level.transposed, residual, coarse.r);
    solve_coarse(l);
    add_interpolated(level.P, coarse.x, level.x, grain);
    filter_passing(level, level.x);
  }

  // Filters temporary constraints on the finest level; coarser levels have springs for them.
  void filter_passing(const Finest&, SingleVector& a) const {
    for (const RowFilter::Entry& entry : filter->entries())
      if (entry.passing)
        a[entry.row] =
            single(entry.S * unpadded(Padded{a[entry.row][0], a[entry.row][1], a[entry.row][2], 0}));
  }
  void filter_passing(const CoarseLevel&, SingleVector&) const {}

  // coarse := Pᵀ fine
  void restrict(const Restriction& transposed, const SingleVector& fine, SingleVector& coarse) const {
    for_nodes(coarse.size(), [&](std::size_t a) {
      Quad sum{};
      for (const auto& [i, weight] : transposed[a]) sum = sum + weight * fine[i];
      coarse[a] = sum;
    });
  }

  // fine += P coarse
  void add_interpolated(const Prolongation& P, const SingleVector& coarse, SingleVector& fine,
                        std::size_t grain) const {
    for_each(*pool, fine.size(), grain, [&](std::size_t i) {
      // Four at a time, some of weight 0, because branch prediction of a row's length is poor.
      Quad sum = fine[i];
      const std::uint32_t end = P.begin[i + 1];
      for (std::uint32_t k = P.begin[i]; k < end; k += Prolongation::kPadding + 1) {
        Quad weight;
        std::memcpy(&weight, &P.weight[k], sizeof weight);
        weight = first_of(weight, end - k);
        const std::uint32_t* column = &P.column[k];
        sum = sum + ((weight[0] * coarse[column[0]] + weight[1] * coarse[column[1]]) +
                     (weight[2] * coarse[column[2]] + weight[3] * coarse[column[3]]));
      }
      fine[i] = sum;
    });
  }

  // coarser[l].x := the cycle's solution for its r.
  void solve_coarse(std::size_t l) {
    CoarseLevel& level = coarser[l];
    if (l + 1 == coarser.size() && direct) return coarsest_solver.solve(level.r, level.x);
    for_nodes(level.r.size(), [&](std::size_t i) { level.x[i] = level.first_from_zero(i); });
    smooth_from_zero(level);
    if (stop_requested(*stop)) return;
    correct(level, l + 1, kCoarseGrain);
    iterate(level, [&](std::size_t i, Quad Ax) { return level.first(i, Ax); });
    smooth(level, level.chebyshev.steps);
  }
};

Multigrid::Multigrid() : cycle_(std::make_unique<Cycle>()) {}
Multigrid::~Multigrid() = default;

bool Multigrid::prepare(const ComputeContext& context, const SpringMatrix& A, const RowFilter& filter,
                        RowVector& first, RowVector& second, bool same_springs) {
  Cycle& c = *cycle_;
  c.pool = &context.pool;
  c.A = &A;
  c.filter = &filter;
  c.stop = &context.stop;
  return run_unless_cancelled([&] {
    CancelPoint(context.stop).poll();
    if (same_springs)
      c.compute_smoother({first, second});
    else
      c.compute_values({first, second});
  });
}

double Multigrid::apply(const RowVector& r, double r_norm, RowVector& z) {
  return cycle_->apply(r, r_norm, z);
}

std::size_t Multigrid::levels() const { return 1 + cycle_->coarser.size(); }

}  // namespace clothlab
