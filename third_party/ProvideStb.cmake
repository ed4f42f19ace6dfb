# SPDX-License-Identifier: MIT
# clothlab::stb: stb_image_write.h. The one source that defines STB_IMAGE_WRITE_IMPLEMENTATION holds the code.
find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb)
mark_as_advanced(STB_INCLUDE_DIR)
if(STB_INCLUDE_DIR)
  clothlab_provide_headers(stb "${STB_INCLUDE_DIR}")
else()
  clothlab_require("stb_image_write 1.16" DEBIAN libstb-dev HOMEBREW "none" VCPKG stb)
endif()
