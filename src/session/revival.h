// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stability_text.h"
#include "integrate/registry.h"
#include "sim/simulation.h"

namespace clothlab {

/// The facts of a blow-up of this run for its explanation.
BlowUpFacts blow_up_facts(BlowUp blow_up, const Simulation& simulation);
/// The same at a moment of the past of this run.
BlowUpFacts blow_up_facts(const BlowUp& blow_up, const Checkpoint& then, const ClothMesh& mesh);

/// A run that blew up, as long as the window shows its last good state.
struct BlownUpRun {
  BlowUpFacts facts;
  std::string sentence = {};       ///< what happened
  std::string why = {};            ///< and why
  std::uint64_t explained_by = 0;  ///< tag of the stability question for `why`
  bool explained = false;          ///< its first answer has come
  bool requests_again = false;     ///< ask again then
  std::uint64_t decided_by = 0;    ///< tag of the question that decides whether to continue; 0: none
};

/// True if the description is of this blow-up.
bool describes(const BlownUpRun& run, const BlowUp& blow_up);

/// The method and the step size for continuing a run.
struct Prospect {
  const IntegratorInfo* integrator = nullptr;
  double h = 0;                        ///< [s]
  std::optional<double> largest_step;  ///< largest stable one here [s]; none while not known

  bool is_stable() const { return largest_step && h < *largest_step; }
};

// Messages of one line. `time` is the time of the last good state [s].

std::string blow_up_sentence(const BlownUpRun& run);
/// A chosen method or step is stable here: the run continues.
std::string continues_text(const Prospect& now, double time);
/// The choice is not known to be stable: the cloth stays frozen.
std::string stays_frozen_text(const Prospect& now);
/// Playing, a grab or pins try it anyway.
std::string tries_again_text(const Prospect& now, double time);
/// A choice was made while a moment of the past is shown.
std::string waits_in_past_text(const Prospect& now);

}  // namespace clothlab
