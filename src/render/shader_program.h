#pragma once

#include <glm/fwd.hpp>
#include <string_view>

#include "render/gl.h"

namespace clothlab {

/// A vertex and a fragment shader of shaders/, linked. The text is the one compiled into the program;
/// where the environment variable CLOTHLAB_SHADER_DIR names a folder, it is read from there.
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
