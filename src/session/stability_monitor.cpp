// SPDX-License-Identifier: MIT
#include "session/stability_monitor.h"

#include <exception>
#include <utility>

namespace clothlab {
namespace {

constexpr int kRest = 9;           // times the duration of the measurement
constexpr int kRestOfSpectra = 2;  // which are displayed
constexpr std::chrono::milliseconds kStandstill{400};
// For a spectrum, which would otherwise lag behind a dragged slider.
constexpr std::chrono::milliseconds kUrgentWait{60};

}  // namespace

StabilityMonitor::StabilityMonitor(std::function<void()> answered)
    : answered_(std::move(answered)), thread_([this] { run(); }) {}

StabilityMonitor::~StabilityMonitor() {
  close();
  thread_.join();
}

void StabilityMonitor::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_.store(true);
  }
  changed_.notify_one();
}

void StabilityMonitor::ask(Question question) {
  {
    const std::lock_guard lock(mutex_);
    question.urgent = question.urgent || (waiting_ && waiting_->urgent);
    waiting_ = std::move(question);
  }
  changed_.notify_one();
}

void StabilityMonitor::run() {
  while (std::optional<Question> question = next()) {
    const Clock::time_point begin = Clock::now();
    in_spectra_ = {};
    try {
      measure(*question);
    } catch (const std::exception&) {
      // Closing, or not enough memory for a second system: the run continues without an estimate.
      system_.reset();
      estimate_.reset();
      spectrum_.reset();
    }
    interrupts(kRest * (Clock::now() - begin - in_spectra_) + kRestOfSpectra * in_spectra_, true);
  }
}

std::optional<StabilityMonitor::Question> StabilityMonitor::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.has_value() || closing_.load(); });
  if (closing_.load()) return std::nullopt;
  return std::exchange(waiting_, std::nullopt);
}

bool StabilityMonitor::interrupts(Clock::duration time, bool only_urgent) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(
      lock, time, [&] { return closing_.load() || (waiting_ && (waiting_->urgent || !only_urgent)); });
}

void StabilityMonitor::measure(const Question& question) {
  const StopProbe stop = [this] { return closing_.load(); };
  if (!system_ || question.model != system_->shared_model()) {
    system_.emplace(question.model, question.material);
    spectrum_.reset();
  }
  if (!question.spectrum) spectrum_.reset();
  system_->set_material(question.material);
  system_->set_grab(question.grab);
  system_->set_wind(question.wind);
  system_->update_wind(pool_, question.state.x, question.state.t);
  surfaces_ = question.surfaces;
  contact_.set(question.contact, surfaces_);
  system_->set_contact(contact_.empty() ? nullptr : &contact_);
  if (!contact_.empty()) contact_.begin(pool_, question.state.x, 0, 0);
  const StabilityMeter::Subject subject{*system_,      question.state,
                                        question.held, *question.integrator,
                                        question.mode, question.without_distances};
  if (question.urgent || !estimate_ || question.integrator != measured_)
    estimate_ = meter_.estimate(subject, pool_, stop);
  else if (!meter_.follow(*estimate_, subject, pool_, stop))
    estimate_.reset();
  measured_ = question.integrator;
  if (!estimate_) return;
  const bool is_partial = needs_eigenvalues(*question.integrator, *estimate_);
  const bool is_soon = is_partial && estimate_->free_directions <= kSoon;
  if (is_soon) meter_.add_eigenvalues(*estimate_, subject, pool_, stop);
  answer_to(question);
  if (question.spectrum) measure_spectrum(question, subject);
  if (!is_partial || is_soon || interrupts(kStandstill, false)) return;
  if (meter_.add_eigenvalues(*estimate_, subject, pool_, [this] { return is_superseded(); }))
    answer_to(question);
}

void StabilityMonitor::measure_spectrum(const Question& question, const StabilityMeter::Subject& subject) {
  const Clock::time_point begin = Clock::now();
  std::optional<Spectrum> found = meter_.spectrum(subject, question.eigenvalues, pool_, [&] {
    return closing_.load() || (Clock::now() > begin + kUrgentWait && has_urgent());
  });
  in_spectra_ = Clock::now() - begin;
  if (!found) return;
  spectrum_ = std::make_shared<const MeasuredSpectrum>(MeasuredSpectrum{std::move(*found), question.state.t});
  answer_to(question);
}

void StabilityMonitor::answer_to(const Question& question) {
  newest_.put(
      std::make_shared<const Answer>(Answer{question.tag, *estimate_, question.grab.has_value(), spectrum_}));
  answered_();
}

}  // namespace clothlab
