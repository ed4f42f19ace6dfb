// SPDX-License-Identifier: MIT
#pragma once

// The implementation of Simulation: stages of a step in simulation.cpp, commands in simulation_commands.cpp,
// checkpoints in simulation_checkpoint.cpp.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contact/body_contact.h"
#include "contact/contact_response.h"
#include "contact/obstacle_moves.h"
#include "contact/surfaces.h"
#include "core/compute_context.h"
#include "integrate/step_ledger.h"
#include "sim/checkpoint.h"
#include "sim/cloth_intersections.h"
#include "sim/contact.h"
#include "sim/contact_watch.h"
#include "sim/energy_account.h"
#include "sim/parameters.h"
#include "sim/pin_set.h"
#include "sim/simulation.h"
#include "sim/step_control.h"

namespace clothlab {

State initial_state(const Scene& scene, const ClothMesh& mesh);
std::unique_ptr<Integrator> make_integrator(const Scene& scene);

inline constexpr double kMostStiffened = 1024;

struct Simulation::Impl {
  /// The start follows, by start() or load().
  Impl(Scene the_scene, std::shared_ptr<const ClothMesh> the_mesh, const ComputeContext& context,
       std::shared_ptr<const ClothModel> model);

  // The stages of a step. All throw Cancelled on cancellation.
  StepStatus step(const ComputeContext& context, bool alone);
  StepStatus run_stages(const ComputeContext& context);
  StepStatus run_substep(const ComputeContext& context);
  void keep_start_of_step(WorkerPool& pool);
  void keep_start_of_substep(WorkerPool& pool);
  void set_pin_targets(double h, const ComputeContext& context);
  void begin_contact(double h, const ComputeContext& context);
  void place_surfaces(double h) {
    surfaces.place(scene->floor, scene->obstacles, contact->thickness(), moves, state.x.size(), state.t, h);
  }
  void configure_contact();
  ContactStep contact_step(double h, const State& start, const ComputeContext& context) {
    return {surfaces, h, start, system, context};
  }
  void add_work_of_constraints(double h, bool of_pins, const ComputeContext& context);
  void restart_integrator_if_new(double h);
  void enter_integrator_if_new(double h, const ComputeContext& context);
  StepReport advance(double h, const ComputeContext& context);
  void measure(const ComputeContext& context);
  BlowUp squeezed(double h) const;
  std::optional<BlowUp> check_energy(double h) const;
  void begin_ledger(WorkerPool& pool);
  void limit_displacements(double h, const ComputeContext& context);
  void end_contact(double h, const ComputeContext& context);
  void end_ledger();
  void retry_with_half();
  StepStatus refuse_step(const BlowUp& bad, WorkerPool& pool);
  void adopt_substep(const StepReport& report, double h, bool good);
  void add_body_contacts(double h);
  void finish_record();
  void restore_start_of_step();
  void begin_record();
  /// True if the automatic stiffness of a barrier may grow.
  bool may_stiffen() const { return is_alone && scene->contact.barrier_stiffness == 0; }
  void repeat_stiffer();
  void abandon_step();
  void leave_surfaces();
  void constrain_pins();
  void keep_last_good();

  // Notices.
  /// Adds a notice whose sentence is text(), which is called only for a cause that is new.
  template <class Text>
  void report(NoticeCause cause, const Text& text) {
    if (!notices.has(cause)) notices.add(cause, record.step, text());
  }
  void notice_mesh();
  void notice_step();
  void notice_entry();
  void notice_stiffened();
  void notice_energy();
  void notice_strain();
  void notice_passages();
  /// Reports an overlap, open or very large obstacles, and a method that often blows up with contact.
  void notice_world(const Overlap& overlap);
  /// The current overlap, if deeper than `normal` [m].
  Overlap find_overlap(WorkerPool& pool, double normal) const;
  /// Normal depth of cloth with contact forces [m].
  double normal_depth() const { return contact->force().settings().law.distance; }
  ClothIntersections find_intersections(WorkerPool& pool) const;
  void notice_intersections(const ClothIntersections& found, const char* when);

  // Checkpoints.
  void copy_state(WorkerPool& pool, State& to) const;
  void save_progress(WorkerPool& pool, Checkpoint& to) const;
  void load_progress(const Checkpoint& from);
  void save(WorkerPool& pool, Checkpoint& to) const;
  void load(WorkerPool& pool, const Checkpoint& from);
  StateAtStep last_good_state() const;
  void set_last_good(State good, std::uint64_t step);

  // Commands: carry_out() for each that changes more than the scene.
  void apply(WorkerPool& pool, const Command& command);
  template <class OfTheSceneAlone>
  void carry_out(WorkerPool& /*pool*/, const OfTheSceneAlone&) {}
  void carry_out(WorkerPool& pool, const SetPinPreset& command);
  void carry_out(WorkerPool& pool, const MovePins& command);
  void carry_out(WorkerPool& pool, const Grab& command);
  void carry_out(WorkerPool& pool, const MoveCursor& command);
  void carry_out(WorkerPool& pool, const Release& command);
  void carry_out(WorkerPool& pool, const Reset& command);
  void carry_out(WorkerPool& pool, const GoBack& command);
  void carry_out(WorkerPool& pool, const RestoreGoodState& command);
  void carry_out(WorkerPool& pool, const ReverseVelocities& command);
  void restore(WorkerPool& pool, const State& from, std::uint64_t step);
  void start(const ComputeContext& context);
  void check_start();
  void adopt(WorkerPool& pool, std::shared_ptr<const Scene> after);
  void adopt_integrator(WorkerPool& pool, const Scene& named);
  void begin_obstacle_move(WorkerPool& pool, const MoveObstacle& command, std::shared_ptr<const Scene> after);
  void put_pins(WorkerPool& pool, const std::vector<PinTarget>& places);
  void set_grab(WorkerPool& pool, GrabSpring grab);
  void move_grab(WorkerPool& pool, const GrabSpring& grab);
  void release_grab() { system.set_grab(std::nullopt); }
  void break_continuity();
  void make_room(WorkerPool& pool, std::string_view when);

  void reserve_residuals();
  void record_state(std::uint64_t step);

  // Measurements.
  bool is_good() const { return record.max_strain < kGoodStrain; }
  /// True if the cloth touches a surface that moves in the substep.
  bool touches_moving() const {
    return surfaces.move() && std::ranges::any_of(contact->pairs(state.v), [&](const ContactPair& pair) {
             return pair.surface != kClothItself && surfaces.moves(pair.surface);
           });
  }
  bool has_rods() const { return info->inextensible; }
  ClothSystem::Energies energies_of(WorkerPool& pool, std::span<const vec3> x) const {
    return without_rods(system.energies(pool, x));
  }
  /// Without the elastic energy of rods.
  ClothSystem::Energies without_rods(ClothSystem::Energies energies) const {
    if (has_rods()) energies.stretch = 0;
    return energies;
  }
  InternalEnergy internal_now(WorkerPool& pool) {
    return meter.measure(pool, system, state, energies_of(pool, state.x));
  }
  EnergyReport energy_report() const { return energy_report(measured.potential, measured.internal); }
  static EnergyReport energy_report(const ClothSystem::Energies& potential, const InternalEnergy& internal);
  double reach(const Scene& world) const;
  double surface_speed(const Scene& world) const;
  bool is_free() const;
  void begin_account(const InternalEnergy& internal, double of_contact);  // [J]
  /// `speed`: the largest of obstacles that move without a path [m/s].
  void set_account_scale(const Scene& world, double speed = 0);

  const std::shared_ptr<const ClothMesh> mesh;
  std::shared_ptr<const Scene> scene;

  ClothSystem system;
  const IntegratorInfo* info;  // of scene->integrator
  std::unique_ptr<Integrator> integrator;
  PinSet pins;
  State state;

  ObstacleMoves moves;
  Surfaces surfaces;  // of the current substep
  std::unique_ptr<ContactResponse> contact;
  ContactModel contact_model;  // of `contact`
  StepControl control;
  ContactWatch contact_watch{system};
  EnergyMeter meter{system.model()};
  EnergyAccount account;
  std::optional<BlowUp> blow_up;
  double grab_strength = 1;  // of the current grab, see Grab

  StepRecord record;
  BodyContacts body_contacts;  // of the last step
  std::vector<double> residuals;
  NoticeLog notices;
  bool jumped = true;  // something other than a step may have changed the energy
  EnergyWatch watch;
  bool entering = true;  // the state was set from outside

  Measurement measured;  // of the state after a step or a jump
  /// Measurement of the start, for the next Reset, and its inputs.
  struct AtStart {
    struct Cause {
      World world;
      ContactSettings contact;
      bool free = false;
      bool rods = false;
      bool operator==(const Cause&) const = default;
    };
    Cause cause;
    Measurement measured;
    EnergyAccount account;
  };
  std::optional<AtStart> at_start;
  /// Result of the last search for intersections at the start, which is slow, and its scene.
  ClothIntersections crossed_at_start;
  std::shared_ptr<const Scene> searched_at_start;

  double last_h = 0;      // of the last substep [s]
  bool lifting = true;    // see Checkpoint
  bool is_alone = false;  // in the current step, while a stiffer barrier may help

  std::shared_ptr<State> last_good;  // the last good state if `state` is not good; or the start
  std::uint64_t last_good_step = 0;

  // Of the current step.
  StepRecord next;
  BodyContacts next_body_contacts;
  std::vector<double> next_residuals;
  Checkpoint at_step;  // its start; between steps the start of a command
  State substep_start, probe;
  EnergyAccount account_at_substep;
  double moved_on_entry = 0;                          // [m]
  StepLedger ledger;                                  // of the current substep
  EnergyLedger energy_ledger;                         // with it
  double given_by_surfaces = 0;                       // by the correction of its end [J]
  double given_by_limit = 0;                          // by limited displacements [J]
  std::optional<BlowUp::Cause> contact_failure = {};  // of the current substep
  double grab_energy = 0;                             // at its start, then its decrease [J]
  double contact_energy = 0;                          // at its start [J]
};

}  // namespace clothlab
