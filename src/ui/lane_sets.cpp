// SPDX-License-Identifier: MIT
#include "ui/lane_sets.h"

#include <array>

namespace clothlab {
namespace {

constexpr std::array<std::string_view, 4> kClassic{"explicit-euler", "symplectic-euler",
                                                   "semi-implicit-euler", "implicit-midpoint"};
constexpr std::array<std::string_view, 4> kDamping{"implicit-midpoint", "generalized-alpha", "bdf2",
                                                   "backward-euler"};
constexpr std::array<std::string_view, 4> kGames{"symplectic-euler", "xpbd", "projective-dynamics",
                                                 "semi-implicit-euler"};
constexpr std::array<std::string_view, 4> kExplicit{"explicit-euler", "symplectic-euler", "velocity-verlet",
                                                    "rk4"};

constexpr std::array kSets{
    LaneSet{
        "Classic four",
        "Explicit, symplectic and semi-implicit Euler and the implicit midpoint rule: what grows, what keeps "
        "its energy and what damps.",
        kClassic},
    LaneSet{"Damping ladder",
            "Implicit midpoint, generalized-alpha, BDF2 and backward Euler: from no numerical damping to the "
            "most.",
            kDamping},
    LaneSet{"Games", "What games use: symplectic Euler, XPBD, projective dynamics and semi-implicit Euler.",
            kGames},
    LaneSet{"Explicit four", "Explicit and symplectic Euler, velocity Verlet and RK4: who holds which h.",
            kExplicit},
};

}  // namespace

std::span<const LaneSet> lane_sets() { return kSets; }

}  // namespace clothlab
