#pragma once

#include <functional>
#include <optional>

#include "cli/cli.h"

namespace CLI {
class App;
}

namespace clothlab {

/// Adds `analyze convergence`; the returned call runs it and gives the exit status, or nothing where it was
/// not chosen.
std::function<std::optional<int>()> add_analyze_convergence(CLI::App& analyze, const Services& services);

}  // namespace clothlab
