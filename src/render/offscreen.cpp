// SPDX-License-Identifier: MIT
#include "render/offscreen.h"

#include <exception>

#include "render/gl_context.h"

namespace clothlab {

struct Offscreen::Impl {
  Impl(int width, int height, int samples) : canvas(width, height, samples) {}
  ~Impl() {
    try {
      context.make_current();  // for the canvas
    } catch (const std::exception&) {
      // The context takes the canvas's objects with it.
    }
  }

  GlContext context;
  Canvas canvas;
};

Offscreen::Offscreen(int width, int height, int samples)
    : impl_(std::make_unique<Impl>(width, height, samples)) {}
Offscreen::~Offscreen() = default;

int Offscreen::width() const { return impl_->canvas.width(); }
int Offscreen::height() const { return impl_->canvas.height(); }

void Offscreen::bind() {
  impl_->context.make_current();
  impl_->canvas.bind();
}

Image Offscreen::read() {
  bind();
  return impl_->canvas.read();
}

}  // namespace clothlab
