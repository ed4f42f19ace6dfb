// SPDX-License-Identifier: MIT
#include "bench/eigen_baseline.h"

#if defined(_OPENMP)
// The linker must not take what is compiled here with OpenMP for the same templates of files without it.
#define Eigen EigenWithOpenMp
#endif
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#if defined(CLOTHLAB_CHOLMOD)
#include <Eigen/CholmodSupport>
#endif

#include <algorithm>
#include <cassert>
#include <glm/glm.hpp>
#include <optional>
#include <vector>

#include "core/worker_pool.h"

namespace clothlab {

namespace {

using ByColumn = Eigen::SparseMatrix<double, Eigen::ColMajor>;
using RowMajorMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Diagonal = Eigen::DiagonalPreconditioner<double>;

Eigen::Index at(std::size_t particle, int k) { return static_cast<Eigen::Index>(3 * particle) + k; }

Eigen::VectorXd flat(std::span<const vec3> a) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(3 * a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) v.segment<3>(at(i, 0)) << a[i].x, a[i].y, a[i].z;
  return v;
}

std::vector<Eigen::Triplet<double>> entries(const SpringMatrix& A, const Projection& projection,
                                            bool lower_only) {
  const SpringPattern& p = A.pattern();
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve((lower_only ? 9 : 18) * (A.size() + p.springs()));
  const auto projector = [&](std::size_t i) {
    const Projection::Entry* entry = projection.find(i);
    return entry == nullptr ? mat3(1.0) : entry->S;
  };
  const auto put = [&](std::size_t i, std::size_t j, const mat3& block) {
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) {
        if (!lower_only || at(i, row) >= at(j, column))
          triplets.emplace_back(at(i, row), at(j, column), block[column][row]);
      }
    }
  };
  const auto add = [&](std::size_t i, std::size_t j, const mat3& block) {
    if (lower_only && i < j) return;
    put(i, j, projector(i) * block * projector(j));
  };
  std::vector<Symmetric> diagonal(A.size());
  WorkerPool alone(1);
  A.diagonal_blocks(alone, diagonal);
  for (std::size_t i = 0; i < A.size(); ++i) add(i, i, full(diagonal[p.row[i]]));
  for (const Projection::Entry& entry : projection.entries())
    put(entry.particle, entry.particle, mat3(1.0) - entry.S);
  for (std::size_t s = 0; s < p.springs(); ++s) {
    const SpringMatrix::Spring& spring = A.spring(s);
    const auto [i, j] = p.ends(s);
    const mat3 block = -(glm::outerProduct(spring.u, spring.u) + mat3(spring.b));
    add(i, j, block);
    add(j, i, block);
  }
  for (const SpringMatrix::Stencil& stencil : A.stencils()) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
      for (std::size_t l = 0; l < static_cast<std::size_t>(stencil.count); ++l) {
        if (stencil.particle[k] == stencil.particle[l]) continue;  // is part of the diagonal blocks
        add(stencil.particle[k], stencil.particle[l], stencil.weight[k] * stencil.weight[l] * stencil.C);
      }
    }
  }
  return triplets;
}

template <class Matrix>
bool same_pattern(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

}  // namespace

struct EigenBaseline::Impl {
  BaselineMethod method;
  int threads;
  ByColumn lower;  // the lower triangle; empty for cg_full
  RowMajorMatrix full;
  Eigen::ConjugateGradient<ByColumn, Eigen::Lower, Diagonal> cg_lower;
  Eigen::ConjugateGradient<RowMajorMatrix, Eigen::Lower | Eigen::Upper, Diagonal> cg_full;
  Eigen::SimplicialLDLT<ByColumn, Eigen::Lower> ldlt;
#if defined(CLOTHLAB_CHOLMOD)
  std::optional<Eigen::CholmodSupernodalLLT<ByColumn, Eigen::Lower>> cholmod;
#endif
  Eigen::VectorXd right, y;
  std::vector<vec3> z;
  int iterations = 0;
  bool succeeded = false;

  template <class Solver, class Matrix>
  void iterate(Solver& solver, const Matrix& matrix, double tolerance, int max_iterations) {
    solver.setTolerance(tolerance);
    solver.setMaxIterations(max_iterations);
    solver.compute(matrix);
    y = solver.solve(right);
    iterations = static_cast<int>(solver.iterations());
    succeeded = solver.info() == Eigen::Success;
  }

  template <class Solver>
  void factorise(Solver& solver) {
    solver.factorize(lower);
    succeeded = solver.info() == Eigen::Success;
    iterations = 1;
    if (succeeded)
      y = solver.solve(right);
    else
      y.setZero(right.size());
  }
};

bool EigenBaseline::has(BaselineMethod method) {
#if defined(CLOTHLAB_CHOLMOD)
  (void)method;
  return true;
#else
  return method != BaselineMethod::cholmod;
#endif
}

bool EigenBaseline::has_threads() {
#if defined(_OPENMP)
  return true;
#else
  return false;
#endif
}

EigenBaseline::EigenBaseline(BaselineMethod method, int threads) : impl_(std::make_unique<Impl>()) {
  assert(has(method) && threads >= 1);
  impl_->method = method;
  impl_->threads = threads;
#if defined(CLOTHLAB_CHOLMOD)
  if (method == BaselineMethod::cholmod) impl_->cholmod.emplace();
#endif
}

EigenBaseline::~EigenBaseline() = default;

void EigenBaseline::build(const SpringMatrix& A, std::span<const vec3> b, std::span<const vec3> z,
                          const Projection& projection) {
  Impl& s = *impl_;
  const bool lower_only = s.method != BaselineMethod::cg_full;
  const auto triplets = entries(A, projection, lower_only);
  const Eigen::Index n = at(A.size(), 0);
  if (lower_only) {
    ByColumn matrix(n, n);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    const bool known = same_pattern(matrix, s.lower);
    s.lower.swap(matrix);
    if (!known && s.method == BaselineMethod::ldlt) s.ldlt.analyzePattern(s.lower);
#if defined(CLOTHLAB_CHOLMOD)
    if (!known && s.cholmod) s.cholmod->analyzePattern(s.lower);
#endif
  } else {
    s.full.resize(n, n);
    s.full.setFromTriplets(triplets.begin(), triplets.end());
  }

  std::vector<vec3> rhs(b.begin(), b.end());
  s.z.assign(z.begin(), z.end());
  s.z.resize(A.size(), vec3(0.0));
  if (!z.empty()) {
    WorkerPool alone(1);
    std::vector<vec3> Az(A.size());
    A.multiply(alone, z, Az);
    for (std::size_t i = 0; i < A.size(); ++i) rhs[i] -= Az[i];
  }
  projection.filter(rhs);
  s.right = flat(rhs);
}

void EigenBaseline::solve(double tolerance, int max_iterations) {
  Impl& s = *impl_;
  switch (s.method) {
    case BaselineMethod::cg_lower:
      return s.iterate(s.cg_lower, s.lower, tolerance, max_iterations);
    case BaselineMethod::cg_full:
      Eigen::setNbThreads(s.threads);
      return s.iterate(s.cg_full, s.full, tolerance, max_iterations);
    case BaselineMethod::ldlt:
      return s.factorise(s.ldlt);
    case BaselineMethod::cholmod:
#if defined(CLOTHLAB_CHOLMOD)
      return s.factorise(*s.cholmod);
#else
      return;
#endif
  }
}

SolveReport EigenBaseline::result(std::span<vec3> x) const {
  const Impl& s = *impl_;
  for (std::size_t i = 0; i < s.z.size(); ++i) {
    x[i] = vec3(s.y[at(i, 0)], s.y[at(i, 1)], s.y[at(i, 2)]) + s.z[i];
  }
  Eigen::VectorXd left;
  if (s.method == BaselineMethod::cg_full)
    left = s.full * s.y;
  else
    left = s.lower.selfadjointView<Eigen::Lower>() * s.y;
  const double scale = s.right.norm();
  SolveReport report;
  report.iterations = s.iterations;
  report.residual = scale == 0 ? 0.0 : (s.right - left).norm() / scale;
  report.converged = s.succeeded;
  return report;
}

}  // namespace clothlab
