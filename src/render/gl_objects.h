// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "render/gl.h"

namespace clothlab {

/// Owns one OpenGL object. Made and destroyed while its context is current.
template <class Kind>
class GlObject {
 public:
  GlObject() { Kind::make(id_); }
  ~GlObject() {
    if (id_ != 0) Kind::destroy(id_);
  }
  GlObject(GlObject&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }

  GLuint id() const { return id_; }

 private:
  GLuint id_ = 0;
};

struct GlBufferKind {
  static void make(GLuint& id) { glGenBuffers(1, &id); }
  static void destroy(GLuint id) { glDeleteBuffers(1, &id); }
};
struct GlVertexArrayKind {
  static void make(GLuint& id) { glGenVertexArrays(1, &id); }
  static void destroy(GLuint id) { glDeleteVertexArrays(1, &id); }
};
struct GlTextureKind {
  static void make(GLuint& id) { glGenTextures(1, &id); }
  static void destroy(GLuint id) { glDeleteTextures(1, &id); }
};
struct GlFramebufferKind {
  static void make(GLuint& id) { glGenFramebuffers(1, &id); }
  static void destroy(GLuint id) { glDeleteFramebuffers(1, &id); }
};
struct GlRenderbufferKind {
  static void make(GLuint& id) { glGenRenderbuffers(1, &id); }
  static void destroy(GLuint id) { glDeleteRenderbuffers(1, &id); }
};

using GlBuffer = GlObject<GlBufferKind>;
using GlVertexArray = GlObject<GlVertexArrayKind>;
using GlTexture = GlObject<GlTextureKind>;
using GlFramebuffer = GlObject<GlFramebufferKind>;
using GlRenderbuffer = GlObject<GlRenderbufferKind>;

/// Replaces a buffer's content. The old storage is orphaned, so that the CPU does not wait for the GPU.
template <class Values>
void upload(const GlBuffer& buffer, GLenum target, const Values& values, GLenum usage) {
  glBindBuffer(target, buffer.id());
  glBufferData(target, static_cast<GLsizeiptr>(values.size() * sizeof(values[0])), values.data(), usage);
}

}  // namespace clothlab
