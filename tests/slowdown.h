// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace clothlab::testing {

/// Promises about time hold for the program as it is shipped, not for a build that a sanitizer slows down.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr double kSlowdown = 10;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr double kSlowdown = 10;
#else
constexpr double kSlowdown = 1;
#endif
#else
constexpr double kSlowdown = 1;
#endif

/// For what must have the same bits for any number of threads. A sanitizer sees in four threads what it would
/// see in two or three.
inline std::vector<int> thread_counts() {
  return kSlowdown > 1 ? std::vector{1, 4} : std::vector{1, 2, 3, 4};
}

}  // namespace clothlab::testing
