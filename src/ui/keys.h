// SPDX-License-Identifier: MIT
#pragma once

namespace clothlab {

/// A key, translated from the window library's. Letters, digits and punctuation are in `character`, upper
/// case, as labelled on the user's keyboard.
enum class Key {
  none,
  space,
  enter,
  escape,
  backspace,
  tab,
  del,
  up,
  down,
  left,
  right,
  home,
  end,
  page_up,
  page_down,
  f1,
  f5,
  f12
};

struct KeyPress {
  Key key = Key::none;
  char character = 0;  ///< 'A' to 'Z', '0' to '9', ',' and so on; 0 for the keys above
  bool ctrl = false;
  bool shift = false;
  bool repeat = false;  ///< the key is held
};

}  // namespace clothlab
