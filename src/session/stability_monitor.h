// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "analysis/spectrum.h"
#include "analysis/stability.h"
#include "cloth/cloth_model.h"
#include "cloth/material.h"
#include "cloth/wind.h"
#include "contact/contact_force.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/grab_spring.h"
#include "dynamics/state.h"
#include "linalg/projection.h"

namespace clothlab {

/// The spectrum of a lane at some moment of its run.
struct MeasuredSpectrum {
  Spectrum spectrum;
  double time = 0;  ///< simulated [s]
};

/// Measures stability on its own thread and on copies, so that no step waits for it. Only the newest question
/// is answered; measurements are warm-started. Unless a question is urgent, it rests after each measurement,
/// to leave most of its core to the simulation.
///
/// Eigenvalues of J follow if the method needs them: in the same answer up to kSoon free directions;
/// above, up to kExactDirections, in a second answer once no new question has come for a while, as they take
/// seconds. The spectrum follows every answer if the question wants it; if it takes long, an urgent one
/// ends it.
class StabilityMonitor {
 public:
  struct Question {
    std::shared_ptr<const ClothModel> model;
    Material material;
    Wind wind;
    ContactSettings contact;
    Surfaces surfaces;
    std::optional<GrabSpring> grab;
    Projection held;  ///< pins and contacts
    State state;
    const IntegratorInfo* integrator = nullptr;
    JacobianMode mode = JacobianMode::clamped;
    bool without_distances = false;
    bool spectrum = false;     ///< wanted
    bool eigenvalues = false;  ///< with those of J
    std::uint64_t tag = 0;     ///< returned with the answer
    bool urgent = false;       ///< the first of something new
  };
  struct Answer {
    std::uint64_t tag = 0;  ///< the question's
    StabilityEstimate estimate;
    bool held = false;  ///< the question had a grab
    /// The last one measured, for this or an earlier question; null: not wanted, or not yet.
    std::shared_ptr<const MeasuredSpectrum> spectrum;
  };
  static constexpr std::size_t kSoon = 150;

  /// `answered` is called on the monitor's thread after every new answer.
  explicit StabilityMonitor(std::function<void()> answered);
  ~StabilityMonitor();
  StabilityMonitor(const StabilityMonitor&) = delete;
  StabilityMonitor& operator=(const StabilityMonitor&) = delete;

  /// Abandons the current measurement and answers no more; does not wait.
  void close();
  void ask(Question question);
  /// The newest answer; null before the first.
  std::shared_ptr<const Answer> answer() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
