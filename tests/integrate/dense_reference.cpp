// SPDX-License-Identifier: MIT
#include "integrate/dense_reference.h"

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <vector>

#include "dense_algebra.h"
#include "integrate/dense_exponential.h"
#include "integrate/tableau.h"
#include "integrate/two_step.h"

namespace clothlab::test {

using Vector = DenseCloth::Vector;
using Matrix = DenseCloth::Matrix;
using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

DenseCloth::DenseCloth(const Rig& rig)
    : dofs_(static_cast<Index>(3 * rig.state.x.size())),
      fixed_(3 * rig.state.x.size()),
      masses_(dofs_),
      material_(rig.system.material()) {
  for (const ElasticElement s : rig.system.elements()) {
    springs_.push_back({{3 * static_cast<Index>(s.i), 3 * static_cast<Index>(s.j)},
                        s.rest_length,
                        s.stretch ? material_.stretch_stiffness : material_.bend_stiffness,
                        s.stretch && material_.strain_limit > 0 ? (1 + material_.strain_limit) * s.rest_length
                                                                : std::numeric_limits<double>::infinity()});
  }
  for (Index d = 0; d < dofs_; ++d) {
    masses_[d] = rig.system.masses()[static_cast<std::size_t>(d / 3)];
    fixed_[static_cast<std::size_t>(d)] = rig.system.projection().is_fixed(static_cast<std::size_t>(d / 3));
  }
}

double DenseCloth::tension(const Spring& s, double l) const {
  const double beyond = l > s.limit ? (material_.limit_stiffness - 1) * s.stiffness * (l - s.limit) : 0;
  return s.stiffness * (l - s.length) + beyond;
}

Matrix DenseCloth::stiffness(const Vector& x, bool of_damping) const {
  Matrix k = Matrix::Zero(dofs_, dofs_);
  for (const Spring& s : springs_) {
    const auto [i, j] = s.ends;
    const Vector3d d = x.segment<3>(i) - x.segment<3>(j), n = d.normalized();
    double along_n = s.stiffness, across = s.stiffness * (1 - s.length / d.norm());
    if (of_damping) {
      across = std::max(across, 0.0);
    } else {
      across = tension(s, d.norm()) / d.norm();
      if (d.norm() > s.limit) along_n *= material_.limit_stiffness;
    }
    const Matrix3d along = n * n.transpose();
    const Matrix3d block = along_n * along + across * (Matrix3d::Identity() - along);
    k.block<3, 3>(i, i) -= block;
    k.block<3, 3>(j, j) -= block;
    k.block<3, 3>(i, j) += block;
    k.block<3, 3>(j, i) += block;
  }
  return k;
}

Matrix DenseCloth::stiffness(const Vector& x) const { return stiffness(x, false); }

Matrix DenseCloth::damping(const Vector& x) const {
  Matrix result = material_.rayleigh_stiffness * stiffness(x, true);
  result.diagonal() -= material_.rayleigh_mass * masses_;
  for (const Spring& s : springs_) {
    const auto [i, j] = s.ends;
    const Vector3d n = (x.segment<3>(i) - x.segment<3>(j)).normalized();
    Matrix3d block = material_.spring_damping * Matrix3d::Identity();
    if (material_.damping_model == DampingModel::projected) block *= n * n.transpose();
    result.block<3, 3>(i, i) -= block;
    result.block<3, 3>(j, j) -= block;
    result.block<3, 3>(i, j) += block;
    result.block<3, 3>(j, i) += block;
  }
  return result;
}

Vector DenseCloth::force(const Vector& x, const Vector& v) const {
  Vector f = algebra::times(damping(x), v);  // every damping force is linear in v
  for (Index d = 0; d < dofs_; ++d) f[d] += masses_[d] * material_.gravity[static_cast<int>(d % 3)];
  for (const Spring& s : springs_) {
    const auto [i, j] = s.ends;
    const Vector3d d = x.segment<3>(i) - x.segment<3>(j);
    const Vector3d pull = tension(s, d.norm()) * d.normalized();
    f.segment<3>(i) -= pull;
    f.segment<3>(j) += pull;
  }
  return f;
}

double DenseCloth::potential(const Vector& x) const {
  double sum = 0;
  for (Index d = 0; d < dofs_; ++d) sum -= masses_[d] * material_.gravity[static_cast<int>(d % 3)] * x[d];
  for (const Spring& s : springs_) {
    const double l = (x.segment<3>(s.ends[0]) - x.segment<3>(s.ends[1])).norm();
    sum += s.stiffness / 2 * std::pow(l - s.length, 2);
    if (l > s.limit) sum += (material_.limit_stiffness - 1) * s.stiffness / 2 * std::pow(l - s.limit, 2);
  }
  return sum;
}

Vector DenseCloth::acceleration(const Vector& x, const Vector& v) const {
  Vector a = force(x, v).cwiseQuotient(masses_);
  for (Index d = 0; d < dofs_; ++d) {
    if (is_fixed(d)) a[d] = 0;
  }
  return a;
}

Vector DenseCloth::slope(const Vector& u) const {
  Vector result(2 * dofs_);
  result << u.tail(dofs_), acceleration(u.head(dofs_), u.tail(dofs_));
  return result;
}

Matrix DenseCloth::jacobian(const Vector& u) const {
  const Vector inverse_mass = masses_.cwiseInverse();
  Matrix result = Matrix::Zero(2 * dofs_, 2 * dofs_);
  result.topRightCorner(dofs_, dofs_).setIdentity();
  result.bottomLeftCorner(dofs_, dofs_) = inverse_mass.asDiagonal() * stiffness(u.head(dofs_));
  result.bottomRightCorner(dofs_, dofs_) = inverse_mass.asDiagonal() * damping(u.head(dofs_));
  for (Index d = 0; d < dofs_; ++d) {
    if (is_fixed(d)) result.row(dofs_ + d).setZero();
  }
  return result;
}

Vector DenseCloth::implicit(double c, const Vector& rhs, Vector u) const {
  const Matrix one = Matrix::Identity(2 * dofs_, 2 * dofs_);
  for (int k = 0; k < 200; ++k) {
    const Vector residual = u - rhs - c * slope(u);
    const Vector change = algebra::solve(one - c * jacobian(u), residual);
    u -= change;
    if (stages == StageSolve::linear || change.norm() < 1e-14 * u.norm()) break;
  }
  return u;
}

namespace {

struct Dense {
  const DenseCloth& cloth;
  IntegratorParameters values;

  Vector F(const Vector& u) const { return cloth.slope(u); }
  Vector x(const Vector& u) const { return u.head(cloth.dofs()); }
  Vector v(const Vector& u) const { return u.tail(cloth.dofs()); }
  Vector a(const Vector& x, const Vector& v) const { return cloth.acceleration(x, v); }
  Vector u(const Vector& x, const Vector& v) const {
    Vector result(2 * cloth.dofs());
    result << x, v;
    return result;
  }
  /// (I − c J(at))⁻¹ rhs.
  Vector linear(double c, const Vector& at, const Vector& rhs) const {
    const Index size = 2 * cloth.dofs();
    return algebra::solve(Matrix::Identity(size, size) - c * cloth.jacobian(at), rhs);
  }
  /// u₋₁ with the fixed particles where they would have been, had they moved then as they do now.
  Vector as_if_steady(Vector before, const Vector& u0, double h) const {
    const Index n = cloth.dofs();
    for (Index d = 0; d < n; ++d) {
      if (!cloth.is_fixed(d)) continue;
      before[d] = u0[d] - h * u0[n + d];
      before[n + d] = u0[n + d];
    }
    return before;
  }
};

DenseMethod symplectic_euler(Dense d) {
  return [=](const Vector& u0, double h) {
    const Vector v1 = d.v(u0) + h * d.a(d.x(u0), d.v(u0));
    return d.u(d.x(u0) + h * v1, v1);
  };
}

DenseMethod velocity_verlet(Dense d) {
  return [=](const Vector& u0, double h) {
    const Vector x0 = d.x(u0), v0 = d.v(u0), a0 = d.a(x0, v0);
    const Vector x1 = x0 + h * v0 + h * h / 2 * a0;
    return d.u(x1, v0 + h / 2 * (a0 + d.a(x1, v0 + h * a0)));
  };
}

DenseMethod yoshida4(Dense d) {
  return [step = velocity_verlet(d)](const Vector& u0, double h) -> Vector {
    const double outer = 1 / (2 - std::cbrt(2.0));
    return step(step(step(u0, outer * h), (1 - 2 * outer) * h), outer * h);
  };
}

DenseMethod rk4(Dense d) {
  return [=](const Vector& u0, double h) -> Vector {
    const Vector k1 = d.F(u0), k2 = d.F(u0 + h / 2 * k1), k3 = d.F(u0 + h / 2 * k2), k4 = d.F(u0 + h * k3);
    return u0 + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  };
}

// One step with the methods that start the ones with history, and theirs.
Vector semi_implicit_step(const Dense& d, const Vector& u0, double h) {
  return u0 + h * d.linear(h, u0, d.F(u0));
}
Vector backward_step(const Dense& d, const Vector& u0, double h) { return d.cloth.implicit(h, u0, u0); }

DenseMethod with_history(Dense d, Vector (*first)(const Dense&, const Vector&, double),
                         Vector (*next)(const Dense&, const Vector& u0, const Vector& before, double)) {
  return [=, history = std::optional<Vector>()](const Vector& u0, double h) mutable {
    Vector u1 = history ? next(d, u0, d.as_if_steady(*history, u0, h), h) : first(d, u0, h);
    history = u0;
    return u1;
  };
}

DenseMethod bdf2(Dense d) {
  return with_history(d, backward_step,
                      [](const Dense& of, const Vector& u0, const Vector& before, double h) -> Vector {
                        return of.cloth.implicit(2 * h / 3, u0 + (u0 - before) / 3, u0);
                      });
}

DenseMethod semi_implicit_bdf2(Dense d) {
  return with_history(d, semi_implicit_step,
                      [](const Dense& of, const Vector& u0, const Vector& before, double h) -> Vector {
                        return u0 + of.linear(2 * h / 3, u0, u0 - before + 2 * h * of.F(u0)) / 3;
                      });
}

DenseMethod implicit_midpoint(Dense d) {
  // The middle m solves m = u0 + h/2 F(m).
  return [=](const Vector& u0, double h) -> Vector { return 2 * d.cloth.implicit(h / 2, u0, u0) - u0; };
}

DenseMethod trapezoidal(Dense d) {
  return [=](const Vector& u0, double h) { return d.cloth.implicit(h / 2, u0 + h / 2 * d.F(u0), u0); };
}

DenseMethod tr_bdf2(Dense d) {
  return [=](const Vector& u0, double h) {
    const Vector half = d.cloth.implicit(h / 4, u0 + h / 4 * d.F(u0), u0);
    return d.cloth.implicit(h / 3, u0 + 4.0 / 3 * (half - u0), half);
  };
}

// One linear solve of u = rhs + c F(u) about u, reduced to the velocities; J of their equation at `other`.
Vector implicit_with_other_matrix(Dense d, double c, const Vector& rhs, Vector u, const Vector& other) {
  const Index n = d.cloth.dofs();
  const Vector residual = u - rhs - c * d.F(u);
  const Matrix here = d.cloth.jacobian(u), there = d.cloth.jacobian(other);
  const Matrix reduced =
      Matrix::Identity(n, n) - c * there.bottomRightCorner(n, n) - c * c * there.bottomLeftCorner(n, n);
  const Vector change =
      algebra::solve(reduced, -residual.tail(n) - c * here.bottomLeftCorner(n, n) * residual.head(n));
  u.tail(n) += change;
  u.head(n) += c * change - residual.head(n);
  return u;
}

DenseMethod sdirk2(Dense d) {
  const double gamma = 2 - std::numbers::sqrt2, beta = std::numbers::sqrt2 / 4;
  const bool shares_matrix = d.cloth.stages == StageSolve::linear && d.values.at(0) != 0;
  return [=](const Vector& u0, double h) {
    const Vector stage = d.cloth.implicit(gamma * h / 2, u0 + gamma * h / 2 * d.F(u0), u0);
    const Vector rhs = u0 + 2 * beta / gamma * (stage - u0);
    return shares_matrix ? implicit_with_other_matrix(d, gamma * h / 2, rhs, stage, u0)
                         : d.cloth.implicit(gamma * h / 2, rhs, stage);
  };
}

DenseMethod with_acceleration(Dense d, double alpha_m, double beta, double gamma, double sigma = 0) {
  return [=, state = std::optional<Vector>()](const Vector& u0, double h) mutable {
    const Vector x0 = d.x(u0), v0 = d.v(u0), m = d.cloth.masses();
    const Vector a0 = state ? *state : d.a(x0, v0);
    Vector x1, v1, a1 = a0;
    const bool once = d.cloth.stages == StageSolve::linear;
    const Matrix K0 = d.cloth.stiffness(x0), D0 = d.cloth.damping(x0);
    const auto take = [&] {
      x1 = x0 + h * v0 + h * h * ((0.5 - beta) * a0 + beta * a1);
      v1 = v0 + h * ((1 - gamma) * a0 + gamma * a1);
    };
    for (int k = 0; k < 200; ++k) {  // Newton's method on a1
      take();
      const Vector f0 = d.cloth.force(x0, v0);
      const Vector f = once ? f0 + K0 * (x1 - x0) + D0 * (v1 - v0) : d.cloth.force(x1, v1);
      Vector residual = m.cwiseProduct((1 - alpha_m) * a1 + alpha_m * a0) - (1 - sigma) * f - sigma * f0;
      const Matrix K = once ? K0 : d.cloth.stiffness(x1), D = once ? D0 : d.cloth.damping(x1);
      Matrix jacobian = -(1 - sigma) * (h * h * beta * K + h * gamma * D);
      jacobian.diagonal() += (1 - alpha_m) * m;
      for (Index i = 0; i < d.cloth.dofs(); ++i) {
        if (!d.cloth.is_fixed(i)) continue;
        jacobian.row(i).setZero();
        jacobian(i, i) = 1;
        residual[i] = 0;
      }
      const Vector change = algebra::solve(jacobian, residual);
      a1 -= change;
      if (change.norm() < 1e-14 * a1.norm()) break;
    }
    take();
    state = a1;
    return d.u(x1, v1);
  };
}

DenseMethod generalized_alpha(Dense d) {
  const double rho = d.values.at(0);
  const double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
  return with_acceleration(d, alpha_m, std::pow(1 - alpha_m + alpha_f, 2) / 4, 0.5 - alpha_m + alpha_f,
                           alpha_f);
}

DenseMethod hht_alpha(Dense d) {
  const double alpha = d.values.at(0);
  return with_acceleration(d, 0, std::pow(1 - alpha, 2) / 4, 0.5 - alpha, -alpha);
}

/// The end of a step with the impulses of all forces and of dampers.
struct DenseEnd {
  Vector u, impulse, damping;
};

/// H1 − H0 less the works of dampers and pins. Pins move at v1 within the step.
double gained(const Dense& d, const Vector& u0, const DenseEnd& end) {
  const Vector v0 = d.v(u0), v1 = d.v(end.u), m = d.cloth.masses();
  double sum = d.cloth.potential(d.x(end.u)) - d.cloth.potential(d.x(u0)), damped = 0;
  for (Index i = 0; i < d.cloth.dofs(); ++i) {
    const bool fixed = d.cloth.is_fixed(i);
    sum += fixed ? v1[i] * end.impulse[i] : m[i] / 2 * (v1[i] * v1[i] - v0[i] * v0[i]);
    damped += (fixed ? v1[i] : (v0[i] + v1[i]) / 2) * end.damping[i];
  }
  return sum - std::min(damped, 0.0);
}

/// u with the impulses of a step of h whose forces are those at `at`, which was solved from u0.
DenseEnd end_with_forces_at(const Dense& d, const Vector& u0, const Vector& at, const Vector& u, double h) {
  const bool once = d.cloth.stages == StageSolve::linear;
  const Matrix D = d.cloth.damping(d.x(once ? u0 : at));
  const Vector of_dampers = h * algebra::times(D, d.v(at));
  if (!once) return {u, h * d.cloth.force(d.x(at), d.v(at)), of_dampers};
  const Vector linear = d.cloth.force(d.x(u0), d.v(u0)) +
                        algebra::times(d.cloth.stiffness(d.x(u0)), d.x(at) - d.x(u0)) +
                        algebra::times(D, d.v(at) - d.v(u0));
  return {u, h * linear, of_dampers};
}

DenseMethod a_search(Dense d) {
  return [=, excess = 0.0](const Vector& u0, double h) mutable {
    const Index n = d.cloth.dofs();
    const Vector u = d.cloth.implicit(h, u0, u0), rest = Vector::Zero(n);
    const DenseEnd implicit = end_with_forces_at(d, u0, u, u, h);
    DenseEnd end = implicit;
    const Vector change = h * (d.a(d.x(u0), rest) - d.a(d.x(u), rest));
    const Vector impulse = h * (d.cloth.force(d.x(u0), rest) - d.cloth.force(d.x(u), rest));
    const auto left = [&](double alpha) {
      end.u.tail(n) = u.tail(n) + alpha * change;
      end.impulse = implicit.impulse + alpha * impulse;
      return excess + gained(d, u0, end);
    };
    // H is convex in α, so at most one α gets back what is missing.
    double alpha = std::abs(left(1)) < std::abs(left(0)) ? 1 : 0;
    if (left(0) < 0 && left(1) > 0) {
      double low = 0, high = 1;
      for (int k = 0; k < 60; ++k) {
        alpha = (low + high) / 2;
        (left(alpha) < 0 ? low : high) = alpha;
      }
    }
    excess = left(alpha);
    return end.u;
  };
}

DenseMethod energy_tracking(Dense d) {
  return [=, excess = 0.0](const Vector& u0, double h) mutable {
    const Vector half = d.cloth.implicit(h / 2, u0, u0);
    const DenseEnd middle = end_with_forces_at(d, u0, half, 2 * half - u0, h);
    const bool gains = excess + gained(d, u0, middle) > 0;
    const Vector euler = gains ? d.cloth.implicit(h, u0, u0) : u0;
    const DenseEnd other = end_with_forces_at(d, u0, euler, gains ? euler : u0 + h * d.F(u0), h);
    DenseEnd end;
    const auto left = [&](double alpha) {
      end.u = (1 - alpha) * middle.u + alpha * other.u;
      end.impulse = (1 - alpha) * middle.impulse + alpha * other.impulse;
      end.damping = (1 - alpha) * middle.damping + alpha * other.damping;
      return excess + gained(d, u0, end);
    };
    double low = 0, high = 1;
    if ((left(1) > 0) == gains) low = 1;
    for (int k = 0; k < 60; ++k) {
      const double alpha = (low + high) / 2;
      ((left(alpha) > 0) == gains ? low : high) = alpha;
    }
    excess = left(low);
    return end.u;
  };
}

template <Vector (*step)(const Dense&, const Vector&, double)>
DenseMethod repeat(Dense d) {
  return [=](const Vector& u0, double h) { return step(d, u0, h); };
}

/// U_i = u0 + h Σ a_ij F(U_j), all stages at once by Newton's method; one after the other if A is triangular.
DenseMethod runge_kutta(Dense d) {
  const RungeKuttaTable table{std::span<const double>(d.values)};
  return [=](const Vector& u0, double h) -> Vector {
    const std::size_t s = table.stages();
    const Index size = u0.size();
    std::vector<Vector> U(s, u0), F(s, d.F(u0));
    if (table.kind() != StageKind::full) {
      for (std::size_t i = 0; i < s; ++i) {
        Vector rhs = u0;
        for (std::size_t j = 0; j < i; ++j) rhs += h * table.a(i, j) * F[j];
        const double c = h * table.a(i, i);
        U[i] = c > 0 ? d.cloth.implicit(c, rhs, i == 0 ? u0 : U[i - 1]) : rhs;
        F[i] = c > 0 ? Vector((U[i] - rhs) / c) : d.F(U[i]);
      }
    } else {
      const auto all = static_cast<Index>(s) * size;
      for (int k = 0; k < 200; ++k) {
        Vector residual(all);
        Matrix jacobian = Matrix::Identity(all, all);
        for (std::size_t j = 0; j < s; ++j) F[j] = d.F(U[j]);
        for (std::size_t i = 0; i < s; ++i) {
          const Index row = static_cast<Index>(i) * size;
          residual.segment(row, size) = U[i] - u0;
          for (std::size_t j = 0; j < s; ++j) {
            residual.segment(row, size) -= h * table.a(i, j) * F[j];
            jacobian.block(row, static_cast<Index>(j) * size, size, size) -=
                h * table.a(i, j) * d.cloth.jacobian(U[j]);
          }
        }
        const Vector change = algebra::solve(jacobian, residual);
        for (std::size_t i = 0; i < s; ++i) U[i] -= change.segment(static_cast<Index>(i) * size, size);
        if (change.norm() < 1e-13 * u0.norm()) break;
      }
      for (std::size_t j = 0; j < s; ++j) F[j] = d.F(U[j]);
    }
    Vector u1 = u0;
    for (std::size_t i = 0; i < s; ++i) u1 += h * table.b(i) * F[i];
    return u1;
  };
}

/// The first step by the Runge–Kutta method of two_step.cpp.
DenseMethod two_step(Dense d) {
  const TwoStepTable table{std::span<const double>(d.values)};
  const TableauMethod& first = tableau_method(tableau_preset(table.is_implicit() ? "sdirk3" : "rk4"));
  return [=, first_step = runge_kutta({d.cloth, first.values}), history = std::optional<Vector>()](
             const Vector& u0, double h) mutable {
    Vector u1;
    if (history) {
      const Vector before = d.as_if_steady(*history, u0, h);
      Vector old_slope = d.F(*history);
      for (Index k = 0; k < d.cloth.dofs(); ++k)
        if (d.cloth.is_fixed(k)) old_slope[k] = d.v(u0)[k];
      const Vector rhs = -table.alpha(1) * u0 - table.alpha(0) * before +
                         h * (table.beta(1) * d.F(u0) + table.beta(0) * old_slope);
      u1 = table.is_implicit() ? d.cloth.implicit(h * table.beta(2), rhs, u0) : rhs;
    } else {
      u1 = first_step(u0, h);
    }
    history = u0;
    return u1;
  };
}

Vector explicit_step(const Dense& d, const Vector& u0, double h) { return u0 + h * d.F(u0); }

}  // namespace

DenseMethod dense_method(std::string_view id, const DenseCloth& cloth, const IntegratorParameters& values) {
  const std::map<std::string_view, DenseMethod (*)(Dense)> methods{
      {"explicit-euler", repeat<explicit_step>},
      {"symplectic-euler", symplectic_euler},
      {"velocity-verlet", velocity_verlet},
      {"yoshida4", yoshida4},
      {"rk4", rk4},
      {"semi-implicit-euler", repeat<semi_implicit_step>},
      {"backward-euler", repeat<backward_step>},
      {"implicit-midpoint", implicit_midpoint},
      {"trapezoidal", trapezoidal},
      {"bdf2", bdf2},
      {"semi-implicit-bdf2", semi_implicit_bdf2},
      {"tr-bdf2", tr_bdf2},
      {"sdirk2", sdirk2},
      {"generalized-alpha", generalized_alpha},
      {"runge-kutta", runge_kutta},
      {"two-step", two_step},
      {"newmark", [](Dense d) { return with_acceleration(d, 0, d.values.at(0), d.values.at(1)); }},
      {"hht-alpha", hht_alpha},
      {"a-search", a_search},
      {"energy-tracking", energy_tracking},
  };
  const auto method = methods.find(id);
  if (method == methods.end()) return dense_exponential_method(id, cloth, values);
  return method->second(Dense{cloth, values});
}

Vector dense_state(const State& state) {
  const auto n = static_cast<Index>(3 * state.x.size());
  Vector u(2 * n);
  for (Index d = 0; d < n; ++d) {
    u[d] = state.x[static_cast<std::size_t>(d / 3)][static_cast<int>(d % 3)];
    u[n + d] = state.v[static_cast<std::size_t>(d / 3)][static_cast<int>(d % 3)];
  }
  return u;
}

}  // namespace clothlab::test
