// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace clothlab {

/// A library that the program was built with: name, version (empty: unknown) and licence, from
/// third_party/README.md.
struct UsedLibrary {
  std::string_view name, version, licence;
};
std::span<const UsedLibrary> used_libraries();

/// "0.1.0", and the abbreviated commit, with "-dirty" for changed sources; empty without Git.
std::string_view program_version();
std::string_view program_commit();

}  // namespace clothlab
