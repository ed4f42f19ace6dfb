// SPDX-License-Identifier: MIT
#pragma once

// OpenGL, for any installed version of glad. Include it before GLFW (with GLFW_INCLUDE_NONE).

#if __has_include(<glad/gl.h>)
#include <glad/gl.h>
#else
#include <glad/glad.h>
#endif

#include <memory>

namespace clothlab {

/// Loads the OpenGL 3.3 core functions of the current context by `find`, as in glfwGetProcAddress.
/// Throws SystemError when the context is older.
void load_gl(void (*(*find)(const char*))());

/// True when the current context draws on the CPU (llvmpipe, softpipe, SwiftShader, ...), where multisampling
/// is too slow.
bool is_software_renderer();

/// Prints OpenGL's messages for the current context on stderr, where it has KHR_debug; for development, with
/// a debug context.
void report_gl_errors();

/// An OpenGL 3.3 core context without a visible window. The build selects gl_context_egl.cpp or
/// gl_context_glfw.cpp.
class GlContext {
 public:
  /// Makes it current and loads OpenGL. Throws SystemError when the system cannot give one.
  GlContext();
  ~GlContext();
  void make_current();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
