# clothlab_library(<folder> SOURCES <file>... [LINKS <target>...] [PRIVATE_LINKS <target>...])
#
# Makes clothlab_<folder>, the static library of src/<folder>. Includes are written from src/, as in
# "core/vec.h". LINKS are what its headers need, PRIVATE_LINKS what only its sources need.
function(clothlab_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "clothlab_library(${folder}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  set(target clothlab_${folder})
  add_library(${target} STATIC ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PUBLIC clothlab_options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()
