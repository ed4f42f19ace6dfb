// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {
class App;
}

#include <functional>

namespace clothlab {

/// Adds the subcommand `simulate`; the returned call runs it and gives the exit status.
std::function<int()> add_simulate(CLI::App& app);

}  // namespace clothlab
