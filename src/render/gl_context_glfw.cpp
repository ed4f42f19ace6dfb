// SPDX-License-Identifier: MIT
#include <GLFW/glfw3.h>

#include <string>

#include "core/error.h"
#include "render/gl.h"

namespace clothlab {
namespace {

[[noreturn]] void fail() {
  const char* words = nullptr;
  glfwGetError(&words);
  throw SystemError("Cannot draw: this program was built without EGL and cannot open a hidden window" +
                    (words ? ": " + std::string(words) : std::string()) + ".");
}

}  // namespace

struct GlContext::Impl {
  GLFWwindow* window = nullptr;

  ~Impl() {
    if (window) glfwDestroyWindow(window);
  }
};

GlContext::GlContext() : impl_(std::make_unique<Impl>()) {
  // GLFW stays initialised: other code may use it.
  if (!glfwInit()) fail();
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  impl_->window = glfwCreateWindow(16, 16, "ClothLab", nullptr, nullptr);
  glfwDefaultWindowHints();
  if (!impl_->window) fail();
  make_current();
  load_gl(glfwGetProcAddress);
}

GlContext::~GlContext() = default;

void GlContext::make_current() { glfwMakeContextCurrent(impl_->window); }

}  // namespace clothlab
