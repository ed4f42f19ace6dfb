// SPDX-License-Identifier: MIT
#pragma once

#include <glm/geometric.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <span>

#include "mesh/mesh.h"
#include "render/cloth_layer.h"
#include "render/drawing.h"
#include "render/gl.h"
#include "render/look.h"

namespace clothlab {

/// The drawn ground: it fades out, with lines at whole metres (or the power of ten that suits the mesh) and
/// the soft shadow of the cloth. It is at the height of the floor; without one it is no obstacle, and low
/// enough for a cloth that hangs by its highest point. It hides nothing.
class Ground {
 public:
  Ground();

  void set_mesh(const ClothMesh& mesh);
  /// The height of the floor [m], if there is one.
  void set_floor(const std::optional<double>& height);

  struct Caster {
    std::span<const glm::vec3> positions;  ///< relative to the target
    const ClothLayer& surface;
  };
  /// Renders their shadow into a texture. Changes framebuffer and viewport.
  void cast_shadow(std::span<const Caster> casters, const vec3& target, const Programs& programs);

  /// `shadow`: with the last rendered shadow.
  void draw(const vec3& target, const Look& look, bool grid, bool shadow, const View& view,
            const Programs& programs) const;

  /// From the target to the farthest point that is drawn [m].
  double reach(const vec3& target) const { return glm::length(centre_ - target) + 1.5 * radius_; }

 private:
  struct Canvas {
    Canvas();
    GlTexture texture;
    GlFramebuffer framebuffer;
  };

  glm::vec3 centre_from(const vec3& target) const { return glm::vec3(centre_ - target); }

  vec3 centre_{0, -1, 0};
  double without_floor_ = -1;  // y of the centre [m]
  double radius_ = 5;
  double spacing_ = 0.1;
  Canvas sharp_;
  Canvas soft_;
  GlVertexArray no_vertices_;
  glm::vec2 shadow_low_{0};
  float shadow_size_ = 0;  // 0: there is no shadow
};

}  // namespace clothlab
