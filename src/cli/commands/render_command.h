// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "cli/cli.h"

namespace CLI {
class App;
}

namespace clothlab {

/// Adds the subcommand `render`; the returned call runs it and gives the exit status.
std::function<int()> add_render(CLI::App& app, const Services& services);

}  // namespace clothlab
