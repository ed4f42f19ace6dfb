# SPDX-License-Identifier: MIT
# clothlab_embed_shaders(<target> <directory>)
#
# Compiles every *.vert, *.frag and *.glsl file of <directory> into <target>, which can then
# #include "render/shader_sources.h":
#
#     std::string_view clothlab::embedded_shader(std::string_view name);   // "cloth.vert"; empty when unknown
#
# The source is generated anew when a shader changes, comes or goes.
function(clothlab_embed_shaders target directory)
  file(GLOB shaders CONFIGURE_DEPENDS "${directory}/*.vert" "${directory}/*.frag" "${directory}/*.glsl")
  set(generated "${PROJECT_BINARY_DIR}/generated")
  set(header "${generated}/render/shader_sources.h")
  set(source "${generated}/render/shader_sources.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/write_shader_sources.cmake")
  add_custom_command(
    OUTPUT "${header}" "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DSHADERS=${shaders}" "-DHEADER=${header}" "-DSOURCE=${source}" -P "${script}"
    DEPENDS ${shaders} "${script}"
    COMMENT "Embedding the shaders"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}" "${source}")
  target_include_directories(${target} PUBLIC "${generated}")
endfunction()
