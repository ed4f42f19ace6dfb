// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/image.h"

namespace clothlab {

/// A framebuffer with a colour and a depth buffer in the current context, to draw on instead of the window.
/// Made, used and destroyed with that context current.
class Canvas {
 public:
  /// `samples` per pixel, 0 for none; the driver may give fewer. Throws SystemError when there is no memory
  /// for so many pixels.
  Canvas(int width, int height, int samples);
  ~Canvas();

  int width() const;
  int height() const;

  /// Makes it the framebuffer to draw on.
  void bind();
  /// What has been drawn, opaque. It is bound afterwards.
  Image read();
  /// The window, or what else the context draws on, is the framebuffer again.
  static void unbind();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
