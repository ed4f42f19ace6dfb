// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "sim/scene.h"

namespace clothlab {

/// Throws InputError: the key in quotes, and the fault of its value.
[[noreturn]] void refuse_value(std::string_view key, const std::string& what);

/// Throws InputError for a key that is not among the `known` ones, naming the nearest.
void check_key(std::string_view key, std::span<const std::string_view> known);

/// Replaces a value of an earlier version by its successor. Returns one sentence about it, empty if there was
/// nothing to replace.
std::string replace_retired_value(std::string_view key, nlohmann::json& value);

/// Sets the value of a key of a scene file: every key of scene_keys() but "initial-state". Throws
/// InputError for a value of the wrong type or out of its range.
void read_value(std::string_view key, const nlohmann::json& value, Scene& scene);

/// Reads the text of write_method; missing keys have their defaults. Throws InputError for a value that is
/// not an object, an unknown key, and a value that a scene file may not have.
Method method_from_json(const nlohmann::json& object);

}  // namespace clothlab
