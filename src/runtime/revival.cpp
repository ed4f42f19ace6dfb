// SPDX-License-Identifier: MIT
#include "runtime/revival.h"

#include <cmath>

#include "core/text.h"

namespace clothlab {
namespace {

std::string method_at(const Prospect& now) {
  return std::string(now.integrator->title) + " at h = " + format_quantity(now.h, "s");
}

std::string from(double time) {
  return time > 0 ? "from " + format_plain(time) + " s, the last sound state" : "from the start";
}

}  // namespace

std::string blow_up_sentence(const BlownUpRun& run) {
  return std::string(run.integrator->title) + " blew up in step " + std::to_string(run.facts.step) +
         " with h = " + format_quantity(run.facts.dt, "s") + ", at " + format_plain(run.facts.time) + " s.";
}

std::string goes_on_text(const Prospect& now, double time) {
  return "Goes on " + from(time) + ", with " + method_at(now) + ".";
}

std::string stays_frozen_text(const Prospect& now) {
  const std::string title(now.integrator->title);
  if (!now.largest_step) return "How far " + title + " is stable here is not known. Space tries it.";
  if (*now.largest_step == 0) return title + " is stable at no h here. Space tries it all the same.";
  return title + " is stable here below h = " + format_quantity(*now.largest_step, "s") +
         " only. Space tries it all the same.";
}

std::string tries_again_text(const Prospect& now, double time) {
  std::string text = "Tries again " + from(time) + ". ";
  if (!now.largest_step || now.is_stable()) return text + method_at(now) + " may blow up again.";
  return text + method_at(now) + " is unstable here: it will blow up again.";
}

std::string waits_in_past_text(const Prospect& now) {
  return "Space goes on from the moment shown, with " + method_at(now) + ".";
}

}  // namespace clothlab
