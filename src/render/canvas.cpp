// SPDX-License-Identifier: MIT
#include "render/canvas.h"

#include <algorithm>
#include <exception>
#include <string>

#include "core/error.h"

namespace clothlab {
namespace {

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

Canvas::Target::Target(int width, int height, int samples) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glBindRenderbuffer(GL_RENDERBUFFER, colour.id());
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour.id());
  glBindRenderbuffer(GL_RENDERBUFFER, depth.id());
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth.id());
}

bool Canvas::Target::complete() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && glGetError() == GL_NO_ERROR;
}

Canvas::Canvas(int width, int height, int samples)
    : width_(checked_size(width, height)),
      height_(height),
      target_(width, height, allowed_samples(samples)),
      resolved_(width, height, 0) {
  const bool complete = target_.complete() && resolved_.complete();
  glBindFramebuffer(GL_FRAMEBUFFER, complete ? target_.framebuffer.id() : 0);
  if (!complete)
    throw SystemError("The graphics driver has no room for a picture of " + std::to_string(width) + "x" +
                      std::to_string(height) + " pixels.");
}

Image Canvas::read() {
  bind();
  const int w = width_, h = height_;
  glDisable(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_.framebuffer.id());
  glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, resolved_.framebuffer.id());
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

Offscreen::~Offscreen() {
  try {
    context_.make_current();  // for the canvas
  } catch (const std::exception&) {
    // Destroying the context destroys the canvas's objects.
  }
}

void Offscreen::bind() {
  context_.make_current();
  canvas_.bind();
}

Image Offscreen::read() {
  context_.make_current();
  return canvas_.read();
}

}  // namespace clothlab
