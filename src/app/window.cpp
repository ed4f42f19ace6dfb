// SPDX-License-Identifier: MIT
#include "app/window.h"

#include "render/gl.h"
//
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/error.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

constexpr int kWidth = 1280;
constexpr int kHeight = 720;
constexpr int kWindowSamples = 4;

std::string glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text != nullptr ? text : "unknown reason";
}

std::string text_of(const GLubyte* text) {
  return text != nullptr ? reinterpret_cast<const char*>(text) : "of unknown version";
}

bool is_down(GLFWwindow* window, int left, int right) {
  return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
}

bool shift_is_down(GLFWwindow* window) { return is_down(window, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT); }

bool ctrl_is_down(GLFWwindow* window) {
  return is_down(window, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL) ||
         is_down(window, GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER);
}

// The key as the keyboard is labelled: letters and punctuation by their name, digits by their position, since
// on some layouts they need Shift.
KeyPress translate(int key, int scancode, int action, int mods) {
  KeyPress press;
  press.ctrl = (mods & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0;
  press.shift = (mods & GLFW_MOD_SHIFT) != 0;
  press.repeat = action == GLFW_REPEAT;
  static constexpr std::pair<int, Key> kNamed[] = {
      {GLFW_KEY_SPACE, Key::space},    {GLFW_KEY_ENTER, Key::enter},
      {GLFW_KEY_KP_ENTER, Key::enter}, {GLFW_KEY_ESCAPE, Key::escape},
      {GLFW_KEY_UP, Key::up},          {GLFW_KEY_BACKSPACE, Key::backspace},
      {GLFW_KEY_DOWN, Key::down},      {GLFW_KEY_PAGE_UP, Key::page_up},
      {GLFW_KEY_LEFT, Key::left},      {GLFW_KEY_PAGE_DOWN, Key::page_down},
      {GLFW_KEY_RIGHT, Key::right},    {GLFW_KEY_HOME, Key::home},
      {GLFW_KEY_END, Key::end},        {GLFW_KEY_F1, Key::f1},
      {GLFW_KEY_F5, Key::f5},          {GLFW_KEY_F12, Key::f12},
      {GLFW_KEY_TAB, Key::tab},        {GLFW_KEY_DELETE, Key::del},
  };
  for (const auto& [code, named] : kNamed) {
    if (code != key) continue;
    press.key = named;
    return press;
  }
  if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) {
    press.character = static_cast<char>('0' + key - GLFW_KEY_0);
  } else if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_9) {
    press.character = static_cast<char>('0' + key - GLFW_KEY_KP_0);
  } else if (const char* name = glfwGetKeyName(key, scancode);
             name != nullptr && name[0] != 0 && name[1] == 0) {
    press.character = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  return press;
}

}  // namespace

std::string no_window_message(const std::string& found, int version, const std::string& reason) {
  constexpr int kNeeded = 33;
  const std::string what = version == 0 ? ", but the graphics driver offers no OpenGL"
                           : version < kNeeded
                               ? ", but the graphics driver offers only OpenGL " + found
                               : ". OpenGL " + found + " was found, but no window can be opened";
  return "The window needs OpenGL 3.3" + what + " (" + reason +
         "): update the driver, install one that draws on the processor (Debian: libgl1-mesa-dri), or use "
         "'clothlab render', which needs no display.";
}

struct Window::Impl {
  GLFWwindow* window = nullptr;
  WindowEvents events;
  unsigned long long event_count = 0;
  Theme theme = Theme::dark;
  double scale = 0;  // of the fonts that are loaded
  double loaded_density = 0;
  bool imgui = false;

  // The callbacks, which also count events.
  static Impl& of(GLFWwindow* window) {
    Impl& self = *static_cast<Impl*>(glfwGetWindowUserPointer(window));
    ++self.event_count;
    return self;
  }

  ~Impl() {
    if (imgui) {
      ImGui_ImplOpenGL3_Shutdown();
      ImGui_ImplGlfw_Shutdown();
      ImGui::DestroyContext();
    }
    if (window != nullptr) glfwDestroyWindow(window);
    glfwTerminate();
  }

  // A window with any OpenGL tells which one there is.
  std::string why_no_window(const std::string& reason) {
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    window = glfwCreateWindow(1, 1, "", nullptr, nullptr);
    if (window == nullptr) return no_window_message({}, 0, reason);
    glfwMakeContextCurrent(window);
    const auto get_string = reinterpret_cast<PFNGLGETSTRINGPROC>(glfwGetProcAddress("glGetString"));
    return no_window_message(text_of(get_string != nullptr ? get_string(GL_VERSION) : nullptr),
                             10 * glfwGetWindowAttrib(window, GLFW_CONTEXT_VERSION_MAJOR) +
                                 glfwGetWindowAttrib(window, GLFW_CONTEXT_VERSION_MINOR),
                             reason);
  }

  void create(const std::string& title, int samples) {
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHint(GLFW_SAMPLES, samples);
    // As StartupWMClass of packaging/clothlab.desktop, so that the desktop shows the icon for this window.
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "clothlab");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "clothlab");
#ifdef GLFW_WAYLAND_APP_ID
    glfwWindowHintString(GLFW_WAYLAND_APP_ID, "clothlab");
#endif
    window = glfwCreateWindow(kWidth, kHeight, title.c_str(), nullptr, nullptr);
    if (window == nullptr) throw SystemError(why_no_window(glfw_error()));
    glfwMakeContextCurrent(window);
    load_gl(glfwGetProcAddress);
  }

  void fit_to_monitor() {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    if (monitor == nullptr) return;
    int x = 0, y = 0, w = 0, h = 0, width = 0, height = 0;
    glfwGetMonitorWorkarea(monitor, &x, &y, &w, &h);
    glfwGetWindowSize(window, &width, &height);
    if (w > 0 && h > 0 && (width > w || height > h))
      glfwSetWindowSize(window, std::min(width, w), std::min(height, h));
  }

  void set_geometry(const WindowGeometry& wanted) {
    constexpr int kSmallest = 200;
    constexpr int kEnough = 100;  // pixels, enough to drag the window
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; ++i) {
      int x = 0, y = 0, w = 0, h = 0;
      glfwGetMonitorWorkarea(monitors[i], &x, &y, &w, &h);
      const bool seen = wanted.x > x - wanted.width + kEnough && wanted.x < x + w - kEnough &&
                        wanted.y >= y && wanted.y < y + h - kEnough;
      if (!seen || wanted.width < kSmallest || wanted.height < kSmallest) continue;
      glfwSetWindowPos(window, wanted.x, wanted.y);
      glfwSetWindowSize(window, std::min(wanted.width, w), std::min(wanted.height, h));
      return;
    }
  }

  // Before ImGui's own callbacks, which call these first.
  void set_callbacks() {
    glfwSetWindowUserPointer(window, this);
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
      Impl& self = of(w);
      if (action != GLFW_RELEASE && self.events.key) self.events.key(translate(key, scancode, action, mods));
    });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned int) { of(w); });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
      Impl& self = of(w);
      if (button > GLFW_MOUSE_BUTTON_MIDDLE || !self.events.button) return;
      const MouseButton which = button == GLFW_MOUSE_BUTTON_LEFT    ? MouseButton::left
                                : button == GLFW_MOUSE_BUTTON_RIGHT ? MouseButton::right
                                                                    : MouseButton::middle;
      double x = 0, y = 0;
      glfwGetCursorPos(w, &x, &y);
      const bool ctrl = (mods & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0;
      const bool alt = (mods & GLFW_MOD_ALT) != 0;
      const bool shift = (mods & GLFW_MOD_SHIFT) != 0;
      self.events.button({which, action == GLFW_PRESS, ctrl, shift, alt, x, y});
    });
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
      Impl& self = of(w);
      if (self.events.cursor) self.events.cursor(x, y);
    });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
      Impl& self = of(w);
      if (self.events.scroll) self.events.scroll({x, y, ctrl_is_down(w), shift_is_down(w)});
    });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
      Impl& self = of(w);
      if (count < 1 || !self.events.drop) return;
      self.events.drop(path_of(paths[0]), shift_is_down(w), ctrl_is_down(w));
    });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
      Impl& self = of(w);
      if (focused == GLFW_FALSE && self.events.focus_lost) self.events.focus_lost();
    });
    glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int) { of(w); });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { of(w); });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { of(w); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { of(w); });
    glfwSetWindowCloseCallback(window, [](GLFWwindow* w) { of(w); });
  }
};

Window::Window(const std::string& title, const std::optional<WindowGeometry>& geometry)
    : impl_(std::make_unique<Impl>()) {
  if (glfwInit() == GLFW_FALSE)
    throw SystemError("There is no display to open a window on (" + glfw_error() +
                      "); 'clothlab render' makes pictures without one.");
  impl_->create(title, kWindowSamples);
  if (is_software_renderer()) {
    glfwDestroyWindow(impl_->window);
    impl_->window = nullptr;
    impl_->create(title, 0);
  }
  impl_->fit_to_monitor();
  if (geometry) impl_->set_geometry(*geometry);
  glfwSwapInterval(1);
  impl_->set_callbacks();

  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // the layout is fixed
  ImGui_ImplGlfw_InitForOpenGL(impl_->window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  impl_->imgui = true;
}

Window::~Window() = default;

void Window::listen(WindowEvents events) { impl_->events = std::move(events); }
void Window::show() { glfwShowWindow(impl_->window); }
void Window::set_title(const std::string& title) { glfwSetWindowTitle(impl_->window, title.c_str()); }
bool Window::should_close() const { return glfwWindowShouldClose(impl_->window) != GLFW_FALSE; }
void Window::close() { glfwSetWindowShouldClose(impl_->window, GLFW_TRUE); }
void Window::stay_open() { glfwSetWindowShouldClose(impl_->window, GLFW_FALSE); }
void Window::set_clipboard(const std::string& text) { glfwSetClipboardString(impl_->window, text.c_str()); }
bool Window::minimised() const { return glfwGetWindowAttrib(impl_->window, GLFW_ICONIFIED) != GLFW_FALSE; }
std::optional<WindowGeometry> Window::geometry() const {
  if (minimised() || glfwGetWindowAttrib(impl_->window, GLFW_MAXIMIZED) != GLFW_FALSE) return std::nullopt;
  WindowGeometry geometry;
  glfwGetError(nullptr);
  glfwGetWindowPos(impl_->window, &geometry.x, &geometry.y);
  if (glfwGetError(nullptr) != GLFW_NO_ERROR) return std::nullopt;  // not available on Wayland
  glfwGetWindowSize(impl_->window, &geometry.width, &geometry.height);
  return geometry;
}

void Window::poll() { glfwPollEvents(); }
void Window::wait(double seconds) { glfwWaitEventsTimeout(std::max(seconds, 1e-4)); }
unsigned long long Window::events() const { return impl_->event_count; }
double Window::now() const { return glfwGetTime(); }

double Window::refresh_period() const {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  const int rate = mode != nullptr && mode->refreshRate > 0 ? mode->refreshRate : 60;
  return 1.0 / std::clamp(rate, 30, 240);
}

std::array<int, 2> Window::size() const {
  int w = 0, h = 0;
  glfwGetWindowSize(impl_->window, &w, &h);
  return {std::max(w, 1), std::max(h, 1)};
}

double Window::density() const {
  int w = 0, h = 0;
  glfwGetFramebufferSize(impl_->window, &w, &h);
  return std::max(static_cast<double>(w) / width(), 1e-3);
}

double Window::interface_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(impl_->window, &x, &y);
  const double scale = static_cast<double>(std::max(x, y)) / density();
  return std::isfinite(scale) ? std::clamp(scale, 0.5, 6.0) : 1;
}

void Window::begin_frame(Theme theme, double scale) {
  const double pixels = std::max(density(), 1.0);
  if (theme != impl_->theme || scale != impl_->scale || pixels != impl_->loaded_density) {
    impl_->theme = theme;
    impl_->scale = scale;
    impl_->loaded_density = pixels;
#if IMGUI_VERSION_NUM < 19200
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    apply_theme(theme, static_cast<float>(scale), static_cast<float>(pixels));
    ImGui_ImplOpenGL3_CreateFontsTexture();
#else
    apply_theme(theme, static_cast<float>(scale), static_cast<float>(pixels));
#endif
  }
  const ImVec4 background = ImGui::ColorConvertU32ToFloat4(palette().panel);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(background.x, background.y, background.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
}

void Window::end_frame() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(impl_->window);
}

}  // namespace clothlab
