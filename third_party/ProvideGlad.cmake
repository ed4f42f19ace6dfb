# SPDX-License-Identifier: MIT
# clothlab::glad: the OpenGL 3.3 core loader, an installed one (<glad/glad.h>, glad 0.1) or one that the
# packaged glad 2 generator writes at build time (<glad/gl.h>), from the specifications it carries: no network.
find_package(glad CONFIG QUIET)
find_program(GLAD_EXECUTABLE NAMES glad)
mark_as_advanced(GLAD_EXECUTABLE)
if(TARGET glad::glad)
  clothlab_provide(glad glad::glad)
elseif(GLAD_EXECUTABLE)
  set(glad_dir "${PROJECT_BINARY_DIR}/generated/glad")
  add_custom_command(
    OUTPUT "${glad_dir}/src/gl.c" "${glad_dir}/include/glad/gl.h" "${glad_dir}/include/KHR/khrplatform.h"
    COMMAND "${GLAD_EXECUTABLE}" --quiet --reproducible --api gl:core=3.3 --extensions GL_KHR_debug
            --out-path "${glad_dir}" c
    COMMENT "Generating the OpenGL 3.3 core loader"
    VERBATIM)
  add_library(clothlab_glad_generated STATIC "${glad_dir}/src/gl.c" "${glad_dir}/include/glad/gl.h")
  target_include_directories(clothlab_glad_generated SYSTEM PUBLIC "${glad_dir}/include")
  target_link_libraries(clothlab_glad_generated PUBLIC ${CMAKE_DL_LIBS})
  clothlab_provide(glad clothlab_glad_generated)
else()
  clothlab_require("glad 2 (the generator) or 0.1 (installed)" DEBIAN python3-glad HOMEBREW "none (pipx install glad2)" VCPKG "glad[loader,gl-api-33]")
endif()
