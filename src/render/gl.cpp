// SPDX-License-Identifier: MIT
#include "render/gl.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "core/error.h"

namespace clothlab {
namespace {

#ifdef GL_KHR_debug
#ifdef GLAD_API_PTR
#define CLOTHLAB_GL_CALL GLAD_API_PTR  // glad 2
#else
#define CLOTHLAB_GL_CALL APIENTRY
#endif
void CLOTHLAB_GL_CALL print_message(GLenum, GLenum type, GLuint, GLenum severity, GLsizei,
                                    const GLchar* message, const void*) {
  if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || type == GL_DEBUG_TYPE_PERFORMANCE) return;
  std::fprintf(stderr, "OpenGL: %s\n", message);
}
#endif

}  // namespace

void load_gl(void (*(*find)(const char*))()) {
#if __has_include(<glad/gl.h>)
  const bool loaded = gladLoadGL(reinterpret_cast<GLADloadfunc>(find)) != 0;
#else
  const bool loaded = gladLoadGLLoader(reinterpret_cast<GLADloadproc>(find)) != 0;
#endif
  if (!loaded || !GLAD_GL_VERSION_3_3) throw SystemError("The graphics driver does not offer OpenGL 3.3.");
}

bool is_software_renderer() {
  const GLubyte* text = glGetString(GL_RENDERER);
  if (!text) return false;
  const std::string_view renderer = reinterpret_cast<const char*>(text);
  const auto names = {
      "llvmpipe", "softpipe", "SwiftShader", "Software Rasterizer", "GDI Generic", "Apple Software Renderer"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return renderer.find(name) != std::string_view::npos; });
}

void report_gl_errors() {
#ifdef GL_KHR_debug
  if (!GLAD_GL_KHR_debug || !glDebugMessageCallback) return;
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(print_message, nullptr);
#endif
}

}  // namespace clothlab
