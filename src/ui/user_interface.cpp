// SPDX-License-Identifier: MIT
#include "ui/user_interface.h"

#include <algorithm>

#include "ui/actions.h"
#include "ui/lanes.h"

namespace clothlab {
namespace {

constexpr float kMostPanel = 0.55F;  // of the window's width
// In a lower window the panel scrolls as a whole, not only the list below the integrator.
constexpr float kLowWindow = 560;
constexpr float kTimelineHeight = 38;
constexpr float kLeastPlotsHeight = 110;
constexpr float kLeastPlotsBesideShelf = 105;
constexpr float kMostOfWindow = 0.7F;  // that plots may take
constexpr float kLeastOfView = 0.35F;  // of the window; the shelf scrolls instead
constexpr float kStatusHeight = 28;
constexpr double kMessageSeconds = 15;

constexpr const char* kMethodTab = "Method";

constexpr std::array kTabs = {
    Tab{"Scene", "Ready-made scenes, and the mesh report.", scene_panel},
    Tab{"Cloth", "Mass, stiffness, damping and pins.", cloth_panel},
    Tab{"World", "Gravity, grab, pressure, wind and drivers.", world_panel},
    Tab{"Contact", "Contact model, obstacles and floor. Drag a body in the picture to move it.",
        contact_panel},
    Tab{"Solver", "Tolerances and limits of the solvers, and adaptive steps.", solver_panel},
    Tab{"View", "Wireframe, heat map, ground grid and what the window shows.", view_panel},
    Tab{kMethodTab, "The current integrator explained: formula, order, cost and stability (E).",
        method_panel},
};

// Height of the plots in a window of that height, in window coordinates.
float plots_height(const ViewSettings& view, float window) {
  if (!view.plots) return 0;
  const float share = window < units(kLowWindow) && !view.plots_layout.enlarged ? 0.5F : kMostOfWindow;
  const float most = std::max(window * share - units(kTimelineHeight + kStatusHeight), 1.0F);
  return view.plots_layout.enlarged ? most : std::min(units(view.plots_layout.height), most);
}

// The upper edge of the plots can be dragged.
void splitter(ViewSettings& view, float width, float most) {
  ImGui::InvisibleButton("##splitter", ImVec2(width, units(6)));
  note_item("splitter");
  if (!view.plots || view.plots_layout.enlarged) return;
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddRectFilled(a, ImVec2(b.x, a.y + units(2)), palette().accent);
  }
  if (!ImGui::IsItemActive()) return tooltip("Drag for larger or smaller plots.");
  float& height = view.plots_layout.height;
  height = std::clamp(height - ImGui::GetIO().MouseDelta.y / units(1), kLeastPlotsHeight,
                      std::max(most / units(1), kLeastPlotsHeight));
}

// The left edge of the side panel can be dragged.
void panel_splitter(ViewSettings& view, float window, float height) {
  const ImVec2 start = ImGui::GetCursorPos();
  ImGui::SetCursorPos(ImVec2(0, ImGui::GetScrollY()));
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  // The margin is clipped otherwise.
  ImGui::PushClipRect(corner, ImVec2(corner.x + units(6), corner.y + height), false);
  ImGui::InvisibleButton("##panel-splitter", ImVec2(units(6), height));
  ImGui::PopClipRect();
  note_item("panel-splitter");
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  ImGui::SetCursorPos(start);
  if (!ImGui::IsItemHovered() && !ImGui::IsItemActive()) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  ImGui::GetForegroundDrawList()->AddRectFilled(a, ImVec2(a.x + units(2), b.y), palette().accent);
  const float most = std::max(kMostPanel * window / units(1), kLeastPanelWidth);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    view.panel_width = kUsualPanelWidth;
  else if (ImGui::IsItemActive())
    view.panel_width = std::clamp(std::min(view.panel_width, most) - ImGui::GetIO().MouseDelta.x / units(1),
                                  kLeastPanelWidth, most);
  else
    tooltip("Drag for a wider or narrower panel; double-click for the usual width.");
}

// Whether the titles of all tabs fit side by side.
bool tabs_fit(float room) {
  const ImGuiStyle& style = ImGui::GetStyle();
  float width = 0;
  for (const Tab& tab : kTabs)
    width += text_width(tab.title) + 2 * style.FramePadding.x + style.ItemInnerSpacing.x;
  return width <= room;
}

}  // namespace

std::span<const Tab> tabs() { return kTabs; }

UserInterface::Layout UserInterface::layout(float width, float height, const ViewSettings& view) const {
  const float across = std::max(width - std::min(units(view.panel_width), kMostPanel * width), 1.0F);
  const float bottom = height - units(kStatusHeight);
  const float timeline = units(kTimelineHeight), notice = units(kNoticeHeight);
  // Notices of more than one line are above the shelf: they cover neither the cloth nor the time line. Both
  // get their height from the plots, so that the view stays. The plots keep a useful height, or give place to
  // the shelf; notices scroll instead.
  const float least = units(kLeastPlotsBesideShelf);
  const float most = std::max((1 - kLeastOfView) * bottom - timeline - notice, units(40));
  const float own = std::min(shelf_height_, most);
  float shelf = own, plots = plots_height(view, height);
  if (shelf > 0 && plots - shelf < least) {
    shelf = std::max(shelf, plots);
    plots = 0;
  } else {
    plots -= shelf;
  }
  const float tall = notices_height_ > notice + 1 ? notices_height_ : 0;
  const float told = std::min(tall, std::max(plots > 0 ? plots - least : most - own, notice));
  if (plots > 0)
    plots -= told;
  else
    shelf = std::max(shelf - told, own);
  const float below = std::max(bottom - shelf - told - plots, 1.0F + notice + timeline);
  const float top = below - notice - timeline;
  return {.view = {0, 0, across, top},
          .notices = tall > 0 ? Area{0, below, across, told} : Area{0, top, across, notice},
          .timeline = {0, top + notice, across, timeline},
          .shelf = {0, below + told, across, shelf},
          .plots = {0, below + told + shelf, across, plots}};
}

void UserInterface::draw(const PanelContext& context, float width, float height) {
  item_rects().clear();
  shown_texts().clear();
  context.view.spectrum = {};  // until an instrument requests it
  context.view.step_of.reset();
  if (scene_ != context.snapshot.loaded) {
    scene_ = context.snapshot.loaded;
    slider_spans().reset(scene_->mesh->diagonal);
    if (message_is_of_run_ || (message_scene_ && message_scene_ != scene_)) message_.clear();
  }
  const std::size_t method = context.integrator();
  const double time = context.snapshot.frame.record.time;
  const bool past = context.snapshot.replay.has_value();
  const bool has_other_method = method != std::exchange(method_, method);
  const bool went_back = time < std::exchange(time_, time);
  if (past != std::exchange(past_, past) || has_other_method || went_back)
    if (message_is_of_run_) message_.clear();  // it was of another moment
  show_what_is_new(context.snapshot);
  const Layout parts = layout(width, height, context.view);
  const Area& view = parts.view;
  const float status = units(kStatusHeight);

  lane_frames(context, view);
  draw_side_panel(context, view.width, height - status);
  draw_below(context, parts, height - status);
  begin_fixed("##status", {0, height - status, width, status},
              ImVec2(units(12), (status - ImGui::GetTextLineHeight()) / 2));
  ImGui::GetWindowDrawList()->AddLine(ImVec2(0, height - status), ImVec2(width, height - status),
                                      palette().line);
  status_bar(context);
  end_fixed();
  draw_overlays(context, parts);
  draw_cards(context, view, {0, 0, width, height - status});
}

// Time line, shelf and plots, between the notices and the status bar.
void UserInterface::draw_below(const PanelContext& context, const Layout& parts, float bottom) {
  const float pad = units(8);
  const float width = parts.timeline.width;
  begin_fixed("##timeline", parts.timeline, ImVec2(0, 0));
  splitter(context.view, width, bottom * kMostOfWindow - parts.timeline.height - units(kNoticeHeight));
  ImGui::SetCursorPos(ImVec2(units(12), units(7)));
  timeline_panel(context, width - units(12) - pad);
  end_fixed();
  draw_shelf(context, parts.shelf);
  if (parts.plots.height <= 0) return;
  begin_fixed("##plots", parts.plots, ImVec2(pad, units(2)));
  plots_panel(context, width - 2 * pad, parts.plots.height - pad);
  end_fixed();
}

// Its height follows its content one picture later.
void UserInterface::draw_shelf(const PanelContext& context, const Area& area) {
  const bool blown_up = !context.snapshot.blow_up_sentence.empty();
  const Notice* const gain = gain_to_show(context);
  const float before = std::exchange(shelf_height_, 0.0F);
  if (!blown_up && !mesh_bar_.is_shown(context.snapshot) && gain == nullptr) return;
  const bool scrolls = before > area.height;
  begin_fixed("##shelf", area, ImVec2(units(12), units(4)),
              scrolls ? kFixedPart & ~ImGuiWindowFlags_NoScrollbar : kFixedPart);
  // Explanations and tooltips are below their buttons.
  const TooltipsThere there(TooltipSide::above);
  if (blown_up) {
    blow_up_strip(context, why_open_);
  } else if (gain != nullptr) {
    if (!gain_strip(context, *gain, why_open_)) closed_gain_ = *gain;
  } else {
    mesh_bar_.draw(context);
  }
  if (blown_up || mesh_bar_.is_shown(context.snapshot) || gain_to_show(context) != nullptr)
    shelf_height_ = ImGui::GetCursorPosY() + ImGui::GetScrollY() + units(2);
  end_fixed();
}

void UserInterface::draw_side_panel(const PanelContext& context, float x, float height) {
  const float width = ImGui::GetIO().DisplaySize.x - x;
  const bool low = height < units(kLowWindow);
  begin_fixed("##panel", {x, 0, width, height}, ImVec2(units(12), units(10)),
              low ? kFixedPart & ~ImGuiWindowFlags_NoScrollbar : kFixedPart);
  panel_splitter(context.view, x + width, height);
  main_buttons(context);
  transport_panel(context);
  lanes_panel(context);
  section("Integrator");
  integrator_panel(context);
  ImGui::Dummy(ImVec2(0, units(2)));
  draw_tabs(context, low);
  end_fixed();
}

// In a low window they scroll with the rest of the panel.
void UserInterface::draw_tabs(const PanelContext& context, bool low) {
  const bool explained = tab_ == kMethodTab;
  if (wanted_tab_.empty() && context.view.explain != explained) {
    wanted_tab_ = explained ? tab_before_ : kMethodTab;
    if (low) ImGui::SetScrollHereY(0);
  }
  // Its line ends with the sections' lines; Dear ImGui would extend it into the margins.
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::PushClipRect(
      corner, ImVec2(corner.x + ImGui::GetContentRegionAvail().x, ImGui::GetIO().DisplaySize.y), true);
  // In a narrow panel the titles are smaller rather than cut.
  const bool fit = tabs_fit(ImGui::GetContentRegionAvail().x);
  ImFont* const font = fit ? fonts().body : fonts().small;
  const float padding = fit ? ImGui::GetStyle().FramePadding.x : units(4);
  const auto push = [&] {
    ImGui::PushFont(font);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(padding, ImGui::GetStyle().FramePadding.y));
  };
  const auto pop = [] {
    ImGui::PopStyleVar();
    ImGui::PopFont();
  };
  push();
  const bool tabs = ImGui::BeginTabBar("tabs");
  pop();
  ImGui::PopClipRect();
  if (!tabs) return;
  for (const Tab& tab : kTabs) {
    const bool wanted = wanted_tab_ == tab.title;
    push();
    const bool open = ImGui::BeginTabItem(tab.title, nullptr, wanted ? ImGuiTabItemFlags_SetSelected : 0);
    pop();
    note_item(std::string("tab:") + tab.title);
    {
      const TooltipsThere there(TooltipSide::above);  // below are the first controls
      tooltip(tab.help);
    }
    if (!open) continue;
    if (wanted) wanted_tab_.clear();
    tab_ = tab.title;
    if (!low) ImGui::BeginChild(tab.title, ImVec2(0, 0));
    tab.draw(context);
    if (!low) ImGui::EndChild();
    ImGui::EndTabItem();
  }
  push();
  ImGui::EndTabBar();
  pop();
  if (tab_ != kMethodTab) tab_before_ = tab_;
  if (wanted_tab_.empty()) context.view.explain = tab_ == kMethodTab;
}

void UserInterface::main_buttons(const PanelContext& context) {
  const float gap = units(6);
  const float narrow = units(32);
  const float wide = (ImGui::GetContentRegionAvail().x - 5 * gap - 2 * narrow) / 4;
  if (text_button(
          "open", "Open...",
          "Open an OBJ mesh, a scene file, a saved moment, a journal or a bundle (Ctrl-O). You can also "
          "drop one on the window. A journal is replayed to its end.",
          {.width = wide}))
    files_.open(FileDialog::Purpose::open);
  ImGui::SameLine(0, gap);
  if (text_button("save", "Save...",
                  "Save this scene: mesh, material, pins, integrator and solver settings (Ctrl-S).",
                  {.width = wide}))
    files_.open(FileDialog::Purpose::save_scene, context.snapshot.loaded->scene.title);
  ImGui::SameLine(0, gap);
  if (text_button("export", "Export",
                  "Pictures, the mesh, this moment, a bundle, the journal, recordings, and the command line.",
                  {.width = wide}))
    ImGui::OpenPopup("##export");
  export_menu(context);
  const auto step_button = [&](const char* name, Icon icon, const std::string& what, const std::string& help,
                               AppRequest request) {
    ImGui::SameLine(0, gap);
    if (icon_button(name, icon, help + (what.empty() ? "." : ": " + what + "."),
                    {.width = narrow, .enabled = !what.empty()}))
      context.request(std::move(request));
  };
  step_button("undo", Icon::undo, context.edits.undo_text(), "Undo (Ctrl-Z)", Undo{});
  step_button("redo", Icon::redo, context.edits.redo_text(), "Redo (Ctrl-Y)", Redo{});
  ImGui::SameLine(0, gap);
  if (text_button("keys", "Keys",
                  "All keys and what the mouse does (F1). Ctrl-K finds commands and values by name.",
                  {.width = wide, .active = help_open_}))
    help_open_ = !help_open_;
}

void UserInterface::export_menu(const PanelContext& context) {
  export_menu_open_ = ImGui::BeginPopup("##export");
  if (!export_menu_open_) return;
  if (std::exchange(export_menu_closes_, false)) ImGui::CloseCurrentPopup();
  struct Row {
    const char* id;
    bool opens_dialog = false;
  };
  for (const auto& [id, opens_dialog] :
       {Row{"save-picture"}, Row{"export-mesh", true}, Row{"save-moment", true}, Row{"save-bundle", true},
        Row{"save-journal"}, Row{"record", true}, Row{"copy-command"}}) {
    const Action& action = *find_action(id);
    std::string label = current_name(action, context.recording);
    if (opens_dialog && label == action.name) label += " ...";
    const bool chosen = ImGui::MenuItem(label.c_str(), action.keys);
    note_text(std::string("export:") + id, label);
    explain_item(id, action.help);
    if (chosen) action.act(action_targets(context));
  }
  ImGui::EndPopup();
}

ActionTargets UserInterface::action_targets(const PanelContext& context, bool shift) {
  return {context, files_, recording_, about_, commands_, help_open_, wanted_tab_, shift};
}

bool UserInterface::is_told_by_bar(const Snapshot& now, std::string_view line) const {
  const std::vector<const LaneSnapshot*> lanes = now.lanes();
  const auto stands = [](const LaneSnapshot* lane) { return !lane->blow_up_sentence.empty(); };
  const bool none_goes_on = std::ranges::all_of(lanes, stands);
  return std::ranges::any_of(lanes, [&](const LaneSnapshot* lane) {
    return stands(lane) && (none_goes_on || lane->lane == now.lane) &&
           line.starts_with(lane->blow_up_sentence);
  });
}

const Notice* UserInterface::gain_to_show(const PanelContext& context) const {
  if (!context.snapshot.blow_up_sentence.empty() || mesh_bar_.is_shown(context.snapshot)) return nullptr;
  const Notice* const gain = gain_to_cure(context);
  return gain != nullptr && closed_gain_ != *gain ? gain : nullptr;
}

void UserInterface::drop_told_lines(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  const bool gains = gain_to_show(context) != nullptr;
  const auto has_bar = [&](NoticeCause cause) {
    return cause == NoticeCause::blow_up_soon
               ? !now.blow_up_sentence.empty()
               : gains && (cause == NoticeCause::gain_in_step || cause == NoticeCause::spurious_energy);
  };
  const std::string of_lane = std::string("Lane ") + lane_letter(now.lane) + ": ";
  const auto is_told = [&](std::string_view line) {
    if (is_told_by_bar(now, line)) return true;
    if (!message_is_of_run_) return false;
    if (line.starts_with(of_lane)) line.remove_prefix(of_lane.size());
    return std::ranges::any_of(
        *now.notices, [&](const Notice& notice) { return has_bar(notice.cause) && line == notice.text; });
  };
  std::string others;
  for (std::string_view rest = message_; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!is_told(line)) others.append(others.empty() ? "" : "\n").append(line);
  }
  message_ = std::move(others);
}

void UserInterface::draw_overlays(const PanelContext& context, const Layout& parts) {
  view_legend(context, parts.view);
  drop_told_lines(context);
  const bool open = notices(context, parts.notices, message_, message_is_error_, notices_height_);
  if (!open || ImGui::GetTime() > message_until_) message_.clear();
}

// Cards to read or to answer; in a small window they also cover the panel.
void UserInterface::draw_cards(const PanelContext& context, const Area& view, const Area& window) {
  const Area room = view.width < units(560) ? window : Area{view.x, view.y, view.width, window.height};
  if (help_open_) {
    context.view.done(Hint::keys);
    help_open_ = help_overlay(window, about_, commands_);  // a long list
  }
  if (question_.is_open() || session_offer_.is_open()) commands_.close();
  const ActionTargets targets = action_targets(context);
  commands_.draw(targets, room);
  files_.draw(room, [&](FilePurpose purpose, const std::filesystem::path& path) {
    context.request(FileRequest{purpose, path});
  });
  if (std::exchange(context.view.edit_tableau, false)) tableau_.open(tableau_of(context.scene()));
  tableau_.draw(context, room);
  recording_.draw(context, room);
  question_.draw(context, room);
  if (offers_session()) session_offer_.draw(context, room);
  about_.draw(context, window);
}

void UserInterface::open_tab(std::string_view title) {
  const auto known = [&](const Tab& tab) { return tab.title == title; };
  if (std::ranges::any_of(kTabs, known)) wanted_tab_ = title;
}

bool UserInterface::waits_for_time() const {
  return !message_.empty() || files_.is_reading() || ImGui::GetIO().WantTextInput;
}

void UserInterface::show_what_is_new(const Snapshot& snapshot) {
  if (snapshot.errors < refusals_seen_) refusals_seen_ = 0;  // another thread, another count
  if (snapshot.errors > refusals_seen_ && !snapshot.error.empty()) show_message(snapshot.error, true);
  refusals_seen_ = snapshot.errors;
  if (snapshot.messages < messages_seen_) messages_seen_ = 0;
  if (snapshot.messages > messages_seen_) {
    show_message(snapshot.message, false);
    message_is_of_run_ = true;
  }
  messages_seen_ = snapshot.messages;
}

void UserInterface::show_message(std::string_view text, bool is_error) {
  constexpr std::size_t kLongest = 2000;  // a command line that was copied may be far longer
  message_ = printable(text, kLongest, "\n");
  message_is_error_ = is_error;
  message_is_of_run_ = false;
  message_scene_.reset();
  message_until_ = ImGui::GetTime() + kMessageSeconds;
}

void UserInterface::show_message_of(std::shared_ptr<const LoadedScene> scene, std::string_view text,
                                    bool is_error) {
  show_message(text, is_error);
  message_scene_ = std::move(scene);
}

bool UserInterface::on_key(const KeyPress& press, bool typing, const PanelContext& context) {
  hide_tooltips();
  // A held Enter answers one question, not the next one too.
  if (press.key == Key::enter && press.repeat) return false;
  if (question_.on_key(press, context) || (offers_session() && session_offer_.on_key(press, context)) ||
      commands_.on_key(press) || files_.on_key(press) || recording_.on_key(press) || tableau_.on_key(press) ||
      about_.on_key(press))
    return true;
  if (press.key == Key::escape) {
    // Esc closes the newest first; a text field handles its own Esc.
    if (typing || close_choice()) return true;
    if (export_menu_open_) return export_menu_closes_ = true;
    if (help_open_) return help_open_ = false, true;
    if (context.load.running) return context.request(CancelLoad{}), true;
    if (context.snapshot.frame.grab) return context.request(ReleaseGrab{}), true;
    if (!message_.empty()) return message_.clear(), true;
    if (context.recording.shown && context.recording.progress.finished)
      return context.request(CloseRecording{}), true;
    if (mesh_bar_.is_shown(context.snapshot)) return mesh_bar_.close(), true;
    if (const Notice* const gain = gain_to_show(context)) return closed_gain_ = *gain, true;
    if (context.view.plots_layout.enlarged) return context.view.plots_layout.enlarged.reset(), true;
    return context.request(ReleaseGrab{}), true;
  }
  if (typing && !press.ctrl && press.key != Key::f1) return false;
  constexpr std::string_view kEditing = "ACVXYZ";  // with Ctrl, in a field
  if (typing && press.ctrl &&
      (press.character == 0 || kEditing.find(press.character) != std::string_view::npos))
    return false;
  return run_action(press, action_targets(context, press.shift));
}

}  // namespace clothlab
