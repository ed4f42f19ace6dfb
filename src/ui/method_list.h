// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "ui/panel_context.h"

namespace clothlab {

/// A closed list that shows `preview` and opens into all methods: family by family, each with its mark, key,
/// name, order, what its steps have cost on this scene, and what it is for. Returns the row that was chosen.
/// Its entries are noted as `name`:`id`. ImGuiComboFlags as for begin_choice().
struct MethodList {
  const char* name;
  std::string preview;
  const char* help;  ///< of the closed list
  int flags = 0;
};
std::optional<std::size_t> method_list(const PanelContext& context, const MethodList& list);

}  // namespace clothlab
