// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/vec.h"
#include "dynamics/state.h"
#include "linalg/projection.h"

namespace clothlab {

/// Gives what is prescribed its velocity (p1 − p0)/h [m/s]; free directions of v stay as they are.
/// `x0` are the positions at the start of the step of length h [s], p1 the projection's targets.
void prescribe_velocity(const Projection& projection, std::span<const vec3> x0, double h, std::span<vec3> v);

/// v with prescribe_velocity applied: v itself where that changes nothing, else a copy in `copy`.
std::span<const vec3> prescribed_velocity(const Projection& projection, std::span<const vec3> x0, double h,
                                          std::span<const vec3> v, std::vector<vec3>& copy);

/// z := how prescribe_velocity changes v [m/s]; left alone for who is free.
void prescribe_change(const Projection& projection, std::span<const vec3> x0, double h,
                      std::span<const vec3> v, std::span<vec3> z);

/// x̂ + γ v for the velocities of prescribe_velocity is where the prescribed stands at the end of the step.
void prescribe_offset(const Projection& projection, std::span<const vec3> x0, double h, double gamma,
                      std::span<vec3> x_hat);

/// What is prescribed stands exactly on its target, with velocity (p1 − p0)/h.
void prescribe(const Projection& projection, std::span<const vec3> x0, double h, std::span<vec3> x,
               std::span<vec3> v);

/// The end of a step: `prescribe` for u1 = (x1, v1), which then takes the place of u0 in the state. Leaves u0
/// in x1 and v1.
void finish_step(const Projection& projection, double h, std::vector<vec3>& x1, std::vector<vec3>& v1,
                 State& state);

}  // namespace clothlab
