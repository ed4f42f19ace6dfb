// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "render/camera.h"
#include "render/look.h"
#include "sim/frame.h"

namespace clothlab {

struct ViewOptions {
  Look look{};
  bool wireframe = false;        ///< edges over the cloth
  bool heat_map = false;         ///< colour by the largest |l/L − 1| of the adjacent stretch springs
  double heat_max_strain = 0.1;  ///< at the end of heat_colours(); not positive or not finite counts as 0.1
  /// Colours by the distance from these positions of another run's particles [m] instead.
  const std::vector<vec3>* heat_from = nullptr;
  double heat_max_distance = 1;  ///< [m], positive
  bool particles = false;
  bool stretch_springs = false;  ///< as coloured lines
  bool bend_springs = false;     ///< the same
  bool pins = true;
  double velocity_scale = 0;  ///< metres of arrow per m/s; 0: no arrows
  double force_scale = 0;     ///< metres of arrow per N; 0: no arrows
  double contact_scale = 0;   ///< metres of arrow per N; 0: no contacts
  bool weave = true;          ///< threads on the cloth where the mesh has their directions
  bool grid = true;
  bool shadow = true;
  bool over = false;       ///< only the cloth, over the existing picture of another lane
  double pixel_scale = 1;  ///< of line widths and markers: the display's content scale
};

/// Where to draw, in pixels of the framebuffer, from its lower left corner as in glViewport.
struct Viewport {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// Draws frames with OpenGL 3.3 core. Made, used and destroyed with the same context current, after
/// load_gl().
///
/// Every frame can be drawn: values that are not finite are left out; another mesh, no mesh, no triangles and
/// a viewport without area are valid.
class Renderer {
 public:
  /// Throws SystemError, with the compiler's words, when a shader does not compile.
  Renderer();
  ~Renderer();

  /// Draws over the whole viewport of the bound framebuffer, which needs a depth buffer. Leaves blending,
  /// depth and scissor tests off, and no program, vertex array or texture bound.
  void draw(const Frame& frame, const Camera& camera, const ViewOptions& options, const Viewport& viewport);

  /// Reads the shaders again, from CLOTHLAB_SHADER_DIR if it is set. Throws SystemError, with the old
  /// shaders still in use, when one does not compile.
  void reload_shaders();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
