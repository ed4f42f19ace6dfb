// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace clothlab {

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
