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
  double damping = 0;      ///< [N·s/m]
  bool stretch = true;     ///< stretch spring, otherwise bending
};

/// Springs as elements, computed on access: stretch springs first, then bending springs.
class ElasticElements {
 public:
  struct Coefficients {
    double stretch_stiffness = 0;  ///< [N/m]
    double bend_stiffness = 0;     ///< [N/m]
    double damping = 0;            ///< of every spring [N·s/m]
    bool projected = true;         ///< damps only motion along the spring
    double rayleigh = 0;           ///< α of the stiffness part of Rayleigh's damping [s]
  };

  ElasticElements() = default;
  /// The first `stretch` of the pattern's springs are stretch springs. The rest lengths are by slot.
  ElasticElements(const SpringPattern& pattern, std::span<const double> rest_lengths, std::size_t stretch,
                  const Coefficients& coefficients)
      : pattern_(&pattern), rest_lengths_(rest_lengths), stretch_(stretch), coefficients_(coefficients) {}

  std::size_t size() const { return rest_lengths_.size(); }
  const Coefficients& coefficients() const { return coefficients_; }
  ElasticElement operator[](std::size_t s) const {
    const auto [i, j] = pattern_->ends(s);
    const Coefficients& c = coefficients_;
    const bool stretch = s < stretch_;
    const double k = stretch ? c.stretch_stiffness : c.bend_stiffness;
    return {i, j, rest_lengths_[pattern_->slot[s]], k, c.damping, stretch};
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

 private:
  const SpringPattern* pattern_ = nullptr;
  std::span<const double> rest_lengths_;
  std::size_t stretch_ = 0;
  Coefficients coefficients_;
};

}  // namespace clothlab
