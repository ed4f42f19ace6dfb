// SPDX-License-Identifier: MIT
#pragma once

// OpenGL, for any installed version of glad. Include it before GLFW (with GLFW_INCLUDE_NONE).

#if __has_include(<glad/gl.h>)
#include <glad/gl.h>
#else
#include <glad/glad.h>
#endif

#include <memory>
#include <string>

namespace clothlab {

/// Loads the OpenGL 3.3 core functions of the current context by `find`, for example glfwGetProcAddress.
/// Throws SystemError when the context is older.
void load_gl(void (*(*find)(const char*))());

/// "vendor, renderer, version" of the current context.
std::string gl_description();

/// True when the current context draws on the CPU (llvmpipe, softpipe, SwiftShader, ...), where multisampling
/// is too slow.
bool is_software_renderer();

/// An OpenGL 3.3 core context without a visible window. The build selects gl_context_egl.cpp or
/// gl_context_glfw.cpp.
class GlContext {
 public:
  /// Makes it current and loads OpenGL. Throws SystemError if the system has none.
  GlContext();
  ~GlContext();
  void make_current();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Owns one OpenGL object. Made and destroyed while its context is current.
template <auto* make, auto* destroy>
class GlObject {
 public:
  GlObject() { (*make)(1, &id_); }
  ~GlObject() { (*destroy)(1, &id_); }
  GlObject(const GlObject&) = delete;
  GlObject& operator=(const GlObject&) = delete;

  GLuint id() const { return id_; }

 private:
  GLuint id_ = 0;
};

using GlBuffer = GlObject<&glGenBuffers, &glDeleteBuffers>;
using GlVertexArray = GlObject<&glGenVertexArrays, &glDeleteVertexArrays>;
using GlTexture = GlObject<&glGenTextures, &glDeleteTextures>;
using GlFramebuffer = GlObject<&glGenFramebuffers, &glDeleteFramebuffers>;
using GlRenderbuffer = GlObject<&glGenRenderbuffers, &glDeleteRenderbuffers>;

/// Interpolates the bound texture, and continues it at its edges.
inline void smooth_texture() {
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

/// Replaces a buffer's content. The old storage is orphaned, so that the CPU does not wait for the GPU.
template <class Values>
void upload(const GlBuffer& buffer, GLenum target, const Values& values, GLenum usage) {
  glBindBuffer(target, buffer.id());
  glBufferData(target, static_cast<GLsizeiptr>(values.size() * sizeof(values[0])), values.data(), usage);
}

}  // namespace clothlab
