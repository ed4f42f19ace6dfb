// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cloth/cloth_system.h"
#include "contact/contact_response.h"
#include "contact/surfaces.h"
#include "core/compute_context.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "dynamics/state.h"
#include "integrate/registry.h"
#include "integrate/step_ledger.h"
#include "mesh/cloth_mesh.h"
#include "sim/checkpoint.h"
#include "sim/cloth_intersections.h"
#include "sim/command.h"
#include "sim/contact_watch.h"
#include "sim/driver_set.h"
#include "sim/energy_account.h"
#include "sim/notice.h"
#include "sim/pin_set.h"
#include "sim/scene.h"
#include "sim/step_control.h"
#include "sim/step_record.h"

namespace clothlab {

class ContourMinimiser;
class Foresight;
struct Prediction;

/// Strain below which a state is good: a blown-up run can continue from it.
inline constexpr double kGoodStrain = 0.1;

enum class StepStatus {
  done,
  stopped,   ///< by the stop probe; the state is that before the step
  blown_up,  ///< see blow_up(); the state is that before the step
};

/// One run: a state, the system that moves it, the integrator, the pins and the grab. The stages of a step
/// are in simulation.cpp, commands in simulation_commands.cpp, checkpoints in simulation_checkpoint.cpp. No
/// threads, clocks or GL; one caller at a time. A pool or a probe is used only during its call; another pool
/// gives the same bits.
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
  Simulation(const Simulation&) = delete;

  /// One step of dt, which may be negative. After a blow-up it tries again from the last good state. `alone`:
  /// the run is compared with no other one, so that the automatic stiffness of a barrier may grow (model.md).
  StepStatus step(WorkerPool& pool, const StopProbe& stop = {}, bool alone = false);

  /// Applies a user's change; call only between steps. Throws InputError as changed_scene() does, without
  /// effect, and std::bad_alloc, without effect if there is memory to restore the state (docs/limits.md). A
  /// StepBack can be cancelled as a step: throws Cancelled, without effect.
  void apply(WorkerPool& pool, const Command& command, const StopProbe& stop = {});

  /// Saves everything that the next step depends on, to the last bit. Reuses the memory of `to`.
  void save(WorkerPool& pool, Checkpoint& to) const;
  /// Continues from a checkpoint of any run on the same mesh. Throws InputError, without effect, if it does
  /// not fit.
  void load(WorkerPool& pool, const Checkpoint& from);

  /// Continues from any state, as the one after `step` steps. Pins stay at their positions in it; a grab
  /// ends. Throws InputError, without effect, for a state of another mesh, or one that is not finite.
  void restore(WorkerPool& pool, const State& from, std::uint64_t step);

  /// Gives away the memory of the state and continues in a copy, with the same bits. Call between steps.
  State release_state() { return std::exchange(state_, State(state_)); }

  const Scene& scene() const { return *scene_; }  ///< current values, pins included
  std::shared_ptr<const Scene> shared_scene() const { return scene_; }
  const ClothMesh& mesh() const { return *mesh_; }
  std::shared_ptr<const ClothMesh> shared_mesh() const { return mesh_; }
  const ClothSystem& system() const { return system_; }
  const ContactResponse& contact() const { return *contact_; }
  const Surfaces& surfaces() const { return surfaces_; }  ///< of the last substep, or as they are now
  const IntegratorInfo& integrator() const { return *info_; }
  const State& state() const { return state_; }
  std::uint64_t steps() const { return record_.step; }
  /// The figures of the last step; before the first step those of the start.
  const StepRecord& record() const { return record_; }
  /// Contact with each body in the last step of this run; none after a load.
  const BodyContacts& body_contacts() const { return body_contacts_; }
  /// Relative residual of every CG iteration of the last linear solve.
  std::span<const double> residual_history() const { return residuals_; }
  /// StepReport::rod_forces of the last substep of this run; none after a load.
  std::span<const double> rod_forces() const { return rod_forces_; }
  const std::optional<BlowUp>& blow_up() const { return blow_up_; }
  /// A state of this run and the step that led to it.
  struct StateAtStep {
    const State& state;
    std::uint64_t step = 0;
  };
  /// The newest state with a largest strain below kGoodStrain; the start if there is none. Valid until
  /// the next step or command.
  StateAtStep last_good_state() const {
    if (is_good()) return {state_, record_.step};
    return {*last_good_, last_good_step_};
  }
  /// The constraints at positions x [m]: the pins, and the contacts of the last step that still lie on the
  /// floor.
  Projection constraints(std::span<const vec3> x) const;

  /// Keeps what last_substep() needs from the next step on; changes no bit.
  void watch(bool on) { ledger_.watch(on); }
  struct LastSubstep {
    const State& start;
    double h = 0;              // [s]
    const StepLedger& ledger;  // with the forces that the method used
  };
  /// None before a watched step, and after a change that was no step. Valid until the next step or command.
  std::optional<LastSubstep> last_substep() const {
    if (jumped_ || !watched_substep_) return std::nullopt;
    return LastSubstep{substep_start_, last_h_, ledger_};
  }

  /// True at first: the signs of past steps give warnings. False: warn_of() does. Changes no bit.
  void warn_by_signs(bool on) { signs_warn_ = on; }
  /// Warns of what a LookAhead of this run has found, and withdraws warnings that it no longer finds.
  void warn_of(const Prediction& found);
  /// Number of commands, loads and restored states so far, each of which changes the future.
  std::uint64_t changes() const { return changes_; }

  /// What was reported since the start.
  const NoticeLog& notices() const { return notices_; }
  bool is_pinned(std::uint32_t particle) const { return pins_.contains(particle); }
  const DriverSet& drivers() const { return drivers_; }
  /// The pairs of particles that are sewn together.
  std::span<const SewnPair> seams() const {
    return system_.seams() ? system_.seams()->pairs() : std::span<const SewnPair>();
  }
  /// By particle, the lowest of all that are sewn together; empty without seams.
  std::span<const std::uint32_t> joined() const {
    return joined_ ? std::span<const std::uint32_t>(*joined_) : std::span<const std::uint32_t>();
  }
  /// The force of each distance in the last substep [N]; positive: it pulls its particles together. None
  /// until a step follows a reset, a load or a change.
  std::span<const double> distance_forces() const {
    return jumped_ ? std::span<const double>() : ledger_.coupling_forces();
  }
  /// The contacts of the cloth: by forces in the current state, by other models in the last step of this run,
  /// none after a load.
  std::vector<ContactPair> contacts(WorkerPool& pool) const;
  /// The obstacles in their current poses.
  std::vector<Obstacle> obstacles() const { return obstacles_at(scene_->obstacles, moves_, state_.t); }
  /// The pins that still move (MovePins).
  std::vector<PinTarget> moving_pins() const { return pins_.moving(state_.t); }
  const std::optional<GrabSpring>& grab() const { return system_.grab(); }

  /// Position and velocity per `v` line of the mesh, in the file's units; unused vertices stay as read.
  InitialState export_state() const {
    return {vertex_positions(*mesh_, state_.x), vertex_velocities(*mesh_, state_.v)};
  }

 private:
  /// The start follows, by start() or load().
  Simulation(Scene scene, std::shared_ptr<const ClothMesh> mesh, const ComputeContext& context,
             std::shared_ptr<const ClothModel> model);
  static std::unique_ptr<Integrator> make_integrator(const Scene& scene);
  void set_integrator(const Scene& scene, std::unique_ptr<Integrator> integrator);

  // The stages of a step. All throw Cancelled on cancellation.
  StepStatus run_stages(const ComputeContext& context);
  StepStatus run_substep(const ComputeContext& context);
  void set_pin_targets(double h, const ComputeContext& context);
  void restart_at_contact();
  void begin_contact(double h, const ComputeContext& context);
  void place_surfaces(double h) {
    surfaces_.place(scene_->floor, scene_->obstacles, contact_->thickness(), moves_, state_.x.size(),
                    state_.t, h);
  }
  void configure_contact();
  ContactStep contact_step(double h, const State& start, const ComputeContext& context) {
    return {surfaces_, h, start, system_, context, integrator_->has_positional_contact()};
  }
  void add_work_of_pins(double h, const ComputeContext& context);
  void enter_integrator_if_new(double h, const ComputeContext& context);
  StepReport advance(double h, const ComputeContext& context);
  void measure(const ComputeContext& context);
  BlowUp failed_step(BlowUp::Cause cause, double h) const {
    return {.cause = cause, .step = next_.step, .time = state_.t, .h = h};
  }
  std::optional<BlowUp> check_energy(double h) const;
  void begin_ledger(WorkerPool& pool);
  void limit_displacements(double h, const ComputeContext& context);
  void end_contact(double h, const ComputeContext& context);
  void end_ledger();
  void retry_with_half();
  StepStatus refuse_step(const BlowUp& bad, WorkerPool& pool);
  void adopt_substep(const StepReport& report, double h, bool good);
  void add_body_contacts(double h);
  void finish_record(WorkerPool& pool);
  void restore_start_of_step();
  void begin_record();
  /// True if the automatic stiffness of a barrier may grow.
  bool may_stiffen() const { return is_alone_ && scene_->contact.barrier_stiffness == 0; }
  void repeat_stiffer();
  void abandon_step();
  /// Constrains pins and driven particles to their positions at time t [s]; frees all others. Seams have
  /// their lengths of that time.
  void constrain_pins(double t) {
    system_.set_seam_time(t);
    pins_.set_pin_targets(t, system_.projection());
    drivers_.set_targets(t, system_.projection());
  }

  // Notices.
  /// Adds a notice whose sentence is text(), which is called only for a cause that is new. Empty: none.
  template <class Text>
  void report(NoticeCause cause, const Text& text) {
    if (notices_.has(cause)) return;
    if (std::string sentence = text(); !sentence.empty())
      notices_.add(cause, record_.step, std::move(sentence));
  }
  void notice_material();
  void notice_mesh();
  void notice_step();
  void notice_energy();
  void notice_gain_in_step();
  /// Warns of failures that are expected after the last steps, and withdraws warnings.
  void notice_foresight(WorkerPool& pool);
  /// After a change that leaves the mesh.
  void restart_foresight();
  /// Adds a warning, as in kWarnings; it is withdrawn if nothing happens until then [s]. `replaces`: removes
  /// those of the kind before it, which are no longer true.
  void warn(std::size_t kind, double until, std::string text, bool replaces);
  void withdraw_warning(std::size_t kind, const std::string& why);
  void notice_strain();
  void notice_distances();
  /// Reports an overlap, open or very large obstacles, and a method that gains energy with contact.
  void notice_world(const Overlap& overlap);
  /// The current overlap, if deeper than `normal` [m].
  Overlap find_overlap(WorkerPool& pool, double normal) const;
  /// Normal depth of cloth with contact forces [m].
  double normal_depth() const { return contact_->force().settings().law.distance; }
  ClothIntersections find_intersections(WorkerPool& pool) const {
    return clothlab::find_intersections(pool, *mesh_, state_.x, obstacles(), joined());
  }
  void notice_intersections(const ClothIntersections& found, const char* when);

  // Checkpoints.
  void copy_state(WorkerPool& pool, State& to) const;
  void save_progress(WorkerPool& pool, Checkpoint& to) const;
  void load_progress(const Checkpoint& from);
  void set_last_good(State good, std::uint64_t step) {
    last_good_ = std::make_shared<State>(std::move(good));
    last_good_step_ = step;
  }

  // Commands.
  /// What a command changes in addition to the scene.
  template <class Kind>
  void carry_out(const ComputeContext& context, const Kind& command);
  void start(const ComputeContext& context);
  void set_start();
  void adopt(WorkerPool& pool, std::shared_ptr<const Scene> after);
  void adopt_integrator(WorkerPool& pool, const Scene& named);
  void begin_obstacle_move(WorkerPool& pool, const MoveObstacle& command, std::shared_ptr<const Scene> after);
  void begin_growth(WorkerPool& pool, const Scene& scene);
  void end_growth(WorkerPool& pool);
  bool separate(double h, const ComputeContext& context);
  void put_pins(WorkerPool& pool, const std::vector<PinTarget>& targets);
  DriverSet drivers_of(const Scene& scene) const;
  void set_drivers(DriverSet drivers) {
    drivers_ = std::move(drivers);
    system_.set_drivers(drivers_.forces());
    system_.projection().couple(drivers_.distances());
  }
  void set_seams(const Scene& scene);
  void shorten_seams(WorkerPool& pool, double t);
  double seam_energy(WorkerPool& pool, double t) const {
    return system_.seams() ? system_.seams()->energy_at(pool, t, state_.x) : 0;
  }
  bool move_driven();
  void adopt_drivers(WorkerPool& pool, const Scene& after);
  void set_grab(WorkerPool& pool, GrabSpring grab);
  /// Counts the energy gain of the spring as work: at most the largest force × the distance of the cursor.
  void move_grab(WorkerPool& pool, const GrabSpring& grab) {
    const double before = system_.grab_energy(pool, state_.x);
    system_.set_grab(grab);
    account_.add_work(system_.grab_energy(pool, state_.x) - before);
  }
  void release_grab() { system_.set_grab(std::nullopt); }
  void break_continuity();
  void make_room(WorkerPool& pool, std::string_view when);

  void reserve_residuals() {
    for (std::vector<double>* history : {&residuals_, &next_residuals_})
      history->reserve(static_cast<std::size_t>(scene_->solver.linear.cg.max_iterations) + 1);
  }
  void record_state(std::uint64_t step);
  void add_measurement(StepRecord& to) const;

  // Measurements.
  bool is_good() const { return record_.max_strain < kGoodStrain; }
  /// True if the cloth touches a surface that moves in the substep.
  bool touches_moving() const {
    return surfaces_.move() && std::ranges::any_of(contact_->pairs(state_.v), [&](const ContactPair& pair) {
             return pair.surface != kClothItself && surfaces_.moves(pair.surface);
           });
  }
  bool has_rods() const { return info_->inextensible; }
  /// True if each step linearises the forces once, with errors that may add energy where springs turn.
  bool is_linearised() const {
    return info_->family == IntegratorFamily::linearly_implicit ||
           (info_->family == IntegratorFamily::exponential && !info_->uses_newton) ||
           solves_stages_once(*info_, scene_->solver);
  }
  /// True if the current step has gained too much spurious energy, up to the end of this substep.
  bool gains_too_much() const {
    return is_linearised() && energy_ledger_.spurious() - record_.ledger.spurious() > account_.allowed_gain();
  }
  ClothSystem::Energies energies_of(WorkerPool& pool, std::span<const vec3> x) const {
    return without_rods(system_.energies(pool, x));
  }
  /// Without the elastic energy of rods.
  ClothSystem::Energies without_rods(ClothSystem::Energies energies) const {
    if (has_rods()) energies.stretch = 0;
    return energies;
  }
  InternalEnergy internal_now(WorkerPool& pool) {
    return meter_.measure(pool, system_, state_, energies_of(pool, state_.x));
  }
  EnergyReport energy_report() const { return energy_report(measured_.potential, measured_.internal); }
  static EnergyReport energy_report(const ClothSystem::Energies& potential, const InternalEnergy& internal);
  double reach(const Scene& world) const;
  double surface_speed(const Scene& world) const;
  bool is_free() const;
  /// Energies in J.
  void begin_account(const InternalEnergy& internal, double of_contact) {
    account_.start(internal.shaking() + of_contact + (is_free() ? 0.0 : internal.drift));
  }
  /// `speed`: the largest of obstacles that move without a path [m/s].
  void set_account_scale(const Scene& world, double speed = 0);

  const std::shared_ptr<const ClothMesh> mesh_;
  std::shared_ptr<const Scene> scene_;

  ClothSystem system_;
  const IntegratorInfo* info_ = nullptr;  // of the integrator of scene_
  std::unique_ptr<Integrator> integrator_;
  double force_time_ = 0;  // see IntegratorInfo::force_time
  PinSet pins_;
  DriverSet drivers_;
  std::shared_ptr<const std::vector<std::uint32_t>> joined_;  // see joined_particles()
  State state_;

  ObstacleMoves moves_;
  Surfaces surfaces_;           // of the current substep
  ContactModel contact_model_;  // of contact_
  std::unique_ptr<ContactResponse> contact_;
  std::shared_ptr<ContourMinimiser> minimiser_;  // while bodies grow
  StepControl control_;
  ContactWatch contact_watch_{system_};
  EnergyMeter meter_{system_.model()};
  EnergyAccount account_;
  std::optional<BlowUp> blow_up_;
  double grab_strength_ = 1;  // of the current grab, see Grab

  StepRecord record_;
  BodyContacts body_contacts_;  // of the last step
  std::vector<double> residuals_, rod_forces_;
  NoticeLog notices_;
  bool jumped_ = true;  // something other than a step may have changed the energy
  EnergyWatch watch_;
  std::shared_ptr<Foresight> foresight_;
  WarningTimes warnings_;
  std::array<bool, kWarnings.size()> warned_{};  // since the last change of the scene or the state
  bool signs_warn_ = true;
  std::uint64_t changes_ = 0;
  bool entering_ = true;  // the state was set from outside

  Measurement measured_;  // of the state after a step or a jump
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
  std::optional<AtStart> at_start_;
  /// Result of the last search for intersections at the start, which is slow, and its scene.
  ClothIntersections crossed_at_start_;
  std::shared_ptr<const Scene> searched_at_start_;

  double last_h_ = 0;      // of the last substep [s]
  bool lifting_ = true;    // see Checkpoint
  bool is_alone_ = false;  // in the current step, while a stiffer barrier may help

  std::shared_ptr<State> last_good_;  // the last good state if state_ is not good; or the start
  std::uint64_t last_good_step_ = 0;

  // Of the current step.
  StepRecord next_;
  BodyContacts next_body_contacts_;
  std::vector<double> next_residuals_;
  Checkpoint at_step_;  // its start; between steps the start of a command
  State substep_start_, probe_;
  Memory history_before_;  // of a method that contact does not restart, at the start of the substep
  bool watched_substep_ = false;
  EnergyAccount account_at_substep_;
  double moved_on_entry_ = 0;                          // [m]
  StepLedger ledger_;                                  // of the current substep
  EnergyLedger energy_ledger_;                         // with it
  double given_by_surfaces_ = 0;                       // by the correction of its end [J]
  double given_by_separation_ = 0;                     // of intersecting cloth [J]
  double given_by_limit_ = 0;                          // by limited displacements [J]
  std::optional<BlowUp::Cause> contact_failure_ = {};  // of the current substep
  double grab_energy_ = 0;                             // at its start, then its decrease [J]
  double contact_energy_ = 0;                          // at its start [J]
  double seam_work_ = 0;                               // of seams that change their lengths [J]
};

/// Simulation::last_good_state at a moment of a run. Valid as long as the checkpoint.
Simulation::StateAtStep last_good_state(const Checkpoint& checkpoint);

}  // namespace clothlab
