// SPDX-License-Identifier: MIT
#include "app/preferences.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/text.h"
#include "core/text_file.h"
#include "io/output_file.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostRecent = 10;
constexpr std::size_t kLargestFile = 1 << 20;

fs::path file(const Environment& environment) {
  const fs::path folder = config_folder(environment);
  return folder.empty() ? folder : folder / "settings.json";
}

/// Reads the value of a key if the file has one of that type.
template <class T>
void read(const Json& json, const char* key, T& value) {
  const auto found = json.find(key);
  if (found == json.end()) return;
  try {
    value = found->get<T>();
  } catch (const Json::exception&) {
    // Invalid values are ignored.
  }
}

template <class T>
void read_between(const Json& json, const char* key, T& value, T least, T most) {
  read(json, key, value);
  value = std::clamp(value, least, most);
}

void read_view(const Json& json, ViewSettings& out) {
  read(json, "plots", out.plots);
  read_between(json, "plots_height", out.plots_layout.height, 110.0f, 2000.0f);
  read_between(json, "panel_width", out.panel_width, kLeastPanelWidth, 4000.0f);
  std::vector<std::string> plots;
  read(json, "plots_chosen", plots);
  out.plots_layout.choose(plots);
  bool with_gravity = true;
  read(json, "energy_with_gravity", with_gravity);
  out.plots_layout.set_with_gravity(with_gravity);
  read_between(json, "history_megabytes", out.history_megabytes, kLeastHistoryMegabytes,
               kMostHistoryMegabytes);
  read(json, "write_session", out.write_session);
  std::string run_ahead;
  read(json, "run_ahead", run_ahead);
  const auto choice = std::ranges::find(kLookAheadChoices, run_ahead);
  if (choice != kLookAheadChoices.end())
    out.look_ahead = static_cast<LookAheadChoice>(choice - kLookAheadChoices.begin());
  read(json, "trackpad", out.trackpad);
  read_between(json, "hand_strength", out.grab_strength, kLeastGrabStrength, 1.0);
  if (const auto recording = json.find("recording"); recording != json.end() && recording->is_object()) {
    read(*recording, "pictures", out.recording.pictures);
    read(*recording, "meshes", out.recording.meshes);
    read(*recording, "video", out.recording.video);
    read(*recording, "comparison", out.recording.comparison);
    std::string plot;
    read(*recording, "plot", plot);
    if (const auto row = std::ranges::find(kLanePlotNames, plot); row != kLanePlotNames.end())
      out.recording.plot = static_cast<LanePlot>(row - kLanePlotNames.begin());
    read_between(*recording, "frames_per_second", out.recording.frames_per_second, kLeastRecordedRate,
                 kMostRecordedRate);
  }
  read_between(json, "interface_scale", out.interface_scale, 0.75f, 2.0f);
  std::string theme;
  read(json, "theme", theme);
  if (theme == "light") out.theme = Theme::light;
  std::vector<std::string> hints;
  read(json, "hints_done", hints);
  for (std::size_t i = 0; i < kHintNames.size(); ++i)
    out.hints_done[i] = std::ranges::count(hints, kHintNames[i]) > 0;
}

}  // namespace

Preferences Preferences::load(const Environment& environment) {
  Preferences out;
  std::error_code ignored;
  const fs::path path = file(environment);
  if (path.empty() || !fs::is_regular_file(path, ignored)) return out;
  Json json;
  try {
    json = parse_strict_json(read_text_file(path, kLargestFile));
  } catch (const std::exception&) {
    return out;
  }
  if (!json.is_object()) return out;
  std::vector<std::string> recent_files;
  read(json, "recent_files", recent_files);
  for (const std::string& recent : recent_files)
    if (out.recent_files.size() < kMostRecent && fs::is_regular_file(path_of(recent), ignored))
      out.recent_files.push_back(path_of(recent));
  std::string save_folder;
  read(json, "save_folder", save_folder);
  if (fs::is_directory(path_of(save_folder), ignored)) out.save_folder = path_of(save_folder);
  std::vector<int> window;
  read(json, "window", window);
  if (window.size() == 4) out.window = WindowGeometry{window[0], window[1], window[2], window[3]};
  read(json, "tab", out.tab);
  read_view(json, out.view);
  return out;
}

void Preferences::save(const Environment& environment) const {
  const fs::path path = file(environment);
  if (path.empty()) return;
  Json json;
  json["recent_files"] = Json::array();
  // JSON cannot contain names that are not UTF-8.
  for (const fs::path& recent : recent_files)
    if (is_utf8(utf8_of(recent))) json["recent_files"].push_back(utf8_of(recent));
  if (is_utf8(utf8_of(save_folder))) json["save_folder"] = utf8_of(save_folder);
  if (window) json["window"] = {window->x, window->y, window->width, window->height};
  json["tab"] = tab;
  json["plots"] = view.plots;
  json["plots_height"] = view.plots_layout.height;
  json["panel_width"] = view.panel_width;
  json["plots_chosen"] = view.plots_layout.titles();
  json["energy_with_gravity"] = view.plots_layout.with_gravity();
  json["history_megabytes"] = view.history_megabytes;
  json["write_session"] = view.write_session;
  json["run_ahead"] = kLookAheadChoices[static_cast<std::size_t>(view.look_ahead)];
  json["trackpad"] = view.trackpad;
  json["hand_strength"] = view.grab_strength;
  json["recording"] = {{"pictures", view.recording.pictures},
                       {"meshes", view.recording.meshes},
                       {"video", view.recording.video},
                       {"comparison", view.recording.comparison},
                       {"plot", kLanePlotNames[static_cast<std::size_t>(view.recording.plot)]},
                       {"frames_per_second", view.recording.frames_per_second}};
  json["interface_scale"] = view.interface_scale;
  json["theme"] = view.theme == Theme::light ? "light" : "dark";
  json["hints_done"] = Json::array();
  for (std::size_t i = 0; i < kHintNames.size(); ++i)
    if (view.hints_done[i]) json["hints_done"].push_back(kHintNames[i]);
  try {
    fs::create_directories(path.parent_path());
    check_replaceable(path);
    write_file(path, json.dump(2) + "\n");
  } catch (const std::exception&) {
    // Ignored, see the header.
  }
}

void Preferences::add_recent(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  std::erase(recent_files, whole);
  recent_files.insert(recent_files.begin(), whole);
  if (recent_files.size() > kMostRecent) recent_files.resize(kMostRecent);
}

}  // namespace clothlab
