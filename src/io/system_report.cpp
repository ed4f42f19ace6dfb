// SPDX-License-Identifier: MIT
#include "io/system_report.h"

#include <cctype>
#include <fstream>

#include "core/about.h"
#include "core/text.h"
#include "core/worker_pool.h"
#ifndef _WIN32
#include <sys/utsname.h>
#endif

namespace clothlab {
namespace {

// What follows `key` and a separator in the first line of a file that begins with it; "unknown" without one.
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(separator);
    if (!line.starts_with(key) || at == std::string::npos) continue;
    std::string value(trimmed(std::string_view(line).substr(at + 1)));
    std::erase(value, '"');
    return printable(value);
  }
  return "unknown";
}

std::string operating_system() {
#ifdef _WIN32
  return "Windows";
#else
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return value_in("/etc/os-release", "PRETTY_NAME", '=') + ", " + printable(names.sysname) + " " +
         printable(names.release) + " " + printable(names.machine);
#endif
}

}  // namespace

std::string system_report() {
  std::string text("ClothLab ");
  text.append(program_version());
  if (!program_commit().empty()) text.append(", commit ").append(program_commit());
  text.append("\nLibraries:");
  for (const UsedLibrary& library : used_libraries()) {
    text.append(" ").append(library.name);
    if (!library.version.empty()) text.append(" ").append(library.version);
    text.append(";");
  }
  text.append("\nSystem: ").append(operating_system());
  text.append("\nProcessor: ").append(value_in("/proc/cpuinfo", "model name", ':')).append(", ");
  return text.append(std::to_string(hardware_threads())).append(" threads\n");
}

std::string without_home(const std::string& text, const Environment& environment) {
#ifdef _WIN32
  std::string home = environment("USERPROFILE");
#else
  std::string home = environment("HOME");
#endif
  while (home.ends_with('/')) home.pop_back();
  if (home.empty()) return text;
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(home, at)) != std::string::npos;) {
    const std::size_t end = at + home.size();
    if (end == text.size() || !in_name(text[end])) {
      out.append(text, from, at - from).append("~");
      from = end;
    }
    at = end;
  }
  return out.append(text, from);
}

}  // namespace clothlab
