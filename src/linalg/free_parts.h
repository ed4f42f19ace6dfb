// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// The connected parts of a mesh on which only springs, forces of the diagonal and forces within the part
/// act: no particle is constrained, and no stencil (a contact, the grab, the wind) pushes the part as a
/// whole.
///
/// Springs, and stencils whose weights in the part add up to 0, do not resist a translation. So the rows of A
/// x = b of such a part add up to the balance of its linear momentum,
///   sum_i d_i x_i = sum_i b_i.
/// The residuals of an inexact solve violate it. The translation sum_i r_i / sum_i d_i of the part
/// restores the balance and deforms no spring.
class FreeParts {
 public:
  /// Finds the parts without constrained particles. Allocates only if a mesh has more parts than earlier
  /// ones.
  void find(const SpringPattern& pattern, const Projection& projection);
  /// Removes the parts that stencils of the matrix push as a whole; it has the same pattern.
  void exclude_stencils(const SpringMatrix& matrix);

  bool empty() const { return count_ == 0; }
  bool contains_row(std::size_t row) const { return parts_[pattern_->part[row]].free; }

  /// Computes sum value(row) / sum weight(row) for each part; the weights are numbers > 0, the values
  /// vectors.
  template <class Weight, class Value>
  void compute_means(const Weight& weight, const Value& value) {
    for (Part& part : parts_) part = {part.free, 0, vec3(0.0)};
    for (std::size_t row = 0; row < pattern_->particles(); ++row) {
      Part& part = parts_[pattern_->part[row]];
      if (!part.free) continue;
      part.weight += weight(row);
      part.mean += value(row);
    }
    for (Part& part : parts_)
      if (part.free) part.mean /= part.weight;
  }
  /// The last mean of the part of a row; the row must be in one of these parts.
  const vec3& mean(std::size_t row) const { return parts_[pattern_->part[row]].mean; }
  /// The sum of weight |mean|² over the parts.
  double weighted_square() const;

 private:
  struct Part {
    bool free = false;
    double weight = 0;
    vec3 mean{0.0};
  };
  void exclude(std::size_t row);

  const SpringPattern* pattern_ = nullptr;
  std::vector<Part> parts_;
  std::size_t count_ = 0;
};

}  // namespace clothlab
