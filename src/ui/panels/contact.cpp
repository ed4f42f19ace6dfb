// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/error.h"
#include "core/text_file.h"
#include "sim/contact.h"
#include "sim/obstacle_placement.h"
#include "ui/actions.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

// The vectors of a body, as rows.
struct VectorField {
  Obstacle::Shape shape;
  vec3 Obstacle::*value;
  const char *id, *label, *help;
  double most;
  const char* unit = "m";
};
constexpr const char* kTurnHelp =
    "The rotation vector: its direction is the axis, its length the angle in degrees. 0, 45, 0 turns the "
    "body by 45° about y.";
using Shape = Obstacle::Shape;
constexpr std::array kVectorFields{
    VectorField{Shape::sphere, &Obstacle::from, "centre", "x, y, z", "The centre of the sphere.",
                kFarthestObstacle},
    VectorField{Shape::capsule, &Obstacle::from, "from", "from", "The centre of one end of the capsule.",
                kFarthestObstacle},
    VectorField{Shape::capsule, &Obstacle::to, "to", "to", "The centre of its other end.", kFarthestObstacle},
    VectorField{Shape::cylinder, &Obstacle::from, "from", "from",
                "The middle of one flat end of the cylinder.", kFarthestObstacle},
    VectorField{Shape::cylinder, &Obstacle::to, "to", "to", "The middle of its other end.",
                kFarthestObstacle},
    VectorField{Shape::box, &Obstacle::from, "centre", "x, y, z", "The centre of the box.",
                kFarthestObstacle},
    VectorField{Shape::box, &Obstacle::size, "size", "Sides",
                "Its extents along x, y and z. Its edges are rounded by a twentieth of the smallest.",
                kLargestObstacle},
    VectorField{Shape::box, &Obstacle::turn, "turn", "Turned", kTurnHelp, kMostTurn, "°"},
    VectorField{Shape::mesh, &Obstacle::from, "origin", "x, y, z", "The position of the file's origin.",
                kFarthestObstacle},
    VectorField{Shape::mesh, &Obstacle::turn, "turn", "Turned", kTurnHelp, kMostTurn, "°"},
    VectorField{Shape::plane, &Obstacle::normal, "normal", "normal",
                "The normal of the plane, of any length. Cloth stays on the side that it points to.",
                kLargestObstacle, ""},
};

// Adopts what was typed, unless the body would be degenerate: a side or an axis of length 0.
bool accept(const Obstacle& next, Obstacle& body) {
  try {
    check_obstacles({&next, 1});
    body = next;
    return true;
  } catch (const InputError& error) {
    refuse_typed_number(error.what());
    return false;
  }
}

// Returns whether the body is to be removed.
bool obstacle_rows(const PanelContext& context, std::size_t number, Obstacle& body, bool& changed) {
  const std::string id = "obstacle" + std::to_string(number) + ":";
  std::string title(name_of(body.shape));
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  title += " " + std::to_string(number);
  bool removed = false;
  Obstacle next = body;
  bool is_first = true;
  for (const VectorField& field : kVectorFields) {
    if (field.shape != body.shape) continue;
    const std::string label = is_first ? title + " " + field.label : field.label;
    if (const auto typed =
            vector_row((id + field.id).c_str(), label, field.help, body.*field.value, field.most, field.unit))
      next.*field.value = *typed;
    if (!std::exchange(is_first, false)) continue;
    ImGui::SameLine(0, units(4));
    removed =
        icon_button(id + "remove", Icon::close, "Remove " + title + ".", {.width = ImGui::GetFrameHeight()});
  }
  if (!has_axis(body.shape)) next.to = next.from;
  if (next.turn != body.turn) next = turned(next, next.turn);
  if (!body.path.keys.empty()) small_text("It moves along the path of the scene, starting there.");
  if (body.shape == Obstacle::Shape::plane) {
    if (const auto typed =
            number_row((id + "offset").c_str(), "Offset",
                       "d of the plane n·x = d with the unit normal n: its distance from the origin.",
                       body.offset, -kFarthestObstacle, kFarthestObstacle, body.offset, "m"))
      next.offset = *typed;
  } else if (body.shape == Obstacle::Shape::mesh) {
    if (const auto typed = number_row((id + "scale").c_str(), "Scale", "Metres per unit of the file.",
                                      body.scale, kLeastObstacleScale, kMostObstacleScale, 1, ""))
      next.scale = *typed;
    small_text(file_name(path_of(*body.mesh.path)) + ": " + triangles_text(body.mesh));
    group_choice(context, *body.mesh.path, number - 1);
    if (body.mesh.frames) {
      Playback& playback = next.mesh.playback;
      if (const auto typed = number_row((id + "rate").c_str(), "Frame rate", "Frames per second of the mesh.",
                                        playback.rate, kLeastFrameRate, kMostFrameRate, 24, "1/s"))
        playback.rate = *typed;
      if (const auto typed = number_row((id + "start").c_str(), "First frame",
                                        "Time of the first frame. The mesh stands still before.",
                                        playback.start, -kLatestKeyframe, kLatestKeyframe, 0, "s"))
        playback.start = *typed;
      check_item((id + "loops").c_str(), ("Loops##" + id).c_str(), playback.loops,
                 "After its last frame the mesh returns to the first one and begins again.");
    }
  } else if (body.shape != Obstacle::Shape::box) {
    if (const auto typed = number_row((id + "radius").c_str(), "Radius", "Radius of this body.", body.radius,
                                      kSmallestObstacle, kLargestObstacle, body.radius, "m"))
      next.radius = *typed;
  }
  if (next != body && accept(next, body)) changed = true;
  return removed;
}

constexpr std::size_t kOffersInLine = 3;
constexpr std::array kOffers{
    ObstacleOffer{
        Obstacle::Shape::sphere, "add-sphere", "Add a sphere",
        "Adds a sphere below the cloth, or next to it if the floor leaves no room. Drag it with the mouse, "
        "like the cloth."},
    ObstacleOffer{Obstacle::Shape::capsule, "add-capsule", "Add a capsule",
                  "Adds a bar with round ends below the cloth."},
    ObstacleOffer{Obstacle::Shape::box, "add-box", "Add a box",
                  "Adds a cube with rounded edges below the cloth."},
    ObstacleOffer{Obstacle::Shape::cylinder, "add-cylinder", "Add a cylinder",
                  "Adds an upright cylinder with flat ends below the cloth."},
    ObstacleOffer{Obstacle::Shape::plane, "add-plane", "Add a plane",
                  "Adds a slope below the cloth. The floor is a separate horizontal plane."},
    ObstacleOffer{
        Obstacle::Shape::mesh, "add-mesh", "Add a mesh ...",
        "Adds an OBJ file as a body, in the coordinates of the cloth's file. You can also drop one on the "
        "window with Shift, and a moving body as a folder of OBJ files or a .pc2 file."},
};

void obstacles(const PanelContext& context) {
  std::vector<Obstacle> bodies = context.scene().obstacles.bodies;
  const std::size_t before = bodies.size();
  bool changed = false;
  section("Obstacles");
  const Frame& frame = context.snapshot.frame;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (obstacle_rows(context, k + 1, bodies[k], changed)) {
      bodies.erase(bodies.begin() + static_cast<std::ptrdiff_t>(k));
      break;
    }
    if (const double inset = k < frame.obstacles.size() ? frame.obstacles[k].inset : 0; inset != 0) {
      const std::string text = "It grows: its surface is " + format_quantity(std::abs(inset), "m") +
                               (inset > 0 ? " inside" : " outside") + " the shape that is drawn.";
      small_text(text);
      note_text("obstacle" + std::to_string(k + 1) + ":growth", text);
    }
  }
  const float gap = units(6),
              width = (ImGui::GetContentRegionAvail().x - (kOffersInLine - 1) * gap) / kOffersInLine;
  const bool has_mesh = std::ranges::count(bodies, Obstacle::Shape::mesh, &Obstacle::shape) > 0;
  if (has_mesh && text_button("dress", "Dress", find_action("dress")->help,
                              {.width = width, .enabled = !context.load.running}))
    context.request(DressBodies());
  for (std::size_t k = 0; k < kOffers.size(); ++k) {
    const ObstacleOffer& offer = kOffers[k];
    if (k % kOffersInLine != 0) ImGui::SameLine(0, gap);
    if (!text_button(offer.id, offer.label, offer.help, {.width = width, .enabled = before < kMostObstacles}))
      continue;
    if (offer.shape == Obstacle::Shape::mesh)
      context.request(ChooseMeshObstacle());
    else
      bodies.push_back(placed_near_cloth(frame, {.shape = offer.shape}, bodies));
  }
  if (changed || bodies.size() != before) context.send(Command(SetObstacles{bodies}));
}

struct ContactRow {
  const char *label, *name, *help;
  std::string (*text)(const ContactFigures&);
};
constexpr std::array kContactRows{
    ContactRow{"In contact", "contact-pairs",
               "Contacts with the floor and obstacles, and pairs of features that forces or impulses "
               "separate. By forces, a contact slower than the creep speed counts as sticking.",
               [](const ContactFigures& now) {
                 return format_count(now.pairs) + (now.pairs == 1 ? " contact, " : " contacts, ") +
                        format_count(now.sticking) + " sticking";
               }},
    ContactRow{"Smallest gap", "contact-gap",
               "Smallest distance of any contact, less the thickness. Negative below a surface; by impulses "
               "also if features are closer than the thickness.",
               [](const ContactFigures& now) {
                 if (now.pairs == 0) return std::string("–");
                 return format_quantity(std::abs(now.least_gap) > kSurfaceRounding ? now.least_gap : 0, "m");
               }},
    ContactRow{"Normal force", "contact-force",
               "Sum of the normal forces of all contacts; for cloth at rest on a floor its weight. Impulses "
               "include self-contact. Nodal contact gives the mean of the last step.",
               [](const ContactFigures& now) { return format_quantity(now.push, "N"); }},
    ContactRow{"Stiffness", "contact-stiffness-now",
               "Of contact by forces: k of a penalty, κ of a barrier. An automatic κ is chosen for the mesh "
               "and, in each lane, doubled if the gap nearly closes.",
               [](const ContactFigures& now) {
                 return now.stiffness > 0 ? format_quantity(now.stiffness, "N/m") : std::string("–");
               }},
    ContactRow{"Smallest step fraction", "contact-limit",
               "Smallest fraction of its step that a particle moved, so that nothing passes through "
               "anything. 100 %: the step was not shortened. Only with a barrier.",
               [](const ContactFigures& now) { return format_plain(100 * now.limit) + " %"; }},
    ContactRow{"Friction power", "contact-friction", "Power that friction dissipates in sliding contacts.",
               [](const ContactFigures& now) { return format_quantity(now.friction_power, "W"); }},
};

// Of the active lane, if contact is possible.
void contact_figures(const PanelContext& context) {
  if (!may_touch(context.scene())) return;
  section("Contacts of the last step");
  for (const ContactRow& row : kContactRows) {
    plain_text(row.label);
    ImGui::SameLine(units(160));
    const std::string text = displayable(row.text(context.snapshot.frame.record.contacts));
    plain_text(text);
    explain_item(row.name, row.help, text);
  }
}

constexpr auto kModelTitles = [] {
  std::array<std::string_view, kContactModels.size()> titles;
  std::ranges::transform(kContactModels, titles.begin(), &ContactModelInfo::title);
  return titles;
}();

// Shows only the parameters that the model has.
void contact_model(const PanelContext& context) {
  const ContactModelInfo& info = info_of(context.scene().contact.model);
  for (const SceneParameter& row : scene_parameters()) {
    if (row.section != "Contact") continue;
    if (row.spec.id != "contact" && !std::ranges::count(info.parameters, row.spec.id)) continue;
    ParameterSpec spec = row.spec;
    // 0 means automatic, except for restitution and for the thickness of models that act by forces.
    const bool none = spec.id == "restitution" || (spec.id == "thickness" && info.by_forces);
    if (spec.kind == ParameterSpec::Kind::real && spec.fallback == 0 && !none) spec.zero = "auto";
    if (spec.id == "contact") spec.choices = kModelTitles;
    scene_parameter_row(context, spec, row.get(context.scene()));
    if (spec.id == "contact") small_text(std::string(info.summary) + " " + std::string(info.promise));
  }
}

}  // namespace

std::span<const ObstacleOffer> obstacle_offers() { return kOffers; }

void contact_panel(const PanelContext& context) {
  contact_model(context);
  obstacles(context);
  parameter_section(context, "Obstacles");
  contact_figures(context);
  section("Floor");
  parameter_section(context, "Floor");
}

}  // namespace clothlab
