#include "app/painter.h"

#include <memory>
#include <numbers>
#include <utility>

#include "app/framing.h"
#include "render/offscreen.h"
#include "render/renderer.h"

namespace clothlab {
namespace {

struct Studio {
  explicit Studio(const PictureRequest& wanted) : request(wanted), offscreen(wanted.width, wanted.height) {
    options.wireframe = wanted.wireframe;
    options.heat_map = wanted.heat_map;
    options.heat_max_strain = wanted.heat_max_strain;
  }

  void set_up_camera(const Frame& frame) {
    constexpr double kDegree = std::numbers::pi / 180;
    camera = Camera{};
    camera.yaw = request.yaw * kDegree;
    camera.pitch = request.pitch * kDegree;
    camera.frame(room_to_move(frame),
                 {static_cast<double>(request.width), static_cast<double>(request.height)});
    camera.distance /= request.zoom;
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
  return [studio](const Frame& frame) {
    Studio& s = *studio;
    if (!std::exchange(s.aimed, true)) s.set_up_camera(frame);
    s.offscreen.bind();
    s.renderer.draw(frame, s.camera, s.options, {0, 0, s.offscreen.width(), s.offscreen.height()});
    Image image = s.offscreen.read();
    return Picture{image.width, image.height, std::move(image.rgba)};
  };
}

}  // namespace clothlab
