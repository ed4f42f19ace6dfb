// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {
class App;
}

#include <functional>
#include <string>

namespace clothlab {

/// Adds the subcommand `simulate`; the returned call runs it and gives the exit status. `command_line`: the
/// whole one, for summaries.
std::function<int()> add_simulate(CLI::App& app, const std::string& command_line);

}  // namespace clothlab
