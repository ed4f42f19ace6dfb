// SPDX-License-Identifier: MIT
#include "io/asset_path.h"

#include <cstdint>
#include <system_error>

#include "core/error.h"

#if defined(_WIN32)
#include <windows.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

namespace clothlab {
namespace fs = std::filesystem;

fs::path executable_path(const char* argv0) {
#if defined(_WIN32)
  wchar_t path[32768];
  const DWORD length = GetModuleFileNameW(nullptr, path, 32768);
  if (length > 0 && length < 32768) return path;
#elif defined(__APPLE__)
  char path[4096];
  std::uint32_t size = sizeof path;
  if (_NSGetExecutablePath(path, &size) == 0) return fs::weakly_canonical(path);
#else
  std::error_code no_proc;
  fs::path path = fs::read_symlink("/proc/self/exe", no_proc);
  if (!no_proc) return path;
#endif
  return fs::absolute(argv0);
}

fs::path asset_directory(const fs::path& executable) {
  const fs::path folder = executable.parent_path();
  const fs::path next_to_it = folder / "assets";
  const fs::path installed = (folder / ".." / "share" / "clothlab" / "assets").lexically_normal();
  std::error_code unreadable;  // as if it did not exist
  for (const fs::path& candidate : {next_to_it, installed})
    if (fs::is_directory(candidate, unreadable)) return candidate;
  throw SystemError("The program's assets are missing: neither " + next_to_it.string() + " nor " +
                    installed.string() + ".");
}

}  // namespace clothlab
