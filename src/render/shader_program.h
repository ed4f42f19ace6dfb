// SPDX-License-Identifier: MIT
#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
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
  ShaderProgram(const ShaderProgram&) = delete;
  ShaderProgram& operator=(const ShaderProgram&) = delete;

  void use() const { glUseProgram(id_); }

  // Values of the program in use; names that the compiler dropped are ignored.
  void set(const char* name, int value) const { glUniform1i(at(name), value); }
  void set(const char* name, float value) const { glUniform1f(at(name), value); }
  void set(const char* name, const glm::vec2& value) const { glUniform2fv(at(name), 1, &value.x); }
  void set(const char* name, const glm::vec3& value) const { glUniform3fv(at(name), 1, &value.x); }
  void set(const char* name, const glm::mat4& value) const {
    glUniformMatrix4fv(at(name), 1, GL_FALSE, &value[0].x);
  }

 private:
  GLint at(const char* name) const { return glGetUniformLocation(id_, name); }

  GLuint id_;
};

}  // namespace clothlab
