// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>

#include "app/interaction.h"
#include "app/window.h"
#include "render/arrow_scale.h"
#include "render/camera.h"
#include "render/look.h"
#include "render/renderer.h"
#include "sim/frame.h"
#include "ui/grab_marks.h"
#include "ui/user_interface.h"

namespace clothlab {

/// The part of the window that shows the cloth: where it is, through which camera it is seen, and how it is
/// drawn.
class ClothView {
 public:
  ClothView(const Window& window, const UserInterface& ui, const Interaction& interaction,
            const ViewSettings& settings)
      : window_(window), ui_(ui), interaction_(interaction), settings_(settings) {}

  Camera camera;

  /// Size of an interface unit in window coordinates.
  double interface_scale() const;
  Area area() const;  ///< in window coordinates
  Pixels size() const;
  std::array<int, 2> pixels() const;  ///< width and height in the framebuffer
  void look_at(const Box& box) { camera.frame(box, size()); }

  /// Into the window's framebuffer.
  void draw(const Frame& frame);
  /// Into a framebuffer of that size, which is bound.
  void draw(const Frame& frame, int width, int height);
  /// Throws SystemError; then the previous ones stay in use.
  void reload_shaders() { renderer_.reload_shaders(); }

  /// Chooses the length of the arrows that a frame has.
  void scale_arrows(const Frame& frame);
  ViewLegend legend(const Frame& frame) const;
  GrabMarks grab_marks(const Frame& frame) const;

 private:
  Look look() const { return settings_.theme == Theme::light ? light_look() : Look(); }
  ViewOptions options() const;

  const Window& window_;
  const UserInterface& ui_;
  const Interaction& interaction_;
  const ViewSettings& settings_;
  Renderer renderer_;
  ArrowScale velocity_scale_, force_scale_;
};

}  // namespace clothlab
