// SPDX-License-Identifier: MIT
#include "linalg/multigrid_hierarchy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace clothlab {

namespace {

// A level with more than this share of the finer level's nodes is not built.
constexpr double kWorstReduction = 0.6;
// A spring below this share of the strongest at both of its ends is weak.
constexpr float kWeakSpring = 1.0f / 64;
constexpr int kPowerIterations = 10;
constexpr double kPowerSafety = 1.1;

/// Strengths of springs relative to the first, rounded to powers of two: precise enough for an interpolation,
/// and independent of the cloth's shape (rounding of u and b) and of most changes of h and of stiffness.
class StrengthScale {
 public:
  explicit StrengthScale(const SpringMatrix& A) {
    const double first = A.pattern().springs() > 0 ? A.spring_in(0).stiffness() : 0;
    if (first > 0 && std::isfinite(first)) factor_ = std::numbers::sqrt2 / first;
  }
  /// The exponent of a float; 0 for strength 0.
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

// --- structure ---

// True if the structure fits A, except for the strengths of springs, which `assign_finest` checks.
bool MultigridHierarchy::may_fit() const {
  if (pattern != A->shared_pattern()) return false;
  auto row = constrained.begin();
  for (const RowFilter::Entry& entry : filter->entries()) {
    if (entry.passing) continue;
    if (row == constrained.end() || *row++ != entry.row) return false;
  }
  return row == constrained.end();
}

float MultigridHierarchy::strength(std::size_t slot) const { return StrengthScale::power(exponent[slot]); }

/// By slot: true if a spring is strong relative to the strongest ones at both ends. The smoother omits weak
/// springs (by default the bending springs, half of all), which affect smoothing little.
std::vector<char> MultigridHierarchy::strong_springs(CancelPoint& cancel) const {
  std::vector<float> strongest(pattern->particles(), 0);
  for (std::size_t slot = 0; slot < pattern->springs(); ++slot) {
    cancel.pass();
    for (const std::uint32_t row : {pattern->lower[slot], pattern->upper[slot]})
      strongest[row] = std::max(strongest[row], strength(slot));
  }
  std::vector<char> strong(pattern->springs());
  for (std::size_t slot = 0; slot < pattern->springs(); ++slot) {
    cancel.pass();
    const float weaker_end = std::min(strongest[pattern->lower[slot]], strongest[pattern->upper[slot]]);
    strong[slot] = strength(slot) >= kWeakSpring * weaker_end;
  }
  return strong;
}

CouplingGraph MultigridHierarchy::finest_graph(CancelPoint& cancel) const {
  const std::size_t n = pattern->particles();
  CouplingGraph graph;
  graph.begin.assign(n + 1, 0);
  for (std::size_t slot = 0; slot < pattern->springs(); ++slot) {
    cancel.pass();
    ++graph.begin[pattern->lower[slot] + 1];
    ++graph.begin[pattern->upper[slot] + 1];
  }
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  resize_in_parts(graph.neighbour, graph.begin.back(), cancel);
  resize_in_parts(graph.strength, graph.begin.back(), cancel);
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

/// Divides the finest matrix into parts: one per chunk, or several if a chunk has too many coarse blocks.
void MultigridHierarchy::make_finest_parts(const BlockMatrix& coarse, CancelPoint& cancel) {
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

void MultigridHierarchy::build() {
  CancelPoint cancel(*stop);
  pattern.reset();  // invalid until all is built
  coarser.clear();
  const auto shared = A->shared_pattern();
  constrained.clear();
  std::vector<char> active(shared->particles(), 1);
  for (const RowFilter::Entry& entry : filter->entries()) {
    if (entry.passing) continue;
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

void MultigridHierarchy::build_levels(std::vector<char> active, CancelPoint& cancel) {
  finest.A.choose(*pattern, strong_springs(cancel), cancel);
  cancel.poll();
  finest.inverse.resize(pattern->particles());
  has_temporary.resize(pattern->chunks());
  for (SingleVector* v : {&finest.r, &finest.x, &finest.previous, &finest.next}) {
    v->assign(pattern->particles(), Quad{});
    cancel.poll();
  }
  CouplingGraph graph = finest_graph(cancel);
  std::size_t size = static_cast<std::size_t>(std::count(active.begin(), active.end(), 1));
  while (size > CoarsestSolver::kMostNodes) {
    Prolongation P = smoothed_aggregation(graph, active, cancel);
    if (P.columns == 0 || static_cast<double>(P.columns) > kWorstReduction * static_cast<double>(size)) break;
    size = P.columns;
    CoarseLevel next;
    MultigridLevel& finer = coarser.empty() ? static_cast<MultigridLevel&>(finest) : coarser.back();
    finer.transposed = transposed(P);
    next.A = coarse_pattern(graph, P, finer.transposed, cancel);
    if (!coarser.empty()) next.from_finer = coarse_terms(coarser.back().A, P, next.A, cancel);
    graph = coarse_graph(graph, P, next.A, cancel);
    next.single.choose(next.A);
    next.inverse.resize(size);
    for (SingleVector* v : {&next.r, &next.x, &next.previous}) v->assign(size, Quad{});
    active.assign(size, 1);
    finer.P = std::move(P);
    coarser.push_back(std::move(next));
  }
  finest.parts.clear();
  if (!coarser.empty()) make_finest_parts(coarser.front().A, cancel);
  if (!coarser.empty() && size <= CoarsestSolver::kMostNodes) coarsest_solver.reserve(size);
}

// --- values ---

// Whether stencils or passing entries reach a chunk.
bool MultigridHierarchy::find_temporary(std::size_t chunk) {
  const bool has =
      A->has_stencils_in(chunk) || std::ranges::any_of(filter->entries(chunk), &RowFilter::Entry::passing);
  has_temporary[chunk] = has ? 1 : 0;
  return has;
}

// The finest level := A, in one pass over the springs of each chunk while they are in a cache. False if the
// structure was built for other strengths.
bool MultigridHierarchy::assign_finest(const Scratch& scratch) {
  const StrengthScale strength_of(*A);
  finest.A.start(*A);
  const double changed =
      sum_rows(*pool, *pattern, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
        finest.A.assign(chunk);
        find_temporary(chunk);
        A->bounding_blocks(chunk, scratch.first.data(), scratch.second.data());
        invert(begin, end, scratch);
        int count = 0;
        for (std::uint32_t slot = pattern->slot_begin[begin]; slot < pattern->slot_begin[end]; ++slot)
          count += strength_of(A->spring_in(slot)) != exponent[slot] ? 1 : 0;
        return static_cast<double>(count);
      });
  return changed == 0;
}

// finest.inverse := D⁻¹ on these rows, of the blocks in `scratch`.
void MultigridHierarchy::invert(std::uint32_t begin, std::uint32_t end, const Scratch& scratch) {
  const auto entries = filter->entries();
  auto entry = std::lower_bound(entries.begin(), entries.end(), begin,
                                [](const RowFilter::Entry& e, std::uint32_t row) { return e.row < row; });
  for (std::uint32_t i = begin; i < end; ++i) {
    const Padded &d = scratch.first[i], &r = scratch.second[i];
    const bool constrained_here = entry != entries.end() && entry->row == i;
    const Symmetric inverse =
        block_inverse({d.x, d.y, d.z, r.x, r.y, r.z}, constrained_here ? &entry->S : nullptr);
    finest.inverse[i] = SingleSymmetric(1 / finest.A.scale(), inverse);
    if (constrained_here) ++entry;
  }
}

void MultigridHierarchy::compute_smoother(const Scratch& scratch) {
  for_rows(*pool, *pattern, [&](std::size_t chunk, std::uint32_t begin, std::uint32_t end) {
    const bool had = has_temporary[chunk] != 0;
    if (!find_temporary(chunk) && !had) return;
    A->bounding_blocks(chunk, scratch.first.data(), scratch.second.data());
    invert(begin, end, scratch);
  });
}

void MultigridHierarchy::compute_values(const Scratch& scratch) {
  if (!may_fit() || !assign_finest(scratch)) {
    build();
    assign_finest(scratch);
  }
  const CancelPoint cancel(*stop);
  if (coarser.empty()) return;

  cancel.poll();
  add_finest(coarser.front());
  add_passing(coarser.front(), scratch);
  cancel.poll();
  for (std::size_t l = 1; l < coarser.size(); ++l) {
    std::vector<Symmetric>& coarse = coarser[l].A.value;
    std::fill(coarse.begin(), coarse.end(), Symmetric{});
    const std::vector<Symmetric>& fine = coarser[l - 1].A.value;
    for (std::size_t s = 0; s < fine.size(); ++s) coarser[l].from_finer.add(s, fine[s], coarse);
  }
  cancel.poll();
  for (CoarseLevel& level : coarser) prepare_smoother(level);
  const BlockMatrix& coarsest = coarser.back().A;
  direct =
      coarsest.size() <= CoarsestSolver::kMostNodes && coarsest_solver.factorise(coarsest, finest.A.scale());
}

void MultigridHierarchy::add_finest(CoarseLevel& level) {
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
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k)
      for (std::size_t l = 0; l <= k; ++l) add_pair(level, stencil, k, l);
  }
}

// Adds temporary constraints to the coarser levels, as springs as stiff as the neighbouring ones, along the
// directions that S removes on the finest level.
void MultigridHierarchy::add_passing(CoarseLevel& level, const Scratch& scratch) {
  for (const RowFilter::Entry& entry : filter->entries()) {
    if (!entry.passing) continue;
    const Padded& d = scratch.first[entry.row];
    const Symmetric C = symmetric_part((d.x + d.y + d.z) * (mat3(1.0) - entry.S));
    for_terms({entry.row, entry.row}, finest.P, level.A, [&](std::uint32_t block, double weight) {
      if (block != BlockMatrix::kNone) level.A.value[block].add(weight, C);
    });
  }
}

// One pair of points of a stencil, or a single point.
void MultigridHierarchy::add_pair(CoarseLevel& level, const SpringMatrix::Stencil& stencil, std::size_t k,
                                  std::size_t l) {
  const std::uint32_t i = pattern->row[stencil.particle[k]];
  const std::uint32_t j = pattern->row[stencil.particle[l]];
  const Symmetric C = symmetric_part(stencil.C);
  const double twice = i == j && k != l ? 2 : 1;
  for_terms({i, j}, finest.P, level.A, [&](std::uint32_t block, double weight) {
    if (block == BlockMatrix::kNone) return;  // no spring joins them: only on the finest level
    level.A.value[block].add(twice * weight * stencil.weight[k] * stencil.weight[l], C);
  });
}

void MultigridHierarchy::prepare_smoother(CoarseLevel& level) const {
  const double scale = finest.A.scale();
  for_nodes(level.A.size(), [&](std::size_t i) {
    level.single.assign_row(scale, level.A, i);
    level.inverse[i] = SingleSymmetric(1 / scale, block_inverse(level.A.value[i]));
  });
  // The power method on D⁻¹A, from a vector with all components.
  SingleVector& x = level.x;
  SingleVector& y = level.previous;
  double norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto noise = [i](std::uint32_t salt) {
      return static_cast<double>((static_cast<std::uint32_t>(3 * i) + salt) * 2654435761u) / 4294967296.0 -
             0.5;
    };
    const Lanes start = lanes(Padded{noise(0), noise(1), noise(2), 0});
    x[i] = single(start);
    norm += sum_of(start * start);
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
      return sum_of(sum);
    });
    lambda = std::sqrt(norm);
    std::swap(x, y);
  }
  level.chebyshev = {kPowerSafety * lambda, kCoarsePart};
}

void CoarsestSolver::reserve(std::size_t nodes) {
  const auto rows = static_cast<Eigen::Index>(3 * nodes);
  dense_.resize(rows, rows);
  factor_.compute(Eigen::MatrixXd::Identity(rows, rows));  // not assigned: an empty factor has no status
  vector_.resize(rows);
}

bool CoarsestSolver::factorise(const BlockMatrix& A, double scale) {
  dense_.setZero();
  for (std::size_t k = 0; k < A.value.size(); ++k) {
    const mat3 B = scale * full(A.value[k]);
    const auto row = 3 * static_cast<Eigen::Index>(A.nodes[k][0]);
    const auto column = 3 * static_cast<Eigen::Index>(A.nodes[k][1]);
    const Eigen::Map<const Eigen::Matrix3d> block(&B[0][0]);
    dense_.block<3, 3>(column, row) = block;
    dense_.block<3, 3>(row, column) = block;
  }
  factor_.compute(dense_);
  return factor_.info() == Eigen::Success;
}

void CoarsestSolver::solve(const SingleVector& r, SingleVector& x) {
  for (std::size_t i = 0; i < r.size(); ++i)
    vector_.segment<3>(static_cast<Eigen::Index>(3 * i)) << r[i][0], r[i][1], r[i][2];
  factor_.solveInPlace(vector_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(3 * i);
    x[i] = single(vec3(vector_[row], vector_[row + 1], vector_[row + 2]));
  }
}

}  // namespace clothlab
