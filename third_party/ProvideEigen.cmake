# SPDX-License-Identifier: MIT
# clothlab::eigen: a dense factor, and what the tests and bench/ hold our own solvers against.
find_package(Eigen3 CONFIG QUIET)
if(TARGET Eigen3::Eigen AND Eigen3_VERSION VERSION_GREATER_EQUAL 3.4)
  clothlab_provide(eigen Eigen3::Eigen)
else()
  clothlab_require("Eigen 3.4 or newer" DEBIAN libeigen3-dev HOMEBREW eigen VCPKG eigen3)
endif()
