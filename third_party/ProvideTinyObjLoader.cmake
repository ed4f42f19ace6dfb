# SPDX-License-Identifier: MIT
# clothlab::tinyobjloader: the OBJ parser, in double precision where the package offers that.
# No version is asked for: the package calls itself 2rc10, which CMake cannot compare.
find_package(tinyobjloader CONFIG QUIET)
if(TARGET tinyobjloader::tinyobjloader_double)
  clothlab_provide(tinyobjloader tinyobjloader::tinyobjloader_double)
elseif(TARGET tinyobjloader::tinyobjloader)
  clothlab_provide(tinyobjloader tinyobjloader::tinyobjloader)
else()
  clothlab_require("tinyobjloader 2" DEBIAN libtinyobjloader-dev HOMEBREW none VCPKG "tinyobjloader[double]")
endif()
