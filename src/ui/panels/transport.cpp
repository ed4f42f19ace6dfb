// SPDX-License-Identifier: MIT
#include <cmath>

#include "sim/contact.h"
#include "ui/panels/panel_values.h"
#include "ui/panels/panels.h"

namespace clothlab {

void transport_panel(const PanelContext& context) {
  const Snapshot& now = context.snapshot;
  const bool playing = context.playing();
  const float gap = units(6);
  const float width = (ImGui::GetContentRegionAvail().x - 5 * gap) / 6;
  if (icon_button("play", playing ? Icon::pause : Icon::play, playing ? "Pause (Space)" : "Play (Space)",
                  {.width = width, .active = playing}))
    context.set_playing(!playing);
  ImGui::SameLine(0, gap);
  if (icon_button("step", Icon::step, "One step, then pause (S)", {.width = width}))
    context.send(Control(StepOnce{}));
  ImGui::SameLine(0, gap);
  if (icon_button("rewind", Icon::rewind,
                  "Goes back by half a second of viewing time and pauses (Backspace). If the lane blew up "
                  "while others ran on, it goes back to before the blow-up.",
                  {.width = width, .enabled = now.can_rewind}))
    context.send(Control(Rewind{}));
  ImGui::SameLine(0, gap);
  if (icon_button("reset", Icon::reset,
                  "Back to the start (R). Parameters, integrator and pins stay as they are.",
                  {.width = width}))
    context.send(Command(Reset{}));
  ImGui::SameLine(0, gap);
  if (text_button("turn-round", "−v",
                  "Reverses all velocities. Without damping, methods that are symmetric in time (Verlet, "
                  "implicit midpoint, trapezoidal rule) then retrace the motion; others do not.",
                  {.width = width}))
    context.send(Command(ReverseVelocities{}));
  ImGui::SameLine(0, gap);
  const std::string why_not = why_only_forward(context.scene());
  if (text_button(
          "step-back", "−h",
          "One step of −h from here by this method (A), then pause. It is a step of the simulation, no undo: "
          "only methods that are their own adjoint (Verlet, implicit midpoint, trapezoidal rule) return to "
          "the state before the last step. Backward Euler undoes a step of explicit Euler, and the reverse." +
              (why_not.empty() ? std::string() : "\n\nNot possible now: " + why_not + "."),
          {.width = width, .enabled = why_not.empty()}))
    context.send(Command(StepBack{}));

  panel_value_row(context, "speed");
  // Shows both speeds where the machine cannot keep up.
  const bool behind =
      now.playing && now.actual_speed > 0 && std::abs(now.actual_speed - now.speed) > 0.05 * now.speed;
  std::string line =
      "t = " + format_steady(now.frame.record.time, 4) + " s, step " + format_count(now.frame.record.step);
  if (behind)
    line += " · wanted " + format_plain(now.speed) + "×, reached " + format_steady(now.actual_speed) + "×";
  if (now.frozen)
    line = "t = " + format_steady(now.replay ? now.replay->time : now.kept.to, 4) + " s · lane " +
           lane_letter(now.lane) + " frozen at " + format_steady(now.frame.record.time, 4) + " s";
  small_text(line);
  if (behind)
    tooltip(
        "Steps take longer than the time they simulate, so the cloth moves more slowly than requested. "
        "Simulated time is never skipped, and h is not changed.");
}

}  // namespace clothlab
