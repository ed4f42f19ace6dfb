// SPDX-License-Identifier: MIT
#pragma once

namespace clothlab {

/// A key as the interface knows it; whoever owns the window translates. Letters, digits and punctuation
/// come as `character`, upper case, as the user's keyboard is labelled.
enum class Key {
  none,
  space,
  enter,
  escape,
  backspace,
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
