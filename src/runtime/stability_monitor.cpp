#include "runtime/stability_monitor.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "analysis/stability.h"
#include "cloth/cloth_system.h"
#include "core/worker_pool.h"
#include "runtime/mailbox.h"

namespace clothlab {

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
      try {
        estimate(*question);
      } catch (const std::exception&) {
        // Closing, or not enough memory for a second system: the run goes on without an estimate.
        system.reset();
      }
    }
  }

  std::optional<Question> next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return waiting.has_value() || closing.load(); });
    if (closing.load()) return std::nullopt;
    return std::exchange(waiting, std::nullopt);
  }

  void estimate(const Question& question) {
    const StopProbe stop = [this] { return closing.load(); };
    if (!system || question.model != system->shared_model()) {
      system.emplace(question.model, question.material, pool);
    }
    system->set_material(question.material);
    system->set_drag(question.drag);
    system->projection().clear(system->size());
    for (const std::uint32_t i : question.pinned) system->projection().fix(i, question.x[i]);

    const std::optional<double> omega_max =
        meter.omega_max(*system, question.x, question.mode, pool, stop, question.inextensible);
    if (!omega_max) return;
    newest.put(std::make_shared<const Answer>(Answer{question.tag, *omega_max}));
    answered();
  }

  const std::function<void()> answered;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Question> waiting;
  std::atomic<bool> closing{false};
  Mailbox<Answer> newest;

  // The thread's own.
  WorkerPool pool{1};
  std::optional<ClothSystem> system;
  StabilityMeter meter;

  std::thread thread;  // last: it starts when all else is there
};

StabilityMonitor::StabilityMonitor(std::function<void()> answered)
    : impl_(std::make_unique<Impl>(std::move(answered))) {}

StabilityMonitor::~StabilityMonitor() = default;

void StabilityMonitor::close() { impl_->close(); }

void StabilityMonitor::ask(Question question) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->waiting = std::move(question);
  }
  impl_->changed.notify_one();
}

std::shared_ptr<const StabilityMonitor::Answer> StabilityMonitor::answer() const {
  return impl_->newest.get();
}

}  // namespace clothlab
