// SPDX-License-Identifier: MIT
#pragma once

#include "integrate/dense_reference.h"

namespace clothlab::test {

/// The exponential methods of model.md, word for word, with dense matrix exponentials and eigenvectors; empty
/// for other names. `values` as in the registry: the number of modes first.
DenseMethod dense_exponential_method(std::string_view id, const DenseCloth& cloth,
                                     const IntegratorParameters& values);

/// λ_s and λ_{s+1} of K_s x = λ M x on the free directions: X is unique where they differ.
struct ModeGap {
  double last = 0, next = 0;
};
ModeGap dense_mode_gap(const DenseCloth& cloth, const Eigen::VectorXd& x, Eigen::Index modes);

}  // namespace clothlab::test
