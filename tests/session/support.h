// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "documents/scene_loader.h"
#include "session/simulation_thread.h"
#include "slowdown.h"

namespace clothlab::testing {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

inline double seconds_since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

/// An n×n sheet of 1×1 m that hangs from two corners.
inline Scene sheet_scene(int n) {
  Scene scene;
  scene.mesh = GridSource{n, n, 1, 1};
  return scene;
}

inline std::shared_ptr<const LoadedScene> loaded(Scene scene) {
  return std::make_shared<const LoadedScene>(load_scene(std::move(scene)));
}

/// A sheet whose every step takes far longer than any test waits: tight tolerances, no
/// preconditioner, a large h; with Cholesky so large that already its analysis and first factor do.
inline std::shared_ptr<const LoadedScene> endless_scene(
    LinearSolverSettings::Kind solver = LinearSolverSettings::Kind::cg) {
  Scene scene = sheet_scene(solver == LinearSolverSettings::Kind::cholesky ? 256 : 100);
  scene.solver.linear.kind = solver;
  scene.integrator = "backward-euler";
  scene.dt = 0.1;
  scene.solver.newton_tolerance = 1e-10;
  scene.solver.newton_max_iterations = 1000;
  scene.solver.linear.cg.tolerance = 1e-9;
  scene.solver.linear.cg.max_iterations = 100000;
  scene.solver.linear.cg.preconditioner = PreconditionerKind::none;
  return loaded(std::move(scene));
}

/// Any longer, and something hangs.
constexpr double kPatience = kSlowdown > 1 ? 300 : 60;

/// The first snapshot that satisfies the condition; fails the test when none does in time.
inline std::shared_ptr<const Snapshot> wait_for(const SimulationThread& thread,
                                                const std::function<bool(const Snapshot&)>& condition,
                                                double patience = kPatience) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    std::shared_ptr<const Snapshot> snapshot = thread.latest();
    if (condition(*snapshot)) return snapshot;
    if (seconds_since(start) > patience) {
      ADD_FAILURE() << "no snapshot was as expected within " << patience << " s";
      return snapshot;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

inline std::shared_ptr<const Snapshot> wait_applied(const SimulationThread& thread, std::uint64_t stamp) {
  return wait_for(thread, [stamp](const Snapshot& s) { return s.applied >= stamp; });
}

template <class Request>
std::shared_ptr<const Snapshot> send_and_wait(SimulationThread& thread, Request request) {
  return wait_applied(thread, thread.send(std::move(request)));
}

/// Waits until a step has been running for that long.
inline void wait_until_stepping(const SimulationThread& thread, double seconds) {
  const Clock::time_point start = Clock::now();
  while (thread.running_step_seconds() < seconds) {
    ASSERT_LT(seconds_since(start), kPatience) << "no step takes long";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

inline SimulationThread::Options paused(int threads = 2) {
  return {.threads = threads, .playing = false, .speed = 1};
}

}  // namespace clothlab::testing
