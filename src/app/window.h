// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ui/keys.h"
#include "ui/theme.h"

namespace clothlab {

enum class MouseButton { left, right, middle };

/// The message if no window opens. `found`: text and version (4.6 is 46) of the OpenGL that there is, 0 of
/// none; `reason`: of GLFW.
std::string no_window_message(const std::string& found, int version, const std::string& reason);

/// Position and size of a window on the desktop, in its coordinates.
struct WindowGeometry {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

struct MouseClick {
  MouseButton button = MouseButton::left;
  bool pressed = false;  ///< or released
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
  double x = 0;
  double y = 0;
};

/// In notches of a wheel, up and to the left positive; a trackpad sends fractions, also of both.
struct MouseScroll {
  double x = 0;
  double y = 0;
  bool ctrl = false;
  bool shift = false;
};

/// Events of a window; positions in window coordinates, y down.
struct WindowEvents {
  std::function<void(const KeyPress&)> key;
  std::function<void(const MouseClick&)> button;
  std::function<void(double x, double y)> cursor;
  std::function<void(const MouseScroll&)> scroll;
  /// A dropped file, with or without Shift and Ctrl.
  std::function<void(const std::filesystem::path&, bool shift, bool ctrl)> drop;
  std::function<void()> focus_lost;
};

/// A window with an OpenGL 3.3 core context and Dear ImGui in it: the only class that uses GLFW.
class Window {
 public:
  /// Starts hidden; show() after the first frame. Multisampling is left off on a software renderer.
  /// Throws SystemError, one sentence that names `clothlab render`, without a display. `geometry` is its last
  /// one, ignored if no display shows it.
  explicit Window(const std::string& title, const std::optional<WindowGeometry>& geometry = {});
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void listen(WindowEvents events);
  void show();
  void set_title(const std::string& title);

  bool should_close() const;
  void close();
  /// Cancels a request to close.
  void stay_open();
  void set_clipboard(const std::string& text);
  bool minimised() const;
  /// Empty while the window is minimised or maximised, or if the system does not report it.
  std::optional<WindowGeometry> geometry() const;

  /// Waits for events for at most this time, and handles them.
  void poll();
  void wait(double seconds);
  /// Number of events so far.
  unsigned long long events() const;
  /// Seconds since the window was created.
  double now() const;
  /// Seconds per picture of the display.
  double refresh_period() const;

  /// In window coordinates, at least 1.
  std::array<int, 2> size() const;
  int width() const { return size()[0]; }
  int height() const { return size()[1]; }
  /// Pixels of the framebuffer per window coordinate.
  double density() const;
  /// Size of one interface unit in window coordinates, by the scale of the display.
  double interface_scale() const;

  /// Between begin_frame() and end_frame() ImGui may be used; end_frame() draws it and shows the picture.
  /// `scale` is the interface unit in window coordinates: fonts and style follow it and the theme.
  /// begin_frame() clears the framebuffer to the panels' background.
  void begin_frame(Theme theme, double scale);
  void end_frame();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
