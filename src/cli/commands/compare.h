// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "cli/cli.h"

namespace CLI {
class App;
}

namespace clothlab {

/// Adds the subcommand `compare`; the returned call runs it and gives the exit status.
std::function<int()> add_compare(CLI::App& app, const Services& services);

}  // namespace clothlab
