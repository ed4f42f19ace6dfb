// SPDX-License-Identifier: MIT
// Which form of the matrix is the fastest: y := A x for the sheets of the standard benchmark, with the
// matrix stored in several ways, and what an iteration of conjugate gradients costs with the one chosen.
// Times are the best of many rounds, in milliseconds.
//
//   springs          matrix-free, four numbers per spring, each spring computed once: SpringMatrix
//   springs twice    the same four numbers, each spring computed from both of its ends, no scattered writes
//   symmetric blocks the upper triangle as 3x3 blocks of six numbers, springs between the same two merged
//   full rows        all 3x3 blocks of a row, nine numbers each
//   Eigen            its sparse matrix, lower triangle and full rows

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <glm/glm.hpp>
#include <map>
#include <random>
#include <vector>

#include "bench/eigen_baseline.h"
#include "linalg/conjugate_gradient.h"

namespace clothlab {
namespace {

double best_ms(const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  const auto stop = Clock::now() + std::chrono::milliseconds(600);
  do {
    const auto begin = Clock::now();
    body();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  } while (Clock::now() < stop);
  return best;
}

struct Sheet {
  std::vector<SpringPattern::Pair> springs;
  std::vector<vec3> position;
  std::size_t stretch = 0;  // so many of the springs, the first ones
};

// The hanging sheet of the benchmark, somewhat deformed; shuffled, as a file may have it.
Sheet sheet(std::uint32_t side, bool shuffled) {
  std::vector<std::uint32_t> number(side * side);
  for (std::uint32_t i = 0; i < number.size(); ++i) number[i] = i;
  if (shuffled) std::shuffle(number.begin(), number.end(), std::mt19937(1));
  Sheet s;
  s.position.resize(number.size());
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> offset(-0.1, 0.1);
  const auto id = [&](std::uint32_t r, std::uint32_t c) { return number[r * side + c]; };
  for (std::uint32_t r = 0; r < side; ++r) {
    for (std::uint32_t c = 0; c < side; ++c) {
      const double dx = offset(generator), dy = offset(generator), dz = offset(generator);
      s.position[id(r, c)] = vec3(c + dx, dy, r + dz) / static_cast<double>(side - 1);
      if (c + 1 < side) s.springs.push_back({id(r, c), id(r, c + 1)});
      if (r + 1 < side) s.springs.push_back({id(r, c), id(r + 1, c)});
      if (r + 1 < side && c + 1 < side) s.springs.push_back({id(r, c + 1), id(r + 1, c)});
    }
  }
  s.stretch = s.springs.size();
  for (std::uint32_t r = 0; r < side; ++r) {
    for (std::uint32_t c = 0; c < side; ++c) {
      if (r + 1 < side && c + 1 < side) s.springs.push_back({id(r, c), id(r + 1, c + 1)});
      if (r > 0 && r + 1 < side && c + 1 < side) s.springs.push_back({id(r - 1, c + 1), id(r + 1, c)});
      if (c > 0 && c + 1 < side && r + 1 < side) s.springs.push_back({id(r + 1, c - 1), id(r, c + 1)});
    }
  }
  return s;
}

// M - h D - h^2 K of the command line's defaults.
SpringMatrix matrix_of(const Sheet& s) {
  SpringMatrix A(SpringPattern::build(s.position.size(), s.springs));
  const double h = 1.0 / 60;
  for (double& d : A.diagonal_by_row()) d = 0.2 / static_cast<double>(s.position.size());
  for (std::size_t k = 0; k < s.springs.size(); ++k) {
    const double stiffness = h * h * (k < s.stretch ? 1000.0 : 1.0);
    const vec3 n = glm::normalize(s.position[s.springs[k][0]] - s.position[s.springs[k][1]]);
    A.spring(k) = {std::sqrt(0.97 * stiffness + 0.01 * h) * n, 0.03 * stiffness};
  }
  return A;
}

void add(Padded& y, const mat3& B, const Padded& x) {
  y.x += B[0][0] * x.x + B[1][0] * x.y + B[2][0] * x.z;
  y.y += B[0][1] * x.x + B[1][1] * x.y + B[2][1] * x.z;
  y.z += B[0][2] * x.x + B[1][2] * x.y + B[2][2] * x.z;
}

// Everything in rows of the pattern, so that all variants see the same locality.
class Variants {
 public:
  explicit Variants(const SpringMatrix& A) : A_(A), p_(A.pattern()), n_(A.size()), x(n_), y(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      const double t = static_cast<double>(i);
      x[i] = {std::sin(t), std::cos(t), std::sin(2 * t), 0.0};
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, mat3> upper;
    diagonal_.resize(n_);
    for (std::size_t r = 0; r < n_; ++r) diagonal_[r] = mat3(A.diagonal_by_row()[r]);
    std::vector<std::vector<std::pair<std::uint32_t, SpringMatrix::Spring>>> around(n_);
    for (std::size_t s = 0; s < p_.springs(); ++s) {
      const SpringMatrix::Spring& spring = A.spring(s);
      const std::uint32_t i = p_.lower[p_.slot[s]], j = p_.upper[p_.slot[s]];
      const mat3 block = glm::outerProduct(spring.u, spring.u) + mat3(spring.b);
      upper.try_emplace({i, j}, mat3(0.0)).first->second -= block;
      diagonal_[i] += block;
      diagonal_[j] += block;
      around[i].push_back({j, spring});
      around[j].push_back({i, spring});
    }
    std::vector<std::vector<std::pair<std::uint32_t, mat3>>> blocks(n_);
    symmetric_begin_.push_back(0);
    for (const auto& [at, block] : upper) {
      while (symmetric_begin_.size() <= at.first) symmetric_begin_.push_back(symmetric_.size());
      symmetric_.push_back(
          {at.second, block[0][0], block[1][1], block[2][2], block[0][1], block[0][2], block[1][2]});
      blocks[at.first].push_back({at.second, block});
      blocks[at.second].push_back({at.first, block});
    }
    while (symmetric_begin_.size() <= n_) symmetric_begin_.push_back(symmetric_.size());
    for (std::size_t i = 0; i < n_; ++i) {
      full_begin_.push_back(full_.size());
      twice_begin_.push_back(twice_.size());
      for (const auto& [j, block] : blocks[i]) full_.push_back({j, block});
      for (const auto& [j, spring] : around[i]) twice_.push_back({spring, j});
    }
    full_begin_.push_back(full_.size());
    twice_begin_.push_back(twice_.size());

    std::vector<Eigen::Triplet<double>> triplets;
    const auto put = [&](std::size_t i, std::size_t j, const mat3& block) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          triplets.emplace_back(static_cast<int>(3 * i) + r, static_cast<int>(3 * j) + c, block[c][r]);
        }
      }
    };
    for (std::size_t i = 0; i < n_; ++i) put(i, i, diagonal_[i]);
    for (const auto& [at, block] : upper) {
      put(at.first, at.second, block);
      put(at.second, at.first, block);
    }
    rows_.resize(static_cast<Eigen::Index>(3 * n_), static_cast<Eigen::Index>(3 * n_));
    rows_.setFromTriplets(triplets.begin(), triplets.end());
    lower_ = Eigen::SparseMatrix<double>(rows_).triangularView<Eigen::Lower>();
    flat_x_.resize(rows_.rows());
    for (std::size_t i = 0; i < n_; ++i) {
      flat_x_.segment<3>(static_cast<Eigen::Index>(3 * i)) << x[i].x, x[i].y, x[i].z;
    }
    flat_y_.resize(rows_.rows());
  }

  void springs() {
    for (std::size_t chunk = 0; chunk < p_.chunks(); ++chunk) A_.multiply_chunk(chunk, x.data(), y.data());
  }

  void springs_twice() {
    for (std::size_t i = 0; i < n_; ++i) {
      const Padded xi = x[i];
      const double d = A_.diagonal_by_row()[i];
      Padded sum{d * xi.x, d * xi.y, d * xi.z, 0.0};
      for (std::size_t k = twice_begin_[i]; k < twice_begin_[i + 1]; ++k) {
        const auto& [spring, j] = twice_[k];
        const double dx = xi.x - x[j].x, dy = xi.y - x[j].y, dz = xi.z - x[j].z;
        const double along = spring.u.x * dx + spring.u.y * dy + spring.u.z * dz;
        sum.x += along * spring.u.x + spring.b * dx;
        sum.y += along * spring.u.y + spring.b * dy;
        sum.z += along * spring.u.z + spring.b * dz;
      }
      y[i] = sum;
    }
  }

  void symmetric_blocks() {
    for (std::size_t i = 0; i < n_; ++i) y[i] = {};
    for (std::size_t i = 0; i < n_; ++i) {
      const Padded xi = x[i];
      Padded sum = y[i];
      add(sum, diagonal_[i], xi);
      for (std::size_t k = symmetric_begin_[i]; k < symmetric_begin_[i + 1]; ++k) {
        const Symmetric& B = symmetric_[k];
        const Padded xj = x[B.column];
        Padded& yj = y[B.column];
        sum.x += B.xx * xj.x + B.xy * xj.y + B.xz * xj.z;
        sum.y += B.xy * xj.x + B.yy * xj.y + B.yz * xj.z;
        sum.z += B.xz * xj.x + B.yz * xj.y + B.zz * xj.z;
        yj.x += B.xx * xi.x + B.xy * xi.y + B.xz * xi.z;
        yj.y += B.xy * xi.x + B.yy * xi.y + B.yz * xi.z;
        yj.z += B.xz * xi.x + B.yz * xi.y + B.zz * xi.z;
      }
      y[i] = sum;
    }
  }

  void full_rows() {
    for (std::size_t i = 0; i < n_; ++i) {
      Padded sum{};
      add(sum, diagonal_[i], x[i]);
      for (std::size_t k = full_begin_[i]; k < full_begin_[i + 1]; ++k)
        add(sum, full_[k].block, x[full_[k].column]);
      y[i] = sum;
    }
  }

  void eigen_lower() { flat_y_.noalias() = lower_.selfadjointView<Eigen::Lower>() * flat_x_; }
  void eigen_rows() { flat_y_.noalias() = rows_ * flat_x_; }

  // How far the last product is from Eigen's, relatively.
  double error() const {
    const Eigen::VectorXd reference = rows_ * flat_x_;
    double difference = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const auto at = static_cast<Eigen::Index>(3 * i);
      difference = std::max({difference, std::abs(y[i].x - reference[at]),
                             std::abs(y[i].y - reference[at + 1]), std::abs(y[i].z - reference[at + 2])});
    }
    return difference / reference.cwiseAbs().maxCoeff();
  }

 private:
  struct Symmetric {
    std::uint32_t column;
    double xx, yy, zz, xy, xz, yz;
  };
  struct Full {
    std::uint32_t column;
    mat3 block;
  };
  struct Twice {
    SpringMatrix::Spring spring;
    std::uint32_t column;
  };

  const SpringMatrix& A_;
  const SpringPattern& p_;
  std::size_t n_;
  std::vector<mat3> diagonal_;
  std::vector<Symmetric> symmetric_;
  std::vector<Full> full_;
  std::vector<Twice> twice_;
  std::vector<std::size_t> symmetric_begin_, full_begin_, twice_begin_;
  Eigen::SparseMatrix<double, Eigen::RowMajor> rows_;
  Eigen::SparseMatrix<double> lower_;
  Eigen::VectorXd flat_x_, flat_y_;

 public:
  std::vector<Padded> x, y;
};

void products(std::uint32_t side, bool shuffled) {
  const Sheet s = sheet(side, shuffled);
  const SpringMatrix A = matrix_of(s);
  Variants v(A);
  std::printf("%5u^2%-10s", side, shuffled ? " shuffled" : "");
  for (const auto run :
       {&Variants::springs, &Variants::springs_twice, &Variants::symmetric_blocks, &Variants::full_rows}) {
    const double ms = best_ms([&] { (v.*run)(); });
    if (v.error() > 1e-12) std::printf("  WRONG (%g)", v.error());
    std::printf(" %10.4f", ms);
  }
  std::printf(" %10.4f", best_ms([&] { v.eigen_lower(); }));
  std::printf(" %10.4f\n", best_ms([&] { v.eigen_rows(); }));
}

// The cost of a fixed number of iterations: no tolerance can be met in so few.
void iterations(std::uint32_t side) {
  constexpr int kIterations = 50;
  const Sheet s = sheet(side, false);
  const SpringMatrix A = matrix_of(s);
  Projection projection(A.size());
  projection.fix(0, s.position[0]);
  projection.fix(side - 1, s.position[side - 1]);
  const std::vector<vec3> b(A.size(), vec3(0.0, -9.8 / 60 * 0.2 / static_cast<double>(A.size()), 0.0));
  std::vector<vec3> x(A.size());
  std::printf("%5u^2    ", side);
  for (int threads : {1, 2}) {
    WorkerPool pool(threads);
    ConjugateGradient cg;
    for (const PreconditionerName& preconditioner : kPreconditioners) {
      const CgOptions options{1e-30, kIterations, preconditioner.kind};
      const double ms = best_ms([&] { cg.solve({pool}, {A, b, projection}, x, options); });
      std::printf(" %12.4f", ms / kIterations);
    }
  }
  EigenBaseline eigen;
  eigen.build(A, b, {}, projection);
  std::printf(" %12.4f |", best_ms([&] { eigen.solve(1e-30, kIterations); }) / kIterations);
  WorkerPool pool(1);
  ConjugateGradient cg;
  for (const PreconditionerName& preconditioner : kPreconditioners) {
    const CgOptions options{1e-3, 100'000, preconditioner.kind};
    std::printf(" %5d", cg.solve({pool}, {A, b, projection}, x, options).iterations);
  }
  eigen.solve(1e-3, 100'000);
  std::printf(" %5d\n", eigen.result(x).iterations);
}

}  // namespace
}  // namespace clothlab

int main() {
  std::printf("One product, 1 thread [ms]\n%17s %10s %10s %10s %10s %10s %10s\n", "", "springs", "twice",
              "symmetric", "full rows", "Eigen low", "Eigen rows");
  for (const std::uint32_t side : {32u, 64u, 128u, 256u}) clothlab::products(side, false);
  clothlab::products(128, true);
  std::printf("\nOne iteration of conjugate gradients [ms], then iterations to 1e-3\n%11s", "");
  for (int threads : {1, 2}) {
    for (const auto& preconditioner : clothlab::kPreconditioners) {
      std::printf(" %10s/%d", preconditioner.name.data(), threads);
    }
  }
  std::printf(" %12s\n", "Eigen/1");
  for (const std::uint32_t side : {32u, 64u, 128u, 256u}) clothlab::iterations(side);
  return 0;
}
