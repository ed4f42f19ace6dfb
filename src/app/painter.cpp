// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <numbers>
#include <utility>

#include "app/application.h"
#include "app/framing.h"
#include "render/canvas.h"
#include "render/renderer.h"

namespace clothlab {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

struct Studio {
  explicit Studio(const PictureRequest& wanted) : request(wanted), offscreen(wanted.width, wanted.height) {
    options.wireframe = wanted.wireframe;
    options.heat_map = wanted.heat_map;
    options.heat_max_strain = wanted.heat_max_strain;
    if (wanted.light) options.look = light_look();
  }

  void set_up_camera(const Frame& frame) {
    camera = Camera{};
    camera.pitch = request.pitch * kDegree;
    const Box box = request.all_around ? box_of(frame) : room_to_move(frame);
    double distance = 0;
    constexpr int kSides = 16;
    for (int side = 0; side < (request.all_around ? kSides : 1); ++side) {
      camera.yaw = (request.yaw + 360.0 / kSides * side) * kDegree;
      camera.frame(box, {static_cast<double>(request.width), static_cast<double>(request.height)});
      distance = std::max(distance, camera.distance);
    }
    camera.distance = distance / request.zoom;
  }

  PictureRequest request;
  Offscreen offscreen;  // before the renderer, which needs its context
  Renderer renderer;
  Camera camera;
  ViewOptions options;
  bool aimed = false;
};

}  // namespace

Painter make_painter(const PictureRequest& request) {
  auto studio = std::make_shared<Studio>(request);
  return [studio](const Frame& frame, double turn) {
    Studio& s = *studio;
    if (!std::exchange(s.aimed, true)) s.set_up_camera(frame);
    s.camera.yaw = (s.request.yaw + turn) * kDegree;
    s.offscreen.bind();
    s.renderer.draw(frame, s.camera, s.options, {0, 0, s.offscreen.width(), s.offscreen.height()});
    return s.offscreen.read();
  };
}

}  // namespace clothlab
