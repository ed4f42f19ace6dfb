// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace clothlab {

/// Adds the subcommand `replay`; the returned call runs it and gives the exit status. `command_line`: the
/// whole one, for summaries.
std::function<int()> add_replay(CLI::App& app, const std::string& command_line);

}  // namespace clothlab
