// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cloth/cloth_system.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "dynamics/state.h"
#include "integrate/registry.h"
#include "mesh/cloth_mesh.h"
#include "sim/command.h"
#include "sim/notice.h"
#include "sim/pin_set.h"
#include "sim/scene.h"
#include "sim/step_record.h"

namespace clothlab {

struct Checkpoint;
class BodyContacts;
class ContactResponse;
class Surfaces;

/// Strain below which a state is good: a blown-up run can continue from it.
inline constexpr double kGoodStrain = 0.1;

enum class StepStatus {
  done,
  stopped,   ///< by the stop probe; the state is that before the step
  blown_up,  ///< see blow_up(); the state is that before the step
};

/// One run: a state, the system that moves it, the integrator, the pins and the grab. No threads,
/// clocks or GL; one caller at a time. A pool or a probe is used only during its call; another pool gives
/// the same bits.
class Simulation {
 public:
  /// Throws InputError when scene and mesh do not fit together (a pin on an unused vertex, an initial
  /// state of another size, an unknown integrator, a value outside its range); Cancelled on cancellation.
  /// `model` belongs to the mesh; if missing it is built, which is most of the work.
  Simulation(Scene scene, std::shared_ptr<const ClothMesh> mesh, WorkerPool& pool, const StopProbe& stop = {},
             std::shared_ptr<const ClothModel> model = nullptr);
  /// Continues a run on the same mesh, as load() does. The scene may be one whose initial state a barrier
  /// rejects; only a Reset needs that state.
  Simulation(const Checkpoint& from, std::shared_ptr<const ClothMesh> mesh, WorkerPool& pool,
             const StopProbe& stop = {}, std::shared_ptr<const ClothModel> model = nullptr);
  ~Simulation();

  /// One step of dt. After a blow-up it tries again from the last good state. `alone`: the run is compared
  /// with no other one, so that the automatic stiffness of a barrier may grow (model.md).
  StepStatus step(WorkerPool& pool, const StopProbe& stop = {}, bool alone = false);

  /// Applies a user's change; call only between steps. Throws InputError as changed_scene() does, without
  /// effect, and std::bad_alloc, without effect if there is memory to restore the state (docs/limits.md).
  void apply(WorkerPool& pool, const Command& command);

  /// Saves everything that the next step depends on, to the last bit. Reuses the memory of `to`.
  void save(WorkerPool& pool, Checkpoint& to) const;
  /// Continues from a checkpoint of any run on the same mesh. Throws InputError, without effect, if it does
  /// not fit.
  void load(WorkerPool& pool, const Checkpoint& from);

  /// Continues from any state, as the one after `step` steps. Pins stay at their positions in it; a grab
  /// ends. Throws InputError, without effect, for a state of another mesh, or one that is not finite.
  void restore(WorkerPool& pool, const State& from, std::uint64_t step);

  const Scene& scene() const;  ///< current values, pins included
  std::shared_ptr<const Scene> shared_scene() const;
  const ClothMesh& mesh() const;
  std::shared_ptr<const ClothMesh> shared_mesh() const;
  const ClothSystem& system() const;
  const ContactResponse& contact() const;
  const Surfaces& surfaces() const;  ///< of the last substep, or as they are now
  const IntegratorInfo& integrator() const;
  const State& state() const;
  std::uint64_t steps() const;
  /// The figures of the last step; before the first step those of the start.
  const StepRecord& record() const;
  /// Contact with each body in the last step of this run; none after a load.
  const BodyContacts& body_contacts() const;
  /// Relative residual of every CG iteration of the last linear solve.
  std::span<const double> residual_history() const;
  const std::optional<BlowUp>& blow_up() const;
  /// A state of this run and the step that led to it.
  struct StateAtStep {
    const State& state;
    std::uint64_t step = 0;
  };
  /// The newest state with a largest strain below kGoodStrain; the start if there is none. Valid until
  /// the next step or command.
  StateAtStep last_good_state() const;
  /// The constraints at positions x [m]: the pins, and the contacts of the last step that still lie on the
  /// floor.
  Projection constraints(std::span<const vec3> x) const;

  /// What was reported since the start.
  const NoticeLog& notices() const;
  bool is_pinned(std::uint32_t particle) const;
  /// The contacts of the cloth: by forces in the current state, by other models in the last step of this run,
  /// none after a load.
  std::vector<ContactPair> contacts(WorkerPool& pool) const;
  /// The obstacles in their current poses.
  std::vector<Obstacle> obstacles() const;
  /// The pins that still move (MovePins).
  std::vector<PinTarget> moving_pins() const;
  const std::optional<GrabSpring>& grab() const;

  /// Position and velocity per `v` line of the mesh, in the file's units; unused vertices stay as read.
  InitialState export_state() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Simulation::last_good_state at a moment of a run. Valid as long as the checkpoint.
Simulation::StateAtStep last_good_state(const Checkpoint& checkpoint);

}  // namespace clothlab
