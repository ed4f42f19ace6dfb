#include "linalg/eigen_baseline.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <glm/glm.hpp>
#include <vector>

#include "core/worker_pool.h"

namespace clothlab {

namespace {

Eigen::Index at(std::size_t particle, int k) { return static_cast<Eigen::Index>(3 * particle) + k; }

Eigen::VectorXd flat(std::span<const vec3> a) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(3 * a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) v.segment<3>(at(i, 0)) << a[i].x, a[i].y, a[i].z;
  return v;
}

}  // namespace

struct EigenBaseline::Impl {
  Eigen::SparseMatrix<double> matrix;
  // The lower triangle is the faster of Eigen's storages on one thread.
  Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::DiagonalPreconditioner<double>>
      cg;
};

EigenBaseline::EigenBaseline() : impl_(std::make_unique<Impl>()) {}
EigenBaseline::~EigenBaseline() = default;

void EigenBaseline::build(const SpringMatrix& A, const Projection& projection) {
  std::vector<Eigen::Triplet<double>> triplets;
  const auto projector = [&](std::size_t i) {
    const Projection::Entry* entry = projection.find(i);
    return entry == nullptr ? mat3(1.0) : entry->S;
  };
  const auto add = [&](std::size_t i, std::size_t j, const mat3& block) {
    const mat3 filtered = projector(i) * block * projector(j);
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) {
        if (at(i, row) >= at(j, column))
          triplets.emplace_back(at(i, row), at(j, column), filtered[column][row]);
      }
    }
  };
  std::vector<mat3> diagonal(A.size());
  WorkerPool alone(1);
  A.diagonal_blocks(alone, diagonal);
  for (std::size_t i = 0; i < A.size(); ++i) {
    add(i, i, diagonal[i]);
    const mat3 held = mat3(1.0) - projector(i);
    for (int column = 0; column < 3; ++column) {
      for (int row = column; row < 3; ++row)
        triplets.emplace_back(at(i, row), at(i, column), held[column][row]);
    }
  }
  const SpringPattern& p = A.pattern();
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
  const Eigen::Index n = at(A.size(), 0);
  impl_->matrix.resize(n, n);
  impl_->matrix.setFromTriplets(triplets.begin(), triplets.end());
  impl_->cg.compute(impl_->matrix);
}

SolveReport EigenBaseline::solve(const SpringMatrix& A, std::span<const vec3> b, std::span<const vec3> z,
                                 const Projection& projection, std::span<vec3> x, double tolerance,
                                 int max_iterations) {
  std::vector<vec3> rhs(b.begin(), b.end());
  if (!z.empty()) {
    WorkerPool alone(1);
    std::vector<vec3> Az(A.size());
    A.multiply(alone, z, Az);
    for (std::size_t i = 0; i < A.size(); ++i) rhs[i] -= Az[i];
  }
  projection.filter(rhs);
  const Eigen::VectorXd right = flat(rhs);
  impl_->cg.setTolerance(tolerance);
  impl_->cg.setMaxIterations(max_iterations);
  const Eigen::VectorXd y = impl_->cg.solve(right);
  for (std::size_t i = 0; i < A.size(); ++i) {
    x[i] = vec3(y[at(i, 0)], y[at(i, 1)], y[at(i, 2)]) + (z.empty() ? vec3(0.0) : z[i]);
  }
  SolveReport report;
  report.iterations = static_cast<int>(impl_->cg.iterations());
  const double scale = right.norm();
  const Eigen::VectorXd left = impl_->matrix.selfadjointView<Eigen::Lower>() * y;
  report.residual = scale == 0 ? 0.0 : (right - left).norm() / scale;
  // Eigen stops by its own recursive residual, which may have drifted by rounding.
  report.converged = impl_->cg.info() == Eigen::Success;
  return report;
}

}  // namespace clothlab
