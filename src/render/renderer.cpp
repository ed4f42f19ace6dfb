// SPDX-License-Identifier: MIT
#include "render/renderer.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

#include "render/cloth_layer.h"
#include "render/drawing.h"
#include "render/gl.h"
#include "render/ground.h"
#include "render/obstacle_layer.h"
#include "render/scales.h"
#include "render/sticks_and_balls.h"

namespace clothlab {
namespace {

// Sets a known state, whatever was drawn before.
void begin_picture(const Viewport& viewport, bool clear) {
  glViewport(viewport.x, viewport.y, viewport.width, viewport.height);
  glScissor(viewport.x, viewport.y, viewport.width, viewport.height);
  glEnable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_STENCIL_TEST);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_LEQUAL);
  if (clear) glClear(GL_DEPTH_BUFFER_BIT);
}

void end_picture() {
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_SCISSOR_TEST);
  glUseProgram(0);
  glBindVertexArray(0);
  glBindTexture(GL_TEXTURE_2D, 0);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/// Direction of a force that is the same everywhere, of length 1 at its largest.
vec3 shown_force(const DriverForce& force, double t) {
  DriverForce unit = force;
  const vec3& direction = force.kind == DriverForce::Kind::drag ? force.velocity : force.force;
  if (direction == vec3(0)) return direction;
  unit.force = unit.velocity = glm::normalize(direction);
  unit.drag = 1;
  return force_of(unit, 0, t, vec3(0), vec3(0));
}

}  // namespace

struct Renderer::Impl {
  std::unique_ptr<const Programs> programs = std::make_unique<Programs>();
  Ground ground;
  ClothLayer cloth;
  ObstacleLayer obstacles;
  Lines lines, shafts, heads;
  Balls balls;
  GlVertexArray no_vertices;

  std::shared_ptr<const ClothMesh> mesh;  // whose topology the layers have
  std::vector<double> rest_lengths;       // of the stretch springs [m]
  float mean_edge = 0;                    // [m]

  // Of the current frame.
  Look look;
  std::vector<glm::vec3> positions;
  std::vector<float> heat;

  void set_mesh(const std::shared_ptr<const ClothMesh>& next) {
    if (next == mesh) return;
    mesh = next;
    rest_lengths.clear();
    for (const auto& s : mesh->stretch_springs)
      rest_lengths.push_back(glm::length(mesh->positions[s[0]] - mesh->positions[s[1]]));
    const double sum = std::accumulate(rest_lengths.begin(), rest_lengths.end(), 0.0);
    mean_edge = rest_lengths.empty() ? 0 : static_cast<float>(sum / static_cast<double>(rest_lengths.size()));
    cloth.set_mesh(*mesh);
    ground.set_mesh(*mesh);
  }

  void cast_shadow(bool of_cloth, bool of_obstacles, const vec3& target) {
    std::vector<Ground::Caster> casters;
    if (of_cloth) casters.push_back({positions, cloth});
    if (of_obstacles) casters.push_back({obstacles.solid_positions(), obstacles.solids()});
    ground.cast_shadow(casters, target, *programs);
  }

  // At each particle, over the scale's end.
  void measure_heat(const Frame& frame, const ViewOptions& options) {
    heat.assign(positions.size(), 0.0f);
    if (options.heat_from != nullptr && options.heat_from->size() == positions.size())
      measure_distances(frame, *options.heat_from, options.heat_max_distance);
    else
      measure_strains(frame, options.heat_max_strain > 0 && std::isfinite(options.heat_max_strain)
                                 ? options.heat_max_strain
                                 : ViewOptions().heat_max_strain);
  }

  void measure_distances(const Frame& frame, const std::vector<vec3>& from, double most) {
    for (std::size_t i = 0; i < heat.size(); ++i)
      heat[i] = static_cast<float>(std::min(glm::length(frame.positions[i] - from[i]) / most, 1.0));
  }

  // The largest one of the springs there.
  void measure_strains(const Frame& frame, double max_strain) {
    for (std::size_t i = 0; i < rest_lengths.size(); ++i) {
      if (!(rest_lengths[i] > 0)) continue;
      const auto [a, b] = mesh->stretch_springs[i];
      const double length = glm::length(frame.positions[a] - frame.positions[b]);
      const float value =
          static_cast<float>(std::min(std::abs(length / rest_lengths[i] - 1) / max_strain, 1.0));
      heat[a] = std::max(heat[a], value);
      heat[b] = std::max(heat[b], value);
    }
  }

  View view_of(const Camera& camera, const ViewOptions& options, const Viewport& viewport) const {
    View view;
    const Pixels size(viewport.width, viewport.height);
    float farthest = 0;
    for (const std::span<const glm::vec3> points :
         {std::span<const glm::vec3>(positions), obstacles.solid_positions(), obstacles.plane_positions()})
      for (const glm::vec3& p : points)
        if (is_drawable(p)) farthest = std::max(farthest, glm::length(p));
    const double near_plane = 0.02 * camera.distance;
    const double far_plane = camera.distance + 1.1 * std::max({camera.distance, static_cast<double>(farthest),
                                                               ground.reach(camera.target)});
    view.view = glm::mat4(camera.view_from_target());
    view.projection = glm::mat4(camera.projection(size, near_plane, far_plane));
    view.view_projection = view.projection * view.view;
    view.eye = glm::vec3(camera.eye() - camera.target);
    view.size = glm::vec2(size);
    view.near_plane = static_cast<float>(near_plane);
    view.pixels_at_one = static_cast<float>(size.y / (2 * std::tan(camera.fov / 2)));
    view.pixel_scale = static_cast<float>(options.pixel_scale);
    return view;
  }

  void draw_background() const {
    programs->background.use();
    programs->background.set("top", look.sky_top);
    programs->background.set("horizon", look.horizon);
    programs->background.set("bottom", look.sky_bottom);
    glBindVertexArray(no_vertices.id());
    constexpr GLsizei kBands = 16;  // as in background.vert
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 2 * (kBands + 1));
  }

  void draw_springs(const std::vector<std::array<std::uint32_t, 2>>& springs, Rgba colour,
                    const Line::Style& style, const View& view) {
    for (const auto& s : springs) lines.add({positions[s[0]], positions[s[1]], colour});
    lines.draw(style, view, programs->line);
  }

  void draw_obstacle_lines(const View& view) {
    const std::span<const glm::vec3> ends = obstacles.line_ends();
    for (std::size_t k = 0; k + 1 < ends.size(); k += 2)
      lines.add({ends[k], ends[k + 1], rgba(look.edge, 0.3f)});
    glDepthMask(GL_FALSE);
    lines.draw({.radius_pixels = {0.5f, 0.5f}, .towards_eye = 0.0008f}, view, programs->line);
    glDepthMask(GL_TRUE);
  }

  // Edges that are only a few pixels apart are fainter.
  float edge_opacity(const Camera& camera, const View& view) const {
    const float pixels = mean_edge * view.pixels_at_one / static_cast<float>(camera.distance);
    return std::clamp(0.06f * pixels / view.pixel_scale, 0.12f, 0.6f);
  }

  // Particles and springs of a mesh without triangles: a pendulum, a chain, a net.
  void draw_rods(const Frame& frame, const ViewOptions& options, const View& view) {
    for (const auto& s : mesh->stretch_springs) {
      const glm::vec3 colour =
          options.heat_map ? heat_colour(static_cast<double>(0.5f * (heat[s[0]] + heat[s[1]]))) : look.rod;
      lines.add({positions[s[0]], positions[s[1]], rgba(colour)});
    }
    const float radius = std::min(0.06f * mean_edge, 0.02f * static_cast<float>(mesh->diagonal));
    lines.draw({.radius = radius, .radius_pixels = {1.2f, 8}, .roundness = 1}, view, programs->line);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const bool pin = options.pins && i < frame.pinned.size() && frame.pinned[i] == 1;
      const glm::vec3 colour = pin                ? look.pin
                               : options.heat_map ? heat_colour(static_cast<double>(heat[i]))
                                                  : look.ball;
      balls.add({positions[i], 2.4f * radius, rgba(colour)});
    }
    balls.draw({.radius_pixels = {2.5f, 40}}, view, programs->ball);
  }

  void draw_particles(const View& view) {
    for (const glm::vec3& p : positions) balls.add({p, 0.12f * mean_edge, rgba(look.particle)});
    balls.draw({.radius_pixels = {1.6f, 4}, .towards_eye = 1.2f}, view, programs->ball);
  }

  // A shaft with a pointed head.
  void add_arrow(const glm::vec3& from, const glm::vec3& to, Rgba colour) {
    constexpr float kHead = 0.3f;
    const glm::vec3 neck = from + (1 - kHead) * (to - from);
    shafts.add({from, neck, colour});
    heads.add({neck, to, colour});
  }

  void draw_arrows(float towards_eye, const View& view) {
    shafts.draw({.radius_pixels = {0.7f, 0.7f}, .towards_eye = towards_eye}, view, programs->line);
    heads.draw({.radius_pixels = {2.6f, 2.6f}, .towards_eye = towards_eye, .taper = 1}, view, programs->line);
  }

  // At some of the particles. Drawn over the cloth, which would hide half of them.
  void draw_arrows(const Frame& frame, const std::vector<vec3>& values, double scale, const glm::vec3& colour,
                   const View& view) {
    if (!(scale > 0) || values.size() != positions.size()) return;
    const std::size_t stride = arrow_stride(positions.size());
    for (std::size_t i = 0; i < positions.size(); i += stride)
      if (i >= frame.pinned.size() || frame.pinned[i] == 0 || frame.pinned[i] == 3)
        add_arrow(positions[i], positions[i] + glm::vec3(scale * values[i]), rgba(colour));
    glDisable(GL_DEPTH_TEST);
    draw_arrows(0, view);
    glEnable(GL_DEPTH_TEST);
  }

  // Points, and arrows at some of them, unless the body or other cloth hides them.
  void draw_contacts(const std::vector<ContactPair>& contacts, double scale, const View& view) {
    if (!(scale > 0)) return;
    const std::size_t stride = arrow_stride(contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const ContactPair& pair = contacts[k];
      const glm::vec3& at = positions[pair.particle];
      const Rgba colour = rgba(pair.sticks ? look.sticking : look.sliding);
      balls.add({at, 0.12f * mean_edge, colour});
      if (k % stride == 0) add_arrow(at, at + glm::vec3(scale * (pair.push + pair.friction)), colour);
    }
    balls.draw({.radius_pixels = {1.8f, 4.5f}, .towards_eye = 1.2f}, view, programs->ball);
    draw_arrows(0.004f, view);
  }

  // Drawn over everything: intersecting triangles lie within each other.
  void draw_intersections(const Frame& frame, const View& view) {
    for (const std::uint32_t t : frame.intersections.triangles)
      for (std::size_t k = 0; k < 3; ++k)
        lines.add({positions[frame.mesh->triangles[t][k]], positions[frame.mesh->triangles[t][(k + 1) % 3]],
                   rgba(look.intersection, 0.8f)});
    glDisable(GL_DEPTH_TEST);
    lines.draw({.radius_pixels = {0.8f, 0.8f}}, view, programs->line);
    glEnable(GL_DEPTH_TEST);
  }

  void draw_pins(const Frame& frame, const View& view) {
    const float radius = 0.3f * mean_edge;
    for (std::size_t i = 0; i < std::min(positions.size(), frame.pinned.size()); ++i)
      if (frame.pinned[i] == 1) balls.add({positions[i], radius, rgba(look.pin)});
    balls.draw({.radius_pixels = {3.5f, 6}, .towards_eye = 1.2f}, view, programs->ball);
  }

  // The pairs of seams that are open, over the cloth.
  void draw_seams(const Frame& frame, const View& view) {
    for (const SewnPair& pair : frame.seams)
      if (glm::distance(frame.positions[pair.i], frame.positions[pair.j]) > kOpenSeam)
        lines.add({positions[pair.i], positions[pair.j], rgba(look.seam)});
    glDisable(GL_DEPTH_TEST);
    lines.draw({.radius_pixels = {0.7f, 0.7f}}, view, programs->line);
    glEnable(GL_DEPTH_TEST);
  }

  // Particles of the groups, paths with keyframes, an arrow for a force, a cross for its centre; faint while
  // switched off. Drawn over the cloth, in which they lie.
  void draw_drivers(const Frame& frame, const vec3& target, const View& view) {
    constexpr float kOff = 0.35f, kArrow = 0.25f, kCross = 0.04f;
    const auto diagonal = static_cast<float>(mesh->diagonal);
    const auto at = [&](const vec3& point) { return glm::vec3(point - target); };
    for (std::size_t k = 0; k < frame.drivers->size(); ++k) {
      const DriverMark& mark = (*frame.drivers)[k];
      const Driver& driver = frame.scene->drivers[k];
      const Rgba colour = rgba(look.driver, driver.on ? 1 : kOff);
      glm::vec3 centre(0);
      for (const std::uint32_t i : mark.particles) {
        centre += positions[i] / static_cast<float>(mark.particles.size());
        balls.add({positions[i], (mark.line.empty() ? 0.1f : 0.3f) * mean_edge, colour});
      }
      const std::size_t pieces = std::holds_alternative<GroupLine>(driver.action) ? 2 : 1;  // of own lines
      for (std::size_t p = 1; p < mark.line.size(); p += pieces)
        lines.add({at(mark.line[p - 1]), at(mark.line[p]), colour});
      for (const vec3& key : mark.keys) balls.add({at(key), 0, colour});
      if (std::holds_alternative<GroupDistance>(driver.action))
        lines.add({positions[mark.particles[0]], positions[mark.particles[1]], colour});
      const auto* force = std::get_if<DriverForce>(&driver.action);
      if (force == nullptr) continue;
      if (force->kind == DriverForce::Kind::central) {
        for (int axis = 0; axis < 3; ++axis) {
          glm::vec3 arm(0);
          arm[axis] = kCross * std::max(diagonal, glm::distance(at(force->centre), centre));
          lines.add({at(force->centre) - arm, at(force->centre) + arm, colour});
        }
      } else if (const vec3 shown = shown_force(*force, frame.record.time); shown != vec3(0)) {
        add_arrow(centre, centre + kArrow * diagonal * glm::vec3(shown), colour);
      }
    }
    glDisable(GL_DEPTH_TEST);
    lines.draw({.radius_pixels = {0.9f, 0.9f}}, view, programs->line);
    balls.draw({.radius_pixels = {2.5f, 5}}, view, programs->ball);
    draw_arrows(0, view);
    glEnable(GL_DEPTH_TEST);
  }

  void draw_grab(const Frame::Grab& grab, const vec3& target, const View& view) {
    const glm::vec3 point(grab.point - target);
    const glm::vec3 cursor(grab.cursor - target);
    // Faint where the cloth hides it; the ends are always visible.
    glDisable(GL_DEPTH_TEST);
    lines.add({point, cursor, rgba(look.grab, 0.35f)});
    lines.draw({.radius_pixels = {1.1f, 1.1f}}, view, programs->line);
    glEnable(GL_DEPTH_TEST);
    lines.add({point, cursor, rgba(look.grab)});
    lines.draw({.radius_pixels = {1.1f, 1.1f}, .towards_eye = 0.004f}, view, programs->line);
    glDisable(GL_DEPTH_TEST);
    for (const glm::vec3& end : {point, cursor}) balls.add({end, 0, rgba(look.grab)});
    balls.draw({.radius_pixels = {4.5f, 4.5f}}, view, programs->ball);
  }

  void draw_all_springs(const Frame& frame, const Camera& camera, const ViewOptions& options, bool has_cloth,
                        const View& view) {
    if (!frame.mesh || positions.empty()) return;
    // Lines write no depth, so that the soft rims of crossing lines blend.
    glDepthMask(GL_FALSE);
    if (has_cloth && options.wireframe)
      draw_springs(frame.mesh->stretch_springs, rgba(look.edge, edge_opacity(camera, view)),
                   {.radius_pixels = {0.5f, 0.5f}, .towards_eye = 0.0008f}, view);
    constexpr Line::Style kSpring{.radius_pixels = {0.6f, 0.6f}, .towards_eye = 0.004f};
    const float opacity = std::min(1.5f * edge_opacity(camera, view), 1.0f);
    if (has_cloth && options.stretch_springs)
      draw_springs(frame.mesh->stretch_springs, rgba(look.stretch_spring, opacity), kSpring, view);
    if (options.bend_springs)
      draw_springs(frame.mesh->bend_springs, rgba(look.bend_spring, opacity), kSpring, view);
    glDepthMask(GL_TRUE);
  }
};

Renderer::Renderer() : impl_(std::make_unique<Impl>()) {}
Renderer::~Renderer() = default;

void Renderer::reload_shaders() { impl_->programs = std::make_unique<Programs>(); }

void Renderer::draw(const Frame& frame, const Camera& camera, const ViewOptions& options,
                    const Viewport& viewport) {
  if (viewport.width <= 0 || viewport.height <= 0) return;
  Impl& r = *impl_;
  const bool has_mesh = frame.mesh && frame.positions.size() == frame.mesh->positions.size();
  r.positions.clear();
  if (has_mesh) {
    r.set_mesh(frame.mesh);
    const bool floor = frame.scene && frame.scene->floor.on;
    r.ground.set_floor(floor ? std::optional(frame.scene->floor.height) : std::nullopt);
    set_relative(frame.positions, camera.target, r.positions);
    r.obstacles.update(frame.obstacles,
                       frame.scene ? std::span(frame.scene->obstacles.bodies) : std::span<const Obstacle>(),
                       *frame.mesh, camera.target);
    if (options.heat_map) r.measure_heat(frame, options);
  }
  const bool has_cloth = has_mesh && !frame.mesh->triangles.empty();
  r.look = options.look;
  const View view = r.view_of(camera, options, viewport);

  GLint framebuffer = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
  if (has_cloth) r.cloth.update(r.positions, options.heat_map ? r.heat : std::vector<float>());
  const bool has_obstacles = has_mesh && !r.obstacles.empty() && !options.over;
  const bool shadow = (has_cloth || has_obstacles) && options.shadow && !options.over;
  if (shadow) r.cast_shadow(has_cloth, has_obstacles, camera.target);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(framebuffer));

  begin_picture(viewport, !options.over);
  // The cloth first, so that covered pixels are drawn once.
  glEnable(GL_DEPTH_TEST);
  glDisable(GL_BLEND);
  if (has_cloth) r.cloth.draw_lit(view, options.look, options.heat_map, options.weave, r.programs->cloth);
  if (has_obstacles) {
    Look plain = options.look;
    plain.cloth_front = plain.cloth_back = plain.obstacle;
    for (const ClothLayer* surface : {&r.obstacles.solids(), &r.obstacles.planes()})
      surface->draw_lit(view, plain, false, false, r.programs->cloth);
  }
  if (!options.over) r.draw_background();
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDepthMask(GL_FALSE);
  if (!options.over) r.ground.draw(camera.target, options.look, options.grid, shadow, view, *r.programs);
  glDepthMask(GL_TRUE);
  if (has_obstacles) r.draw_obstacle_lines(view);
  if (has_mesh && !has_cloth) r.draw_rods(frame, options, view);
  r.draw_all_springs(frame, camera, options, has_cloth, view);
  if (has_cloth && options.particles) r.draw_particles(view);
  if (has_cloth && options.pins) r.draw_pins(frame, view);
  if (has_mesh) {
    glDepthMask(GL_FALSE);
    r.draw_arrows(frame, frame.velocities, options.velocity_scale, r.look.velocity, view);
    r.draw_arrows(frame, frame.forces, options.force_scale, r.look.force, view);
    r.draw_intersections(frame, view);
    glDepthMask(GL_TRUE);
    r.draw_contacts(frame.contacts, options.contact_scale, view);
  }
  if (has_mesh && options.pins) r.draw_seams(frame, view);
  const bool has_drivers =
      has_mesh && frame.drivers && frame.scene && frame.drivers->size() == frame.scene->drivers.size();
  if (has_drivers && options.pins && !options.over) r.draw_drivers(frame, camera.target, view);
  if (frame.grab) r.draw_grab(*frame.grab, camera.target, view);
  end_picture();
}

}  // namespace clothlab
