// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace clothlab {

/// The process's resident set [byte], beside what it was when this was made. What was freed until then is
/// given back to the system first, so that it is not there for free afterwards. Nothing where the system does
/// not tell (Linux does, to some hundred KiB). One at a time.
class MemoryMeter {
 public:
  MemoryMeter();
  std::optional<double> now() const { return above("VmRSS:"); }
  std::optional<double> peak() const { return above("VmHWM:"); }  ///< the largest since then

 private:
  std::optional<double> above(const char* name) const;

  std::optional<double> before_;
};

}  // namespace clothlab
