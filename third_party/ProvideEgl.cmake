# clothlab::egl, where the system has EGL: pictures without a display. Without it there is no such target, and
# the program draws its pictures in a hidden window.
find_package(OpenGL QUIET OPTIONAL_COMPONENTS EGL)
if(TARGET OpenGL::EGL)
  clothlab_provide(egl OpenGL::EGL)
endif()
