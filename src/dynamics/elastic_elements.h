// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linalg/spring_matrix.h"

namespace clothlab {

/// One elastic spring between two particles, for methods that treat springs one by one.
struct ElasticElement {
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  double rest_length = 0;  ///< [m]
  double stiffness = 0;    ///< [N/m]
  double bending = 0;      ///< β of an energy β/2 l², of any sign [N/m]; the sum over all is >= 0
  double damping = 0;      ///< [N·s/m]
  bool stretch = true;     ///< stretch spring, otherwise bending
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
            s < stretch_count};
  }
  double stiffness(std::size_t s) const {
    if (stiffness_by_slot != nullptr) return stiffness_by_slot[pattern.slot[s]];
    return s < stretch_count ? coefficients.stretch_stiffness : coefficients.bend_stiffness;
  }
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
