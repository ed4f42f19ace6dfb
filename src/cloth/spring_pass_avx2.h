// SPDX-License-Identifier: MIT
#pragma once

#include "cloth/spring_pass.h"

namespace clothlab {

/// SpringPass's members of these names, for processors with AVX2.
struct SpringKernels {
  SpringMeasures (*run)(const SpringPass& pass, std::size_t chunk, Padded* sums, Padded* damping,
                        bool measured);
  void (*assemble)(const SpringPass& pass, std::size_t begin, std::size_t end,
                   const SpringPass::Blocks& blocks);
  void (*linearize)(const SpringPass& pass, std::size_t chunk, double factor, const Padded* u,
                    const SpringPass::Blocks& blocks, Padded* sums);
};

/// Null on other processors.
const SpringKernels* avx2_spring_kernels();

}  // namespace clothlab
