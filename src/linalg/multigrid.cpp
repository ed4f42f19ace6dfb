// SPDX-License-Identifier: MIT
#include "linalg/multigrid.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "core/error.h"
#include "linalg/aggregation.h"
#include "linalg/block_matrix.h"
#include "linalg/galerkin.h"
#include "linalg/lanes.h"
#include "linalg/quad.h"
#include "linalg/single_spring_matrix.h"
#include "linalg/symmetric.h"

namespace clothlab {

namespace {

// A level of at most so many nodes is solved directly.
constexpr std::size_t kDirectNodes = 48;
// A level that would keep more than this share of the nodes is not worth having.
constexpr double kWorstReduction = 0.6;
// A spring below this share of the strongest at both of its ends is weak.
constexpr float kWeakSpring = 1.0f / 64;
// Rows of a coarse level that one thread takes at a time, and of the finest level: so that small meshes are
// not shared out, which would take longer than the work.
constexpr std::size_t kCoarseGrain = 128;
constexpr std::size_t kFinestGrain = 512;
// Steps of the smoother before a correction and again after it, and the part [1/part, 1] of the spectrum that
// they damp: what makes whole solves shortest, and of what is as short, the fewest iterations.
constexpr int kFinestDegree = 4;
constexpr double kFinestPart = 10;
constexpr int kCoarseDegree = 4;
constexpr double kCoarsePart = 16;
constexpr int kPowerIterations = 10;
constexpr double kPowerSafety = 1.1;

/// A step of the Chebyshev iteration for A x = r after its first:
///   x_k+1 = x_k + again (x_k - x_k-1) + second D⁻¹ (r - A x_k).
struct ChebyshevStep {
  float again, second;
};
/// So many of its steps, for the part [lambda / part, lambda] of the spectrum of D⁻¹A. The first is
///   x_1 = x_0 + first D⁻¹ (r - A x_0).
template <int Degree>
struct Chebyshev {
  static_assert(Degree >= 2);
  float first;
  std::array<ChebyshevStep, Degree - 1> steps;

  Chebyshev(double lambda, double part) {
    const double low = lambda / part;
    const double theta = (lambda + low) / 2;
    const double delta = (lambda - low) / 2;
    const double sigma = theta / delta;
    first = static_cast<float>(1 / theta);
    double rho = 1 / sigma;
    for (ChebyshevStep& step : steps) {
      const double next = 1 / (2 * sigma - rho);
      step = {static_cast<float>(next * rho), static_cast<float>(2 * next / delta)};
      rho = next;
    }
  }
};

/// The smoother of one level, for A x = r. Row i of its vectors belongs to node i; `previous` and `x` are the
/// last two iterates.
template <int Degree>
struct Smoother {
  std::vector<SingleSymmetric> inverse;  // D⁻¹
  Chebyshev<Degree> chebyshev;
  SingleVector r, x, previous;

  explicit Smoother(double part) : chebyshev(2.0, part) {}

  // Row i of the next iterate, given that of A x: for the first step from x_0 = 0, which needs no product,
  // the second one after that, the first step from any x_0, and every step after that.
  Quad first_from_zero(std::size_t i) const { return chebyshev.first * (inverse[i] * r[i]); }
  Quad second_from_zero(std::size_t i, Quad Ax) const {
    const auto [again, second] = chebyshev.steps[0];
    return (1 + again) * x[i] + second * (inverse[i] * (r[i] - Ax));
  }
  Quad first(std::size_t i, Quad Ax) const { return x[i] + chebyshev.first * (inverse[i] * (r[i] - Ax)); }
  Quad next_iterate(const ChebyshevStep& step, std::size_t i, Quad Ax) const {
    return x[i] + step.again * (x[i] - previous[i]) + step.second * (inverse[i] * (r[i] - Ax));
  }
};

/// Gives `list` its length a part at a time: memory that is touched for the first time is slow.
template <class Value>
void make_room(std::size_t length, std::vector<Value>& list, const CancelPoint& cancel) {
  constexpr std::size_t kPart = std::size_t{1} << 22;
  list.reserve(length);
  while (list.size() < length) {
    list.resize(std::min(length, list.size() + kPart));
    cancel.look();
  }
}

/// Strengths of springs beside that of the first, rounded to powers of two: an interpolation needs no better,
/// and so neither the shape of the cloth, which decides how u and b are rounded, nor most changes of h and of
/// stiffness reach the hierarchy.
class StrengthScale {
 public:
  explicit StrengthScale(const SpringMatrix& A) {
    const double first = A.pattern().springs() > 0 ? A.spring_in(0).stiffness() : 0;
    if (first > 0 && std::isfinite(first)) factor_ = std::numbers::sqrt2 / first;
  }
  /// The exponent of a float; 0 for no strength at all.
  std::uint8_t operator()(const SpringMatrix::Spring& spring) const {
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(factor_ * spring.stiffness()));
    return bits > 0 && bits < kInfinity ? static_cast<std::uint8_t>(bits >> kFraction) : std::uint8_t{0};
  }
  static float power(std::uint8_t exponent) {
    return std::bit_cast<float>(std::uint32_t{exponent} << kFraction);
  }

 private:
  static constexpr int kFraction = 23;  // bits
  static constexpr std::int32_t kInfinity = 0x7f800000;
  double factor_ = 1;
};

}  // namespace

struct Multigrid::Hierarchy {
  /// The finest level, in single precision.
  struct Finest : Smoother<kFinestDegree> {
    struct Part {
      std::uint32_t row_begin, row_end = 0;
      std::span<const std::uint32_t> slots;
      RankOneTerms terms;  // of the numbers d of the rows, then of the springs
      PartialSums sums;
      Part(std::uint32_t first_row, std::size_t coarse_blocks) : row_begin(first_row), sums(coarse_blocks) {}
      bool has_room() const { return sums.has_room_for(RankOneTerms::kMostTargets); }
    };

    Finest() : Smoother(kFinestPart) {}

    SingleSpringMatrix A;
    SingleVector next;           // of iterates: a product needs a vector for its sums
    Prolongation P, transposed;  // to the next coarser level
    std::vector<Part> parts;     // of the next coarser matrix
  };
  struct CoarseLevel : Smoother<kCoarseDegree> {
    CoarseLevel() : Smoother(kCoarsePart) {}

    BlockMatrix A;
    SingleBlockMatrix single;    // the same, scaled as the finest level
    GalerkinTerms from_finer;    // none on the first of them: see Finest::parts
    Prolongation P, transposed;  // no columns on the coarsest level
  };

  // The structure, and what it was made for.
  std::shared_ptr<const SpringPattern> pattern;
  std::vector<std::uint32_t> constrained;  // rows
  std::vector<std::uint8_t> exponent;      // by slot: the spring's strength, see StrengthScale
  Finest finest;
  std::vector<CoarseLevel> coarser;

  // Of the solve at hand.
  WorkerPool* pool = nullptr;
  const SpringMatrix* A = nullptr;
  const RowFilter* filter = nullptr;
  const StopProbe* stop = nullptr;
  bool direct = false;  // the coarsest level has its factor
  Eigen::MatrixXd dense;
  std::optional<Eigen::LLT<Eigen::MatrixXd>> factor;
  Eigen::VectorXd dense_vector;

  // --- structure ---

  // Whether the structure is that of A but for the strengths of its springs, which `take` looks at.
  bool may_fit() const {
    if (pattern != A->shared_pattern()) return false;
    const auto entries = filter->entries();
    return std::equal(entries.begin(), entries.end(), constrained.begin(), constrained.end(),
                      [](const RowFilter::Entry& entry, std::uint32_t row) { return entry.row == row; });
  }

  float strength(std::size_t slot) const { return StrengthScale::power(exponent[slot]); }

  /// By slot, whether a spring counts beside the strongest ones at both of its ends. The smoother leaves out
  /// the others, which do not decide what it can smooth: by default bending springs, half of all.
  std::vector<char> strong_springs(CancelPoint& cancel) const {
    std::vector<float> strongest(pattern->particles(), 0);
    for (std::size_t slot = 0; slot < pattern->springs(); ++slot) {
      cancel.pass();
      for (const std::uint32_t row : {pattern->lower[slot], pattern->upper[slot]}) {
        strongest[row] = std::max(strongest[row], strength(slot));
      }
    }
    std::vector<char> strong(pattern->springs());
    for (std::size_t slot = 0; slot < pattern->springs(); ++slot) {
      cancel.pass();
      const float beside = std::min(strongest[pattern->lower[slot]], strongest[pattern->upper[slot]]);
      strong[slot] = strength(slot) >= kWeakSpring * beside;
    }
    return strong;
  }

  CouplingGraph finest_graph(CancelPoint& cancel) const {
    const std::size_t n = pattern->particles();
    CouplingGraph graph;
    graph.begin.assign(n + 1, 0);
    for (std::size_t slot = 0; slot < pattern->springs(); ++slot) {
      cancel.pass();
      ++graph.begin[pattern->lower[slot] + 1];
      ++graph.begin[pattern->upper[slot] + 1];
    }
    std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
    make_room(graph.begin.back(), graph.neighbour, cancel);
    make_room(graph.begin.back(), graph.strength, cancel);
    std::vector<std::uint32_t> next(graph.begin.begin(), graph.begin.end() - 1);
    for (std::size_t slot = 0; slot < pattern->springs(); ++slot) {
      cancel.pass();
      const std::uint32_t i = pattern->lower[slot], j = pattern->upper[slot];
      graph.neighbour[next[i]] = j;
      graph.strength[next[i]++] = strength(slot);
      graph.neighbour[next[j]] = i;
      graph.strength[next[j]++] = strength(slot);
    }
    return graph;
  }

  /// The finest matrix in parts: one per chunk, or some where it reaches more coarse blocks than one may.
  void make_finest_parts(const BlockMatrix& coarse, CancelPoint& cancel) {
    const Prolongation& P = finest.P;
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::size_t chunk = 0; chunk < pattern->chunks(); ++chunk) {
      std::uint32_t i = pattern->chunk_begin[chunk];
      const std::uint32_t end = pattern->chunk_begin[chunk + 1];
      std::span<const std::uint32_t> slots = finest.A.kept(chunk);
      while (i < end || !slots.empty()) {
        Finest::Part& part = finest.parts.emplace_back(i, coarse.nodes.size());
        for (; i < end && part.has_room(); ++i) {
          cancel.pass();
          row.clear();
          for (std::uint32_t k = P.begin[i]; k < P.begin[i + 1]; ++k)
            row.emplace_back(P.column[k], P.weight[k]);
          part.terms.push_back(row, coarse, part.sums);
        }
        part.row_end = i;
        std::size_t taken = 0;
        for (; i == end && taken < slots.size() && part.has_room(); ++taken) {
          cancel.pass();
          row_difference({pattern->lower[slots[taken]], pattern->upper[slots[taken]]}, P, row);
          part.terms.push_back(row, coarse, part.sums);
        }
        part.slots = slots.first(taken);
        slots = slots.subspan(taken);
        part.sums.close();
        part.terms.close();
      }
    }
  }

  static void resize(CoarseLevel& level, std::size_t n) {
    level.single.choose(level.A);
    level.inverse.resize(n);
    for (SingleVector* v : {&level.r, &level.x, &level.previous}) v->assign(n, zero_quad());
  }

  void build() {
    CancelPoint cancel(*stop);
    pattern.reset();  // nothing fits until all is built
    coarser.clear();
    const auto shared = A->shared_pattern();
    constrained.clear();
    std::vector<char> active(shared->particles(), 1);
    for (const RowFilter::Entry& entry : filter->entries()) {
      constrained.push_back(entry.row);
      active[entry.row] = 0;
    }
    exponent.resize(shared->springs());
    const StrengthScale strength_of(*A);
    for (std::size_t slot = 0; slot < exponent.size(); ++slot) {
      cancel.pass();
      exponent[slot] = strength_of(A->spring_in(slot));
    }
    pattern = shared;
    try {
      build_levels(std::move(active), cancel);
    } catch (...) {
      pattern.reset();
      throw;
    }
  }

  void build_levels(std::vector<char> active, CancelPoint& cancel) {
    finest.A.choose(*pattern, strong_springs(cancel), cancel);
    cancel.look();
    finest.inverse.resize(pattern->particles());
    for (SingleVector* v : {&finest.r, &finest.x, &finest.previous, &finest.next}) {
      v->assign(pattern->particles(), zero_quad());
      cancel.look();
    }
    CouplingGraph graph = finest_graph(cancel);
    std::size_t size = static_cast<std::size_t>(std::count(active.begin(), active.end(), 1));
    while (size > kDirectNodes) {
      Prolongation P = smoothed_aggregation(graph, active, cancel);
      if (P.columns == 0 || static_cast<double>(P.columns) > kWorstReduction * static_cast<double>(size)) {
        break;
      }
      size = P.columns;
      CoarseLevel next;
      Prolongation transposed = P.transposed();
      next.A = coarse_pattern(graph, P, transposed, cancel);
      if (!coarser.empty()) next.from_finer = coarse_terms(coarser.back().A, P, next.A, cancel);
      graph = coarse_graph(graph, P, next.A, cancel);
      resize(next, size);
      active.assign(size, 1);
      (coarser.empty() ? finest.P : coarser.back().P) = std::move(P);
      (coarser.empty() ? finest.transposed : coarser.back().transposed) = std::move(transposed);
      coarser.push_back(std::move(next));
    }
    finest.parts.clear();
    if (!coarser.empty()) make_finest_parts(coarser.front().A, cancel);
    // Room for the direct solve of the coarsest level.
    if (!coarser.empty() && size <= kDirectNodes) {
      const auto rows = static_cast<Eigen::Index>(3 * size);
      dense.resize(rows, rows);
      dense_vector.resize(rows);
      factor.emplace(rows);
    }
  }

  // --- values ---

  // The finest level := A. False where the structure was made for other strengths. All in one pass over the
  // springs, while those of a chunk are in a cache.
  bool assign_finest(const Scratch& scratch) {
    const StrengthScale strength_of(*A);
    finest.A.start(*A);
    const double changed =
        sum_rows(*pool, *pattern, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
          finest.A.assign(chunk);
          A->bounding_blocks(chunk, scratch.first.data(), scratch.second.data());
          invert(begin, end, scratch);
          int count = 0;
          for (std::uint32_t slot = pattern->slot_begin[begin]; slot < pattern->slot_begin[end]; ++slot) {
            count += strength_of(A->spring_in(slot)) != exponent[slot] ? 1 : 0;
          }
          return static_cast<double>(count);
        });
    return changed == 0;
  }

  // finest.inverse := D⁻¹ on these rows, of the blocks in `scratch`.
  void invert(std::uint32_t begin, std::uint32_t end, const Scratch& scratch) {
    const auto entries = filter->entries();
    auto entry = std::lower_bound(entries.begin(), entries.end(), begin,
                                  [](const RowFilter::Entry& e, std::uint32_t row) { return e.row < row; });
    for (std::uint32_t i = begin; i < end; ++i) {
      const Padded &d = scratch.first[i], &r = scratch.second[i];
      const bool constrained_here = entry != entries.end() && entry->row == i;
      const Symmetric inverse =
          block_inverse({d.x, d.y, d.z, r.x, r.y, r.z}, constrained_here ? &*entry : nullptr);
      finest.inverse[i] = SingleSymmetric(1 / finest.A.scale(), inverse);
      if (constrained_here) ++entry;
    }
  }

  // Throws Cancelled, like `build`; with a million particles each of the stages takes a tenth of a second.
  void compute_values(const Scratch& scratch) {
    if (!may_fit() || !assign_finest(scratch)) {
      build();
      assign_finest(scratch);
    }
    const CancelPoint cancel(*stop);
    if (coarser.empty()) return;

    cancel.look();
    add_finest(coarser.front());
    cancel.look();
    for (std::size_t l = 1; l < coarser.size(); ++l) {
      std::vector<Symmetric>& coarse = coarser[l].A.value;
      std::fill(coarse.begin(), coarse.end(), Symmetric{});
      const std::vector<Symmetric>& fine = coarser[l - 1].A.value;
      for (std::size_t s = 0; s < fine.size(); ++s) coarser[l].from_finer.add(s, fine[s], coarse);
    }
    cancel.look();
    for (CoarseLevel& level : coarser) prepare_smoother(level);
    factorize();
  }

  void add_finest(CoarseLevel& level) {
    pool->for_chunks(finest.parts.size(), 1, [&](std::size_t k, std::size_t) {
      Finest::Part& part = finest.parts[k];
      part.sums.clear();
      RankOneTerms::Cursor next(part.terms);
      for (std::uint32_t i = part.row_begin; i < part.row_end; ++i) {
        const double d = A->diagonal_by_row()[i];
        next.add({d, d, d, 0, 0, 0}, part.sums);
      }
      for (const std::uint32_t slot : part.slots) {
        const SpringMatrix::Spring& spring = A->spring_in(slot);
        next.add(spring_block(spring.u, spring.b), part.sums);
      }
    });
    std::fill(level.A.value.begin(), level.A.value.end(), Symmetric{});
    for (const Finest::Part& part : finest.parts) part.sums.add_to(level.A.value);
    for (const SpringMatrix::Stencil& stencil : A->stencils()) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
        for (std::size_t l = 0; l <= k; ++l) add_pair(level, stencil, k, l);
      }
    }
  }

  // Two points of a stencil, or one.
  void add_pair(CoarseLevel& level, const SpringMatrix::Stencil& stencil, std::size_t k, std::size_t l) {
    const std::uint32_t i = pattern->row[stencil.particle[k]];
    const std::uint32_t j = pattern->row[stencil.particle[l]];
    const Symmetric C = symmetric_part(stencil.C);
    const double twice = i == j && k != l ? 2 : 1;
    for_terms({i, j}, finest.P, level.A, [&](std::uint32_t block, double weight) {
      if (block == BlockMatrix::kNone) return;  // no spring joins the two: left to the finest level
      level.A.value[block].add(twice * weight * stencil.weight[k] * stencil.weight[l], C);
    });
  }

  void prepare_smoother(CoarseLevel& level) {
    const double scale = finest.A.scale();
    for_nodes(level.A.size(), [&](std::size_t i) {
      level.single.assign_row(scale, level.A, i);
      level.inverse[i] = SingleSymmetric(1 / scale, block_inverse(level.A.value[i], nullptr));
    });
    // The power method on D⁻¹A, from a vector that has a bit of everything.
    SingleVector& x = level.x;
    SingleVector& y = level.previous;
    double norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto noise = [i](std::uint32_t salt) {
        return static_cast<double>((static_cast<std::uint32_t>(3 * i) + salt) * 2654435761u) / 4294967296.0 -
               0.5;
      };
      const Lanes start(Padded{noise(0), noise(1), noise(2), 0});
      x[i] = single(start);
      norm += (start * start).sum();
    }
    double lambda = 1;
    for (int k = 0; k < kPowerIterations; ++k) {
      const auto shrink = static_cast<float>(1 / std::sqrt(norm));
      norm = pool->sum(x.size(), kCoarseGrain, [&](std::size_t begin, std::size_t end) {
        Lanes sum;
        level.single.multiply_rows(level.A, begin, end, x, [&](std::size_t i, Quad Ax) {
          y[i] = shrink * (level.inverse[i] * Ax);
          const Lanes image = double_precision(y[i]);
          sum = sum + image * image;
        });
        return sum.sum();
      });
      lambda = std::sqrt(norm);
      std::swap(x, y);
    }
    level.chebyshev = {kPowerSafety * lambda, kCoarsePart};
  }

  void factorize() {
    const BlockMatrix& coarsest = coarser.back().A;
    direct = coarsest.size() <= kDirectNodes;
    if (!direct) return;
    dense.setZero();
    for (std::size_t k = 0; k < coarsest.value.size(); ++k) {
      const mat3 B = finest.A.scale() * full(coarsest.value[k]);
      const auto row = static_cast<Eigen::Index>(3 * coarsest.nodes[k][0]);
      const auto column = static_cast<Eigen::Index>(3 * coarsest.nodes[k][1]);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          dense(row + i, column + j) = B[i][j];
          dense(column + j, row + i) = B[i][j];
        }
      }
    }
    factor->compute(dense);
    direct = factor->info() == Eigen::Success;
  }

  // --- the cycle ---

  /// Calls finish(row, (A x)_row) for every row of the level, and may itself write to spare(level).
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
  // What a product may write the next iterate to, or a residual.
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
  /// The smoother's steps from 0, of which the first has been made.
  template <class Level>
  void smooth_from_zero(Level& level) {
    iterate(level, [&](std::size_t i, Quad Ax) { return level.second_from_zero(i, Ax); });
    smooth(level, std::span<const ChebyshevStep>(level.chebyshev.steps).subspan(1));
  }
  /// Some of the steps after the first.
  template <class Level>
  void smooth(Level& level, std::span<const ChebyshevStep> steps) {
    for (const ChebyshevStep step : steps) {
      iterate(level, [&](std::size_t i, Quad Ax) { return level.next_iterate(step, i, Ax); });
    }
  }

  template <class Body>
  void for_nodes(std::size_t n, const Body& body) const {
    pool->for_chunks(n, kCoarseGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  /// z := M⁻¹ r; returns r . z. Everything in between is that of r times a power of two near 1/‖r‖.
  double apply(const RowVector& r, double r_norm, RowVector& z) {
    const double down = r_norm > 0 ? std::ldexp(1.0, -std::ilogb(r_norm)) : 1.0;
    Finest& f = finest;
    for_rows(*pool, *pattern, [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        f.r[i] = single(down * Lanes(r[i]));
        f.x[i] = f.first_from_zero(i);
      }
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
        zi.store(z[i]);
        r_dot_z = r_dot_z + Lanes(r[i]) * zi;
      });
      filter->filter(chunk, z.data());  // single precision keeps to the free directions only nearly
      return r_dot_z.sum();
    });
  }

  /// x += P (the answer of the coarser level l to Pᵀ (r - A x)).
  template <class Level>
  void correct(Level& level, std::size_t l, std::size_t grain) {
    if (l == coarser.size()) return;
    CoarseLevel& coarse = coarser[l];
    SingleVector& residual = spare(level);
    product(level, [&](std::size_t i, Quad Ax) { residual[i] = level.r[i] - Ax; });
    restrict(level.transposed, residual, coarse.r);
    solve_coarse(l);
    add_interpolated(level.P, coarse.x, level.x, grain);
  }

  // coarse := Pᵀ fine
  void restrict(const Prolongation& transposed, const SingleVector& fine, SingleVector& coarse) const {
    for_nodes(coarse.size(), [&](std::size_t a) {
      Quad sum = zero_quad();
      for (std::uint32_t k = transposed.begin[a]; k < transposed.begin[a + 1]; ++k) {
        sum = sum + transposed.weight[k] * fine[transposed.column[k]];
      }
      coarse[a] = sum;
    });
  }

  // fine += P coarse
  void add_interpolated(const Prolongation& P, const SingleVector& coarse, SingleVector& fine,
                        std::size_t grain) const {
    const auto add = [&](std::size_t i) {
      // Four at a time, of which some do not count: processors foresee the number of a row's entries badly.
      Quad sum = fine[i];
      const std::uint32_t end = P.begin[i + 1];
      for (std::uint32_t k = P.begin[i]; k < end; k += Prolongation::kPadding + 1) {
        Quad weight;
        std::memcpy(&weight, &P.weight[k], sizeof weight);
        weight = first_of(weight, static_cast<int>(end - k));
        const std::uint32_t* column = &P.column[k];
        sum = sum + ((weight[0] * coarse[column[0]] + weight[1] * coarse[column[1]]) +
                     (weight[2] * coarse[column[2]] + weight[3] * coarse[column[3]]));
      }
      fine[i] = sum;
    };
    pool->for_chunks(fine.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) add(i);
    });
  }

  // coarser[l].x := the cycle's answer to its r.
  void solve_coarse(std::size_t l) {
    CoarseLevel& level = coarser[l];
    if (l + 1 == coarser.size() && direct) return solve_directly(level);
    for_nodes(level.r.size(), [&](std::size_t i) { level.x[i] = level.first_from_zero(i); });
    smooth_from_zero(level);
    if (stop_requested(*stop)) return;
    correct(level, l + 1, kCoarseGrain);
    iterate(level, [&](std::size_t i, Quad Ax) { return level.first(i, Ax); });
    smooth(level, level.chebyshev.steps);
  }

  void solve_directly(CoarseLevel& level) {
    for (std::size_t i = 0; i < level.r.size(); ++i) {
      const Quad& r = level.r[i];
      dense_vector.segment<3>(static_cast<Eigen::Index>(3 * i)) << r[0], r[1], r[2];
    }
    factor->solveInPlace(dense_vector);
    for (std::size_t i = 0; i < level.x.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(3 * i);
      level.x[i] = single(Lanes(Padded{dense_vector[row], dense_vector[row + 1], dense_vector[row + 2], 0}));
    }
  }
};

Multigrid::Multigrid() : hierarchy_(std::make_unique<Hierarchy>()) {}
Multigrid::~Multigrid() = default;
Multigrid::Multigrid(Multigrid&&) noexcept = default;
Multigrid& Multigrid::operator=(Multigrid&&) noexcept = default;

bool Multigrid::prepare(WorkerPool& pool, const SpringMatrix& A, const RowFilter& filter, Scratch scratch,
                        const StopProbe& stop) {
  Hierarchy& h = *hierarchy_;
  h.pool = &pool;
  h.A = &A;
  h.filter = &filter;
  h.stop = &stop;
  try {
    CancelPoint(stop).look();
    h.compute_values(scratch);
  } catch (const Cancelled&) {
    return false;
  }
  return true;
}

double Multigrid::apply(const RowVector& r, double r_norm, RowVector& z) {
  return hierarchy_->apply(r, r_norm, z);
}

std::size_t Multigrid::levels() const { return 1 + hierarchy_->coarser.size(); }

}  // namespace clothlab
