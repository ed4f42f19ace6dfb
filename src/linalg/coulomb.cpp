// SPDX-License-Identifier: MIT
#include "linalg/coulomb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <limits>

namespace clothlab {

namespace {

constexpr double kRelativeRounding = 1e-12;  // relative
constexpr double kLeastSpeed = 0.1;          // [m/s]: least speed that rounding is relative to
constexpr double kOneDirection = 1e-6;       // |S n|: below, n is not a free direction
constexpr double kParallelPlanes = 2e-8;     // sine of the least angle of two planes that meet
constexpr double kParallelRays = 1e-14;
constexpr double kSolved = 1e-13;        // relative error of p
constexpr int kMostSteps = 60;           // of a root
constexpr int kMostPasses = 50;          // over the contacts of a particle
constexpr double kPassesSolved = 1e-10;  // relative change of the impulses
constexpr int kMostProjections = 200;

// A symmetric 2x2 matrix by its eigenvalues, and a vector in its eigenvectors.
struct Plane {
  vec3 first, second;          // eigenvectors
  std::array<double, 2> rate;  // eigenvalues

  // Of the part of D across n.
  Plane(const mat3& D, const vec3& n) {
    const vec3 axis = std::abs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    const vec3 a = glm::normalize(glm::cross(n, axis)), b = glm::cross(n, a);
    const vec3 Da = D * a;
    const double aa = glm::dot(a, Da), ab = glm::dot(b, Da), bb = glm::dot(b, D * b);
    const double mean = (aa + bb) / 2, half = (aa - bb) / 2, radius = root_of_squares(half, ab);
    rate = {mean + radius, mean - radius};
    // cos 2θ and sin 2θ. The smaller of cos θ and sin θ follows from the larger one: as a root it would lose
    // half of its digits.
    const double share = radius > 0 ? half / radius : 1, cross = radius > 0 ? ab / radius : 0;
    const double large = std::sqrt((1 + std::abs(share)) / 2), small = cross / (2 * large);
    const double c = share >= 0 ? large : std::abs(small);
    const double s = share >= 0 ? small : std::copysign(large, cross);
    first = c * a + s * b;
    second = c * b - s * a;
  }
  std::array<double, 2> parts(const vec3& a) const { return {glm::dot(first, a), glm::dot(second, a)}; }
};

// The slip w with (D_t + bound/|w|) w = q, in eigenvectors of D_t; 0 if |q| ≤ bound.
std::array<double, 2> slip_of(const std::array<double, 2>& rate, const std::array<double, 2>& q,
                              double bound) {
  const double size = std::sqrt(q[0] * q[0] + q[1] * q[1]);
  if (size <= bound) return {0, 0};
  if (!(bound > 0)) return {q[0] / rate[0], q[1] / rate[1]};
  // s = |w|: 1/|e(s)| is concave for e = (s D_t + bound)⁻¹ q, so Newton's method is monotone from below.
  double s = (size - bound) / rate[0];
  std::array<double, 2> e{};
  for (int step = 0; step < kMostSteps; ++step) {
    const std::array<double, 2> inverse{1 / (s * rate[0] + bound), 1 / (s * rate[1] + bound)};
    e = {inverse[0] * q[0], inverse[1] * q[1]};
    const double square = e[0] * e[0] + e[1] * e[1], length = std::sqrt(square);
    const double slope = e[0] * e[0] * rate[0] * inverse[0] + e[1] * e[1] * rate[1] * inverse[1];
    const double change = (length - 1) * square / slope;
    s += change;
    if (!(std::abs(change) > kSolved * s)) break;
  }
  return {s * e[0], s * e[1]};
}

void solve_one(const mat3& D, const mat3& D_inverse, const vec3& q, NodalContact& contact, vec3& v) {
  const vec3& n = contact.normal;
  const vec3 free = D_inverse * q;
  if (glm::dot(n, free) >= contact.least) {
    v = free;
    contact.state = ContactState::open;
    contact.impulse = vec3(0);
    return;
  }
  const vec3 stuck = contact.stuck(), held = D * stuck - q;
  const double of_normal = glm::dot(n, held), mu = contact.friction;
  v = stuck;
  if (mu > 0 && of_normal >= 0 && glm::length(contact.across(held)) <= mu * of_normal) {
    contact.state = ContactState::stick;
    contact.impulse = held;
    return;
  }
  contact.state = ContactState::slip;
  const Plane plane(D, n);
  const std::array<double, 2> across = plane.parts(-held), coupling = plane.parts(D * n);
  std::array<double, 2> w{};
  // The impulse that keeps the particle on the surface while friction has the bound μ p, less p.
  const auto excess = [&](double p) {
    w = slip_of(plane.rate, across, mu * p);
    return of_normal + coupling[0] * w[0] + coupling[1] * w[1] - p;
  };
  double p = 0;
  if (!(mu > 0)) {
    p = std::max(0.0, excess(0));
  } else {
    // The excess is not negative at 0, and not positive where friction prevents the slip.
    double low = 0, high = std::max(of_normal, root_of_squares(across[0], across[1]) / mu);
    double at_low = excess(0), at_high = of_normal - high;
    const double scale = high + std::abs(of_normal);
    p = std::clamp(glm::dot(n, contact.impulse), low, high);
    int side = 0;
    for (int step = 0; step < kMostSteps; ++step) {
      const double f = excess(p);
      if (!(std::abs(f) > kSolved * scale)) break;
      if (f > 0) {
        low = p;
        at_low = f;
        if (side == 1) at_high /= 2;  // Illinois
        side = 1;
      } else {
        high = p;
        at_high = f;
        if (side == -1) at_low /= 2;
        side = -1;
      }
      if (!(high - low > kSolved * scale)) break;
      p = (low * at_high - high * at_low) / (at_high - at_low);
      if (!(p > low && p < high)) p = (low + high) / 2;
    }
  }
  if (w[0] == 0 && w[1] == 0) {
    if (mu > 0) contact.state = ContactState::stick;
  } else {
    v += w[0] * plane.first + w[1] * plane.second;
  }
  contact.impulse = D * v - q;
}

// Orthonormal directions of up to three vectors, by Gram and Schmidt. Eigen's decompositions fuse operations
// on some processors, and their bits would be those of the machine.
class Directions {
 public:
  std::size_t size() const { return count_; }
  const vec3& operator[](std::size_t i) const { return directions_[i]; }

  // Returns what a direction of its own has of `a`: 0, and no direction, if this is less than the share
  // `least` of it.
  double add(const vec3& a, double least) {
    vec3 left = a;
    for (int pass = 0; pass < 2; ++pass)  // the second removes the rounding of nearly parallel vectors
      for (std::size_t i = 0; i < count_; ++i) left -= glm::dot(directions_[i], left) * directions_[i];
    const double rest = glm::length(left);
    if (count_ == directions_.size() || !(rest > least * glm::length(a))) return 0;
    directions_[count_++] = left / rest;
    return rest;
  }

 private:
  std::array<vec3, 3> directions_{};
  std::size_t count_ = 0;
};

// Puts v on the planes n·v = c of the contacts in the set `bits`, on the shortest way; false, and v as it
// was, if they have no common point.
bool put_on_planes(std::span<const NodalContact> contacts, unsigned bits, vec3& v) {
  const auto for_each_missing = [&](auto&& visit) {
    for (std::size_t k = 0; k < contacts.size(); ++k)
      if ((bits >> k & 1U) != 0)
        visit(contacts[k].normal, contacts[k].least - glm::dot(contacts[k].normal, v));
  };
  Directions directions;
  vec3 change(0);
  for_each_missing([&](const vec3& n, double missing) {
    // Along a direction that leaves it on the planes before.
    const double rest = directions.add(n, kParallelPlanes);
    if (rest > 0) change += (missing - glm::dot(n, change)) / rest * directions[directions.size() - 1];
  });
  double wanted = 0, left = 0;  // squares
  for_each_missing([&](const vec3& n, double missing) {
    wanted += missing * missing;
    left += (missing - glm::dot(n, change)) * (missing - glm::dot(n, change));
  });
  if (!(left <= 1e-18 * wanted)) return false;
  v += change;
  return true;
}

// Gaps have the rounding of positions, also where all speeds are 0.
double rounding_of(std::span<const NodalContact> contacts, const vec3& v) {
  double size = std::max(glm::length(v), kLeastSpeed);
  for (const NodalContact& contact : contacts)
    size = std::max({size, std::abs(contact.least), glm::length(contact.velocity)});
  return kRelativeRounding * size;
}

bool is_allowed(std::span<const NodalContact> contacts, const vec3& v, double rounding) {
  return std::ranges::all_of(contacts, [&](const NodalContact& contact) {
    return glm::dot(contact.normal, v) >= contact.least - rounding;
  });
}

// The nearest point to v that all contacts allow; v itself if there is none.
vec3 nearest_allowed(std::span<const NodalContact> contacts, const vec3& v, double rounding) {
  if (is_allowed(contacts, v, rounding)) return v;
  double least = std::numeric_limits<double>::infinity();
  vec3 nearest = v;
  for (unsigned bits = 1; bits < (1U << contacts.size()); ++bits) {
    vec3 there = v;
    if (!put_on_planes(contacts, bits, there) || !is_allowed(contacts, there, rounding)) continue;
    const double distance = glm::length(there - v);
    if (!(distance < least)) continue;
    least = distance;
    nearest = there;
  }
  return nearest;
}

vec3 onto_ray(const vec3& direction, const vec3& a) {
  return std::max(0.0, glm::dot(direction, a) / glm::dot(direction, direction)) * direction;
}

vec3 onto_cone(const vec3& n, double mu, const vec3& a) {
  const double along = glm::dot(n, a);
  const vec3 across = a - along * n;
  const double size = glm::length(across);
  if (size <= mu * along) return a;
  if (along <= -mu * size) return vec3(0);
  const double push = (along + mu * size) / (1 + mu * mu);
  return push * n + (size > 0 ? mu * push / size : 0.0) * across;
}

using Impulses = std::array<vec3, kMostContactsOfParticle>;

// The nearest sum of impulses along these rays (0: none), exactly: one of their subsets has all impulses of
// its least-squares solution along its rays. Returns the distance.
double nearest_along_rays(std::span<const vec3> rays, const vec3& impulse, Impulses& parts) {
  double least = glm::length(impulse);
  for (unsigned bits = 1; bits < (1U << rays.size()); ++bits) {
    Directions directions;
    std::array<std::size_t, kMostContactsOfParticle> of{};
    std::array<double, kMostContactsOfParticle> rest{}, size{};
    bool is_independent = true;
    for (std::size_t k = 0; k < rays.size() && is_independent; ++k) {
      if ((bits >> k & 1U) == 0) continue;
      const std::size_t count = directions.size();
      of[count] = k;
      rest[count] = directions.add(rays[k], kParallelRays);
      is_independent = rest[count] > 0;  // smaller sets have the solutions of the others
    }
    if (!is_independent) continue;
    vec3 left = impulse;
    for (std::size_t k = 0; k < directions.size(); ++k) left -= glm::dot(directions[k], left) * directions[k];
    bool is_along = true;
    for (std::size_t k = directions.size(); k-- > 0;) {
      double along = glm::dot(directions[k], impulse);
      for (std::size_t l = k + 1; l < directions.size(); ++l)
        along -= size[l] * glm::dot(directions[k], rays[of[l]]);
      size[k] = along / rest[k];
      is_along = is_along && size[k] >= 0;
    }
    if (!is_along || !(glm::length(left) < least)) continue;
    least = glm::length(left);
    parts = {};
    for (std::size_t k = 0; k < directions.size(); ++k) parts[of[k]] = size[k] * rays[of[k]];
  }
  return least;
}

// The nearest sum of impulses of closed contacts at v: rays where they slip, cones where they stick. Returns
// the distance.
double nearest_impulses(std::span<const NodalContact> contacts, const vec3& v, const vec3& impulse,
                        double rounding, Impulses& parts) {
  vec3 rest = impulse;
  std::array<vec3, kMostContactsOfParticle> ray{};
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    parts[k] = vec3(0);
    const vec3 w = contacts[k].slip(v);
    const double speed = glm::length(w);
    if (speed > rounding && contacts[k].state != ContactState::open)
      ray[k] = contacts[k].normal - contacts[k].friction / speed * w;
  }
  const auto sticks = [&](std::size_t k) {
    return contacts[k].state != ContactState::open && ray[k] == vec3(0);
  };
  if (!sticks(0) && !sticks(1) && !(contacts.size() > 2 && sticks(2)))
    return nearest_along_rays(std::span(ray).first(contacts.size()), impulse, parts);
  const double enough = 1e-11 * glm::length(impulse);
  for (int pass = 0; pass < kMostProjections; ++pass) {
    double change = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      if (contacts[k].state == ContactState::open) continue;
      const vec3 a = rest + parts[k];
      const vec3 part =
          ray[k] != vec3(0) ? onto_ray(ray[k], a) : onto_cone(contacts[k].normal, contacts[k].friction, a);
      change += glm::length(part - parts[k]);
      rest = a - part;
      parts[k] = part;
    }
    if (!(change > enough)) break;
  }
  return glm::length(rest);
}

// The states of contacts at v; open ones stay open, unless v was put on them.
void find_states(std::span<NodalContact> contacts, const vec3& v, double rounding, bool moved) {
  for (NodalContact& contact : contacts) {
    const bool was_open = contact.state == ContactState::open;
    const bool separates = glm::dot(contact.normal, v) - contact.least > 100 * rounding;
    if (was_open && (!moved || separates)) continue;
    if (was_open || separates) contact.impulse = vec3(0);
    if (separates) {
      contact.state = ContactState::open;
    } else {
      const bool sticks = contact.friction > 0 && !(glm::length(contact.slip(v)) > 100 * rounding);
      contact.state = sticks ? ContactState::stick : ContactState::slip;
    }
  }
}

// True if the particle may stick to one of the contacts.
bool solve_stuck(const mat3& D, const vec3& q, std::span<NodalContact> contacts, vec3& v) {
  for (const NodalContact& stuck_to : contacts) {
    const vec3 stuck = stuck_to.stuck(), held = D * stuck - q;
    const double rounding = rounding_of(contacts, stuck);
    if (!(stuck_to.friction > 0) || !is_allowed(contacts, stuck, rounding)) continue;
    std::array<NodalContact, kMostContactsOfParticle> closed{};
    std::ranges::copy(contacts, closed.begin());
    const std::span<NodalContact> there(closed.data(), contacts.size());
    for (NodalContact& contact : there)
      contact.state = glm::dot(contact.normal, stuck) - contact.least > 100 * rounding ? ContactState::open
                                                                                       : ContactState::slip;
    Impulses parts{};
    if (!(nearest_impulses(there, stuck, held, 100 * rounding, parts) <= 1e-9 * glm::length(held))) continue;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      contacts[k].state = there[k].state;
      contacts[k].impulse = parts[k];
    }
    v = stuck;
    find_states(contacts, v, rounding, false);
    return true;
  }
  return false;
}

}  // namespace

double NodalContact::push() const { return glm::dot(normal, impulse); }

void solve_coulomb(const mat3& D, const mat3& D_inverse, const vec3& q, std::span<NodalContact> contacts,
                   vec3& v) {
  if (contacts.size() == 1) return solve_one(D, D_inverse, q, contacts[0], v);
  if (solve_stuck(D, q, contacts, v)) return;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double change = 0, size = glm::length(q);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      vec3 others = q;
      for (std::size_t l = 0; l < contacts.size(); ++l)
        if (l != k) others += contacts[l].impulse;
      const vec3 before = contacts[k].impulse;
      solve_one(D, D_inverse, others, contacts[k], v);
      change += glm::length(contacts[k].impulse - before);
      size += glm::length(contacts[k].impulse);
    }
    if (!(change > kPassesSolved * size)) break;
  }
  put_on_contacts(contacts, v);
}

void put_on_contacts(std::span<NodalContact> contacts, vec3& v) {
  if (contacts.size() == 1) {
    NodalContact& contact = contacts[0];
    if (contact.state == ContactState::stick) {
      v = contact.stuck();
    } else if (contact.state == ContactState::slip || glm::dot(contact.normal, v) < contact.least) {
      v += (contact.least - glm::dot(contact.normal, v)) * contact.normal;
      if (contact.state == ContactState::open) contact.impulse = vec3(0);
      contact.state = ContactState::slip;
    }
    return;
  }
  const NodalContact* stuck = nullptr;
  unsigned closed = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const NodalContact& contact = contacts[k];
    if (contact.state == ContactState::slip) closed |= 1U << k;
    if (contact.state == ContactState::stick &&
        (stuck == nullptr || glm::length(contact.impulse) > glm::length(stuck->impulse)))
      stuck = &contact;
  }
  vec3 there = v;
  if (stuck != nullptr)
    there = stuck->stuck();
  else
    put_on_planes(contacts, closed, there);
  const double rounding = rounding_of(contacts, there);
  v = nearest_allowed(contacts, there, rounding);
  find_states(contacts, v, rounding, v != there);
}

FreeDirections free_directions(std::span<const NodalContact> contacts) {
  FreeDirections free;
  for (const NodalContact& contact : contacts) {
    if (contact.state == ContactState::open) continue;
    if (contact.state == ContactState::stick) return {mat3(0.0), 0};
    const vec3 part = free.S * contact.normal;
    const double size = glm::length(part);
    if (size < kOneDirection) continue;
    free.S -= glm::outerProduct(part / size, part / size);
    if (--free.count == 0) return {mat3(0.0), 0};
  }
  return free;
}

double allow(const vec3& v, const vec3& impulse, std::span<NodalContact> contacts) {
  if (contacts.size() == 1) {
    NodalContact& contact = contacts[0];
    const vec3& n = contact.normal;
    if (contact.state == ContactState::open) {
      contact.impulse = vec3(0);
      return glm::length(impulse);
    }
    const double along = glm::dot(n, impulse), bound = contact.friction * std::max(along, 0.0);
    const vec3 across = contact.across(impulse);
    vec3 friction(0);
    if (contact.state == ContactState::slip) {
      const vec3 w = contact.slip(v);
      const double speed = glm::length(w);
      if (speed > 0) friction = -bound / speed * w;
    } else {
      const double size = glm::length(across);
      friction = size > bound ? bound / size * across : across;
    }
    contact.impulse = std::max(along, 0.0) * n + friction;
    return root_of_squares(std::min(along, 0.0), glm::length(across - friction));
  }
  Impulses parts{};
  const double distance = nearest_impulses(contacts, v, impulse, 100 * rounding_of(contacts, v), parts);
  for (std::size_t k = 0; k < contacts.size(); ++k) contacts[k].impulse = parts[k];
  return distance;
}

}  // namespace clothlab
