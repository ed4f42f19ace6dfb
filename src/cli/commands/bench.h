// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace clothlab {

/// Adds the subcommand `bench`; the returned call runs it and gives the exit status.
std::function<int()> add_bench(CLI::App& app);

}  // namespace clothlab
