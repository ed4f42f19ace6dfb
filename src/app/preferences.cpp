#include "app/preferences.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/text_file.h"
#include "io/output_file.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecent = 10;
constexpr std::size_t kLargestFile = 1 << 20;

fs::path file() {
  const auto from = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? fs::path(value) : fs::path();
  };
  fs::path folder = from("XDG_STATE_HOME");
  if (folder.empty()) folder = from("APPDATA");
  if (folder.empty() && !from("HOME").empty()) folder = from("HOME") / ".local" / "state";
  return folder.empty() ? fs::path() : folder / "clothlab" / "window.json";
}

std::string utf8(const fs::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

}  // namespace

Preferences Preferences::load() {
  Preferences out;
  std::error_code ignored;
  const fs::path path = file();
  if (path.empty() || !fs::is_regular_file(path, ignored)) return out;
  try {
    const auto json = nlohmann::json::parse(read_text_file(path, kLargestFile));
    out.interface_scale = std::clamp(json.value("interface_scale", 1.0), 0.75, 2.0);
    if (json.value("theme", "dark") == "light") out.theme = Theme::light;
    out.has_dragged = json.value("has_dragged", false);
    for (const std::string& recent : json.value("recent_files", std::vector<std::string>())) {
      const fs::path known(std::u8string(recent.begin(), recent.end()));
      if (out.recent_files.size() < kMostRecent && fs::is_regular_file(known, ignored))
        out.recent_files.push_back(known);
    }
  } catch (const std::exception&) {
    return {};
  }
  return out;
}

void Preferences::save() const {
  const fs::path path = file();
  if (path.empty()) return;
  nlohmann::json json;
  json["interface_scale"] = interface_scale;
  json["theme"] = theme == Theme::light ? "light" : "dark";
  json["has_dragged"] = has_dragged;
  json["recent_files"] = nlohmann::json::array();
  for (const fs::path& recent : recent_files) json["recent_files"].push_back(utf8(recent));
  try {
    fs::create_directories(path.parent_path());
    write_file(path, json.dump(2) + "\n");
  } catch (const std::exception&) {
    // See the header: not worth a failure.
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
