// SPDX-License-Identifier: MIT
#include "render/canvas.h"

#include <algorithm>
#include <exception>
#include <string>

#include "core/error.h"
#include "render/gl.h"
#include "render/gl_objects.h"

namespace clothlab {
namespace {

/// A framebuffer with a colour and a depth buffer.
struct Target {
  Target(int width, int height, int samples) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
    glBindRenderbuffer(GL_RENDERBUFFER, colour.id());
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour.id());
    glBindRenderbuffer(GL_RENDERBUFFER, depth.id());
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth.id());
  }
  bool complete() const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && glGetError() == GL_NO_ERROR;
  }

  GlFramebuffer framebuffer;
  GlRenderbuffer colour;
  GlRenderbuffer depth;
};

int allowed_samples(int wanted) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_SAMPLES, &most);
  return std::clamp(wanted, 0, static_cast<int>(most));
}

// Checked before allocation: drivers may fail on absurd sizes.
int checked_size(int width, int height) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
  if (width < 1 || height < 1 || width > most || height > most)
    throw SystemError("Cannot draw a picture of " + std::to_string(width) + "x" + std::to_string(height) +
                      " pixels; each side must be from 1 to " + std::to_string(most) + ".");
  return width;
}

}  // namespace

struct Canvas::Impl {
  Impl(int w, int h, int samples)
      : width(checked_size(w, h)), height(h), target(w, h, allowed_samples(samples)), resolved(w, h, 0) {
    const bool complete = target.complete() && resolved.complete();
    glBindFramebuffer(GL_FRAMEBUFFER, complete ? target.framebuffer.id() : 0);
    if (!complete)
      throw SystemError("The graphics driver has no room for a picture of " + std::to_string(w) + "x" +
                        std::to_string(h) + " pixels.");
  }

  int width;
  int height;
  Target target;
  Target resolved;
};

Canvas::Canvas(int width, int height, int samples) : impl_(std::make_unique<Impl>(width, height, samples)) {}
Canvas::~Canvas() = default;

int Canvas::width() const { return impl_->width; }
int Canvas::height() const { return impl_->height; }

void Canvas::bind() { glBindFramebuffer(GL_FRAMEBUFFER, impl_->target.framebuffer.id()); }
void Canvas::unbind() { glBindFramebuffer(GL_FRAMEBUFFER, 0); }

Image Canvas::read() {
  bind();
  const int w = impl_->width;
  const int h = impl_->height;
  glDisable(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, impl_->resolved.framebuffer.id());
  glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, impl_->resolved.framebuffer.id());
  const std::size_t row = 4 * static_cast<std::size_t>(w);
  Image image{w, h, std::vector<std::uint8_t>(row * static_cast<std::size_t>(h))};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  // OpenGL's first row is the lowest one.
  for (int y = 0; y < h / 2; ++y) {
    const auto top = image.rgba.begin() + static_cast<std::ptrdiff_t>(row) * y;
    std::swap_ranges(top, top + static_cast<std::ptrdiff_t>(row),
                     image.rgba.begin() + static_cast<std::ptrdiff_t>(row) * (h - 1 - y));
  }
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
  bind();
  return image;
}

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
