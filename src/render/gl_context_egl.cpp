// SPDX-License-Identifier: MIT
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <string>

#include "core/error.h"
#include "render/gl.h"

namespace clothlab {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw SystemError("Cannot draw without a display: " + what +
                    " (Debian package libgl1-mesa-dri draws on any machine).");
}

// The display is not terminated: EGL shares it within the process.
EGLDisplay initialised(EGLDisplay display) {
  return display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) ? display : EGL_NO_DISPLAY;
}

EGLDisplay find_display() {
  const auto platform_display =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  const auto query_devices =
      reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  if (platform_display) {
    const EGLDisplay surfaceless =
        initialised(platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
    if (surfaceless != EGL_NO_DISPLAY) return surfaceless;
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (query_devices && query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count)) {
      for (EGLint i = 0; i < count; ++i) {
        const EGLDisplay device = initialised(
            platform_display(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr));
        if (device != EGL_NO_DISPLAY) return device;
      }
    }
  }
  return initialised(eglGetDisplay(EGL_DEFAULT_DISPLAY));
}

}  // namespace

struct GlContext::Impl {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;

  ~Impl() {
    if (context == EGL_NO_CONTEXT) return;
    if (eglGetCurrentContext() == context)
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
  }
};

GlContext::GlContext() : impl_(std::make_unique<Impl>()) {
  impl_->display = find_display();
  if (impl_->display == EGL_NO_DISPLAY) fail("EGL finds no graphics driver");
  if (!eglBindAPI(EGL_OPENGL_API)) fail("EGL does not offer desktop OpenGL");
  const std::array<EGLint, 5> wanted_config = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                               EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config{};
  EGLint count = 0;
  if (!eglChooseConfig(impl_->display, wanted_config.data(), &config, 1, &count) || count < 1)
    fail("the graphics driver has no off-screen configuration");
  const std::array<EGLint, 7> wanted_context = {EGL_CONTEXT_MAJOR_VERSION,
                                                3,
                                                EGL_CONTEXT_MINOR_VERSION,
                                                3,
                                                EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                                EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                                EGL_NONE};
  impl_->context = eglCreateContext(impl_->display, config, EGL_NO_CONTEXT, wanted_context.data());
  if (impl_->context == EGL_NO_CONTEXT) fail("the graphics driver has no OpenGL 3.3 context");
  make_current();
  load_gl(eglGetProcAddress);
}

GlContext::~GlContext() = default;

void GlContext::make_current() {
  if (!eglMakeCurrent(impl_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, impl_->context))
    fail("the graphics driver needs a window");
}

}  // namespace clothlab
