// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linalg/spring_matrix.h"

namespace clothlab {

/// A stretch spring of rest length L > 0 is stiffer beyond a strain s (docs/model.md, "Strain limit"): at a
/// length l > (1 + s) L its force is k (l − L) + (φ − 1) k (l − (1 + s) L), that of a linear spring again.
/// Rayleigh's damping is that of k alone: with a stiffness that jumps it would be discontinuous.
struct StrainLimit {
  double strain = 0;  ///< s; 0: no limit
  double factor = 1;  ///< φ

  /// Of the linear spring at some length: its stiffness over k, and its rest length [m].
  struct Spring {
    double factor, rest_length;
  };

  /// Length from which a spring is stiffer [m].
  double reach(double L) const { return (1 + strain) * L; }
  /// Rest length of the stiffer spring [m].
  double stiff_rest_length(double L) const { return L * (1 + strain * (factor - 1) / factor); }
  bool is_beyond(double L, double l) const { return strain > 0 && L > 0 && l > reach(L); }
  Spring at(double L, double l) const {
    return is_beyond(L, l) ? Spring{factor, stiff_rest_length(L)} : Spring{1, L};
  }
  /// Energy beyond ½ k (l − L)², over k [m²].
  double energy(double L, double l) const {
    if (!is_beyond(L, l)) return 0;
    const double excess = l - reach(L);
    return 0.5 * (factor - 1) * excess * excess;
  }

  bool operator==(const StrainLimit&) const = default;
};

/// One elastic spring between two particles, for methods that treat springs one by one.
struct ElasticElement {
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  double rest_length = 0;  ///< [m]
  double stiffness = 0;    ///< [N/m]
  double bending = 0;      ///< β of an energy β/2 l², of any sign [N/m]; the sum over all is >= 0
  double damping = 0;      ///< [N·s/m]
  bool stretch = true;     ///< stretch spring, otherwise bending
  StrainLimit limit;       ///< none of bending springs
};

/// Springs as elements, computed on access: stretch springs first, then bending springs.
/// `pattern` and `rest_lengths` must outlive it.
struct ElasticElements {
  struct Coefficients {
    double stretch_stiffness = 0;  ///< [N/m]
    double bend_stiffness = 0;     ///< [N/m]
    double damping = 0;            ///< of every spring [N·s/m]
    bool projected = true;         ///< damps only motion along the spring
    double rayleigh = 0;           ///< α of the stiffness part of Rayleigh's damping [s]
    StrainLimit limit;             ///< of stretch springs
  };

  const SpringPattern& pattern;
  std::span<const double> rest_lengths;  ///< by slot
  std::size_t stretch_count;             ///< of stretch springs, the first ones of the pattern
  Coefficients coefficients;
  // By slot, where every spring has its own stiffness, which replaces those above; else null.
  const double* stiffness_by_slot = nullptr;
  const double* bending_by_slot = nullptr;

  std::size_t size() const { return rest_lengths.size(); }
  ElasticElement operator[](std::size_t s) const {
    const auto [i, j] = pattern.ends(s);
    return {i,
            j,
            rest_lengths[pattern.slot[s]],
            stiffness(s),
            bending(s),
            coefficients.damping,
            s < stretch_count,
            limit(s)};
  }
  double stiffness(std::size_t s) const {
    if (stiffness_by_slot != nullptr) return stiffness_by_slot[pattern.slot[s]];
    return s < stretch_count ? coefficients.stretch_stiffness : coefficients.bend_stiffness;
  }
  StrainLimit limit(std::size_t s) const { return s < stretch_count ? coefficients.limit : StrainLimit(); }
  double bending(std::size_t s) const {
    return bending_by_slot != nullptr ? bending_by_slot[pattern.slot[s]] : 0;
  }

  struct Iterator {
    const ElasticElements& elements;
    std::size_t s;

    ElasticElement operator*() const { return elements[s]; }
    void operator++() { ++s; }
    bool operator!=(const Iterator& other) const { return s != other.s; }
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
};

}  // namespace clothlab
