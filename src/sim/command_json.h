// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/checkpoint.h"
#include "sim/command.h"

namespace clothlab {

/// A command as one object of a journal (docs/scene-format.md), to the last bit: {"do": "set", "id": "dt",
/// "value": 0.01}. A GoBack is the place in the journal of the moment that it goes back to.
nlohmann::ordered_json write_command(const Command& command);

/// What write_command wrote, but for a GoBack, whose moment only its run has. Throws InputError, one
/// sentence, for what is none.
Command read_command(const nlohmann::ordered_json& object);

/// "go-to".
JournalPlace read_go_to(const nlohmann::ordered_json& object);

}  // namespace clothlab
