// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "integrate/registry.h"
#include "sim/simulation.h"

namespace clothlab {

/// A run that blew up, as long as the window shows its last good state.
struct BlownUpRun {
  BlowUp facts;
  const IntegratorInfo* integrator = nullptr;  ///< then in force, as the parameters
  IntegratorParameters parameters;
  std::string sentence = {};       ///< what happened
  std::string why = {};            ///< and why it had to
  std::uint64_t explained_by = 0;  ///< tag of the stability question whose answer `why` waits for
  bool explained = false;          ///< it has come
  bool asks_again = false;         ///< there is another question then
  std::uint64_t decided_by = 0;    ///< of the one that decides whether to go on; 0: nothing to decide
};

/// The method and the step size with which a run would go on.
struct Prospect {
  const IntegratorInfo* integrator = nullptr;
  double h = 0;                        ///< [s]
  std::optional<double> largest_step;  ///< that is stable here [s]; none while it is not known

  bool is_stable() const { return largest_step && h < *largest_step; }
};

// What the user is told, in one line. `time` is that of the last sound state [s].

std::string blow_up_sentence(const BlownUpRun& run);
/// A method or a step that was chosen is stable here: it goes on.
std::string goes_on_text(const Prospect& now, double time);
/// It is not, or may not be: the cloth stays frozen.
std::string stays_frozen_text(const Prospect& now);
/// It is tried all the same: by playing, by the grab, by pins.
std::string tries_again_text(const Prospect& now, double time);
/// Something was chosen while a moment of the past is shown.
std::string waits_in_past_text(const Prospect& now);

}  // namespace clothlab
