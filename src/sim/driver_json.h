// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/driver.h"

namespace clothlab {

/// "groups" and "drivers" of a scene file (docs/scene-format.md). Throw InputError for a value of the wrong
/// type and an unknown member; ranges and names are those of check_drivers().
std::vector<ParticleGroup> read_groups(const nlohmann::json& value);
std::vector<Driver> read_drivers(const nlohmann::json& value);

/// The texts from which they read the same; empty if there are none.
std::string write_groups(const std::vector<ParticleGroup>& groups);
std::string write_drivers(const std::vector<Driver>& drivers);

}  // namespace clothlab
