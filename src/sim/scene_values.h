// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sim/scene.h"

namespace clothlab {

/// Throws InputError: the key in quotes, and what is wrong with its value.
[[noreturn]] void refuse_value(std::string_view key, const std::string& what);

/// Replaces a value that earlier versions had by what takes its place; says so in one sentence, which is
/// empty where there is nothing to replace.
std::string replace_retired_value(std::string_view key, nlohmann::json& value);

/// Gives the scene what a key of its file says: every key of scene_keys() but "initial-state". Throws
/// InputError for a value of the wrong type or out of its range.
void read_value(std::string_view key, const nlohmann::json& value, Scene& scene);

}  // namespace clothlab
