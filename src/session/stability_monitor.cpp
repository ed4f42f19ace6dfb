// SPDX-License-Identifier: MIT
#include "session/stability_monitor.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "analysis/stability_meter.h"
#include "cloth/cloth_system.h"
#include "core/worker_pool.h"
#include "session/mailbox.h"

namespace clothlab {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct StabilityMonitor::Impl {
  explicit Impl(std::function<void()> told) : answered(std::move(told)), thread([this] { run(); }) {}

  ~Impl() {
    close();
    thread.join();
  }

  void close() {
    {
      const std::lock_guard lock(mutex);
      closing.store(true);
    }
    changed.notify_one();
  }

  void run() {
    while (std::optional<Question> question = next()) {
      const Clock::time_point begin = Clock::now();
      in_spectra = {};
      try {
        measure(*question);
      } catch (const std::exception&) {
        // Closing, or not enough memory for a second system: the run continues without an estimate.
        system.reset();
        estimate.reset();
        spectrum.reset();
      }
      rest(kRest * (Clock::now() - begin - in_spectra) + kRestOfSpectra * in_spectra);
    }
  }

  std::optional<Question> next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return waiting.has_value() || closing.load(); });
    if (closing.load()) return std::nullopt;
    return std::exchange(waiting, std::nullopt);
  }

  void rest(Clock::duration time) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, time, [this] { return closing.load() || (waiting && waiting->urgent); });
  }

  /// False when one comes.
  bool no_question_for(Clock::duration time) {
    std::unique_lock lock(mutex);
    return !changed.wait_for(lock, time, [this] { return closing.load() || waiting.has_value(); });
  }

  bool has_urgent() {
    const std::lock_guard lock(mutex);
    return waiting && waiting->urgent;
  }

  bool is_superseded() {
    const std::lock_guard lock(mutex);
    return closing.load() || waiting.has_value();
  }

  void measure(const Question& question) {
    const StopProbe stop = [this] { return closing.load(); };
    if (!system || question.model != system->shared_model()) {
      system.emplace(question.model, question.material);
      spectrum.reset();
    }
    if (!question.spectrum) spectrum.reset();
    system->set_material(question.material);
    system->set_grab(question.grab);
    system->set_wind(question.wind);
    system->update_wind(pool, question.state.x, question.state.t);
    surfaces = question.surfaces;
    contact.set(question.contact, surfaces);
    system->set_contact(contact.empty() ? nullptr : &contact);
    if (!contact.empty()) contact.begin(pool, question.state.x, 0);
    const StabilityMeter::Subject subject{*system,       question.state,
                                          question.held, *question.integrator,
                                          question.mode, question.without_distances};
    if (question.urgent || !estimate || question.integrator != measured)
      estimate = meter.estimate(subject, pool, stop);
    else if (!meter.follow(*estimate, subject, pool, stop))
      estimate.reset();
    measured = question.integrator;
    if (!estimate) return;
    const bool is_partial = needs_eigenvalues(*question.integrator, *estimate);
    const bool is_soon = is_partial && estimate->free_directions <= kSoon;
    if (is_soon) meter.add_eigenvalues(*estimate, subject, pool, stop);
    answer_to(question);
    if (question.spectrum) measure_spectrum(question, subject);
    if (!is_partial || is_soon || !no_question_for(kStandstill)) return;
    if (meter.add_eigenvalues(*estimate, subject, pool, [this] { return is_superseded(); }))
      answer_to(question);
  }

  void measure_spectrum(const Question& question, const StabilityMeter::Subject& subject) {
    const Clock::time_point begin = Clock::now();
    std::optional<Spectrum> found = meter.spectrum(subject, question.eigenvalues, pool, [&] {
      return closing.load() || (Clock::now() > begin + kUrgentWait && has_urgent());
    });
    in_spectra = Clock::now() - begin;
    if (!found) return;
    spectrum =
        std::make_shared<const MeasuredSpectrum>(MeasuredSpectrum{std::move(*found), question.state.t});
    answer_to(question);
  }

  void answer_to(const Question& question) {
    newest.put(
        std::make_shared<const Answer>(Answer{question.tag, *estimate, question.grab.has_value(), spectrum}));
    answered();
  }

  static constexpr int kRest = 9;           // times the duration of the measurement
  static constexpr int kRestOfSpectra = 2;  // which are displayed
  static constexpr std::chrono::milliseconds kStandstill{400};
  // For a spectrum, which would otherwise lag behind a dragged slider.
  static constexpr std::chrono::milliseconds kUrgentWait{60};

  const std::function<void()> answered;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Question> waiting;
  std::atomic<bool> closing{false};
  Mailbox<Answer> newest;

  // The thread's own.
  WorkerPool pool{1};
  Surfaces surfaces;  // of the question
  ContactForce contact;
  std::optional<ClothSystem> system;
  StabilityMeter meter;
  std::optional<StabilityEstimate> estimate;  // the last one
  std::shared_ptr<const MeasuredSpectrum> spectrum;
  Clock::duration in_spectra{};              // of the time of the last measurement
  const IntegratorInfo* measured = nullptr;  // its method

  std::thread thread;  // last: it uses the other members
};

StabilityMonitor::StabilityMonitor(std::function<void()> answered)
    : impl_(std::make_unique<Impl>(std::move(answered))) {}

StabilityMonitor::~StabilityMonitor() = default;

void StabilityMonitor::close() { impl_->close(); }

void StabilityMonitor::ask(Question question) {
  {
    const std::lock_guard lock(impl_->mutex);
    question.urgent = question.urgent || (impl_->waiting && impl_->waiting->urgent);
    impl_->waiting = std::move(question);
  }
  impl_->changed.notify_one();
}

std::shared_ptr<const StabilityMonitor::Answer> StabilityMonitor::answer() const {
  return impl_->newest.get();
}

}  // namespace clothlab
