#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/image.h"
#include "sim/frame.h"
#include "sim/scene.h"

namespace clothlab {

/// What the command line asks of the window.
struct WindowRequest {
  /// The scene to open with, options applied; empty: the built-in one, `with_options`.
  std::optional<Scene> scene;
  /// The same scene with the command line's options on top. Throws InputError.
  std::function<Scene(Scene)> with_options;
  /// It is a mesh of its own, not a scene's: it waits to be pinned, unless it plays.
  bool is_mesh = false;
  bool play = false;
  /// The file of --initial-state, for that scene or the built-in one; empty: none.
  std::filesystem::path initial_state;
  /// Whether a mesh far from human size may be scaled to fit: not when --scale was given.
  bool may_fit = true;
  int threads = 1;
};

/// What a picture without a display shows.
struct PictureRequest {
  int width = 1280;         ///< [pixel]
  int height = 720;         ///< [pixel]
  double yaw = 30;          ///< of the camera about the vertical axis [degree]
  double pitch = 15;        ///< of the camera above the horizon [degree]
  bool all_around = false;  ///< leave room for the same shape from every side
  double zoom = 1;          ///< 1 fits the cloth as it was at the start into the picture
  bool wireframe = false;
  bool heat_map = false;
  bool light = false;  ///< the light look, else the dark one
  double heat_max_strain = 0.1;
};

/// Draws one frame after the other with the camera of the first, turned about the vertical axis through what
/// it looks at by so much [degree].
using Painter = std::function<Image(const Frame&, double turn)>;

/// What the command line needs from its siblings on this floor; the app passes it in.
struct Services {
  /// Opens the window; returns the exit status.
  std::function<int(const WindowRequest&)> open_window;
  /// Makes a painter that needs no display. Throws SystemError where there is no way to draw.
  std::function<Painter(const PictureRequest&)> make_painter;
  /// Red, green and blue of the integrator in the given row of the registry, as in the window.
  std::function<Rgb(std::size_t row)> integrator_colour;
};

/// The whole command line of cli.md. Returns the exit status: 0 done, 1 a fault of the program or the
/// system, 2 usage or bad input, 3 the run blew up, 130 or 143 interrupted. Messages go to stderr.
int run_cli(int argc, const char* const* argv, const Services& services);

}  // namespace clothlab
