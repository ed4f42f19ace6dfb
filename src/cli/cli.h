// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

#include "core/image.h"
#include "documents/picture_request.h"
#include "session/window_request.h"

namespace clothlab {

/// Services of `app` and `render` for the command line, passed in by main.
struct Services {
  /// Opens the window and runs it until it is closed.
  std::function<void(const WindowRequest&)> open_window;
  /// Makes a painter that needs no display. Throws SystemError if drawing is impossible.
  std::function<Painter(const PictureRequest&)> make_painter;
  /// Red, green and blue of the integrator in the given row of the registry, as in the window.
  std::function<Rgb(std::size_t row)> integrator_colour;
};

/// The whole command line (docs/command-line.md). Returns the exit status: 0 done, 1 a fault of the program
/// or the system, 2 usage or bad input, 3 the run blew up, 130 or 143 interrupted. Messages go to stderr.
int run_cli(int argc, const char* const* argv, const Services& services);

}  // namespace clothlab
