# SPDX-License-Identifier: MIT
# What core/about.h tells of the program and its libraries.

# clothlab_list_libraries(): at the end of third_party/, where the versions are known that were found. Names and licences
# are in the table of third_party/README.md.
function(clothlab_list_libraries)
  set(glm_found "${glm_VERSION}")
  set(eigen_found "${Eigen3_VERSION}")
  set(tinyobjloader_found "${tinyobjloader_VERSION}")
  set(json_found "${nlohmann_json_VERSION}")
  set(cli_found "${CLI11_VERSION}")
  set(glfw_found "${glfw3_VERSION}")
  set(zip_found "${LIBZIP_VERSION}${libzip_VERSION}")
  set(imgui_found "${imgui_VERSION}${IMGUI_VERSION}")
  set(rows "")
  file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/README.md" lines REGEX "^\\| `clothlab::[a-z]+`" ENCODING UTF-8)
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^\\| `clothlab::([a-z]+)`[^|]*\\| ([^|]+) \\|[^|]*\\| ([^|]+) \\|")
      message(FATAL_ERROR "third_party/README.md: this row has no name and licence: ${line}")
    endif()
    set(library "${CMAKE_MATCH_1}")
    set(row "    UsedLibrary{\"${CMAKE_MATCH_2}\", \"${${library}_found}\", \"${CMAKE_MATCH_3}\"},\n")
    if(TARGET clothlab::${library} AND NOT library STREQUAL "cholmod" AND NOT library STREQUAL "gmp")
      string(APPEND rows "${row}")
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY clothlab_libraries "${rows}")
endfunction()

# clothlab_about(<target>): compiles the answers into <target>; the commit is that of the build.
function(clothlab_about target)
  get_property(rows GLOBAL PROPERTY clothlab_libraries)
  set(folder "${PROJECT_BINARY_DIR}/generated/core")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/about.cpp.in" "${folder}/about.cpp" @ONLY)
  find_package(Git QUIET)
  add_custom_target(clothlab_commit
    BYPRODUCTS "${folder}/commit.h"
    COMMAND "${CMAKE_COMMAND}" "-DGIT=${GIT_EXECUTABLE}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DHEADER=${folder}/commit.h"
            -P "${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake"
    VERBATIM)
  add_dependencies(${target} clothlab_commit)
  target_sources(${target} PRIVATE "${folder}/about.cpp")
  set_source_files_properties("${folder}/about.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
