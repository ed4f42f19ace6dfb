// SPDX-License-Identifier: MIT
#include "bench/memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace clothlab {
namespace {

/// A line of /proc/self/status, "VmRSS:   123 kB" [byte].
std::optional<double> status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    double kib = 0;
    if (word == name && file >> kib) return kib * 1024;
  }
  return std::nullopt;
}

/// Lets the largest resident set so far begin anew with what it is now.
bool forget_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

}  // namespace

MemoryMeter::MemoryMeter() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
  if (forget_peak()) before_ = status("VmRSS:");
}

std::optional<double> MemoryMeter::above(const char* name) const {
  const std::optional<double> bytes = before_ ? status(name) : std::nullopt;
  if (!bytes) return std::nullopt;
  return std::max(*bytes - *before_, 0.0);
}

}  // namespace clothlab
