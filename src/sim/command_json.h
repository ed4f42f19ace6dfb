// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/checkpoint.h"
#include "sim/command.h"

namespace clothlab {

/// Writes a command as an object of a journal (docs/scene-format.md), bit by bit: {"do": "set", "id": "dt",
/// "value": 0.01}, on one line. A GoBack becomes the position of its moment in the journal.
std::string write_command(const Command& command);

/// The values of a scene; neither its mesh nor the state that it starts from.
std::string write_values(Scene scene);

/// Reads what write_command wrote, except a GoBack. Throws InputError with one sentence.
Command read_command(const nlohmann::ordered_json& object);

/// The position that a GoBack was written as. Throws InputError.
JournalPosition read_go_to(const nlohmann::ordered_json& object);

}  // namespace clothlab
