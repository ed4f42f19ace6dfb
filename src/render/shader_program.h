// SPDX-License-Identifier: MIT
#pragma once

#include <glm/fwd.hpp>
#include <string_view>

#include "render/gl.h"

namespace clothlab {

/// The folder in the environment variable CLOTHLAB_SHADER_DIR, for work on the shaders; nullptr where it is
/// not set.
const char* shader_folder();

/// A vertex and a fragment shader of shaders/, linked. Their text is compiled into the program, or read from
/// shader_folder() where there is one.
class ShaderProgram {
 public:
  /// Throws SystemError with the compiler's words, or when the file cannot be read.
  ShaderProgram(std::string_view vertex_name, std::string_view fragment_name);
  ~ShaderProgram();
  ShaderProgram(ShaderProgram&& other) noexcept;
  ShaderProgram& operator=(ShaderProgram&& other) noexcept;

  void use() const;

  // Values of the program in use; names that the compiler dropped are ignored.
  void set(const char* name, int value) const;
  void set(const char* name, float value) const;
  void set(const char* name, const glm::vec2& value) const;
  void set(const char* name, const glm::vec3& value) const;
  void set(const char* name, const glm::vec4& value) const;
  void set(const char* name, const glm::mat4& value) const;

 private:
  GLuint id_ = 0;
};

}  // namespace clothlab
