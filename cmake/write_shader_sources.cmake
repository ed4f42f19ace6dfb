# SPDX-License-Identifier: MIT
# Run by clothlab_embed_shaders(): writes HEADER and SOURCE from the files in SHADERS.

file(WRITE "${HEADER}" [[
// Generated from shaders/ by cmake/write_shader_sources.cmake.
#pragma once

#include <string_view>

namespace clothlab {

/// The text of shaders/<name> as it was when the program was built; empty when there is no such file.
std::string_view embedded_shader(std::string_view name);

}  // namespace clothlab
]])

set(entries "")
foreach(shader IN LISTS SHADERS)
  get_filename_component(name "${shader}" NAME)
  file(READ "${shader}" text)
  string(APPEND entries "  if (name == \"${name}\") return R\"GLSL(${text})GLSL\";\n")
endforeach()

file(WRITE "${SOURCE}" "// Generated from shaders/ by cmake/write_shader_sources.cmake.
#include \"render/shader_sources.h\"

namespace clothlab {

std::string_view embedded_shader(std::string_view name) {
${entries}  return {};
}

}  // namespace clothlab
")
