// SPDX-License-Identifier: MIT
#include "ui/panels/panels.h"

#include <algorithm>
#include <cmath>

#include "analysis/stability_text.h"
#include "mesh/pins.h"

namespace clothlab {
namespace {

// Distance of the floor below the mesh, as a fraction of the diagonal.
constexpr double kDrop = 0.15;
constexpr std::size_t kMostNamed = 3;

/// All vertices on these open edges.
PinSelection pins_of(const std::vector<std::size_t>& edges, const LoadedScene& loaded) {
  std::vector<std::uint32_t> vertices;
  for (const std::size_t i : edges)
    for (const std::uint32_t particle : loaded.open_edges[i].particles)
      vertices.push_back(loaded.mesh->vertex_of_particle[particle]);
  if (vertices.empty()) return PinPreset::none;
  std::ranges::sort(vertices);
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

/// The open edges whose particles are exactly the pinned ones, ascending; none if there is no such set.
std::vector<std::size_t> edges_of(const PinSelection& pins, const LoadedScene& loaded) {
  const auto* vertices = std::get_if<VertexList>(&pins);
  if (vertices == nullptr) return {};
  std::vector<std::uint32_t> pinned = *vertices;
  std::ranges::sort(pinned);
  std::vector<std::size_t> edges;
  for (std::size_t i = 0; i < loaded.open_edges.size(); ++i)
    if (std::ranges::all_of(loaded.open_edges[i].particles, [&](std::uint32_t particle) {
          return std::ranges::binary_search(pinned, loaded.mesh->vertex_of_particle[particle]);
        }))
      edges.push_back(i);
  return pins_of(edges, loaded) == PinSelection(std::move(pinned)) ? edges : std::vector<std::size_t>();
}

/// The parts that neither a pin nor a soft pin holds.
std::vector<std::uint32_t> loose_parts(const Frame& frame) {
  std::vector<std::uint8_t> pinned = frame.pinned;
  const std::vector<Driver>& drivers = frame.scene->drivers;
  for (std::size_t k = 0; frame.drivers && k < std::min(drivers.size(), frame.drivers->size()); ++k) {
    const auto* force = std::get_if<DriverForce>(&drivers[k].action);
    if (!drivers[k].on || force == nullptr || force->kind != DriverForce::Kind::spring) continue;
    for (const std::uint32_t i : (*frame.drivers)[k].particles) pinned[i] = 1;
  }
  return parts_without_pin(*frame.mesh, pinned);
}

/// "Part 2 of 3 has no pin: it falls."; empty where each has one.
std::string unpinned_parts(const Frame& frame) {
  const std::vector<std::uint32_t> parts = loose_parts(frame);
  const auto all = static_cast<std::size_t>(frame.mesh->parts);
  if (parts.empty()) return {};
  if (parts.size() == all) return "Nothing is pinned: it falls.";
  if (parts.size() > kMostNamed)
    return format_count(parts.size()) + " of " + format_count(all) + " parts have no pin: they fall.";
  std::string names;
  for (std::size_t i = 0; i < parts.size(); ++i)
    names += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + format_count(parts[i] + 1);
  return (parts.size() == 1 ? "Part " : "Parts ") + names + " of " + format_count(all) +
         (parts.size() == 1 ? " has no pin: it falls." : " have no pin: they fall.");
}

}  // namespace

void MeshBar::open() {
  open_ = true;
  note_pins(PinPreset::none, Choice::preset);
}

bool MeshBar::is_shown(const Snapshot& now) const {
  return open_ && now.frame.record.step == 0 && !now.playing && !now.replay && now.blow_up_sentence.empty();
}

std::span<const BoundaryLoop> MeshBar::open_edges(const Snapshot& now) const {
  if (!is_shown(now) || choice_ == Choice::by_hand) return {};
  return now.loaded->open_edges;
}

std::vector<std::uint32_t> MeshBar::parts_to_mark(const Snapshot& now) const {
  std::vector<std::uint32_t> parts;
  if (is_shown(now) && !now.frame.scene->floor.on) parts = loose_parts(now.frame);
  if (parts.size() > kMostNamed || parts.size() == static_cast<std::size_t>(now.frame.mesh->parts))
    parts.clear();
  return parts;
}

void MeshBar::note_pins(const PinSelection& pins, Choice choice) {
  pins_ = pins;
  choice_ = choice;
  if (choice != Choice::open_edge) chosen_.clear();
}

// Undo, Ctrl-click and the Cloth tab change pins as well.
void MeshBar::follow_pins(const PanelContext& context) {
  const PinSelection& pins = context.edits.scene().pins;
  if (pins == pins_) return;
  chosen_ = edges_of(pins, *context.snapshot.loaded);
  const bool by_preset = std::holds_alternative<PinPreset>(pins) && pins != PinSelection(PinPreset::none);
  if (!chosen_.empty())
    note_pins(pins, Choice::open_edge);
  else
    note_pins(pins, choice_ == Choice::by_hand && !by_preset ? Choice::by_hand : Choice::preset);
}

void MeshBar::pin(const PanelContext& context, PinSelection pins, Choice choice) {
  note_pins(pins, choice);
  Scene scene = context.edits.scene();
  scene.pins = std::move(pins);
  context.set_scene(std::move(scene));
}

void MeshBar::drop_on_floor(const PanelContext& context) {
  note_pins(PinPreset::none, Choice::preset);
  const ClothMesh& mesh = *context.snapshot.loaded->mesh;
  Scene scene = context.edits.scene();
  scene.pins = PinPreset::none;
  if (!scene.floor.on || scene.floor.height > mesh.box.low.y)
    scene.floor.height = mesh.box.low.y - kDrop * mesh.diagonal;
  scene.floor.on = true;
  context.set_scene(std::move(scene));
}

void MeshBar::choose_edge(const PanelContext& context, std::size_t edge) {
  follow_pins(context);
  const auto found = std::ranges::lower_bound(chosen_, edge);
  if (found != chosen_.end() && *found == edge)
    chosen_.erase(found);
  else
    chosen_.insert(found, edge);
  pin(context, pins_of(chosen_, *context.snapshot.loaded), Choice::open_edge);
}

void MeshBar::draw(const PanelContext& context) {
  follow_pins(context);
  heading(context);
  if (!open_) return;
  if (details_) mesh_report(context);
  pin_choices(context);
  small_text(advice(context));
}

// The report in one line.
void MeshBar::heading(const PanelContext& context) {
  const LoadedScene& loaded = *context.snapshot.loaded;
  const float button = ImGui::GetFrameHeight();
  std::string counts = "  " + format_count(loaded.mesh->positions.size()) + " particles, " +
                       format_plain(loaded.mesh->diagonal) + " m";
  ImGui::AlignTextToFramePadding();
  // In a narrow window the name has priority.
  float room = ImGui::GetContentRegionAvail().x - button - text_width("Details") - units(40);
  if (room - text_width(counts) < units(90)) counts.clear();
  room = std::max(room - text_width(counts), units(40));
  plain_text(shortened(mesh_name(loaded.scene), room));
  ImGui::SameLine(0, 0);
  coloured_text(palette().muted, counts);
  if (row_button("mesh-details", "Details", "The contents, size and unit of the file; also in the Scene tab.",
                 {.active = details_}))
    details_ = !details_;
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetWindowContentRegionMax().x - button);
  if (icon_button("close-mesh-bar", Icon::close, "Close (Esc). The mesh stays at its start until you play.",
                  {.width = button}))
    close();
}

void MeshBar::pin_choices(const PanelContext& context) {
  const Scene& scene = context.edits.scene();
  const auto* preset = std::get_if<PinPreset>(&scene.pins);
  const auto is = [&](PinPreset wanted) {
    return choice_ == Choice::preset && preset != nullptr && *preset == wanted;
  };
  const std::size_t edges = context.snapshot.loaded->open_edges.size();
  ImGui::AlignTextToFramePadding();
  plain_text("Pins");
  if (row_button("mesh-two-corners", "Two corners", "Pin the two top corners of each part.",
                 {.active = is(PinPreset::top_corners)}))
    pin(context, PinPreset::top_corners, Choice::preset);
  if (row_button("mesh-top-edge", "Top edge", "Pin the highest particles of each part.",
                 {.active = is(PinPreset::top_edge)}))
    pin(context, PinPreset::top_edge, Choice::preset);
  if (row_button("mesh-open-edge", "An open edge (click it)",
                 "Shows all open edges: hems, necklines, holes. Click one in the picture to pin all of it.",
                 {.active = choice_ == Choice::open_edge, .enabled = edges > 0}))
    choice_ = Choice::open_edge;
  if (row_button("mesh-drop", "None, drop on the floor", "Free all particles and add a floor below the mesh.",
                 {.active = is(PinPreset::none) && scene.floor.on}))
    drop_on_floor(context);
  if (row_button("mesh-by-hand", "By hand", "Free all particles and pin those that you choose.",
                 {.active = choice_ == Choice::by_hand}))
    pin(context, PinPreset::none, Choice::by_hand);
  if (row_icon_button("mesh-play", Icon::play, "Play (Space)")) context.set_playing(true);
}

std::string MeshBar::advice(const PanelContext& context) const {
  const Scene& scene = context.edits.scene();
  const LoadedScene& loaded = *context.snapshot.loaded;
  std::string text;
  if (!scene.floor.on) text = unpinned_parts(context.snapshot.frame);
  if (!text.empty()) text += ' ';
  if (choice_ == Choice::by_hand)
    return text + "Ctrl-click pins or frees a particle, Ctrl-drag pins all in a rectangle.";
  if (loaded.open_edges.empty()) return text + "This mesh has no open edge.";
  const std::string edges = format_count(loaded.open_edges.size());
  if (!chosen_.empty())
    return text + format_count(chosen_.size()) + " of " + edges +
           " open edges pinned. Click another to pin it too, a pinned one to free it.";
  if (choice_ == Choice::open_edge) return text + "Click one of the " + edges + " marked edges.";
  return text + "Point at an open edge and click to pin all of it; there " +
         (loaded.open_edges.size() == 1 ? "is 1." : "are " + edges + ".");
}

namespace {

// Margin below the limit, which changes as the cloth moves.
constexpr double kMargin = 0.95;
constexpr double kForkSeconds = 0.5;

double rounded_down(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::floor(value / unit) * unit;
}

/// A smaller h for the current method [s]: the largest stable one, or half of the current one if theory calls
/// that stable.
struct SmallerStep {
  double h = 0;
  bool largest = false;
};
std::optional<SmallerStep> smaller_step(const PanelContext& context) {
  const double h = std::abs(context.step_size());
  const IntegratorInfo& info = context.method();
  const std::optional<StabilityEstimate>& estimate = context.snapshot.stability;
  if (!estimate) return std::nullopt;
  const double largest = largest_stable_step(info, context.own_parameters(), *estimate).value_or(0);
  if (!(largest > 0)) return std::nullopt;
  const bool is_above = h >= largest;
  return SmallerStep{rounded_down(is_above ? kMargin * largest : h / 2), is_above};
}

std::string help_of_smaller_step(const PanelContext& context, const std::optional<SmallerStep>& smaller) {
  if (smaller && smaller->largest)
    return "Continues from the last good state, 5 % below the largest stable step of this method, which "
           "changes while the cloth moves.";
  if (smaller) return "Continues from the last good state with half the step.";
  const std::optional<StabilityEstimate>& estimate = context.snapshot.stability;
  if (!estimate) return "The largest stable step is being measured.";
  const IntegratorInfo& info = context.method();
  return describe_stability(info, context.own_parameters(), context.step_size(), *estimate);
}

// Half of the step or the largest stable one; or as many substeps as keep this method stable, or twice as
// many as now if theory calls these stable. Always of the same width: the largest stable step may become
// known later, and the buttons next to it must not move.
void smaller_step_buttons(const PanelContext& context) {
  const std::optional<SmallerStep> smaller = smaller_step(context);
  const std::string help = help_of_smaller_step(context, smaller);
  if (row_button("blow-up-smaller-h",
                 smaller ? "Smaller h: " + format_quantity(smaller->h, "s") : "Smaller h", help,
                 {.width = button_width("Smaller h: 0.00 ms"), .enabled = smaller.has_value()}))
    context.set_parameter("dt", std::copysign(smaller->h * context.scene().substeps, context.scene().dt));
  const ParameterSpec& spec = find_scene_parameter("substeps")->spec;
  const double count = smaller ? std::ceil(std::abs(context.scene().dt) / smaller->h) : spec.max + 1;
  const bool can = count <= spec.max;
  if (row_button("blow-up-substeps", can ? "Substeps: " + format_plain(count) : "Substeps",
                 can ? "Keeps the step and divides it into this many substeps." : help,
                 {.width = button_width("Substeps: 1000"), .enabled = can}))
    context.set_parameter("substeps", count);
}

/// The first other method that is stable at every h.
std::size_t stable_method(const PanelContext& context) {
  std::size_t row = 0;
  while (!std::isinf(integrators()[row].stability_limit) || row == context.integrator()) ++row;
  return row;
}

/// Tooltip of that method's button.
std::string help_of_stable_method(const PanelContext& context, const IntegratorInfo& info) {
  std::string help = "Continues from the last good state with this method. ";
  if (const std::optional<StabilityEstimate>& estimate = context.snapshot.stability)
    return help + describe_stability(info, default_parameters(info), context.step_size(), *estimate);
  return help + "It is stable at every h.";
}

void fork(const PanelContext& context, const IntegratorInfo& method) {
  context.send(Control(ShowPast{context.snapshot.frame.record.time - kForkSeconds}));
  context.send(Control(NewLane{std::string(method.id)}));
  context.send(Control(SetPlaying{true}));
}

void buttons_to_continue(const PanelContext& context) {
  if (row_button("watch-again", "Watch again",
                 "Replays the last states before the blow-up slowly, within a few seconds (B)."))
    context.send(Control(WatchAgain{}));
  if ((context.snapshot.failed_spring || context.snapshot.failed_contact) &&
      row_button("blow-up-where", "Where?",
                 "Moves the camera to the spring or contact that failed; F shows all again."))
    context.request(FrameFailure{});
  smaller_step_buttons(context);
  const std::size_t stable = stable_method(context);
  const IntegratorInfo& method = integrators()[stable];
  if (solves_stages_once(context.method(), context.scene().solver)) {
    if (row_button("blow-up-newton", "Newton's method",
                   "Continues from the last good state with the stages solved by Newton's method."))
      context.set_parameter("stage-solve", 0);
  } else if (row_button("blow-up-stable-method", "Stable: " + std::string(method.title),
                        help_of_stable_method(context, method)))
    context.set_integrator(stable);
  if (row_button("blow-up-fork", "Fork " + format_plain(kForkSeconds) + " s before",
                 "Goes back by that and adds a lane with " + std::string(method.title) +
                     ". This lane will blow up again."))
    fork(context, method);
  if (row_button("blow-up-rewind", "Rewind",
                 "Goes back to before the blow-up and pauses. Change something and continue (Backspace)."))
    context.send(Control(Rewind{}));
  if (row_button("blow-up-reset", "Reset", "Back to the start (R).")) context.send(Command(Reset{}));
}

constexpr std::string_view kDampedMethod = "backward-euler";

}  // namespace

const Notice* gain_to_cure(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  const Scene& scene = context.scene();
  if (!now.notices || scene.adaptive || solves_by_newton(context.method(), scene.solver)) return nullptr;
  const std::span<const Notice> all = *now.notices;
  const auto of_method = all.subspan(std::min(now.method_origin.notices, all.size()));
  const auto found = std::ranges::find(of_method, NoticeCause::gain_in_step, &Notice::cause);
  return found == of_method.end() ? nullptr : &*found;
}

bool gain_strip(const PanelContext& context, const Notice& notice, bool& why) {
  const std::string text = text_with_step(notice);
  const std::size_t end = std::min(text.find(". "), text.size() - 1) + 1;  // of the first sentence
  ImGui::AlignTextToFramePadding();
  // In one line with the buttons where there is room for most of it.
  constexpr float kRoomForButtons = 320, kLeastRoom = 300;  // [interface units]
  const float room = ImGui::GetContentRegionAvail().x - units(kRoomForButtons);
  const std::string sentence = text.substr(0, end);
  wrapped_text(room > units(kLeastRoom) ? first_line(sentence, room) : sentence, palette().careful);
  tooltip(text);
  note_item("gain");
  note_text("gain", text);
  if (end < text.size() &&
      row_button("gain-why", "Why?", "The cause of the gain, with numbers.", {.active = why}))
    why = !why;
  if (row_button("gain-adaptive", "Adaptive step",
                 "Repeats such steps of this lane with a smaller h, from now on. Undo with Ctrl-Z."))
    context.set_parameter("adaptive-dt", 1);
  const bool once = context.scene().solver.stage_solve == StageSolve::linear;
  if (newton_is_cure(context.method(), context.own_parameters(), context.scene().solver)) {
    if (row_button("gain-newton", "Newton's method",
                   "Continues this lane with Newton's method, which solves the equations of each stage. Undo "
                   "with Ctrl-Z."))
      context.set_parameter("stage-solve", 0);
  } else if (row_button("gain-backward-euler", "Backward Euler",
                        "Continues this lane with this method, which solves the step's equations. Undo with "
                        "Ctrl-Z.")) {
    if (once) context.set_parameter("stage-solve", 0);
    context.set_integrator(method_row(kDampedMethod));
  }
  const bool closed = row_icon_button("gain-close", Icon::close, "Do not show this notice again (Esc).");
  if (why && end < text.size()) wrapped_text(text.substr(end + 1));
  return !closed;
}

void blow_up_strip(const PanelContext& context, bool& why) {
  const Snapshot& now = context.snapshot;
  ImGui::AlignTextToFramePadding();
  wrapped_text(now.blow_up_sentence, palette().failed);
  note_item("blow-up");
  if (row_button("blow-up-why", "Why?", "The cause of the blow-up, with numbers.", {.active = why}))
    why = !why;
  buttons_to_continue(context);
  if (!why) return;
  wrapped_text(now.blow_up_text);
  note_text("blow-up-why", now.blow_up_text);
}

}  // namespace clothlab
