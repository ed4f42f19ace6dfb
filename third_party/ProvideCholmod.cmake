# SPDX-License-Identifier: MIT
# clothlab::cholmod: a direct solver that bench/ compares with, through Eigen. Debian's package has neither a CMake
# nor a pkg-config file.
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)
if(CHOLMOD_INCLUDE_DIR AND CHOLMOD_LIBRARY)
  clothlab_provide_headers(cholmod "${CHOLMOD_INCLUDE_DIR}")
  target_link_libraries(clothlab_cholmod_package INTERFACE "${CHOLMOD_LIBRARY}")
  target_compile_definitions(clothlab_cholmod_package INTERFACE CLOTHLAB_CHOLMOD)
else()
  clothlab_require("CHOLMOD 3 or newer, for CLOTHLAB_BENCH_CHOLMOD" DEBIAN "libsuitesparse-dev (and libopenblas-dev)"
    HOMEBREW suite-sparse VCPKG suitesparse-cholmod)
endif()
