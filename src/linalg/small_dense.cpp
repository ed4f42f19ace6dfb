#include "linalg/small_dense.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace clothlab {

namespace {

constexpr int kMaxSweeps = 30;
constexpr int kMaxSquarings = 60;
constexpr double kTheta13 = 5.371920351148152;  // Higham 2005, table 2.3
constexpr std::array<double, 14> kPade{64764752532480000.,
                                       32382376266240000.,
                                       7771770303897600.,
                                       1187353796428800.,
                                       129060195264000.,
                                       10559470521600.,
                                       670442572800.,
                                       33522128640.,
                                       1323241920.,
                                       40840800.,
                                       960960.,
                                       16380.,
                                       182.,
                                       1.};

// c := a b
void multiply(std::size_t n, const std::vector<double>& a, const std::vector<double>& b,
              std::vector<double>& c) {
  std::fill_n(c.begin(), n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    double* out = c.data() + j * n;
    for (std::size_t k = 0; k < n; ++k) {
      const double factor = b[j * n + k];
      const double* column = a.data() + k * n;
      for (std::size_t i = 0; i < n; ++i) out[i] += factor * column[i];
    }
  }
}

double one_norm(std::size_t n, std::span<const double> a) {
  double largest = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::abs(a[j * n + i]);
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

}  // namespace

void SymmetricEigen::compute(std::size_t n, std::span<const double> a) {
  assert(a.size() >= n * n);
  for (std::vector<double>* matrix : {&a_, &q_, &vectors_}) matrix->resize(n * n);
  values_.resize(n);
  order_.resize(n);
  std::copy_n(a.begin(), n * n, a_.begin());
  std::fill(q_.begin(), q_.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) q_[i * n + i] = 1;

  double largest = 0;
  for (const double x : a_) largest = std::max(largest, std::abs(x));
  const double negligible = std::numeric_limits<double>::epsilon() / 16 * largest;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double apq = a_[q * n + p], app = a_[p * n + p], aqq = a_[q * n + q];
        if (!(std::abs(apq) > negligible)) continue;
        rotated = true;
        const double theta = (aqq - app) / (2 * apq);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(1 + theta * theta));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double akp = a_[p * n + k], akq = a_[q * n + k];
          a_[p * n + k] = c * akp - s * akq;
          a_[q * n + k] = s * akp + c * akq;
          const double qkp = q_[p * n + k], qkq = q_[q * n + k];
          q_[p * n + k] = c * qkp - s * qkq;
          q_[q * n + k] = s * qkp + c * qkq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double apk = a_[k * n + p], aqk = a_[k * n + q];
          a_[k * n + p] = c * apk - s * aqk;
          a_[k * n + q] = s * apk + c * aqk;
        }
        a_[q * n + p] = a_[p * n + q] = 0;
        a_[p * n + p] = app - t * apq;
        a_[q * n + q] = aqq + t * apq;
      }
    }
    if (!rotated) break;
  }

  // By insertion, which no value that is not a number can upset.
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t at = k;
    for (; at > 0 && a_[k * n + k] < a_[order_[at - 1] * n + order_[at - 1]]; --at) {
      order_[at] = order_[at - 1];
    }
    order_[at] = k;
  }
  for (std::size_t k = 0; k < n; ++k) {
    values_[k] = a_[order_[k] * n + order_[k]];
    std::copy_n(q_.begin() + static_cast<std::ptrdiff_t>(order_[k] * n), n,
                vectors_.begin() + static_cast<std::ptrdiff_t>(k * n));
  }
}

bool solve_dense(std::size_t n, std::span<double> a, std::size_t columns, std::span<double> b) {
  assert(a.size() >= n * n && b.size() >= n * columns);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[k * n + i]) > std::abs(a[k * n + pivot])) pivot = i;
    }
    if (!(std::abs(a[k * n + pivot]) > 0)) return false;
    if (pivot != k) {
      for (std::size_t j = k; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot]);
      for (std::size_t j = 0; j < columns; ++j) std::swap(b[j * n + k], b[j * n + pivot]);
    }
    for (std::size_t i = k + 1; i < n; ++i) a[k * n + i] /= a[k * n + k];
    for (std::size_t j = k + 1; j < n; ++j) {
      const double factor = a[j * n + k];
      for (std::size_t i = k + 1; i < n; ++i) a[j * n + i] -= factor * a[k * n + i];
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const double factor = b[j * n + k];
      for (std::size_t i = k + 1; i < n; ++i) b[j * n + i] -= factor * a[k * n + i];
    }
  }
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t k = n; k-- > 0;) {
      b[j * n + k] /= a[k * n + k];
      for (std::size_t i = 0; i < k; ++i) b[j * n + i] -= b[j * n + k] * a[k * n + i];
    }
  }
  return true;
}

std::span<const double> MatrixExponential::compute(std::size_t n, std::span<const double> a) {
  assert(a.size() >= n * n);
  const std::size_t size = n * n;
  for (std::vector<double>* matrix : {&a_, &a2_, &a4_, &a6_, &u_, &v_, &t_}) matrix->resize(size);
  double scale = 1;
  int squarings = 0;
  for (double norm = one_norm(n, a); norm > kTheta13 && squarings < kMaxSquarings; norm /= 2) {
    scale /= 2;
    ++squarings;
  }
  for (std::size_t i = 0; i < size; ++i) a_[i] = scale * a[i];
  multiply(n, a_, a_, a2_);
  multiply(n, a2_, a2_, a4_);
  multiply(n, a4_, a2_, a6_);

  // u := a [a6 (b13 a6 + b11 a4 + b9 a2) + b7 a6 + b5 a4 + b3 a2 + b1 I], the odd part
  // v := a6 (b12 a6 + b10 a4 + b8 a2) + b6 a6 + b4 a4 + b2 a2 + b0 I, the even part
  const auto combine = [&](std::size_t odd, std::vector<double>& out) {
    for (std::size_t i = 0; i < size; ++i) {
      t_[i] = kPade[12 + odd] * a6_[i] + kPade[10 + odd] * a4_[i] + kPade[8 + odd] * a2_[i];
    }
    multiply(n, a6_, t_, out);
    for (std::size_t i = 0; i < size; ++i) {
      out[i] += kPade[6 + odd] * a6_[i] + kPade[4 + odd] * a4_[i] + kPade[2 + odd] * a2_[i];
    }
    for (std::size_t i = 0; i < n; ++i) out[i * n + i] += kPade[odd];
  };
  combine(1, v_);
  multiply(n, a_, v_, u_);
  combine(0, v_);

  // (v − u) result = v + u
  for (std::size_t i = 0; i < size; ++i) {
    const double u = u_[i], v = v_[i];
    u_[i] = v - u;
    v_[i] = v + u;
  }
  if (!solve_dense(n, u_, n, v_)) std::fill(v_.begin(), v_.end(), std::numeric_limits<double>::quiet_NaN());
  for (; squarings > 0; --squarings) {
    multiply(n, v_, v_, t_);
    v_.swap(t_);
  }
  return v_;
}

}  // namespace clothlab
