// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "collide/obstacle.h"

namespace clothlab {

/// An obstacle as scene files and journals have it: a text of parse_obstacle(), or an object with that as its
/// "body" and members that no text has. Throws InputError.
Obstacle read_obstacle(const nlohmann::json& value);
/// The text from which read_obstacle() reads the same obstacle, in one line.
std::string write_obstacle(const Obstacle& obstacle);

/// The same as an argument of a command: a text is without quotes.
Obstacle parse_obstacle_argument(std::string_view text);
std::string obstacle_argument(const Obstacle& obstacle);

}  // namespace clothlab
