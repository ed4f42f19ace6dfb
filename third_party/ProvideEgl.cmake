# SPDX-License-Identifier: MIT
# clothlab::egl, where the system has EGL: pictures without a display. Without it there is no such target, and
# the program draws its pictures in a hidden window. CMake's FindOpenGL would also ask for libOpenGL, which
# nothing here links: glad loads the functions.
find_path(EGL_INCLUDE_DIR EGL/egl.h)
find_library(EGL_LIBRARY EGL)
mark_as_advanced(EGL_INCLUDE_DIR EGL_LIBRARY)
if(EGL_INCLUDE_DIR AND EGL_LIBRARY)
  clothlab_provide_headers(egl "${EGL_INCLUDE_DIR}")
  target_link_libraries(clothlab_egl_package INTERFACE "${EGL_LIBRARY}")
endif()
