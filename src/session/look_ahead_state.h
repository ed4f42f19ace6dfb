// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/look_ahead.h"

namespace clothlab {

inline constexpr double kLookAhead = 0.4;       ///< of the copy of a lane [s]
inline constexpr double kLeastLookAhead = 0.2;  ///< of a copy whose warnings are in time [s]

/// Whether a copy of every lane runs ahead of it; automatic: if the computer has threads for all copies.
enum class LookAheadChoice { automatic, on, off };
inline constexpr std::array<std::string_view, 3> kLookAheadChoices{"automatic", "on", "off"};

/// Hardware threads from which copies run automatically: two for each lane, one for its steps and one for its
/// copy, one for the window and one for other programs.
constexpr int threads_for_copies(std::size_t lanes) { return 2 * static_cast<int>(lanes) + 2; }

/// Whether copies run, and why.
struct LookAheadState {
  LookAheadChoice choice = LookAheadChoice::off;
  int threads = 0;      ///< of the computer
  int needed = 0;       ///< threads_for_copies()
  std::string failure;  ///< why the last copy failed, without a full stop; empty: none has

  bool on() const {
    return failure.empty() &&
           (choice == LookAheadChoice::on || (choice == LookAheadChoice::automatic && threads >= needed));
  }
  bool operator==(const LookAheadState&) const = default;
};
/// "off: 2 hardware threads, 4 needed"
std::string text_of(const LookAheadState& state);

/// True if the warnings of a run at a time [s] come from a copy that has found this: it is far enough ahead,
/// or knows a failure. Otherwise signs give them.
bool warns(const Prediction& found, double time);

/// Tells whether a copy that started behind its run overtakes it.
class CopyPace {
 public:
  /// The copy is so far ahead of the run [s], negative: behind it. False if it is behind and has not gained
  /// since the last call: it should start again from the present.
  bool gains(double lead);

 private:
  std::optional<double> last_;
};

}  // namespace clothlab
