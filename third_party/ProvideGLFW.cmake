# SPDX-License-Identifier: MIT
# clothlab::glfw: the window and its events. GLFW shall not include a GL header of its own: glad does.
find_package(glfw3 3.3 CONFIG QUIET)
if(TARGET glfw)
  clothlab_provide(glfw glfw)
  target_compile_definitions(clothlab_glfw_package INTERFACE GLFW_INCLUDE_NONE)
else()
  clothlab_require("GLFW 3.3 or newer" DEBIAN libglfw3-dev HOMEBREW glfw VCPKG glfw3)
endif()
