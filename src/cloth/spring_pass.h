// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "dynamics/dynamic_system.h"
#include "linalg/spring_matrix.h"
#include "linalg/vectors.h"

namespace clothlab {

/// Energies and strain of springs.
struct SpringMeasures {
  double stretch = 0;     ///< energy of the stretch springs [J]
  double bend = 0;        ///< of the bending springs [J]
  double max_strain = 0;  ///< largest |l/L − 1| of stretch springs with L > 0; not a number where one is not
};

/// One pass over the springs of a chunk of rows: forces, and energies and strain in the same sweep.
///
/// As in the products of a SpringMatrix, a spring within a chunk is computed once and added to both ends, one
/// between two chunks is computed in both. No two chunks write to one row, and the order of a sum depends
/// on the mesh alone. Four springs are computed together; the k-th of each four adds to the k-th of four
/// partial sums of energy.
struct SpringPass {
  /// Of bending springs and of stretch springs, by table lookup: the branch is badly predicted.
  using ByKind = std::array<double, 2>;
  /// Of a row: one line of the cache.
  struct alignas(64) Motion {
    Padded x;  ///< [m]
    Padded v;  ///< [m/s]; not read by `run` without damping
  };
  /// `portable` is for processors without AVX2. Both give the same bits.
  enum class Kernel { fastest, portable };

  Kernel kernel = Kernel::fastest;
  const SpringPattern& pattern;
  const double* rest_lengths;  ///< L by slot [m]
  const char* is_stretch;      ///< by slot, 0 or 1
  const Motion* motion;        ///< by row
  ByKind stiffness{};          ///< k [N/m]
  ByKind pull{};               ///< −k of the springs whose elastic force counts, 0 of the others [N/m]
  // By slot, of a fabric: k, of which the two above are then factors, and β of hinges [N/m]; else null.
  const double* stiffness_by_slot = nullptr;
  const double* bending_by_slot = nullptr;
  bool bends = true;     ///< the elastic force of β counts
  double projected = 0;  ///< k_d of projected damping [N·s/m]
  double isotropic = 0;  ///< k_d of isotropic damping [N·s/m]
  double rayleigh = 0;   ///< α [s]
  StrainLimit limit;     ///< of stretch springs

  bool damped() const { return projected != 0 || isotropic != 0 || rayleigh != 0; }

  /// Where `sums` is not null, sums[row] := force on the row, for all rows of the chunk; behind the rows, it
  /// has one more for every chunk. If `damping` is not null, it gets the part of damping in the
  /// same layout; there must be damping. If `measured`, returns the measures of the springs whose lower row
  /// the chunk has.
  SpringMeasures run(std::size_t chunk, Padded* sums, Padded* damping, bool measured) const;

  /// The blocks of a matrix, see ForceTerm::linearize.
  struct Blocks {
    SystemCoefficients c;
    JacobianMode mode{};
    SpringMatrix& a;

    bool has_damper_tension() const { return mode == JacobianMode::exact && c.damper_tension; }
  };
  /// Sets the slots [begin, end) of the matrix.
  void assemble(std::size_t begin, std::size_t end, const Blocks& blocks) const;
  /// Sets the slots of the chunk's rows, and sums[row] := force + factor K u on them; u is by row, null for
  /// v.
  void linearize(std::size_t chunk, double factor, const Padded* u, const Blocks& blocks, Padded* sums) const;
};

}  // namespace clothlab
