// SPDX-License-Identifier: MIT
#include "runtime/simulation_thread.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <future>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "analysis/grab_limits.h"
#include "analysis/stability_text.h"
#include "core/error.h"
#include "core/worker_pool.h"
#include "runtime/command_queue.h"
#include "runtime/history.h"
#include "runtime/mailbox.h"
#include "runtime/mouse_grab.h"
#include "runtime/pacer.h"
#include "runtime/plot_history.h"
#include "runtime/revival.h"
#include "runtime/stability_monitor.h"
#include "runtime/step_timer.h"
#include "sim/command_rules.h"
#include "sim/parameters.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kFramesPerSecond = 60;  // of viewing time
constexpr double kRewindSeconds = 0.5;
constexpr std::chrono::microseconds kPublishSpacing{8333};  // 120 Hz
constexpr std::chrono::milliseconds kEstimateSpacing{250};
constexpr std::chrono::seconds kRareEstimateSpacing{1};  // where little depends on it
constexpr std::chrono::seconds kWarningShown{1};
constexpr std::size_t kReplayStates = 120;
// A flood of requests must not keep the simulation from stepping.
constexpr int kRequestsPerStep = 256;

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace

struct SimulationThread::Impl {
  Impl(std::shared_ptr<const LoadedScene> first, const Options& options)
      : pool(options.threads > 0 ? options.threads : hardware_threads()),
        playing(options.playing),
        monitor([this] { queue.wake(); }) {
    speed = std::clamp(options.speed, kMinSpeed, kMaxSpeed);
    use(std::move(first), nullptr);
    publish(Clock::now());
    thread = std::thread([this] { run(); });
  }

  ~Impl() {
    queue.close();
    monitor.close();  // the two end side by side
    thread.join();
    if (recorder) recorder->forget();
  }

  // ---- The loop

  void run() {
    pacer.restart(Clock::now());
    while (!queue.closed()) {
      for (int i = 0; i < kRequestsPerStep && !queue.closed(); ++i) {
        std::optional<Request> request = queue.pop();
        if (!request) break;
        carry_out(*request);
      }
      if (!guarded([this] { keep_up(); })) {
        playing = false;
        published = Clock::now();  // so that an error that comes back is not tried again at once
      }
    }
    // A moment that was asked for before the end can still be saved.
    while (std::optional<Request> request = queue.pop()) {
      const auto* control = std::get_if<Control>(&request->what);
      if (control != nullptr && std::holds_alternative<KeepMoment>(*control)) carry_out(*request);
    }
  }

  /// What is due now: one step, one picture of a replay, publishing; or sleep until something is.
  void keep_up() {
    adopt_estimate();
    Clock::time_point now = Clock::now();
    if (past && now >= past->next) show_next_past_state(now);
    if (dirty && now - published >= kPublishSpacing) publish(now);

    // A recording that cannot keep up holds the simulation up, but no request; it wakes the queue.
    const bool may_step = playing && !(recorder && recorder->full());
    if (may_step && now >= pacer.due()) {
      // While a long step runs, the window must have seen all that came before it. Whether it will be
      // long is not known after a request, nor after a long one.
      if (dirty && (unseen_request || timer().last() > 1e3 * Seconds(kPublishSpacing).count())) publish(now);
      step();
      return;
    }
    Clock::time_point until = Clock::time_point::max();
    if (may_step) until = std::min(until, pacer.due());
    if (past) until = std::min(until, past->next);
    if (dirty) until = std::min(until, published + kPublishSpacing);
    if (until == Clock::time_point::max()) {
      queue.wait();
    } else {
      queue.wait_until(until);
    }
  }

  /// Nothing but the destructor may end the thread: an error becomes a sentence in the snapshot.
  template <class Body>
  bool guarded(Body&& body) {
    try {
      body();
      return true;
    } catch (const Cancelled&) {
      // Another scene is next, or the end.
    } catch (const std::bad_alloc&) {
      refuse("There is not enough memory for that.");
    } catch (const std::exception& e) {
      refuse(e.what());
    }
    return false;
  }

  void refuse(std::string sentence) {
    error = std::move(sentence);
    ++errors;
    dirty = true;
  }

  // ---- Requests

  void carry_out(Request& request) {
    const std::shared_ptr<const Scene> before = simulation->shared_scene();
    const bool done = guarded([&] {
      std::visit(Overloaded{[this](const Command& command) { apply(command); },
                            [this](Control& control) { std::visit([this](auto& c) { steer(c); }, control); }},
                 request.what);
    });
    // What has changed the scene holds, whatever failed after that.
    if (!done && simulation->shared_scene() == before) note_refusal(request.stamp);
    applied = request.stamp;
    unseen_request = true;
    dirty = true;
  }

  void note_refusal(std::uint64_t stamp) {
    std::vector<std::uint64_t> stamps = *refused;
    if (stamps.size() == kMostRefused) stamps.erase(stamps.begin());
    stamps.push_back(stamp);
    refused = std::make_shared<const std::vector<std::uint64_t>>(std::move(stamps));
  }

  void apply(const Command& command) {
    // A command that is refused leaves the past alone, too.
    const std::shared_ptr<const Scene> after =
        changed_scene(simulation->shared_scene(), command, simulation->mesh());
    const CommandRule& rule = rule_of(command);
    if (rule.acts_on_shown || after->pins != simulation->scene().pins) continue_from_shown();
    const bool had_rods = simulation->integrator().inextensible;
    note_step_times();
    simulation->apply(command);
    if (std::holds_alternative<Reset>(command)) {
      if (blown) playing = std::exchange(resumes, false);
      start_over();
    } else if (std::holds_alternative<GoBack>(command) || std::holds_alternative<RestoreState>(command)) {
      go_on_from_restored_state();
    } else if (const auto* move = std::get_if<MovePins>(&command); move != nullptr && move->duration == 0) {
      history.replace_newest([this](Checkpoint& to) { simulation->save(to); });
    }
    if (rule.changes_scene) scene_changed();
    if (simulation->integrator().inextensible != had_rods) forget_estimate();
    if (!simulation->grab() || std::holds_alternative<Grab>(command)) mouse_grab.reset();
    if (const auto* move = std::get_if<MoveCursor>(&command); move != nullptr && mouse_grab)
      mouse_grab->move_to(move->cursor);
    if (rule.changes_scene && mouse_grab) mouse_grab->adapt(*simulation, estimate_without_grab());
    if (rule.breaks_continuity) ask_for_estimate();
    if (blown && rule.changes_scene) reconsider();
  }

  void steer(const StartGrab& c) {
    continue_from_shown();
    mouse_grab.emplace(c.hold, *simulation, estimate_without_grab());
    ask_for_estimate();
  }

  /// Of the present shape, or else undamped; no less stiff than at the start, with the stiffnesses and the
  /// mass in force.
  StabilityEstimate estimate_without_grab() const {
    if (free_stability && simulation->integrator().inextensible) return *free_stability;
    const Material &now = simulation->scene().material, &then = loaded->scene.material;
    const auto ratio = [](double k, double k0) { return k0 > 0 ? k / k0 : 0.0; };
    const double stiffer = std::max(ratio(now.stretch_stiffness, then.stretch_stiffness),
                                    ratio(now.bend_stiffness, then.bend_stiffness));
    StabilityEstimate unknown;
    unknown.others = {DampedOscillation()};
    return at_least(free_stability.value_or(unknown),
                    loaded->omega_max * std::sqrt(stiffer * then.mass / now.mass));
  }

  void steer(const SetPlaying& c) {
    if (c.playing == playing) return;
    if (c.playing) continue_from_shown();
    playing = c.playing;
    resumes = false;
    if (playing) pacer.restart(Clock::now());
  }

  void steer(const StepOnce&) {
    continue_from_shown();
    playing = resumes = false;
    step();
  }

  void steer(const SetSpeed& c) {
    if (!(c.speed > 0)) throw InputError("The speed must be greater than zero.");
    speed = std::clamp(c.speed, kMinSpeed, kMaxSpeed);
    pacer.restart(Clock::now());
  }

  void steer(const Rewind&) {
    playing = resumes = false;
    // After a blow-up, too, the newest state of the past is the present one.
    const bool looks_back = past && !past->by_itself();
    const double now = looks_back ? history[past->shown].state.t : simulation->state().t;
    leave_for(now - kRewindSeconds * speed);
    continue_from_newest_kept();
  }

  void steer(const SwapBranches&) {
    if (history.left() == nullptr) throw InputError("There is no present that was left for the past.");
    playing = resumes = false;
    history.swap_branches();
    const auto other = std::exchange(plot_of_other_branch, plot.share());
    plot.set(*other);
    continue_from_newest_kept();
  }

  void steer(const KeepMoment& c) {
    if (past) return c.receive({history.share(past->shown), loaded});
    const auto now = std::make_shared<Checkpoint>();
    simulation->save(*now);
    c.receive({now, loaded});
  }

  void steer(const WatchAgain& c) {
    if (history.size() - history.first_step_by_step() < 2) {
      throw InputError("There is nothing to watch again yet: take some steps first.");
    }
    playing = false;
    const std::size_t first =
        std::max(history.first_step_by_step(), history.size() - std::min(history.size(), kReplayStates));
    const auto pictures = static_cast<double>(history.size() - first);
    const double spacing = std::clamp(c.seconds, 0.0, 3600.0) / pictures;
    past = Past{.shown = first,
                .first = first,
                .spacing = std::chrono::duration_cast<Clock::duration>(Seconds(spacing))};
    past->next = Clock::now() + past->spacing;
  }

  void steer(const ShowPast& c) {
    if (std::isnan(c.time)) throw InputError("The time to look back to must be a number.");
    look_back_to(history.nearest(c.time));
  }

  void steer(const StepThroughPast& c) {
    const auto last = std::max(static_cast<long long>(history.size()) - 1, 0LL);
    const auto shown = past ? static_cast<long long>(past->shown) : last;
    look_back_to(static_cast<std::size_t>(std::clamp(shown + c.states, 0LL, last)));
  }

  void steer(const RunAgain& c) {
    integrator_info(c.integrator);  // throws for an unknown one, with nothing changed
    keep_ghost();
    blown.reset();
    apply(Command(SetIntegrator{c.integrator}));
    apply(Command(Reset{}));
    playing = true;
    resumes = false;
  }

  void steer(const ForgetGhosts&) { ghosts = std::make_shared<const std::vector<GhostRun>>(); }

  void steer(const SetHistoryMemory& c) {
    const double shown = past ? history[past->shown].state.t : 0;
    history.set_memory(c.bytes);
    if (past) look_back_to(history.nearest(shown));
  }

  void steer(const ShowMotion& c) { motion = c.wanted; }
  void steer(Record& c) {
    if (recorder) recorder->forget();
    recorder = std::move(c.recorder);
    if (!recorder) return;
    continue_from_shown();  // what is seen is what it begins with
    recorder->begin(*simulation, scene, motion, [this] { queue.wake(); });
  }

  void steer(UseScene& c) {
    if (!c.loaded) throw InputError("There is no scene to use.");
    use(std::move(c.loaded), c.values);
    const bool plays = playing || resumes;
    const bool waits = c.waits || loaded->moment;
    playing = plays && !waits;
    resumes = plays && waits;
  }

  // ---- The run

  void use(std::shared_ptr<const LoadedScene> next, const std::shared_ptr<const Scene>& values) {
    // The old scene stays until the new one stands.
    const StopProbe superseded = [this] { return queue.scene_waits(); };
    auto made = std::make_unique<Simulation>(next->scene, next->mesh, pool, superseded, next->model);
    if (next->moment) {
      made->load(*next->moment);
      made->apply(Release{});  // no grab holds it here
    }
    if (values) made->apply(SetScene{values});
    if (recorder) recorder->forget();
    recorder.reset();
    simulation = std::move(made);
    notice_of_simulation = 0;
    loaded = std::move(next);
    timers.assign(integrators().size(), {});
    method_ms.assign(integrators().size(), 0);
    forget_estimate();
    steer(ForgetGhosts{});
    start_over();
    scene_changed();
    ask_for_estimate();
  }

  void start_over() {
    history.clear();
    plot.clear();
    blown.reset();
    warning = {};
    past.reset();
    remember(std::nullopt);
    pacer.restart(Clock::now());
    dirty = true;
  }

  void go_on_from_restored_state() {
    const double t = simulation->state().t;
    leave_for(t);
    blown.reset();
    resumes = false;
    past.reset();
    if (!history.empty() && history.newest()->state.t > t) history.clear();
    if (history.empty() || history.newest()->state.t != t) remember(std::nullopt);
    pacer.restart(Clock::now());
    dirty = true;
  }

  /// A moment of the past is gone on from: what is later is left.
  void leave_for(double time) {
    if (history.branch_at(time)) plot_of_other_branch = plot.share();
    plot.forget_after(time);
  }

  // ---- After a blow-up

  Prospect prospect() const {
    const IntegratorInfo& info = simulation->integrator();
    Prospect now{&info, simulation->scene().stepping.dt, std::nullopt};
    if (is_stable_at_every_step())
      now.largest_step = std::numeric_limits<double>::infinity();
    else if (stability)
      now.largest_step = largest_stable_step(info, integrator_parameters(simulation->scene()), *stability);
    return now;
  }

  /// Whatever the cloth is like.
  bool is_stable_at_every_step() const {
    const IntegratorInfo& info = simulation->integrator();
    return std::isinf(stability_limit(info, integrator_parameters(simulation->scene()))) &&
           !(info.wind_limit && simulation->scene().wind.on);
  }

  double sound_time() const { return simulation->last_sound_state().state.t; }

  /// Goes on from the last sound state, playing if the run played when it blew up, and says so.
  void revive(std::string sentence) {
    const bool plays = resumes;
    const auto [state, step] = simulation->last_sound_state();
    simulation->apply(RestoreState{std::make_shared<const State>(state), step});
    go_on_from_restored_state();
    playing = plays;
    ask_for_estimate();
    tell(std::move(sentence));
  }

  /// Something was changed while the cloth is frozen: does it go on with it? Where the method has a limit,
  /// that under the values of now decides.
  void reconsider() {
    blown->decided_by = blown->asks_again ? question + 1 : question;
    if (is_stable_at_every_step()) decide();
  }

  void decide() {
    blown->decided_by = 0;
    const Prospect now = prospect();
    if (past && !past->by_itself()) return tell(waits_in_past_text(now));
    if (now.is_stable()) return revive(goes_on_text(now, sound_time()));
    tell(stays_frozen_text(now));
  }

  void tell(std::string sentence) {
    notice = std::move(sentence);
    ++notices;
    dirty = true;
  }

  // ---- The past

  /// Shows a kept state; the newest one is the present.
  void look_back_to(std::size_t state) {
    playing = false;
    past.reset();
    if (state + 1 < history.size()) past = Past{.shown = state};
    dirty = true;
  }

  /// What ShowPast promises. A replay that runs by itself is only looked at: it ends in the present. A
  /// present that blew up is tried again.
  void continue_from_shown() {
    if (past && !past->by_itself()) {
      leave_for(history[past->shown].state.t);
      continue_from_newest_kept();
    } else if (blown) {
      revive(tries_again_text(prospect(), sound_time()));
    }
    past.reset();
    dirty = true;
  }

  void continue_from_newest_kept() {
    if (history.empty()) throw InputError("No moment of the past is kept.");  // there was no memory for it
    simulation->apply(GoBack{history.newest()});
    go_on_from_restored_state();
    ask_for_estimate();
  }

  void show_next_past_state(Clock::time_point now) {
    if (++past->shown >= history.size()) {
      past.reset();
    } else {
      past->next = std::max(past->next + past->spacing, now);
    }
    dirty = true;
  }

  /// The present run is about to begin anew.
  void keep_ghost() {
    const std::shared_ptr<const std::vector<PlotSample>> samples = plot.share();
    if (samples->size() < 2) return;
    std::vector<GhostRun> kept = *ghosts;
    if (kept.size() == kMostGhosts) kept.erase(kept.begin());
    kept.push_back({simulation->scene().stepping.dt, samples});
    ghosts = std::make_shared<const std::vector<GhostRun>>(std::move(kept));
  }

  // ---- Steps

  void step() {
    const Clock::time_point start = Clock::now();
    step_start.store(start.time_since_epoch().count(), std::memory_order_relaxed);
    StepStatus status = StepStatus::stopped;
    try {
      if (mouse_grab && simulation->grab()) mouse_grab->pull(*simulation);
      status = simulation->step(stop);
    } catch (...) {
      step_start.store(kNoStep, std::memory_order_relaxed);
      playing = false;
      throw;
    }
    step_start.store(kNoStep, std::memory_order_relaxed);
    const Clock::time_point end = Clock::now();

    if (status == StepStatus::stopped) return;
    dirty = true;
    const double milliseconds = 1e3 * Seconds(end - start).count();
    timer().add(milliseconds);
    if (status == StepStatus::blown_up) {
      resumes = std::exchange(playing, false);
      forget_estimate();
      blown = BlownUpRun{.facts = simulation->blow_up().value(),
                         .integrator = &simulation->integrator(),
                         .parameters = integrator_parameters(simulation->scene())};
      blown->sentence = blow_up_sentence(*blown);
      // Why is said when the last sound state is measured.
      ask_for_estimate();
      blown->explained_by = question;
      explain();
      return;
    }
    blown.reset();
    if (const Notice& said = simulation->notice(); said.number != notice_of_simulation) {
      notice_of_simulation = said.number;
      tell(said.text);
    }
    const StepRecord& record = simulation->record();
    if (!record.converged || !record.warning.empty()) {
      warning = record.converged ? record.warning : record.reason;
      warned_of_solve = !record.converged;
      warned = end;
    }
    remember(milliseconds);
    if (recorder) recorder->add_step(*simulation, scene, motion, milliseconds);
    pacer.stepped(simulation->scene().stepping.dt, speed, end);
    if (end - asked >= (is_stable_at_every_step() ? kRareEstimateSpacing : kEstimateSpacing))
      ask_for_estimate(false);
  }

  void explain() {
    const BlowUp& b = blown->facts;
    const Simulation::StateAtStep sound = simulation->last_sound_state();
    blown->why = explain_blow_up({.finite = b.cause != BlowUp::Cause::not_finite,
                                  .step = b.step,
                                  .time = b.time,
                                  .h = b.dt,
                                  .energy = b.energy,
                                  .allowed = b.allowed,
                                  .factor = simulation->scene().stepping.energy_limit,
                                  .sound_time = sound.step > 0 ? std::optional(sound.state.t) : std::nullopt},
                                 *blown->integrator, blown->parameters, stability);
  }

  /// Keeps the present state and its figures; without a time where no step led to it.
  void remember(std::optional<double> milliseconds) {
    const StepRecord& record = simulation->record();
    history.add([this](Checkpoint& to) { simulation->save(to); });
    plot.add({.time = simulation->state().t,
              .energy = record.energy,
              .max_strain = record.max_strain,
              .milliseconds = milliseconds.value_or(std::numeric_limits<double>::quiet_NaN()),
              .cg_iterations = record.cg_iterations,
              .newton_iterations = record.newton_iterations,
              .converged = record.converged,
              .integrator = integrator_index()},
             speed / kFramesPerSecond);
  }

  // ---- Stability

  /// Of the present state; of the last sound one where the present one is a wreck.
  void ask_for_estimate(bool urgent = true) {
    if (blown && blown->explained_by != 0 && !blown->explained) {
      blown->asks_again = true;
      return;
    }
    asked = Clock::now();
    StabilityMonitor::Question q;
    q.model = simulation->system().shared_model();
    q.material = simulation->scene().material;
    q.mode = simulation->scene().stepping.solver.jacobian;
    q.integrator = &simulation->integrator();
    q.wind = simulation->scene().wind;
    q.grab = simulation->grab();
    q.state = blown ? simulation->last_sound_state().state : simulation->state();
    q.held = simulation->constraints(q.state.x);
    q.urgent = urgent;
    q.tag = ++question;
    monitor.ask(std::move(q));
  }

  /// What was asked so far is about something else: another scene, springs that are rods now, or a wreck.
  void forget_estimate() {
    stability.reset();
    free_stability.reset();
    forgotten = question;
    if (blown) blown->explained = true;  // as well as it can be
  }

  void adopt_estimate() {
    const std::shared_ptr<const StabilityMonitor::Answer> answer = monitor.answer();
    if (!answer || answer == taken || answer->tag <= forgotten) return;
    taken = answer;
    stability = answer->estimate;
    if (!answer->held) free_stability = stability;
    dirty = true;
    if (!blown) return;
    if (answer->tag == blown->explained_by) {
      explain();
      blown->explained = true;
      if (std::exchange(blown->asks_again, false)) ask_for_estimate();
    }
    if (blown->decided_by != 0 && answer->tag >= blown->decided_by) decide();
  }

  // ---- Snapshots

  void scene_changed() { scene = simulation->shared_scene(); }

  std::uint16_t integrator_index() const {
    return static_cast<std::uint16_t>(&simulation->integrator() - integrators().data());
  }

  void publish(Clock::time_point now) {
    const auto snapshot = std::make_shared<Snapshot>();
    capture(*simulation, scene, snapshot->frame);
    if (mouse_grab && snapshot->frame.grab) snapshot->frame.grab->cursor = mouse_grab->cursor();
    const State* seen = &simulation->state();
    if (past) {
      const Checkpoint& shown = history[past->shown];
      seen = &shown.state;
      snapshot->frame.positions = shown.state.x;
      snapshot->frame.record = shown.record;
      snapshot->frame.residuals = shown.residuals;
      snapshot->frame.pins_under_way.clear();  // to go on from there holds them where they are
      snapshot->replay =
          ReplayPosition{past->shown - past->first, history.size() - past->first, past->by_itself()};
    }
    capture_motion(*simulation, *seen, motion, snapshot->frame);
    snapshot->applied = applied;
    snapshot->refused = refused;
    snapshot->loaded = loaded;
    snapshot->integrator = integrator_index();
    snapshot->playing = playing;
    snapshot->speed = speed;
    snapshot->actual_speed = playing ? pacer.actual_speed(now) : 0;
    snapshot->step_ms = note_step_times();
    snapshot->method_ms = method_ms;
    snapshot->stability = stability;
    if (blown) snapshot->blow_up_sentence = blown->sentence;
    if (blown) snapshot->blow_up_text = blown->why;
    if (now - warned < kWarningShown) {
      snapshot->warning = warning;
      snapshot->converged = !warned_of_solve;
    }
    snapshot->error = error;
    snapshot->errors = errors;
    snapshot->notice = notice;
    snapshot->notices = notices;
    snapshot->can_rewind = history.size() > 1;
    if (const Checkpoint* left = history.left()) snapshot->left = left->state.t;
    if (!history.empty())
      snapshot->kept = {history[0].state.t, history.newest()->state.t, history.size(), history.bytes()};
    snapshot->plot = plot.share();
    snapshot->ghosts = ghosts;
    mailbox.put(snapshot);
    published = now;
    dirty = false;
    unseen_request = false;
  }

  StepTimer& timer() { return timers[integrator_index()]; }
  StepTimes note_step_times() {
    const StepTimes times = timer().times();
    method_ms[integrator_index()] = times.median;
    return times;
  }

  /// Where in the history one looks while it is not the present.
  struct Past {
    std::size_t shown = 0;  // index
    std::size_t first = 0;  // index of the first one that "watch it again" shows
    Clock::duration spacing{};
    Clock::time_point next = Clock::time_point::max();  // when the next one is due; max(): not by itself
    bool by_itself() const { return next != Clock::time_point::max(); }
  };

  static constexpr Clock::rep kNoStep = 0;

  // Shared between threads.
  CommandQueue queue;
  Mailbox<Snapshot> mailbox;
  std::atomic<Clock::rep> step_start{kNoStep};

  // The simulation thread's own, once it runs.
  WorkerPool pool;
  const StopProbe stop = [this] { return queue.urgent(); };
  std::shared_ptr<const LoadedScene> loaded;
  std::unique_ptr<Simulation> simulation;
  std::shared_ptr<Recorder> recorder;
  bool playing = true;
  double speed = 1;
  Motion motion;
  Pacer pacer;
  std::vector<StepTimer> timers{integrators().size()};  // of each method's steps on this scene
  std::vector<double> method_ms = std::vector<double>(integrators().size());
  History history;
  PlotHistory plot;
  std::shared_ptr<const std::vector<PlotSample>> plot_of_other_branch;
  std::optional<Past> past;
  std::shared_ptr<const std::vector<GhostRun>> ghosts = std::make_shared<const std::vector<GhostRun>>();
  std::optional<MouseGrab> mouse_grab;
  std::optional<StabilityEstimate> stability;
  std::optional<StabilityEstimate> free_stability;  // the last that was measured without a grab
  std::shared_ptr<const StabilityMonitor::Answer> taken;
  Clock::time_point asked{};
  std::uint64_t question = 0;   // tag of the last question to the monitor
  std::uint64_t forgotten = 0;  // answers up to this one do not count
  std::optional<BlownUpRun> blown;
  bool resumes = false;  // it played until it blew up, or until a mesh came that waits
  std::string_view warning;
  bool warned_of_solve = false;  // it says why one did not converge
  Clock::time_point warned{};
  std::string error;
  std::uint64_t errors = 0;
  std::string notice;
  std::uint64_t notices = 0;
  std::uint64_t notice_of_simulation = 0;  // number of the last one
  std::uint64_t applied = 0;
  std::shared_ptr<const std::vector<std::uint64_t>> refused =
      std::make_shared<const std::vector<std::uint64_t>>();
  std::shared_ptr<const Scene> scene;
  bool dirty = false;           // something changed since the last publish()
  bool unseen_request = false;  // a request among it
  Clock::time_point published{};

  StabilityMonitor monitor;  // its own thread calls queue.wake(): it must end before the queue does
  std::thread thread;
};

SimulationThread::SimulationThread(std::shared_ptr<const LoadedScene> loaded)
    : SimulationThread(std::move(loaded), Options{}) {}

SimulationThread::SimulationThread(std::shared_ptr<const LoadedScene> loaded, const Options& options)
    : impl_(std::make_unique<Impl>(std::move(loaded), options)) {}

SimulationThread::~SimulationThread() = default;

std::uint64_t SimulationThread::send(Command command) { return impl_->queue.push(std::move(command)); }
std::uint64_t SimulationThread::send(Control control) { return impl_->queue.push(std::move(control)); }

std::function<KeepMoment::Moment()> SimulationThread::keep_moment() {
  const auto kept = std::make_shared<std::promise<KeepMoment::Moment>>();
  send(Control(KeepMoment{[kept](KeepMoment::Moment moment) { kept->set_value(std::move(moment)); }}));
  return [moment = kept->get_future().share()] { return moment.get(); };
}

std::shared_ptr<const Snapshot> SimulationThread::latest() const { return impl_->mailbox.get(); }

double SimulationThread::running_step_seconds() const {
  const Clock::rep start = impl_->step_start.load(std::memory_order_relaxed);
  if (start == Impl::kNoStep) return 0;
  return std::max(0.0, Seconds(Clock::now() - Clock::time_point(Clock::duration(start))).count());
}

}  // namespace clothlab
