#include "linalg/multigrid.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "core/cancel_point.h"
#include "core/error.h"
#include "linalg/aggregation.h"
#include "linalg/lanes.h"
#include "linalg/symmetric.h"

namespace clothlab {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// A level of at most so many nodes is solved directly.
constexpr std::size_t kDirectNodes = 48;
// A level that would keep more than this share of the nodes is not worth having.
constexpr double kWorstReduction = 0.6;
// Rows of a coarse level that one thread takes at a time.
constexpr std::size_t kCoarseGrain = 512;
// The smoother damps the part [1/8, 1] of the spectrum [Tamstorf et al. 2015].
constexpr double kSmoothedPart = 1.0 / 8;
constexpr int kPowerIterations = 10;
constexpr double kPowerSafety = 1.1;

using Nodes = std::array<std::uint32_t, 2>;  // of a block; the same twice on the diagonal

/// x := p(D⁻¹A) r in two steps from a start: the Chebyshev recurrence of degree 2 on [lambda/8, lambda].
struct Chebyshev {
  double first;  ///< d = first D⁻¹ r
  double again;  ///< then d = again d + second D⁻¹ (r - A d)
  double second;

  explicit Chebyshev(double lambda) {
    const double low = lambda * kSmoothedPart;
    const double theta = (lambda + low) / 2;
    const double delta = (lambda - low) / 2;
    const double sigma = theta / delta;
    const double rho = 1 / (2 * sigma - 1 / sigma);
    first = 1 / theta;
    again = rho / sigma;
    second = 2 * rho / delta;
  }
};

/// A symmetric matrix of symmetric 3x3 blocks, every block stored once.
struct BlockMatrix {
  std::vector<std::uint32_t> begin;      ///< row -> its first neighbour; one more at the end
  std::vector<std::uint32_t> neighbour;  ///< ascending within a row, without the row itself
  std::vector<std::uint32_t> block;      ///< of the coupling, in `value`
  std::vector<Symmetric> value;          ///< those of the diagonal, then the couplings
  std::vector<Nodes> nodes;              ///< of each value

  std::size_t size() const { return begin.size() - 1; }

  /// The value that couples a and b, or kNone.
  std::uint32_t find(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return a;
    const auto first = neighbour.begin() + begin[a];
    const auto last = neighbour.begin() + begin[a + 1];
    const auto at = std::lower_bound(first, last, b);
    return at != last && *at == b ? block[static_cast<std::size_t>(at - neighbour.begin())] : kNone;
  }

  Lanes row_times(std::size_t i, const RowVector& x) const {
    Lanes sum = value[i] * Lanes(x[i]);
    for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
      sum = sum + value[block[k]] * Lanes(x[neighbour[k]]);
    }
    return sum;
  }
};

/// The couplings of PᵀAP, for an A with the couplings of `fine`.
BlockMatrix coarse_pattern(const CouplingGraph& fine, const Prolongation& P, const Prolongation& transposed,
                           CancelPoint& cancel) {
  const std::size_t n = P.columns;
  BlockMatrix coarse;
  coarse.begin.push_back(0);
  for (std::uint32_t a = 0; a < n; ++a) coarse.nodes.push_back({a, a});
  std::vector<std::uint32_t> seen_by(n, static_cast<std::uint32_t>(n));
  std::vector<std::uint32_t> row;
  for (std::uint32_t a = 0; a < n; ++a) {
    row.clear();
    seen_by[a] = a;
    const auto reach = [&](std::uint32_t j) {
      cancel.pass();
      for (std::uint32_t k = P.begin[j]; k < P.begin[j + 1]; ++k) {
        const std::uint32_t b = P.column[k];
        if (seen_by[b] == a) continue;
        seen_by[b] = a;
        row.push_back(b);
      }
    };
    for (std::uint32_t m = transposed.begin[a]; m < transposed.begin[a + 1]; ++m) {
      const std::uint32_t i = transposed.column[m];
      reach(i);
      for (std::uint32_t k = fine.begin[i]; k < fine.begin[i + 1]; ++k) reach(fine.neighbour[k]);
    }
    std::sort(row.begin(), row.end());
    for (const std::uint32_t b : row) {
      coarse.neighbour.push_back(b);
      if (b < a) {
        coarse.block.push_back(coarse.find(b, a));
      } else {
        coarse.block.push_back(static_cast<std::uint32_t>(coarse.nodes.size()));
        coarse.nodes.push_back({a, b});
      }
    }
    coarse.begin.push_back(static_cast<std::uint32_t>(coarse.neighbour.size()));
  }
  coarse.value.resize(coarse.nodes.size());
  return coarse;
}

/// How the blocks of a part of a fine matrix add up to those of PᵀAP: term k of block s adds
/// weight[k] · A_s to sum[target[k]]. Parts have sums of their own, to be filled concurrently; adding those
/// up in the order of the parts gives the same bits for any number of threads.
struct GalerkinPart {
  std::vector<std::uint32_t> begin;  // block of the part -> its first term; one more at the end
  std::vector<std::uint32_t> target;
  std::vector<double> weight;
  std::vector<std::uint32_t> block;  // of the coarse matrix, for each sum
  std::vector<Symmetric> sum;

  void clear() { std::fill(sum.begin(), sum.end(), Symmetric{}); }
  void add(std::size_t s, const Symmetric& B) {
    for (std::uint32_t k = begin[s]; k < begin[s + 1]; ++k) sum[target[k]].add(weight[k], B);
  }
};

/// Calls body(coarse block, weight) for the terms of one block of the fine matrix.
template <class Body>
void for_terms(Nodes nodes, const Prolongation& P, const BlockMatrix& coarse, const Body& body) {
  const auto [i, j] = nodes;
  for (std::uint32_t k = P.begin[i]; k < P.begin[i + 1]; ++k) {
    const std::uint32_t a = P.column[k];
    if (i == j) {
      for (std::uint32_t l = k; l < P.begin[i + 1]; ++l) {
        body(coarse.find(a, P.column[l]), P.weight[k] * P.weight[l]);
      }
    } else {
      for (std::uint32_t l = P.begin[j]; l < P.begin[j + 1]; ++l) {
        const std::uint32_t b = P.column[l];
        body(coarse.find(a, b), (a == b ? 2 : 1) * P.weight[k] * P.weight[l]);
      }
    }
  }
}

GalerkinPart galerkin_part(std::span<const Nodes> blocks, const Prolongation& P, const BlockMatrix& coarse,
                           CancelPoint& cancel) {
  GalerkinPart part;
  part.begin.push_back(0);
  std::vector<std::uint32_t> sum_of(coarse.nodes.size(), kNone);
  for (const Nodes nodes : blocks) {
    cancel.pass();
    for_terms(nodes, P, coarse, [&](std::uint32_t block, double weight) {
      if (sum_of[block] == kNone) {
        sum_of[block] = static_cast<std::uint32_t>(part.block.size());
        part.block.push_back(block);
      }
      const auto first = part.target.begin() + part.begin.back();
      const auto at = std::find(first, part.target.end(), sum_of[block]);
      if (at == part.target.end()) {
        part.target.push_back(sum_of[block]);
        part.weight.push_back(weight);
      } else {
        part.weight[static_cast<std::size_t>(at - part.target.begin())] += weight;
      }
    });
    part.begin.push_back(static_cast<std::uint32_t>(part.target.size()));
  }
  part.sum.resize(part.block.size());
  return part;
}

double stiffness_of(const SpringMatrix::Spring& s) {
  return s.u.x * s.u.x + s.u.y * s.u.y + s.u.z * s.u.z + s.b;
}

/// Strengths of springs beside that of the first, rounded to powers of two: an interpolation needs no better,
/// and so neither the shape of the cloth, which decides how u and b are rounded, nor most changes of h and of
/// stiffness reach the hierarchy.
class StrengthScale {
 public:
  explicit StrengthScale(const SpringMatrix& A) {
    const double first = A.pattern().springs() > 0 ? stiffness_of(A.spring_in(0)) : 0;
    if (first > 0 && std::isfinite(first)) factor_ = std::numbers::sqrt2 / first;
  }
  float operator()(const SpringMatrix::Spring& spring) const {
    const auto strength = static_cast<float>(factor_ * stiffness_of(spring));
    if (!(strength > 0) || !std::isfinite(strength)) return 0;
    constexpr std::uint32_t kExponent = 0x7f800000;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(strength) & kExponent);
  }

 private:
  double factor_ = 1;
};

Symmetric block_of(const SpringMatrix::Spring& s) {
  return {s.u.x * s.u.x + s.b, s.u.y * s.u.y + s.b, s.u.z * s.u.z + s.b,
          s.u.x * s.u.y,       s.u.x * s.u.z,       s.u.y * s.u.z};
}

}  // namespace

struct Multigrid::Hierarchy {
  /// What every level has: the smoother and its vectors, and the way to the next coarser level.
  struct Level {
    std::vector<Symmetric> inverse;  // D⁻¹
    Chebyshev chebyshev{2.0};
    RowVector x, r, d, w, q;
    Prolongation P, transposed;  // no columns on the coarsest level
  };
  struct CoarseLevel : Level {
    BlockMatrix A;
    std::vector<GalerkinPart> from_finer;
  };

  // The structure, and what it was made for.
  std::shared_ptr<const SpringPattern> pattern;
  std::vector<std::uint32_t> constrained;  // rows
  std::vector<float> strength;             // by slot
  Level finest;
  std::vector<CoarseLevel> coarser;

  // Of the solve at hand.
  WorkerPool* pool = nullptr;
  const SpringMatrix* A = nullptr;
  const StopProbe* stop = nullptr;
  std::vector<mat3> blocks;  // by particle
  bool direct = false;       // the coarsest level has its factor
  Eigen::MatrixXd dense;
  std::optional<Eigen::LLT<Eigen::MatrixXd>> factor;
  Eigen::VectorXd dense_vector;

  // --- structure ---

  bool fits(const RowFilter& filter) {
    if (pattern != A->shared_pattern()) return false;
    const auto entries = filter.entries();
    if (!std::equal(entries.begin(), entries.end(), constrained.begin(), constrained.end(),
                    [](const RowFilter::Entry& entry, std::uint32_t row) { return entry.row == row; })) {
      return false;
    }
    const StrengthScale strength_of(*A);
    const double changed = pool->sum(pattern->springs(), 4096, [&](std::size_t begin, std::size_t end) {
      double count = 0;
      for (std::size_t slot = begin; slot < end; ++slot) {
        count += strength_of(A->spring_in(slot)) != strength[slot] ? 1 : 0;
      }
      return count;
    });
    return changed == 0;
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
    graph.neighbour.resize(graph.begin.back());
    graph.strength.resize(graph.begin.back());
    std::vector<std::uint32_t> next(graph.begin.begin(), graph.begin.end() - 1);
    for (std::size_t slot = 0; slot < pattern->springs(); ++slot) {
      cancel.pass();
      const std::uint32_t i = pattern->lower[slot], j = pattern->upper[slot];
      graph.neighbour[next[i]] = j;
      graph.strength[next[i]++] = strength[slot];
      graph.neighbour[next[j]] = i;
      graph.strength[next[j]++] = strength[slot];
    }
    return graph;
  }

  /// The finest matrix in parts: one per chunk, the diagonal blocks of its rows, then its springs.
  std::vector<GalerkinPart> finest_parts(const Prolongation& P, const BlockMatrix& coarse,
                                         CancelPoint& cancel) const {
    std::vector<GalerkinPart> parts;
    std::vector<Nodes> nodes;
    for (std::size_t chunk = 0; chunk < pattern->chunks(); ++chunk) {
      const std::uint32_t begin = pattern->chunk_begin[chunk], end = pattern->chunk_begin[chunk + 1];
      nodes.clear();
      for (std::uint32_t i = begin; i < end; ++i) nodes.push_back({i, i});
      for (std::uint32_t slot = pattern->slot_begin[begin]; slot < pattern->slot_begin[end]; ++slot) {
        nodes.push_back({pattern->lower[slot], pattern->upper[slot]});
      }
      parts.push_back(galerkin_part(nodes, P, coarse, cancel));
    }
    return parts;
  }

  /// The strengths of a coarse level's couplings: the same PᵀLP as of the matrix, for the graph's Laplacian.
  static CouplingGraph coarse_graph(const CouplingGraph& fine, const Prolongation& P,
                                    const BlockMatrix& coarse, CancelPoint& cancel) {
    std::vector<double> laplacian(coarse.nodes.size(), 0.0);
    for (std::uint32_t i = 0; i < fine.size(); ++i) {
      cancel.pass();
      double total = 0;
      const auto add = [&](std::uint32_t j, double value) {
        for_terms({i, j}, P, coarse,
                  [&](std::uint32_t block, double weight) { laplacian[block] += weight * value; });
      };
      for (std::uint32_t k = fine.begin[i]; k < fine.begin[i + 1]; ++k) {
        total += fine.strength[k];
        if (fine.neighbour[k] > i) add(fine.neighbour[k], -fine.strength[k]);
      }
      add(i, total);
    }
    CouplingGraph graph;
    graph.begin = coarse.begin;
    graph.neighbour = coarse.neighbour;
    for (const std::uint32_t block : coarse.block) {
      graph.strength.push_back(std::max(0.0, -laplacian[block]));
    }
    return graph;
  }

  static void resize(Level& level, std::size_t n) {
    level.inverse.resize(n);
    for (RowVector* v : {&level.x, &level.r, &level.d, &level.w, &level.q}) v->assign(n, Padded{});
  }

  void build(const RowFilter& filter) {
    CancelPoint cancel(*stop);
    pattern.reset();  // nothing fits until all is built
    coarser.clear();
    const auto shared = A->shared_pattern();
    constrained.clear();
    std::vector<char> active(shared->particles(), 1);
    for (const RowFilter::Entry& entry : filter.entries()) {
      constrained.push_back(entry.row);
      active[entry.row] = 0;
    }
    strength.resize(shared->springs());
    const StrengthScale strength_of(*A);
    for (std::size_t slot = 0; slot < strength.size(); ++slot) {
      cancel.pass();
      strength[slot] = strength_of(A->spring_in(slot));
    }
    pattern = shared;
    try {
      build_levels(std::move(active), cancel);
    } catch (const Cancelled&) {
      pattern.reset();
      throw;
    }
  }

  void build_levels(std::vector<char> active, CancelPoint& cancel) {
    resize(finest, pattern->particles());
    CouplingGraph graph = finest_graph(cancel);
    Level* finer = &finest;
    finer->P = {};
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
      if (coarser.empty()) {
        next.from_finer = finest_parts(P, next.A, cancel);
      } else {
        next.from_finer.push_back(galerkin_part(coarser.back().A.nodes, P, next.A, cancel));
      }
      graph = coarse_graph(graph, P, next.A, cancel);
      resize(next, size);
      active.assign(size, 1);
      finer->P = std::move(P);
      finer->transposed = std::move(transposed);
      coarser.push_back(std::move(next));
      finer = &coarser.back();
    }
    // Room for the direct solve of the coarsest level.
    if (!coarser.empty() && size <= kDirectNodes) {
      const auto rows = static_cast<Eigen::Index>(3 * size);
      dense.resize(rows, rows);
      dense_vector.resize(rows);
      factor.emplace(rows);
    }
  }

  // --- values ---

  // Throws Cancelled, like `build`; with a million particles each of the stages takes a tenth of a second.
  void compute_values(const RowFilter& filter) {
    const CancelPoint cancel(*stop);
    blocks.resize(pattern->particles());
    A->bounding_blocks(*pool, blocks);
    cancel.look();
    for_rows(*pool, *pattern, [&](std::size_t, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        finest.inverse[i] = block_inverse(blocks[pattern->particle[i]], nullptr);
      }
    });
    for (const RowFilter::Entry& entry : filter.entries()) {
      finest.inverse[entry.row] = block_inverse(blocks[pattern->particle[entry.row]], &entry);
    }
    finest.chebyshev = Chebyshev(2.0);
    if (coarser.empty()) return;

    cancel.look();
    A->diagonal_blocks(*pool, blocks);
    cancel.look();
    add_finest(coarser.front());
    cancel.look();
    for (std::size_t l = 1; l < coarser.size(); ++l) {
      GalerkinPart& part = coarser[l].from_finer.front();
      part.clear();
      const std::vector<Symmetric>& fine = coarser[l - 1].A.value;
      for (std::size_t s = 0; s < fine.size(); ++s) part.add(s, fine[s]);
      collect(coarser[l]);
    }
    cancel.look();
    for (CoarseLevel& level : coarser) prepare_smoother(level);
    factorize();
  }

  void add_finest(CoarseLevel& level) {
    for_rows(*pool, *pattern, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
      GalerkinPart& part = level.from_finer[chunk];
      part.clear();
      std::size_t s = 0;
      for (std::uint32_t i = begin; i < end; ++i) {
        part.add(s++, symmetric_part(blocks[pattern->particle[i]]));
      }
      for (std::uint32_t slot = pattern->slot_begin[begin]; slot < pattern->slot_begin[end]; ++slot) {
        Symmetric coupling;
        coupling.add(-1, block_of(A->spring_in(slot)));
        part.add(s++, coupling);
      }
    });
    collect(level);
    // Their diagonal blocks are among those of the particles.
    for (const SpringMatrix::Stencil& stencil : A->stencils()) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
        for (std::size_t l = 0; l < k; ++l) add_coupling(level, stencil, k, l);
      }
    }
  }

  void add_coupling(CoarseLevel& level, const SpringMatrix::Stencil& stencil, std::size_t k, std::size_t l) {
    const std::uint32_t i = pattern->row[stencil.particle[k]];
    const std::uint32_t j = pattern->row[stencil.particle[l]];
    if (i == j) return;
    const Symmetric C = symmetric_part(stencil.C);
    for_terms({i, j}, finest.P, level.A, [&](std::uint32_t block, double weight) {
      if (block == kNone) return;  // no spring joins the two: left to the finest level
      level.A.value[block].add(weight * stencil.weight[k] * stencil.weight[l], C);
    });
  }

  static void collect(CoarseLevel& level) {
    std::fill(level.A.value.begin(), level.A.value.end(), Symmetric{});
    for (const GalerkinPart& part : level.from_finer) {
      for (std::size_t k = 0; k < part.block.size(); ++k) level.A.value[part.block[k]].add(1, part.sum[k]);
    }
  }

  void prepare_smoother(CoarseLevel& level) {
    for (std::size_t i = 0; i < level.A.size(); ++i) {
      level.inverse[i] = block_inverse(full(level.A.value[i]), nullptr);
    }
    // The power method on D⁻¹A, from a vector that has a bit of everything.
    RowVector& x = level.x;
    RowVector& y = level.d;
    double norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto noise = [i](std::uint32_t salt) {
        return static_cast<double>((static_cast<std::uint32_t>(3 * i) + salt) * 2654435761u) / 4294967296.0 -
               0.5;
      };
      x[i] = {noise(0), noise(1), noise(2), 0};
      norm += (Lanes(x[i]) * Lanes(x[i])).sum();
    }
    double lambda = 1;
    for (int k = 0; k < kPowerIterations; ++k) {
      const double scale = 1 / std::sqrt(norm);
      norm = pool->sum(x.size(), kCoarseGrain, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Lanes image = scale * (level.inverse[i] * level.A.row_times(i, x));
          image.store(y[i]);
          sum += (image * image).sum();
        }
        return sum;
      });
      lambda = std::sqrt(norm);
      std::swap(x, y);
    }
    level.chebyshev = Chebyshev(kPowerSafety * lambda);
  }

  void factorize() {
    const BlockMatrix& coarsest = coarser.back().A;
    direct = coarsest.size() <= kDirectNodes;
    if (!direct) return;
    dense.setZero();
    for (std::size_t k = 0; k < coarsest.value.size(); ++k) {
      const mat3 B = full(coarsest.value[k]);
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

  /// q := A x, then body(begin, end) for the rows of each chunk.
  template <class Body>
  void product(const Level&, const RowVector& x, RowVector& q, const Body& body) const {
    for_rows(*pool, *pattern, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
      A->multiply_chunk(chunk, x.data(), q.data());
      body(begin, end);
    });
  }
  template <class Body>
  void product(const CoarseLevel& level, const RowVector& x, RowVector& q, const Body& body) const {
    pool->for_chunks(x.size(), kCoarseGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) level.A.row_times(i, x).store(q[i]);
      body(begin, end);
    });
  }

  template <class Body>
  void for_nodes(std::size_t n, const Body& body) const {
    pool->for_chunks(n, kCoarseGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  // level.d := first D⁻¹ residual; x += the two steps of the polynomial.
  template <class AnyLevel>
  void second_step(AnyLevel& level, const RowVector& residual, RowVector& x) const {
    const Chebyshev& c = level.chebyshev;
    product(level, level.d, level.q, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Lanes step = (1 + c.again) * Lanes(level.d[i]) +
                           c.second * (level.inverse[i] * (Lanes(residual[i]) - Lanes(level.q[i])));
        (Lanes(x[i]) + step).store(x[i]);
      }
    });
  }

  template <class AnyLevel>
  void smooth_from_zero(AnyLevel& level, const RowVector& r, RowVector& x) const {
    const double first = level.chebyshev.first;
    for_nodes(x.size(), [&](std::size_t i) {
      (first * (level.inverse[i] * Lanes(r[i]))).store(level.d[i]);
      x[i] = {};
    });
    second_step(level, r, x);
  }

  template <class AnyLevel>
  void smooth(AnyLevel& level, const RowVector& r, RowVector& x) const {
    const double first = level.chebyshev.first;
    product(level, x, level.q, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Lanes w = Lanes(r[i]) - Lanes(level.q[i]);
        w.store(level.w[i]);
        (first * (level.inverse[i] * w)).store(level.d[i]);
      }
    });
    second_step(level, level.w, x);
  }

  // `next` counts the coarser levels.
  template <class AnyLevel>
  void cycle(AnyLevel& level, std::size_t next, const RowVector& r, RowVector& x) {
    smooth_from_zero(level, r, x);
    if (next == coarser.size() || stop_requested(*stop)) return;
    CoarseLevel& coarse = coarser[next];
    product(level, x, level.q, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) (Lanes(r[i]) - Lanes(level.q[i])).store(level.w[i]);
    });
    for_nodes(coarse.r.size(), [&](std::size_t a) {
      Lanes sum;
      for (std::uint32_t k = level.transposed.begin[a]; k < level.transposed.begin[a + 1]; ++k) {
        sum = sum + level.transposed.weight[k] * Lanes(level.w[level.transposed.column[k]]);
      }
      sum.store(coarse.r[a]);
    });
    if (next + 1 == coarser.size() && direct) {
      solve_directly(coarse);
    } else {
      cycle(coarse, next + 1, coarse.r, coarse.x);
    }
    if (stop_requested(*stop)) return;
    for_nodes(x.size(), [&](std::size_t i) {
      Lanes sum(x[i]);
      for (std::uint32_t k = level.P.begin[i]; k < level.P.begin[i + 1]; ++k) {
        sum = sum + level.P.weight[k] * Lanes(coarse.x[level.P.column[k]]);
      }
      sum.store(x[i]);
    });
    smooth(level, r, x);
  }

  void solve_directly(CoarseLevel& level) {
    for (std::size_t i = 0; i < level.r.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(3 * i);
      dense_vector.segment<3>(row) << level.r[i].x, level.r[i].y, level.r[i].z;
    }
    factor->solveInPlace(dense_vector);
    for (std::size_t i = 0; i < level.x.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(3 * i);
      level.x[i] = {dense_vector[row], dense_vector[row + 1], dense_vector[row + 2], 0};
    }
  }
};

Multigrid::Multigrid() : hierarchy_(std::make_unique<Hierarchy>()) {}
Multigrid::~Multigrid() = default;
Multigrid::Multigrid(Multigrid&&) noexcept = default;
Multigrid& Multigrid::operator=(Multigrid&&) noexcept = default;

bool Multigrid::prepare(WorkerPool& pool, const SpringMatrix& A, const RowFilter& filter,
                        const StopProbe& stop) {
  Hierarchy& h = *hierarchy_;
  h.pool = &pool;
  h.A = &A;
  h.stop = &stop;
  try {
    if (!h.fits(filter)) h.build(filter);
    h.compute_values(filter);
  } catch (const Cancelled&) {
    return false;
  }
  return true;
}

void Multigrid::apply(const RowVector& r, RowVector& z) {
  Hierarchy& h = *hierarchy_;
  h.cycle(h.finest, 0, r, z);
}

std::size_t Multigrid::levels() const { return 1 + hierarchy_->coarser.size(); }

}  // namespace clothlab
