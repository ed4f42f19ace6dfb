// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "sim/contact.h"
#include "sim/obstacle_placement.h"
#include "sim/parameters.h"
#include "ui/panels/panels.h"
#include "ui/theme.h"
#include "ui/widgets/numbers.h"
#include "ui/widgets/parameter_row.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

// The numbers of a body, as rows.
struct VectorField {
  vec3 Obstacle::*value;
  const char *id, *label, *help;
  double most;
};
constexpr const char* kTurnHelp =
    "The direction about which it is turned, as long as the angle in degrees: 0, 45, 0 turns it by 45° about "
    "y.";
std::vector<VectorField> vector_fields(Obstacle::Shape shape) {
  switch (shape) {
    case Obstacle::Shape::sphere:
      return {{&Obstacle::from, "centre", "x, y, z", "The centre of the sphere.", kFarthestObstacle}};
    case Obstacle::Shape::capsule:
      return {{&Obstacle::from, "from", "from", "The centre of one end of the capsule.", kFarthestObstacle},
              {&Obstacle::to, "to", "to", "The centre of its other end.", kFarthestObstacle}};
    case Obstacle::Shape::cylinder:
      return {
          {&Obstacle::from, "from", "from", "The middle of one flat end of the cylinder.", kFarthestObstacle},
          {&Obstacle::to, "to", "to", "The middle of its other end.", kFarthestObstacle}};
    case Obstacle::Shape::box:
      return {{&Obstacle::from, "centre", "x, y, z", "The centre of the box.", kFarthestObstacle},
              {&Obstacle::size, "size", "Sides",
               "Its extents along x, y and z. Its edges are rounded by a twentieth of the smallest.",
               kLargestObstacle},
              {&Obstacle::turn, "turn", "Turned", kTurnHelp, kMostTurn}};
    case Obstacle::Shape::mesh:
      return {{&Obstacle::from, "origin", "x, y, z", "Where the origin of the file lies.", kFarthestObstacle},
              {&Obstacle::turn, "turn", "Turned", kTurnHelp, kMostTurn}};
    case Obstacle::Shape::plane:
      return {{&Obstacle::normal, "normal", "normal",
               "The direction that points away from the plane, of any length: cloth stays on that side.",
               kLargestObstacle}};
  }
  return {};
}

// Takes over what was typed, unless it leaves no body: no side, an axis without a length.
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

// Answers whether the body is to go.
bool obstacle_rows(std::size_t number, Obstacle& body, bool& changed) {
  const std::string id = "obstacle" + std::to_string(number) + ":";
  std::string title(name_of(body.shape));
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  title += " " + std::to_string(number);
  bool goes = false;
  Obstacle next = body;
  const std::vector<VectorField> fields = vector_fields(body.shape);
  for (const VectorField& field : fields) {
    const bool is_first = &field == fields.data();
    const std::string label = is_first ? title + " " + field.label : field.label;
    const char* unit = "m";
    if (field.value == &Obstacle::normal) unit = "";
    if (field.value == &Obstacle::turn) unit = "°";
    if (const auto typed =
            vector_row((id + field.id).c_str(), label, field.help, body.*field.value, field.most, unit))
      next.*field.value = *typed;
    if (!is_first) continue;
    ImGui::SameLine(0, units(4));
    goes =
        icon_button(id + "remove", Icon::close, "Takes " + title + " away.", false, ImGui::GetFrameHeight());
  }
  if (!has_axis(body.shape)) next.to = next.from;
  if (next.turn != body.turn) next = turned(next, next.turn);
  if (!body.path.keys.empty()) small_text("It moves on the path of the scene, from there.");
  if (body.shape == Obstacle::Shape::plane) {
    if (const auto typed = number_row(
            (id + "offset").c_str(), "Offset",
            "d of the plane n·x = d: its distance from the origin, where the normal n has the length 1.",
            body.offset, -kFarthestObstacle, kFarthestObstacle, body.offset, "m"))
      next.offset = *typed;
  } else if (body.shape == Obstacle::Shape::mesh) {
    if (const auto typed = number_row((id + "scale").c_str(), "Scale", "Metres per unit of the file.",
                                      body.scale, kLeastObstacleScale, kMostObstacleScale, 1, ""))
      next.scale = *typed;
    const TriangleSurface& surface = *body.mesh.surface;
    small_text(file_name(path_of(*body.mesh.path)) + ": " + triangles_text(surface));
  } else if (body.shape != Obstacle::Shape::box) {
    if (const auto typed = number_row((id + "radius").c_str(), "Radius", "Radius of this body.", body.radius,
                                      kSmallestObstacle, kLargestObstacle, body.radius, "m"))
      next.radius = *typed;
  }
  if (next != body && accept(next, body)) changed = true;
  return goes;
}

struct Offer {
  Obstacle::Shape shape;
  const char *id, *label, *help;
};
constexpr std::size_t kOffersInLine = 3;
constexpr std::array kOffers{
    Offer{Obstacle::Shape::sphere, "add-sphere", "Add a sphere",
          "A sphere below the cloth, on which it comes to lie; beside it where the floor leaves no room. "
          "Drag it with the mouse, as the cloth."},
    Offer{Obstacle::Shape::capsule, "add-capsule", "Add a capsule", "A bar with round ends below the cloth."},
    Offer{Obstacle::Shape::box, "add-box", "Add a box", "A cube with rounded edges below the cloth."},
    Offer{Obstacle::Shape::cylinder, "add-cylinder", "Add a cylinder",
          "An upright cylinder with flat ends below the cloth."},
    Offer{Obstacle::Shape::plane, "add-plane", "Add a plane",
          "A slope below the cloth. The floor is a level plane of its own."},
    Offer{Obstacle::Shape::mesh, "add-mesh", "Add a mesh ...",
          "An OBJ file as a body, in the space of the cloth's file. You can also drop one on the window with "
          "Shift."},
};

void obstacles(const PanelContext& context) {
  std::vector<Obstacle> bodies = context.scene().obstacles.bodies;
  const std::size_t before = bodies.size();
  bool changed = false;
  section("Obstacles");
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (obstacle_rows(k + 1, bodies[k], changed)) {
      bodies.erase(bodies.begin() + static_cast<std::ptrdiff_t>(k));
      break;
    }
  ImGui::BeginDisabled(before == kMostObstacles);
  const Frame& frame = context.snapshot.frame;
  const float gap = units(6),
              width = (ImGui::GetContentRegionAvail().x - (kOffersInLine - 1) * gap) / kOffersInLine;
  for (std::size_t k = 0; k < kOffers.size(); ++k) {
    const Offer& offer = kOffers[k];
    if (k % kOffersInLine != 0) ImGui::SameLine(0, gap);
    if (!text_button(offer.id, offer.label, offer.help, width, false)) continue;
    if (offer.shape == Obstacle::Shape::mesh)
      context.request(ChooseMeshObstacle());
    else
      bodies.push_back(placed_near_cloth(frame, {.shape = offer.shape}, bodies));
  }
  ImGui::EndDisabled();
  if (changed || bodies.size() != before) context.send(Command(SetObstacles{bodies}));
}

struct ContactRow {
  const char *label, *name, *help;
  std::string (*text)(const ContactFigures&);
};
constexpr std::array kContactRows{
    ContactRow{"In contact", "contact-pairs",
               "Pairs of a particle and the floor or an obstacle, by forces also of features that push each "
               "other, by impulses of those that were led apart, and how many of them friction holds; by "
               "forces those that slide slower than the speed of creeping.",
               [](const ContactFigures& now) {
                 return format_count(now.pairs) + (now.pairs == 1 ? " pair, " : " pairs, ") +
                        format_count(now.sticking) + (now.sticking == 1 ? " sticks" : " stick");
               }},
    ContactRow{"Least gap", "contact-gap",
               "The least distance of any of them, less the thickness. Negative where a particle is below a "
               "surface; by impulses where something is nearer than the thickness, but apart.",
               [](const ContactFigures& now) {
                 if (now.pairs == 0) return std::string("–");
                 return format_quantity(std::abs(now.least_gap) > kSurfaceRounding ? now.least_gap : 0, "m");
               }},
    ContactRow{
        "Normal force", "contact-force",
        "Sum over all of them of what a surface presses with: at rest on a floor the weight of the cloth. By "
        "impulses also what the cloth presses itself with. By the filter, the mean of the last step.",
        [](const ContactFigures& now) { return format_quantity(now.push, "N"); }},
    ContactRow{"Stiffness", "contact-stiffness-now",
               "Of contact by forces: k of a penalty, κ of a barrier. Where κ is automatic it is chosen for "
               "the mesh, and doubled where cloth presses it shut, in one lane alone.",
               [](const ContactFigures& now) {
                 return now.stiffness > 0 ? format_quantity(now.stiffness, "N/m") : std::string("–");
               }},
    ContactRow{"Least way", "contact-limit",
               "The least share of its way in the step that a particle was left, so that nothing goes "
               "through anything: 100 % where the step was the method's own. By a barrier.",
               [](const ContactFigures& now) { return format_plain(100 * now.limit) + " %"; }},
    ContactRow{"Friction takes", "contact-friction", "Power that friction takes from what slides.",
               [](const ContactFigures& now) { return format_quantity(now.friction_power, "W"); }},
};

// Of the active lane, where there is anything to touch.
void contact_figures(const PanelContext& context) {
  if (!may_touch(context.scene())) return;
  section("Contacts of the last step");
  for (const ContactRow& row : kContactRows) {
    plain_text(row.label);
    ImGui::SameLine(units(125));
    const std::string text = displayable(row.text(context.snapshot.frame.record.contacts));
    plain_text(text);
    note_item(row.name);
    note_text(row.name, text);
    tooltip(row.help);
  }
}

// The numbers of a model that has none are left out.
void contact_model(const PanelContext& context) {
  const ContactModelInfo& info = info_of(context.scene().contact.model);
  for (const SceneParameter& row : scene_parameters()) {
    if (row.section != "Contact") continue;
    if (row.spec.id != "contact" && !std::ranges::count(info.parameters, row.spec.id)) continue;
    ParameterSpec spec = row.spec;
    // 0 is chosen for the mesh, but for the thickness of what acts by forces.
    if (spec.kind == ParameterSpec::Kind::real && spec.fallback == 0 &&
        !(spec.id == "thickness" && info.by_forces))
      spec.zero = "auto";
    scene_parameter_row(context, spec, row.get(context.scene()));
    if (spec.id == "contact") small_text(std::string(info.summary) + " " + std::string(info.promise));
  }
}

}  // namespace

void contact_panel(const PanelContext& context) {
  contact_model(context);
  obstacles(context);
  parameter_section(context, "Obstacles");
  contact_figures(context);
  section("Floor");
  parameter_section(context, "Floor");
}

}  // namespace clothlab
