# SPDX-License-Identifier: MIT
# clothlab::gmp: exact arithmetic of the tests. Its packages have a pkg-config file at most.
find_library(GMP_LIBRARY gmp)
find_library(GMPXX_LIBRARY gmpxx)
mark_as_advanced(GMPXX_INCLUDE_DIR GMP_LIBRARY GMPXX_LIBRARY)
if(GMPXX_INCLUDE_DIR AND GMP_LIBRARY AND GMPXX_LIBRARY)
  clothlab_provide_headers(gmp "${GMPXX_INCLUDE_DIR}")
  target_link_libraries(clothlab_gmp_package INTERFACE "${GMPXX_LIBRARY}" "${GMP_LIBRARY}")
else()
  clothlab_require("GMP 6 or newer with its C++ interface, for the tests (-DCLOTHLAB_TESTS=OFF builds without them)"
    DEBIAN libgmp-dev HOMEBREW gmp VCPKG "gmp[cxx]")
endif()
