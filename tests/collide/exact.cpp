// SPDX-License-Identifier: MIT
#include "collide/exact.h"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collide/intersections.h"
#include "one_thread.h"

namespace clothlab::test {
namespace {

// By ascending powers of t; the last coefficient is not 0.
using Polynomial = std::vector<mpq_class>;

Polynomial trimmed(Polynomial p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
  return p;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum = a.size() < b.size() ? b : a;
  const Polynomial& other = a.size() < b.size() ? a : b;
  for (std::size_t k = 0; k < other.size(); ++k) sum[k] += other[k];
  return trimmed(std::move(sum));
}

Polynomial operator-(Polynomial p) {
  for (mpq_class& coefficient : p) coefficient = -coefficient;
  return p;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + -b; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  return product;
}

mpq_class value(const Polynomial& p, const mpq_class& t) {
  mpq_class sum = 0;
  for (std::size_t k = p.size(); k-- > 0;) sum = sum * t + p[k];
  return sum;
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  for (std::size_t k = 1; k < p.size(); ++k) d.push_back(p[k] * static_cast<unsigned long>(k));
  return d;
}

// a = quotient · b + remainder.
std::pair<Polynomial, Polynomial> divided(Polynomial a, const Polynomial& b) {
  Polynomial quotient(a.size() < b.size() ? 0 : a.size() - b.size() + 1);
  while (a.size() >= b.size()) {
    const std::size_t shift = a.size() - b.size();
    quotient[shift] = a.back() / b.back();
    for (std::size_t k = 0; k + 1 < b.size(); ++k) a[shift + k] -= quotient[shift] * b[k];
    a.pop_back();
    a = trimmed(std::move(a));
  }
  return {std::move(quotient), std::move(a)};
}

// Over its leading coefficient without the sign, so that numbers stay short.
Polynomial scaled(Polynomial p) {
  if (p.empty()) return p;
  const mpq_class leading = abs(p.back());
  for (mpq_class& coefficient : p) coefficient /= leading;
  return p;
}

Polynomial greatest_common(Polynomial a, Polynomial b) {
  while (!b.empty()) {
    a = scaled(divided(std::move(a), b).second);
    std::swap(a, b);
  }
  return scaled(std::move(a));
}

Polynomial with_single_roots(const Polynomial& p) {
  return divided(p, greatest_common(p, derivative(p))).first;
}

// Sturm's theorem for a polynomial with single roots.
class RootCount {
 public:
  explicit RootCount(const Polynomial& p) : chain_{p, derivative(p)} {
    while (!chain_.back().empty()) {
      const std::size_t last = chain_.size() - 1;
      chain_.push_back(-scaled(divided(chain_[last - 1], chain_[last]).second));
    }
  }
  /// In (low, high].
  int within(const mpq_class& low, const mpq_class& high) const { return changes(low) - changes(high); }

 private:
  int changes(const mpq_class& t) const {
    int count = 0, last = 0;
    for (const Polynomial& p : chain_) {
      const int sign = sgn(value(p, t));
      if (sign == 0) continue;
      count += last != 0 && sign != last ? 1 : 0;
      last = sign;
    }
    return count;
  }
  std::vector<Polynomial> chain_;
};

// A real number: the only root in (low, high], or low = high where it is known.
class Root {
 public:
  Root(const Polynomial& of, const RootCount& roots, mpq_class low, mpq_class high)
      : of_(&of), roots_(&roots), low_(std::move(low)), high_(std::move(high)) {
    if (sgn(value(*of_, high_)) == 0) low_ = high_;
  }
  bool is_known() const { return low_ == high_; }
  const mpq_class& low() const { return low_; }
  const mpq_class& high() const { return high_; }

  void halve() {
    if (is_known()) return;
    mpq_class middle = (low_ + high_) / 2;
    (roots_->within(low_, middle) == 1 ? high_ : low_) = middle;
    if (sgn(value(*of_, high_)) == 0) low_ = high_;
  }
  /// The sign of a polynomial there.
  int sign_of(const Polynomial& p) {
    if (p.size() < 2) return p.empty() ? 0 : sgn(p[0]);
    if (!is_known()) {
      const Polynomial common = greatest_common(*of_, p);  // of single roots, as *of_
      if (common.size() > 1 && RootCount(common).within(low_, high_) > 0) return 0;
      const RootCount roots(with_single_roots(p));
      while (!is_known() && (sgn(value(p, low_)) == 0 || roots.within(low_, high_) > 0)) halve();
    }
    return sgn(value(p, high_));
  }

 private:
  const Polynomial* of_;
  const RootCount* roots_;
  mpq_class low_, high_;
};

// Those in [0, 1] of a polynomial with single roots, ascending.
std::vector<Root> roots_of(const Polynomial& p, const RootCount& count) {
  std::vector<Root> roots;
  if (sgn(value(p, 0)) == 0) roots.emplace_back(p, count, 0, 0);
  const auto collect = [&](const auto& self, const mpq_class& low, const mpq_class& high) -> void {
    const int within = count.within(low, high);
    if (within == 0) return;
    if (within == 1) return void(roots.emplace_back(p, count, low, high));
    const mpq_class middle = (low + high) / 2;
    self(self, low, middle);
    self(self, middle, high);
  };
  collect(collect, 0, 1);
  return roots;
}

using Coefficients = std::vector<mpq_class>;

// Of Bernstein's polynomials on [0, 1], between the least and the largest of which all values lie.
Coefficients bernstein(const Polynomial& p) {
  Coefficients all(std::max<std::size_t>(p.size(), 1));
  for (std::size_t i = 0; i < all.size(); ++i) {
    mpq_class share = 1;  // C(i, k)/C(n, k)
    for (std::size_t k = 0; k <= i && k < p.size(); ++k) {
      all[i] += share * p[k];
      if (k < i)
        share *= mpq_class(static_cast<unsigned long>(i - k), static_cast<unsigned long>(p.size() - 1 - k));
      share.canonicalize();
    }
  }
  return all;
}

bool is_never_zero(const Coefficients& p, int halvings) {
  const int sign = sgn(p.front());
  if (std::ranges::all_of(p, [&](const mpq_class& each) { return sign * sgn(each) > 0; })) return true;
  if (halvings == 0 || sign * sgn(p.back()) <= 0) return false;
  // De Casteljau's halves.
  Coefficients low, high = p;
  for (std::size_t n = p.size(); n-- > 0;) {
    low.push_back(high.front());
    for (std::size_t k = 0; k < n; ++k) high[k] = (high[k] + high[k + 1]) / 2;
  }
  return is_never_zero(low, halvings - 1) && is_never_zero(high, halvings - 1);
}

// Surely.
bool is_never_zero(const Polynomial& p) {
  constexpr int kHalvings = 8;
  return is_never_zero(bernstein(p), kHalvings);
}

bool is_negative(const Polynomial& p) {
  return std::ranges::all_of(bernstein(p), [](const mpq_class& each) { return sgn(each) < 0; });
}

struct Conditions {
  std::vector<Polynomial> zero, not_negative, positive;
};

// Whether all hold at one t in [0, 1]. Without equations, what holds within an interval is taken to hold at
// its ends, but for what is positive: segments and triangles are closed, and where a normal is zero they have
// other conditions.
bool hold_together(const Conditions& conditions) {
  if (std::ranges::any_of(conditions.zero, [](const Polynomial& p) { return is_never_zero(p); }) ||
      std::ranges::any_of(conditions.not_negative, is_negative))
    return false;
  Polynomial common;
  for (const Polynomial& p : conditions.zero) common = greatest_common(common, p);
  if (common.size() == 1) return false;
  const auto holds_at_root_of = [&](const Polynomial& p) {
    const Polynomial single = with_single_roots(p);
    const RootCount count(single);
    return std::ranges::any_of(roots_of(single, count), [&](Root place) {
      return std::ranges::all_of(conditions.not_negative,
                                 [&](const auto& q) { return place.sign_of(q) >= 0; }) &&
             std::ranges::all_of(conditions.positive, [&](const auto& q) { return place.sign_of(q) > 0; });
    });
  };
  if (!common.empty()) return holds_at_root_of(common);
  // Without an equation they hold in intervals, which end at 0, at 1 or where a sign changes.
  return holds_at_root_of({0, -1, 1}) ||
         std::ranges::any_of(conditions.not_negative,
                             [&](const Polynomial& p) { return p.size() > 1 && holds_at_root_of(p); });
}

struct Vector {
  Polynomial x, y, z;
};
Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Polynomial dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// The power of two that makes whole numbers of all.
int shift_of(std::span<const vec3> x, std::span<const vec3> way) {
  int shift = 0;
  for (const std::span<const vec3> list : {x, way})
    for (const vec3& point : list)
      for (int axis = 0; axis < 3; ++axis)
        if (point[axis] != 0)
          shift = std::max(shift, std::numeric_limits<double>::digits - 1 - std::ilogb(point[axis]));
  return shift;
}

// 2^shift (x + t until way).
std::vector<Vector> moving(std::span<const vec3> x, std::span<const vec3> way, double until, int shift) {
  const auto whole = [&](double number) {
    mpq_class exact(number);
    mpq_mul_2exp(exact.get_mpq_t(), exact.get_mpq_t(), static_cast<mp_bitcnt_t>(shift));
    return exact;
  };
  std::vector<Vector> points(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto along = [&](int axis) {
      Polynomial p{whole(x[k][axis])};
      if (!way.empty()) p.push_back(mpq_class(until) * whole(way[k][axis]));
      return trimmed(std::move(p));
    };
    points[k] = {along(0), along(1), along(2)};
  }
  return points;
}

std::vector<Vector> moving(std::span<const vec3> x, std::span<const vec3> way = {}, double until = 0) {
  return moving(x, way, until, shift_of(x, way));
}

bool meets_segment(const Vector& point, const Vector& a, const Vector& b) {
  const Vector from_a = point - a, from_b = point - b, across = cross(from_a, from_b);
  return hold_together({{across.x, across.y, across.z}, {-dot(from_a, from_b)}, {}});
}

bool meets_triangle(const Vector& v, const Vector& a, const Vector& b, const Vector& c) {
  const Vector normal = cross(b - a, c - a), to_a = a - v, to_b = b - v, to_c = c - v;
  const Polynomial volume = dot(normal, to_a);
  if (is_never_zero(volume)) return false;
  return hold_together({{volume},
                        {dot(normal, cross(to_b, to_c)), dot(normal, cross(to_c, to_a)),
                         dot(normal, cross(to_a, to_b))},
                        {dot(normal, normal)}}) ||
         meets_segment(v, a, b) || meets_segment(v, b, c) || meets_segment(v, c, a);
}

// a + α u = c + β w, with α and β in [0, 1].
bool segments_meet(const Vector& a, const Vector& b, const Vector& c, const Vector& d) {
  const Vector u = b - a, w = d - c, apart = c - a, normal = cross(u, w);
  const Polynomial volume = dot(apart, normal);
  if (is_never_zero(volume)) return false;
  const Polynomial square = dot(normal, normal);
  const Polynomial of_u = dot(cross(apart, w), normal), of_w = dot(cross(apart, u), normal);
  return hold_together({{volume}, {of_u, of_w, square - of_u, square - of_w}, {square}}) ||
         meets_segment(a, c, d) || meets_segment(b, c, d) || meets_segment(c, a, b) || meets_segment(d, a, b);
}

int sign_of_volume(const Vector& a, const Vector& b, const Vector& c, const Vector& d) {
  const Polynomial six_times = dot(cross(b - a, c - a), d - a);
  return six_times.empty() ? 0 : sgn(six_times[0]);
}

bool segment_meets_triangle(const Vector& p, const Vector& q, const Vector& a, const Vector& b,
                            const Vector& c) {
  if (const int side = sign_of_volume(a, b, c, p), other = sign_of_volume(a, b, c, q); side * other != 0) {
    if (side == other) return false;
    const int one = sign_of_volume(p, q, a, b), two = sign_of_volume(p, q, b, c),
              three = sign_of_volume(p, q, c, a);
    return std::min({one, two, three}) >= 0 || std::max({one, two, three}) <= 0;
  }
  // An end lies in the plane, or the triangle has none.
  return meets_triangle(p, a, b, c) || meets_triangle(q, a, b, c) || segments_meet(p, q, a, b) ||
         segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
}

mpq_class number(const Polynomial& p) { return p.empty() ? mpq_class(0) : p[0]; }

mpq_class square_from_segment(const Vector& p, const Vector& a, const Vector& b) {
  const Vector along = b - a, from_a = p - a, from_b = p - b;
  const mpq_class share = number(dot(from_a, along)), square = number(dot(along, along));
  if (share <= 0) return number(dot(from_a, from_a));
  if (share >= square) return number(dot(from_b, from_b));
  return number(dot(from_a, from_a)) - share * share / square;
}

double distance(const mpq_class& square, int shift) {
  constexpr mp_bitcnt_t kBits = 256;
  const mpf_class root = sqrt(mpf_class(square, kBits));
  return std::ldexp(root.get_d(), -shift);
}

}  // namespace

bool segment_meets_triangle(const std::array<vec3, 2>& segment, const std::array<vec3, 3>& triangle) {
  const std::array points{segment[0], segment[1], triangle[0], triangle[1], triangle[2]};
  const std::vector<Vector> x = moving(points);
  return segment_meets_triangle(x[0], x[1], x[2], x[3], x[4]);
}

bool triangles_meet(const std::array<vec3, 3>& a, const std::array<vec3, 3>& b) {
  const std::array points{a[0], a[1], a[2], b[0], b[1], b[2]};
  const std::vector<Vector> x = moving(points);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (segment_meets_triangle(x[k], x[next], x[3], x[4], x[5])) return true;
    if (segment_meets_triangle(x[3 + k], x[3 + next], x[0], x[1], x[2])) return true;
  }
  return false;
}

double distance_of_vertex(const std::array<vec3, 4>& x) {
  const int shift = shift_of(x, {});
  const std::vector<Vector> at = moving(x, {}, 0, shift);
  const Vector &v = at[0], &a = at[1], &b = at[2], &c = at[3];
  const Vector normal = cross(b - a, c - a);
  mpq_class least =
      std::min({square_from_segment(v, a, b), square_from_segment(v, b, c), square_from_segment(v, c, a)});
  if (const mpq_class square = number(dot(normal, normal));
      square > 0 && number(dot(normal, cross(b - a, v - a))) >= 0 &&
      number(dot(normal, cross(c - b, v - b))) >= 0 && number(dot(normal, cross(a - c, v - c))) >= 0) {
    const mpq_class height = number(dot(normal, v - a));
    least = height * height / square;
  }
  return distance(least, shift);
}

double distance_of_edges(const std::array<vec3, 4>& x) {
  const int shift = shift_of(x, {});
  const std::vector<Vector> at = moving(x, {}, 0, shift);
  const Vector &a = at[0], &b = at[1], &c = at[2], &d = at[3];
  const Vector u = b - a, w = d - c, apart = c - a, normal = cross(u, w);
  mpq_class least = std::min({square_from_segment(a, c, d), square_from_segment(b, c, d),
                              square_from_segment(c, a, b), square_from_segment(d, a, b)});
  if (const mpq_class square = number(dot(normal, normal)); square > 0) {
    const mpq_class s = number(dot(cross(apart, w), normal)), t = number(dot(cross(apart, u), normal));
    if (s >= 0 && s <= square && t >= 0 && t <= square) {
      const mpq_class height = number(dot(normal, apart));
      least = height * height / square;
    }
  }
  return distance(least, shift);
}

std::size_t exact_intersections(std::span<const TriangleTree::Triangle> triangles, std::span<const vec3> x,
                                std::span<const Obstacle> bodies) {
  using Triangle = TriangleTree::Triangle;
  const auto corners = [](const Triangle& of, std::span<const vec3> at) {
    return std::array{at[of[0]], at[of[1]], at[of[2]]};
  };
  // The sides of one that share no corner with the other.
  const auto sides_meet = [&](const Triangle& one, const Triangle& other) {
    const auto is_shared = [&](std::uint32_t corner) {
      return std::ranges::find(other, corner) != other.end();
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = one[k], b = one[(k + 1) % 3];
      if (!is_shared(a) && !is_shared(b) && segment_meets_triangle({x[a], x[b]}, corners(other, x)))
        return true;
    }
    return false;
  };
  std::size_t found = 0;
  for (const auto& [i, j] : intersecting_triangles(one_thread(), triangles, x))
    found += sides_meet(triangles[i], triangles[j]) || sides_meet(triangles[j], triangles[i]) ? 1U : 0U;
  for (const Obstacle& body : bodies) {
    if (body.shape != Obstacle::Shape::mesh) continue;
    const std::span<const Triangle> others = body.mesh.surface->triangles();
    const std::vector<vec3> at = corners_of(body);
    for (const auto& [i, j] : intersecting_triangles(one_thread(), triangles, x, others, at))
      found += triangles_meet(corners(triangles[i], x), corners(others[j], at)) ? 1U : 0U;
  }
  return found;
}

bool vertex_meets_face(const std::array<vec3, 4>& x, const std::array<vec3, 4>& way, double until) {
  const std::vector<Vector> at = moving(x, way, until);
  return meets_triangle(at[0], at[1], at[2], at[3]);
}

bool edges_meet(const std::array<vec3, 4>& x, const std::array<vec3, 4>& way, double until) {
  const std::vector<Vector> at = moving(x, way, until);
  return segments_meet(at[0], at[1], at[2], at[3]);
}

}  // namespace clothlab::test
