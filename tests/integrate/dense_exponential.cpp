// SPDX-License-Identifier: MIT
#include "integrate/dense_exponential.h"

#include <limits>
#include <optional>

#include "dense_algebra.h"

namespace clothlab::test {

using Vector = DenseCloth::Vector;
using Matrix = DenseCloth::Matrix;
using Eigen::Index;

namespace {

// All modes on the free directions: vectors of 3n with zeros where something is fixed, by ascending λ.
algebra::Modes all_modes(const DenseCloth& cloth, const Vector& x) {
  std::vector<Index> free;
  for (Index d = 0; d < cloth.dofs(); ++d) {
    if (!cloth.is_fixed(d)) free.push_back(d);
  }
  const Matrix K = -cloth.stiffness(x)(free, free);
  const algebra::Modes modes = algebra::vibrations(K, cloth.masses()(free));
  algebra::Modes all{Matrix::Zero(cloth.dofs(), static_cast<Index>(free.size())), modes.values};
  all.X(free, Eigen::all) = modes.X;
  return all;
}

// The split at one u, with X kept from where it is told to be taken.
struct Split {
  const DenseCloth& cloth;
  Vector u, F;
  Matrix X, K, J_G, J_H, J_Gr;
  Matrix XtM;

  Split(const DenseCloth& of, const Vector& at, const Matrix& modes) : cloth(of), u(at), X(modes) {
    const Index n = cloth.dofs(), s = X.cols();
    F = cloth.slope(u);
    K = -cloth.stiffness(u.head(n));
    XtM = X.transpose() * cloth.masses().asDiagonal();
    const Matrix reduced = algebra::product(X.transpose(), algebra::product(K, X));
    J_G = Matrix::Zero(2 * n, 2 * n);
    J_G.topRightCorner(n, n) = algebra::product(X, XtM);
    J_G.bottomLeftCorner(n, n) = -algebra::product(X, algebra::product(reduced, XtM));
    J_H = cloth.jacobian(u) - J_G;
    J_Gr = Matrix::Zero(2 * s, 2 * s);
    J_Gr.topRightCorner(s, s).setIdentity();
    J_Gr.bottomLeftCorner(s, s) = -reduced;
  }
  Vector H() const {
    const Index n = cloth.dofs();
    Vector result(2 * n);
    const Vector v = u.tail(n), a = F.tail(n);  // a = M⁻¹f on the free directions
    result << v - inside(v), a - inside(a);
    return result;
  }
  Vector E(double tau) const { return E(tau, u); }
  /// φ1(τJ_G) G(w), G(w) = G(u) + J_G (w − u)
  Vector E(double tau, const Vector& w) const {
    const Index n = cloth.dofs(), s = X.cols();
    Vector reduced(2 * s), result(2 * n);
    reduced << algebra::times(XtM, w.tail(n)),
        algebra::times(XtM, F.tail(n) + J_G.bottomLeftCorner(n, n) * (w - u).head(n));
    const Vector average = algebra::phi1(tau * J_Gr, reduced);
    result << algebra::times(X, average.head(s)), algebra::times(X, average.tail(s));
    return result;
  }
  Vector solve(double c, const Vector& rhs) const {
    const Index size = 2 * cloth.dofs();
    return algebra::solve(Matrix::Identity(size, size) - c * J_H, rhs);
  }
  /// Solves w = u_hat + c (F(w) − G(w)), G(w) = G(u) + J_G (w − u), by Newton's method from u.
  Vector newton(double c, const Vector& u_hat) const {
    const Index size = 2 * cloth.dofs();
    const Vector G = F - H();
    Vector w = u;
    for (int k = 0; k < 200; ++k) {
      const Vector residual = w - u_hat - c * (cloth.slope(w) - G - algebra::times(J_G, w - u));
      const Vector change =
          algebra::solve(Matrix::Identity(size, size) - c * (cloth.jacobian(w) - J_G), residual);
      w -= change;
      if (cloth.stages == StageSolve::linear || change.norm() < 1e-14 * w.norm()) break;
    }
    return w;
  }
  Vector inside(const Vector& v) const { return algebra::times(X, algebra::times(XtM, v)); }
};

// X taken anew every `refresh` steps.
class ModeSource {
 public:
  ModeSource(const DenseCloth& cloth, const IntegratorParameters& values)
      : cloth_(cloth), modes_(static_cast<Index>(values.at(0))), refresh_(static_cast<int>(values.at(1))) {}

  Split split(const Vector& u) {
    if (steps_++ % refresh_ == 0) {
      const Matrix X = all_modes(cloth_, u.head(cloth_.dofs())).X;
      X_ = X.leftCols(std::min(modes_, static_cast<Index>(X.cols())));
    }
    return {cloth_, u, X_};
  }

 private:
  const DenseCloth& cloth_;
  Index modes_;
  int refresh_, steps_ = 0;
  Matrix X_;
};

// Fixed particles as if they had always moved as they do now.
void with_steady_pins(const DenseCloth& cloth, const Vector& u0, double h, Vector& before) {
  const Index n = cloth.dofs();
  for (Index d = 0; d < n; ++d) {
    if (!cloth.is_fixed(d)) continue;
    before[d] = u0[d] - h * u0[n + d];
    before[n + d] = u0[n + d];
  }
}

Vector siere_step(const Split& split, const Vector& u0, double h) {
  return u0 + split.solve(h, h * split.H() + h * split.E(h));
}

}  // namespace

ModeGap dense_mode_gap(const DenseCloth& cloth, const Vector& x, Index modes) {
  const Vector lambda = all_modes(cloth, x).values;
  if (modes >= lambda.size()) return {lambda[lambda.size() - 1], std::numeric_limits<double>::infinity()};
  return {lambda[modes - 1], lambda[modes]};
}

DenseMethod dense_exponential_method(std::string_view id, const DenseCloth& cloth,
                                     const IntegratorParameters& values) {
  if (id == "exponential-rosenbrock-euler") {
    return [&cloth](const Vector& u0, double h) -> Vector {
      return u0 + h * algebra::phi1(h * cloth.jacobian(u0), cloth.slope(u0));
    };
  }
  if (id == "siere") {
    return [source = ModeSource(cloth, values)](const Vector& u0, double h) mutable {
      return siere_step(source.split(u0), u0, h);
    };
  }
  if (id == "bdf2-ere") {
    return [source = ModeSource(cloth, values), lawson = values.at(2) != 0, &cloth,
            history = std::optional<Vector>()](const Vector& u0, double h) mutable -> Vector {
      const Split split = source.split(u0);
      std::optional<Vector> before = history;
      history = u0;
      if (!before) return split.newton(h, u0 + h * split.E(h));
      with_steady_pins(cloth, u0, h, *before);
      if (!lawson) return split.newton(2 * h / 3, (4 * u0 - *before + 2 * h * split.E(h)) / 3);
      const Vector moved = u0 + h * split.E(h);
      return split.newton(2 * h / 3, (4 * moved - (*before + 2 * h * split.E(2 * h, *before))) / 3);
    };
  }
  if (id == "tr-bdf2-ere") {
    return [&cloth, source = ModeSource(cloth, values)](const Vector& u0, double h) mutable -> Vector {
      const Vector half = cloth.implicit(h / 4, u0 + h / 4 * cloth.slope(u0), u0);
      const Split split = source.split(half);
      return split.newton(h / 3, half + (half - u0) / 3 + h / 3 * split.E(h / 2));
    };
  }
  if (id == "beere") {
    return [source = ModeSource(cloth, values)](const Vector& u0, double h) mutable {
      const Split split = source.split(u0);
      return split.newton(h, u0 + h * split.E(h));
    };
  }
  if (id == "semi-implicit-bdf2-ere") {
    return [&cloth, source = ModeSource(cloth, values), history = std::optional<Vector>()](
               const Vector& u0, double h) mutable -> Vector {
      const Split split = source.split(u0);
      std::optional<Vector> before = history;
      history = u0;
      if (!before) return siere_step(split, u0, h);
      with_steady_pins(cloth, u0, h, *before);
      return u0 + split.solve(2 * h / 3, u0 - *before + 2 * h * split.H() + 2 * h * split.E(h)) / 3;
    };
  }
  if (id == "str-sbdf2-ere") {
    return [&cloth, source = ModeSource(cloth, values)](const Vector& u0, double h) mutable -> Vector {
      const Index size = 2 * cloth.dofs();
      const Matrix first = Matrix::Identity(size, size) - h / 4 * cloth.jacobian(u0);
      const Vector half = u0 + algebra::solve(first, h * cloth.slope(u0)) / 2;
      const Split split = source.split(half);
      return half + split.solve(h / 3, half - u0 + h * (split.H() + split.E(h / 2))) / 3;
    };
  }
  return {};
}

}  // namespace clothlab::test
