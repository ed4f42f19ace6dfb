// SPDX-License-Identifier: MIT
#include "render/shader_program.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "render/shader_sources.h"

namespace clothlab {
namespace {

std::string read_shader(std::string_view name) {
  if (const char* folder = shader_folder()) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw SystemError("The shader " + path.string() + " cannot be read.");
    return text;
  }
  const std::string_view text = embedded_shader(name);
  if (text.empty()) throw SystemError("There is no shader named " + std::string(name) + ".");
  return std::string(text);
}

template <class GetLog>
std::string trimmed_log(GetLog get_log, GLuint id) {
  std::array<char, 2000> text{};
  GLsizei length = 0;
  get_log(id, static_cast<GLsizei>(text.size()), &length, text.data());
  std::string log(text.data(), static_cast<std::size_t>(length));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

/// A shader object that lasts until the program is linked.
class Shader {
 public:
  Shader(GLenum kind, std::string_view name) : id_(glCreateShader(kind)) {
    const std::string common = read_shader("common.glsl");
    const std::string text = read_shader(name);
    // Resets line numbers, so that messages refer to the file.
    const std::array<const char*, 4> parts = {"#version 330 core\n", common.c_str(), "\n#line 1\n",
                                              text.c_str()};
    glShaderSource(id_, static_cast<GLsizei>(parts.size()), parts.data(), nullptr);
    glCompileShader(id_);
    GLint compiled = GL_FALSE;
    glGetShaderiv(id_, GL_COMPILE_STATUS, &compiled);
    if (compiled) return;
    const std::string log = trimmed_log(glGetShaderInfoLog, id_);
    glDeleteShader(id_);
    throw SystemError("The shader " + std::string(name) + " does not compile: " + log);
  }
  ~Shader() { glDeleteShader(id_); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;

  GLuint id() const { return id_; }

 private:
  GLuint id_;
};

}  // namespace

const char* shader_folder() {
  const char* folder = std::getenv("CLOTHLAB_SHADER_DIR");
  return folder != nullptr && *folder != 0 ? folder : nullptr;
}

ShaderProgram::ShaderProgram(std::string_view vertex_name, std::string_view fragment_name) {
  const Shader vertex(GL_VERTEX_SHADER, vertex_name);
  const Shader fragment(GL_FRAGMENT_SHADER, fragment_name);
  id_ = glCreateProgram();
  for (const Shader* shader : {&vertex, &fragment}) glAttachShader(id_, shader->id());
  glLinkProgram(id_);
  for (const Shader* shader : {&vertex, &fragment}) glDetachShader(id_, shader->id());
  GLint linked = GL_FALSE;
  glGetProgramiv(id_, GL_LINK_STATUS, &linked);
  if (linked) return;
  const std::string log = trimmed_log(glGetProgramInfoLog, id_);
  glDeleteProgram(id_);
  throw SystemError("The shaders " + std::string(vertex_name) + " and " + std::string(fragment_name) +
                    " do not fit together: " + log);
}

ShaderProgram::~ShaderProgram() { glDeleteProgram(id_); }

}  // namespace clothlab
