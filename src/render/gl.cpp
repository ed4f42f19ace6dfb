// SPDX-License-Identifier: MIT
#include "render/gl.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "core/error.h"

namespace clothlab {
void load_gl(void (*(*find)(const char*))()) {
#if __has_include(<glad/gl.h>)
  const bool loaded = gladLoadGL(reinterpret_cast<GLADloadfunc>(find)) != 0;
#else
  const bool loaded = gladLoadGLLoader(reinterpret_cast<GLADloadproc>(find)) != 0;
#endif
  if (!loaded || !GLAD_GL_VERSION_3_3) throw SystemError("The graphics driver does not offer OpenGL 3.3.");
}

std::string gl_description() {
  std::string text;
  for (const GLenum name : std::initializer_list<GLenum>{GL_VENDOR, GL_RENDERER, GL_VERSION}) {
    const GLubyte* part = glGetString(name);
    text += (text.empty() ? "" : ", ") +
            std::string(part != nullptr ? reinterpret_cast<const char*>(part) : "unknown");
  }
  return text;
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

}  // namespace clothlab
