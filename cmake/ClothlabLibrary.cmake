# SPDX-License-Identifier: MIT
# clothlab_headers(<target> <header>... [LINKS <target>...])
#
# Compiles headers once for all targets that say target_precompile_headers(... REUSE_FROM <target>).
function(clothlab_headers target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LINKS")
  set(empty "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  file(CONFIGURE OUTPUT "${empty}" CONTENT "")
  add_library(${target} OBJECT "${empty}")
  target_link_libraries(${target} PUBLIC clothlab_options ${ARG_LINKS})
  target_precompile_headers(${target} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
endfunction()

# clothlab_for_module(<target>): lets the Python module link it. Hidden symbols keep the code as fast as it was.
function(clothlab_for_module target)
  if(CLOTHLAB_PYTHON)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                               VISIBILITY_INLINES_HIDDEN ON)
  endif()
endfunction()

# clothlab_library(<folder> SOURCES <file>... [LINKS <target>...] [PRIVATE_LINKS <target>...])
#
# Makes clothlab_<folder>, the static library of src/<folder>. SOURCES are its .cpp files; includes are written from
# src/, as in "core/vec.h". LINKS are what its headers need, PRIVATE_LINKS what only its sources need. Where
# CMAKE_UNITY_BUILD asks for it, common headers are compiled once and several sources together. The debug preset does
# not, so that a file that forgets an include is found out there.
function(clothlab_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "clothlab_library(${folder}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  set(target clothlab_${folder})
  add_library(${target} STATIC ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  clothlab_for_module(${target})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PUBLIC clothlab_options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  if(CMAKE_UNITY_BUILD)
    if(NOT TARGET clothlab_common_headers)
      clothlab_headers(clothlab_common_headers <algorithm> <array> <cmath> <functional> <memory> <optional> <span>
        <string> <string_view> <vector> <glm/glm.hpp> LINKS clothlab::glm)
      clothlab_for_module(clothlab_common_headers)
    endif()
    target_precompile_headers(${target} REUSE_FROM clothlab_common_headers)
    # Of sources that are compiled together GCC believes that they are headers.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
