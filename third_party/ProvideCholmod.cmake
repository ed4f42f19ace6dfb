# clothlab::cholmod, where it is installed: a direct solver that `clothlab bench` and the tests measure our own
# ones against, through Eigen. Debian's package has neither a CMake nor a pkg-config file. Sanitizers do without
# it: its BLAS runs threads of its own, which they cannot see into.
option(CLOTHLAB_CHOLMOD "Let `clothlab bench` measure CHOLMOD too, where it is installed" ON)
if(CLOTHLAB_CHOLMOD AND NOT CLOTHLAB_SANITIZE)
  find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
  find_library(CHOLMOD_LIBRARY cholmod)
  mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)
  if(CHOLMOD_INCLUDE_DIR AND CHOLMOD_LIBRARY)
    clothlab_provide_headers(cholmod "${CHOLMOD_INCLUDE_DIR}")
    target_link_libraries(clothlab_cholmod_package INTERFACE "${CHOLMOD_LIBRARY}")
    target_compile_definitions(clothlab_cholmod_package INTERFACE CLOTHLAB_CHOLMOD)
  endif()
endif()
