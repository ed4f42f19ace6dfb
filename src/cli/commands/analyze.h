// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "cli/cli.h"

namespace CLI {
class App;
}

namespace clothlab {

/// Adds the subcommand `analyze` with all that it can analyze; the returned call runs the one that was
/// chosen and gives the exit status.
std::function<int()> add_analyze(CLI::App& app, const Services& services);

}  // namespace clothlab
