// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace clothlab {

/// Preconditioners of conjugate gradients, restricted to the free directions (S M^-1 S).
enum class PreconditionerKind {
  automatic,     ///< multigrid for meshes of kMultigridParticles and more, block Jacobi below
  none,          ///< the identity
  jacobi,        ///< the inverse of the diagonal
  block_jacobi,  ///< the inverse of the 3x3 diagonal blocks
  multigrid      ///< a V-cycle of smoothed aggregation multigrid
};

/// Number of particles from which the hierarchy pays off.
inline constexpr std::size_t kMultigridParticles = 256;

struct PreconditionerName {
  PreconditionerKind kind;
  std::string_view name;  ///< on the command line, in scene files and in the window
};

inline constexpr std::array kPreconditioners{
    PreconditionerName{PreconditionerKind::automatic, "auto"},
    PreconditionerName{PreconditionerKind::none, "none"},
    PreconditionerName{PreconditionerKind::jacobi, "jacobi"},
    PreconditionerName{PreconditionerKind::block_jacobi, "block-jacobi"},
    PreconditionerName{PreconditionerKind::multigrid, "multigrid"},
};

}  // namespace clothlab
