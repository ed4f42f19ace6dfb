// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "ui/panels/panel_context.h"

namespace clothlab {

/// A list of all methods by family, with mark, key, name, order, cost of a step on this scene, and use;
/// closed it shows `preview`. Returns the chosen row. Its entries are noted as `name`:`id`. ImGuiComboFlags
/// as for begin_choice().
struct MethodList {
  const char* name;
  std::string preview;
  const char* help;  ///< of the closed list
  int flags = 0;
};
std::optional<std::size_t> method_list(const PanelContext& context, const MethodList& list);

}  // namespace clothlab
