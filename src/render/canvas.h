// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/image.h"

namespace clothlab {

/// An off-screen framebuffer with colour and depth in the current context. Made, used and destroyed with that
/// context current.
class Canvas {
 public:
  /// `samples` per pixel, 0 for none; the driver may give fewer. Throws SystemError when there is no memory
  /// for so many pixels.
  Canvas(int width, int height, int samples);
  ~Canvas();

  int width() const;
  int height() const;

  /// Binds it.
  void bind();
  /// The picture, opaque. Binds the framebuffer.
  Image read();
  /// Binds the default framebuffer.
  static void unbind();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// An OpenGL 3.3 core context with colour and depth buffers, without a window or a display. Built without
/// EGL, it is a hidden window, which needs a display.
class Offscreen {
 public:
  /// Makes its context current and loads OpenGL. `samples` per pixel, 0 for none; the driver may give
  /// fewer. Throws SystemError without OpenGL or memory.
  Offscreen(int width, int height, int samples = 4);
  ~Offscreen();

  int width() const;
  int height() const;

  /// Makes the context current and binds the framebuffer.
  void bind();

  /// The picture. Binds the framebuffer.
  Image read();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
