// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/command.h"
#include "sim/scene.h"

namespace clothlab {

/// Writes a command as an object of a journal (docs/scene-format.md), bit by bit: {"do": "set", "id": "dt",
/// "value": 0.01}, on one line; of a GoBack only the name.
std::string write_command(const Command& command);

/// The values of a scene; neither its mesh nor the state that it starts from.
std::string write_values(Scene scene);

/// Reads what write_command wrote, except a GoBack. Throws InputError with one sentence.
Command read_command(const nlohmann::ordered_json& object);

}  // namespace clothlab
