// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "render/gl.h"

namespace clothlab {

/// An off-screen framebuffer with colour and depth in the current context. Made, used and destroyed with that
/// context current.
class Canvas {
 public:
  /// `samples` per pixel, 0 for none; the driver may give fewer. Throws SystemError when there is no memory
  /// for so many pixels.
  Canvas(int width, int height, int samples);

  int width() const { return width_; }
  int height() const { return height_; }

  void bind() { glBindFramebuffer(GL_FRAMEBUFFER, target_.framebuffer.id()); }
  /// The picture, opaque. Binds the framebuffer.
  Image read();
  /// Binds the default framebuffer.
  static void unbind() { glBindFramebuffer(GL_FRAMEBUFFER, 0); }

 private:
  struct Target {
    Target(int width, int height, int samples);
    bool complete() const;

    GlFramebuffer framebuffer;
    GlRenderbuffer colour;
    GlRenderbuffer depth;
  };

  int width_;
  int height_;
  Target target_;
  Target resolved_;
};

/// An OpenGL 3.3 core context with colour and depth buffers, without a window or a display. Built without
/// EGL, it is a hidden window, which needs a display.
class Offscreen {
 public:
  /// Makes its context current and loads OpenGL. `samples` per pixel, 0 for none; the driver may give
  /// fewer. Throws SystemError without OpenGL or memory.
  Offscreen(int width, int height, int samples = 4) : canvas_(width, height, samples) {}
  ~Offscreen();

  int width() const { return canvas_.width(); }
  int height() const { return canvas_.height(); }

  /// Makes the context current and binds the framebuffer.
  void bind();
  /// The picture. Does the same.
  Image read();

 private:
  GlContext context_;
  Canvas canvas_;
};

}  // namespace clothlab
