// SPDX-License-Identifier: MIT
#include "io/config_folder.h"

#include <cstdlib>
#include <system_error>

#include "core/text_file.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

/// Relative folders are ignored, as the XDG base directory specification says.
fs::path absolute_folder(const Environment& environment, const char* name) {
  const fs::path folder = path_of(environment(name));
  return folder.is_absolute() ? folder : fs::path();
}

fs::path below(const fs::path& folder, const fs::path& name) {
  return folder.empty() ? folder : folder / name;
}

fs::path home(const Environment& environment) {
#ifdef _WIN32
  return absolute_folder(environment, "USERPROFILE");
#else
  return absolute_folder(environment, "HOME");
#endif
}

}  // namespace

Environment process_environment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::string(value) : std::string();
  };
}

fs::path config_folder(const Environment& environment) {
#if defined(_WIN32)
  const fs::path folder = absolute_folder(environment, "APPDATA");
#elif defined(__APPLE__)
  const fs::path folder = below(home(environment), "Library/Application Support");
#else
  fs::path folder = absolute_folder(environment, "XDG_CONFIG_HOME");
  if (folder.empty()) folder = below(home(environment), ".config");
#endif
  return below(folder, "clothlab");
}

fs::path state_folder(const Environment& environment) {
#if defined(_WIN32)
  return below(absolute_folder(environment, "LOCALAPPDATA"), "clothlab");
#elif defined(__APPLE__)
  return config_folder(environment);
#else
  const fs::path folder = absolute_folder(environment, "XDG_STATE_HOME");
  return below(folder.empty() ? below(home(environment), ".local/state") : folder, "clothlab");
#endif
}

fs::path pictures_folder(const Environment& environment) {
  std::error_code error;
  fs::path own = home(environment);
  fs::path pictures = below(own, "Pictures");
  if (fs::is_directory(pictures, error)) return pictures;
  if (fs::is_directory(own, error)) return own;
  return fs::temp_directory_path(error);
}

}  // namespace clothlab
