#pragma once

#include <array>
#include <string_view>

namespace clothlab {

/// What conjugate gradients is preconditioned with, always within the free directions (S M^-1 S).
enum class PreconditionerKind {
  none,         ///< the identity
  jacobi,       ///< the inverse of the diagonal
  block_jacobi  ///< the inverse of the 3x3 diagonal blocks
};

struct PreconditionerName {
  PreconditionerKind kind;
  std::string_view name;   ///< on the command line and in scene files
  std::string_view title;  ///< in the window
};

inline constexpr std::array kPreconditioners{
    PreconditionerName{PreconditionerKind::none, "none", "None"},
    PreconditionerName{PreconditionerKind::jacobi, "jacobi", "Jacobi (diagonal)"},
    PreconditionerName{PreconditionerKind::block_jacobi, "block-jacobi", "Block Jacobi (3x3)"},
};

}  // namespace clothlab
