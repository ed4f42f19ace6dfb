# SPDX-License-Identifier: MIT
# clothlab::imgui: Dear ImGui with its GLFW and OpenGL 3 backends. Backend headers are included without a
# folder (<imgui_impl_glfw.h>): distributions differ in where they lie.
find_package(imgui CONFIG QUIET)
if(TARGET imgui::imgui)
  clothlab_provide(imgui imgui::imgui)
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(IMGUI QUIET IMPORTED_TARGET imgui>=1.86)
  endif()
  if(TARGET PkgConfig::IMGUI)
    find_path(IMGUI_BACKENDS_DIR imgui_impl_glfw.h HINTS ${IMGUI_INCLUDE_DIRS} PATH_SUFFIXES backends)
    mark_as_advanced(IMGUI_BACKENDS_DIR)
  endif()
  if(IMGUI_BACKENDS_DIR)
    clothlab_provide(imgui PkgConfig::IMGUI)
    target_include_directories(clothlab_imgui_package SYSTEM INTERFACE "${IMGUI_BACKENDS_DIR}")
  else()
    clothlab_require("Dear ImGui 1.86 or newer with its GLFW and OpenGL 3 backends" DEBIAN "libimgui-dev and pkg-config"
                     HOMEBREW imgui VCPKG "imgui[glfw-binding,opengl3-binding]")
  endif()
endif()
if(TARGET clothlab_imgui_package)
  # After the static library of Dear ImGui, whose backends call both.
  target_link_libraries(clothlab_imgui_package INTERFACE clothlab::glfw ${CMAKE_DL_LIBS})
endif()
