// SPDX-License-Identifier: MIT
#include "linalg/conjugate_gradient.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "linalg/free_parts.h"
#include "linalg/multigrid.h"
#include "linalg/row_space.h"
#include "linalg/symmetric.h"
#include "linalg/vectors.h"

namespace clothlab {

// Letters as in the literature: y the unknown, r = S (b - A z) - S A S y, z = M^-1 r, p the direction,
// q = S A p. The right-hand side is not kept by row: it is needed so rarely that it is re-read through the
// permutation.
struct ConjugateGradient::Scratch {
  RowVector y, r, z, p, q;
  RowFilter filter;
  std::vector<Symmetric> blocks;               // by row
  std::vector<Padded> inverse_diagonal;        // by row
  std::vector<Symmetric> inverse_block;        // by row
  std::vector<std::array<double, 2>> partial;  // by chunk: r . r and r . z
  Multigrid multigrid;
  FreeParts free_parts;
  std::vector<double> history;

  // Arguments of the current solve.
  WorkerPool* pool = nullptr;
  const SpringMatrix *A = nullptr, *near = nullptr;
  const StopProbe* stop = nullptr;
  const ModeFilter* modes = nullptr;
  const Couplings* couplings = nullptr;
  std::span<const vec3> b, prescribed;
  bool moves = false;  // z is not 0
  PreconditionerKind kind = PreconditionerKind::none;
  bool is_built = false;              // the preconditioner
  bool has_coarse_levels = false;     // only the finest level of multigrid is of another matrix
  double b_square = 0, r_square = 0;  // |S (b - A z)|^2 and |r|^2
  double enough = 0;                  // the |r|^2 to end at
  bool exact = true;                  // r_square belongs to the definition of r, not to its recursion
  bool has_product = false;           // q is A (y + z)

  const SpringPattern& pattern() const { return A->pattern(); }

  // False when the probe asked to stop.
  bool adopt(const ComputeContext& context, const LinearSystem& system, const CgOptions& options) {
    pool = &context.pool;
    stop = &context.stop;
    A = &system.A;
    near = system.preconditioner ? system.preconditioner : A;
    modes = system.modes;
    couplings = &system.projection.couplings();
    b = system.b;
    PreconditionerKind wanted = options.preconditioner;
    if (wanted == PreconditionerKind::automatic) {
      const bool stays = is_built && system.same_springs;
      const bool is_multigrid = stays ? kind == PreconditionerKind::multigrid : is_stiff();
      wanted = is_multigrid ? PreconditionerKind::multigrid : PreconditionerKind::block_jacobi;
    }
    if (wanted != kind || !(system.same_matrix || system.same_springs)) is_built = false;
    has_coarse_levels = is_built && system.same_springs;
    kind = wanted;
    if (!resize(A->size())) return false;
    filter.assign(pattern(), system.projection);
    prescribe(system.z);
    history.clear();
    history.reserve(static_cast<std::size_t>(std::max(options.max_iterations, 0)) + 1);
    return true;
  }

  // Whether a V-cycle saves more iterations than it costs.
  bool is_stiff() const {
    return near->size() >= kMultigridParticles && !(near->relative_stiffness(*pool) <= kMultigridStiffness);
  }

  bool resize(std::size_t n) {
    for (RowVector* v : {&y, &r, &z, &p, &q}) {
      if (v->size() == n) continue;
      if (stop_requested(*stop)) return false;
      v->resize(n);
    }
    partial.resize(pattern().chunks());
    return true;
  }

  // q := S A v; returns v . A v, which is v . q for v = S v.
  double product(const RowVector& v) {
    has_product = false;
    const double square = sum_rows(*pool, pattern(), [&](std::size_t chunk, std::uint32_t, std::uint32_t) {
      const double v_dot_q = A->multiply_chunk(chunk, v.data(), q.data());
      filter.filter(chunk, q.data());
      return v_dot_q;
    });
    filter_force(q);
    return square;
  }

  void filter_couplings(RowVector& v) const {
    const std::vector<std::uint32_t>& row = pattern().row;
    couplings->filter_with([&](std::uint32_t i) { return unpadded(v[row[i]]); },
                           [&](std::uint32_t i, const vec3& of_i) { v[row[i]] = padded(of_i); });
  }
  // The parts of S over several rows, and Πᵀ.
  void filter_force(RowVector& v) const {
    if (modes != nullptr) modes->filter_force(*pool, pattern(), v);
    filter_couplings(v);
  }
  void filter_motion(RowVector& v) const {
    filter_couplings(v);
    if (modes != nullptr) modes->filter_motion(*pool, pattern(), v);
  }

  // r := filter_force(r); returns r . r, which was `square`.
  double filtered(double square) {
    if (modes == nullptr && couplings->empty()) return square;
    filter_force(r);
    return sum_over_rows(*pool, pattern(), [&](std::size_t i) { return dot(r[i], r[i]); });
  }

  void prescribe(std::span<const vec3> change) {
    prescribed = change;
    moves = !change.empty() && std::any_of(filter.entries().begin(), filter.entries().end(),
                                           [&](const auto& entry) { return change_of(entry) != vec3(0.0); });
  }
  vec3 change_of(const RowFilter::Entry& entry) const { return prescribed[pattern().particle[entry.row]]; }

  // v += factor z, the prescribed change
  void add_change(RowVector& v, double factor) const {
    if (!moves) return;
    for (const RowFilter::Entry& entry : filter.entries())
      v[entry.row] = padded(unpadded(v[entry.row]) + factor * change_of(entry));
  }

  // r := S (b - A (y + z)); returns r . r. Overwrites p and q.
  double residual() {
    const SpringPattern& rows = pattern();
    if (moves) {
      for_rows(*pool, rows, [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
        std::copy(y.begin() + begin, y.begin() + end, p.begin() + begin);
      });
      add_change(p, 1);
    }
    has_product = true;
    return filtered(sum_rows(*pool, rows, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
      A->multiply_chunk(chunk, moves ? p.data() : y.data(), q.data());
      for (std::uint32_t i = begin; i < end; ++i) r[i] = padded(b[rows.particle[i]] - unpadded(q[i]));
      return filtered_square(chunk, begin, end);
    }));
  }

  // r := S r on the rows of one chunk; returns r . r there.
  double filtered_square(std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    filter.filter(chunk, r.data());
    double square = 0;
    for (std::uint32_t i = begin; i < end; ++i) square += dot(r[i], r[i]);
    return square;
  }

  // y := 0, and the residual of that; returns r . r. Overwrites p and q.
  double start_from_nothing() {
    const SpringPattern& rows = pattern();
    has_product = false;
    const double square =
        sum_rows(*pool, rows, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
          for (std::uint32_t i = begin; i < end; ++i) {
            y[i] = {};
            r[i] = padded(b[rows.particle[i]]);
          }
          return filtered_square(chunk, begin, end);
        });
    return moves ? residual() : filtered(square);
  }

  // y := S (x - z), and the residual of that; returns r . r. Overwrites p and q.
  double start_from(std::span<const vec3> x) {
    const SpringPattern& rows = pattern();
    for_each_row(*pool, rows, [&](std::size_t i) { y[i] = padded(x[rows.particle[i]]); });
    add_change(y, -1);
    return true_residual();
  }

  // y := S y, and the residual of that; returns r . r. Overwrites p and q.
  double true_residual() {
    for_rows(*pool, pattern(),
             [&](std::size_t chunk, std::uint32_t, std::uint32_t) { filter.filter(chunk, y.data()); });
    filter_motion(y);
    return residual();
  }

  // False when the probe asked to stop.
  bool build_preconditioner() {
    if ((is_built && !has_coarse_levels) || kind == PreconditionerKind::none) return true;
    if (kind == PreconditionerKind::multigrid) {
      has_product = false;
      is_built = multigrid.prepare({*pool, *stop}, *near, filter, z, q, has_coarse_levels);
      return is_built;
    }
    const SpringPattern& rows = pattern();
    blocks.resize(rows.particles());
    near->diagonal_blocks(*pool, blocks);
    const auto invert_all = [&](auto& inverses, auto invert) {
      inverses.resize(rows.particles());
      for_each_row(*pool, rows, [&](std::size_t i) { inverses[i] = invert(blocks[i], nullptr); });
      for (const RowFilter::Entry& entry : filter.entries()) {
        inverses[entry.row] = invert(blocks[entry.row], &entry.S);
      }
    };
    if (kind == PreconditionerKind::jacobi) {
      invert_all(inverse_diagonal, diagonal_inverse);
    } else {
      invert_all(inverse_block, block_inverse);
    }
    is_built = true;
    return true;
  }

  // Calls work(kind), with the preconditioner's kind as a constant.
  template <class Work>
  auto by_kind(const Work& work) {
    using Kind = PreconditionerKind;
    switch (kind) {
      case Kind::jacobi:
        return work(std::integral_constant<Kind, Kind::jacobi>());
      case Kind::block_jacobi:
        return work(std::integral_constant<Kind, Kind::block_jacobi>());
      case Kind::multigrid:
        return work(std::integral_constant<Kind, Kind::multigrid>());
      default:
        return work(std::integral_constant<Kind, Kind::none>());
    }
  }

  // (M^-1)_i r_i
  template <PreconditionerKind Kind>
  Lanes precondition(std::uint32_t i, const Lanes& ri) const {
    if constexpr (Kind == PreconditionerKind::jacobi) {
      return lanes(inverse_diagonal[i]) * ri;
    } else if constexpr (Kind == PreconditionerKind::block_jacobi) {
      return inverse_block[i] * ri;
    } else {
      return ri;
    }
  }

  struct Sums {
    double r_dot_r, r_dot_z;
  };

  // y += alpha p, r -= alpha q, z := M^-1 r in one pass; multigrid makes z later.
  template <PreconditionerKind Kind>
  Sums advance(double alpha) {
    for_rows(*pool, pattern(), [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
      Lanes r_r, r_z;
      for (std::uint32_t i = begin; i < end; ++i) {
        store(lanes(y[i]) + alpha * lanes(p[i]), y[i]);
        const Lanes ri = lanes(r[i]) - alpha * lanes(q[i]);
        store(ri, r[i]);
        r_r = r_r + ri * ri;
        if constexpr (Kind != PreconditionerKind::multigrid) {
          const Lanes zi = precondition<Kind>(i, ri);
          store(zi, z[i]);
          r_z = r_z + ri * zi;
        }
      }
      // Removes rounding along constrained directions, which would accumulate while r decreases.
      filter.filter(chunk, r.data());
      if constexpr (Kind != PreconditionerKind::multigrid) filter.filter(chunk, z.data());
      partial[chunk] = {sum_of(r_r), sum_of(r_z)};
    });
    Sums total{0, 0};
    for (const auto& [r_r, r_z] : partial) {
      total.r_dot_r += r_r;
      total.r_dot_z += r_z;
    }
    return total;
  }

  Sums advance(double alpha) {
    return by_kind([&](auto each) { return advance<each.value>(alpha); });
  }

  // r . z, after `advance`; multigrid makes z now.
  double precondition(const Sums& sums) {
    const double r_dot_z =
        kind == PreconditionerKind::multigrid ? multigrid.apply(r, std::sqrt(sums.r_dot_r), z) : sums.r_dot_z;
    filter_motion(z);
    return r_dot_z;
  }

  // p := z + beta p
  void turn(double beta) {
    for_each_row(*pool, pattern(), [&](std::size_t i) { store(lanes(z[i]) + beta * lanes(p[i]), p[i]); });
  }

  // The steepest (preconditioned) direction: p := M^-1 r; returns r . p.
  double restart() {
    const double r_dot_p = precondition_into_p();
    filter_motion(p);
    return r_dot_p;
  }

  double precondition_into_p() {
    if (kind == PreconditionerKind::multigrid) return multigrid.apply(r, std::sqrt(r_square), p);
    return by_kind([&](auto each) {
      return sum_rows(*pool, pattern(), [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
        Lanes r_dot_p;
        for (std::uint32_t i = begin; i < end; ++i) {
          const Lanes ri = lanes(r[i]), pi = precondition<each.value>(i, ri);
          store(pi, p[i]);
          r_dot_p = r_dot_p + ri * pi;
        }
        filter.filter(chunk, p.data());
        return sum_of(r_dot_p);
      });
    });
  }

  double relative_residual() const { return b_square == 0 ? 0.0 : std::sqrt(r_square / b_square); }

  // y := 0, or a guess if that is closer to the solution.
  void start(std::span<const vec3> x, const CgOptions& options) {
    b_square = r_square = start_from_nothing();
    if (options.warm_start && b_square > 0) {
      r_square = start_from(x);
      if (!(r_square < b_square)) r_square = start_from_nothing();
    }
    enough = options.tolerance * options.tolerance * b_square;
    exact = true;
    history.push_back(relative_residual());
  }

  // The lengths of y and p in the norm of the preconditioner's inverse, by their recursions [Steihaug 1983].
  struct Lengths {
    double pp, yp = 0, yy = 0;

    /// α to the boundary from y along p.
    double room(double radius) const {
      if (radius == std::numeric_limits<double>::infinity()) return radius;
      return (std::sqrt(yp * yp + pp * std::max(radius * radius - yy, 0.0)) - yp) / pp;
    }
    void advance(double alpha) {
      yy += alpha * (2 * yp + alpha * pp);
      yp += alpha * pp;
    }
    void turn(double beta, double r_dot_z) {
      yp *= beta;
      pp = r_dot_z + beta * beta * pp;
    }
  };

  void iterate(const CgOptions& options, SolveReport& report) {
    report.stopped = !build_preconditioner();
    if (report.stopped) return;
    double r_dot_z = restart();
    Lengths lengths{r_dot_z};
    double at_restart = std::numeric_limits<double>::infinity();
    while (report.iterations < options.max_iterations) {
      report.stopped = stop_requested(*stop);
      if (report.stopped) return;
      const double p_dot_q = product(p);
      const double room = lengths.room(options.radius);
      double alpha = r_dot_z / p_dot_q;
      if (!(p_dot_q > 0)) {  // or NaN, which the residual shows
        report.indefinite = p_dot_q <= 0;
        if (!report.indefinite || near == A || report.iterations > 0) return;
        alpha = std::min(1.0, room);
      }
      report.at_radius = alpha >= room;
      if (report.at_radius) alpha = room;
      lengths.advance(alpha);
      report.length = std::sqrt(lengths.yy);
      const Sums next = advance(alpha);
      ++report.iterations;
      const bool last = report.indefinite || report.at_radius;
      exact = next.r_dot_r <= enough || last;
      r_square = exact ? true_residual() : next.r_dot_r;
      history.push_back(relative_residual());
      if (!std::isfinite(r_square) || last) return;
      if (exact) {
        // A restart that did not halve the residual is at the limit of rounding.
        if (r_square <= enough || r_square > 0.25 * at_restart) return;
        at_restart = r_square;
        r_dot_z = restart();
        lengths = {r_dot_z, 0, lengths.yy};
      } else if (report.iterations < options.max_iterations) {
        const double next_r_dot_z = precondition(next), beta = next_r_dot_z / r_dot_z;
        turn(beta);
        r_dot_z = next_r_dot_z;
        lengths.turn(beta, r_dot_z);
      }
    }
  }

  // The true residual of y + z.
  void complete_residual() {
    if (exact) return;
    r_square = true_residual();
    history.back() = relative_residual();
  }

  // Balances the momentum of y; r and A (y + z) follow.
  void balance_momentum(const Projection& projection) {
    free_parts.find(pattern(), projection);
    free_parts.exclude_stencils(*A);
    if (free_parts.empty()) return;
    const std::span<const double> diagonal = A->diagonal_by_row();
    free_parts.compute_means([&](std::size_t row) { return diagonal[row]; },
                             [&](std::size_t row) { return unpadded(r[row]); });
    r_square = sum_over_rows(*pool, pattern(), [&](std::size_t i) {
      if (free_parts.contains_row(i)) {
        const Lanes translation = lanes(free_parts.mean(i)), change = diagonal[i] * translation;
        store(lanes(y[i]) + translation, y[i]);
        store(lanes(q[i]) + change, q[i]);
        store(lanes(r[i]) - change, r[i]);
      }
      return dot(r[i], r[i]);
    });
    history.back() = relative_residual();
  }

  // x := y + z; overwrites y.
  void finish(std::span<vec3> x) {
    const SpringPattern& rows = pattern();
    add_change(y, 1);
    for_each_row(*pool, rows, [&](std::size_t i) { x[rows.particle[i]] = unpadded(y[i]); });
  }
};

ConjugateGradient::ConjugateGradient() : scratch_(std::make_unique<Scratch>()) {}
ConjugateGradient::~ConjugateGradient() = default;

std::span<const Padded> ConjugateGradient::product() const {
  return scratch_->has_product ? std::span<const Padded>(scratch_->q) : std::span<const Padded>();
}

SolveReport ConjugateGradient::solve(const ComputeContext& context, const LinearSystem& system,
                                     std::span<vec3> x, const CgOptions& options) {
  assert(system.fits(x));
  Scratch& s = *scratch_;
  SolveReport report;
  report.stopped = !s.adopt(context, system, options);
  if (report.stopped) return report;
  s.start(x, options);
  if (s.r_square > s.enough && std::isfinite(s.r_square)) s.iterate(options, report);
  if (!system.estimates_residual) s.complete_residual();
  report.converged = s.r_square <= s.enough;
  if (system.balances_momentum && std::isfinite(s.r_square)) s.balance_momentum(system.projection);
  s.finish(x);
  report.residual = s.relative_residual();
  report.history = s.history;
  report.preconditioner = s.kind;
  if (s.kind == PreconditionerKind::multigrid && s.is_built) report.levels = s.multigrid.levels();
  return report;
}

}  // namespace clothlab
