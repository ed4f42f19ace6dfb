# SPDX-License-Identifier: MIT
# clothlab::glm: vectors and matrices, header-only.
find_package(glm QUIET)
if(TARGET glm::glm)
  clothlab_provide(glm glm::glm)
else()
  clothlab_require("GLM 0.9.9.8 or newer" DEBIAN libglm-dev HOMEBREW glm VCPKG glm)
endif()
