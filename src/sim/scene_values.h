// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "sim/scene.h"

namespace clothlab {

/// Throws InputError: the key in quotes, and what is wrong with its value.
[[noreturn]] void refuse_value(std::string_view key, const std::string& what);

/// Throws InputError for a key that is not among the `known` ones, naming the nearest.
void check_key(std::string_view key, std::span<const std::string_view> known);

/// Replaces a value of an earlier version by its successor. Returns one sentence about it, empty where there
/// was nothing to replace.
std::string replace_retired_value(std::string_view key, nlohmann::json& value);

/// Sets what a key of a scene file says: every key of scene_keys() but "initial-state". Throws
/// InputError for a value of the wrong type or out of its range.
void read_value(std::string_view key, const nlohmann::json& value, Scene& scene);

/// Reads what write_method wrote; a key that is left out has its default. Throws InputError for a value that
/// is no object, for an unknown key and for a value that a scene file may not have either.
Method method_from_json(const nlohmann::json& object);

}  // namespace clothlab
