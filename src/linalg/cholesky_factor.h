// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "linalg/linear_system.h"

namespace clothlab {

/// A sparse L D Lᵀ of the pre-filtered matrix S A S + I − S, in 3x3 blocks; or in numbers, a ninth of the
/// memory and a 27th of the work, if every block is a multiple of I: no spring has a direction, and every
/// constrained particle is constrained in all directions.
///
/// The elimination order (nested_dissection) and the structure of the factor are computed once per pattern;
/// `compute` computes the values. Up-looking [Davis 2006, chapter 4] with blocks instead of numbers, on one
/// thread.
class CholeskyFactor {
 public:
  CholeskyFactor();
  ~CholeskyFactor();

  // Members with a probe poll it every few milliseconds and throw Cancelled.

  /// Computes the structure if the pattern of A is new.
  void analyse(const SpringMatrix& A, const StopProbe& stop);
  /// Computes the values for the system's matrix; call `analyse` first. False if a pivot block was not
  /// positive definite.
  bool compute(const ComputeContext& context, const LinearSystem& system);
  /// True if the values of the last `compute` are valid and have the pattern of A.
  bool holds(const SpringMatrix& A) const;
  /// Invalidates the values.
  void forget();

  /// y += (S A S + I − S)⁻¹ r, by particle, with the A of the last `compute`; y is unchanged on
  /// cancellation.
  void add_solution(std::span<const vec3> r, std::span<vec3> y, const StopProbe& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace clothlab
