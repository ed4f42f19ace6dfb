// SPDX-License-Identifier: MIT
#include "ui/panels/panels.h"
#include "ui/widgets/widgets.h"

namespace clothlab {

void solver_panel(const PanelContext& context) {
  section("Linear and nonlinear solves");
  parameter_section(context, "Solver");
  section("Stepping");
  parameter_section(context, "Stepping");
}

}  // namespace clothlab
