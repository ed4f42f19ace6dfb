// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "render/canvas.h"

namespace clothlab {

/// Something to draw on without a window or a display: an OpenGL 3.3 core context of its own, with a
/// colour and a depth buffer. Where the program was built without EGL, a hidden window takes its place,
/// which does need a display.
class Offscreen {
 public:
  /// Makes its context current and loads OpenGL. `samples` per pixel, 0 for none; the driver may give
  /// fewer. Throws SystemError when there is no way to draw, or no memory for so many pixels.
  Offscreen(int width, int height, int samples = 4);
  ~Offscreen();

  int width() const;
  int height() const;

  /// Makes the context current and the picture the framebuffer to draw on.
  void bind();

  /// What has been drawn. The picture is bound afterwards.
  Image read();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
