// SPDX-License-Identifier: MIT
#include "core/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

namespace clothlab {

namespace {

// About 50 to 150 microseconds: longer than the pause between two loops of a solver, short enough not to
// disturb other processes.
constexpr int kSpins = 5000;

void pause_briefly() {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class Done>
bool spin_until(const Done& done) {
  for (int i = 0; i < kSpins; ++i) {
    if (done()) return true;
    pause_briefly();
  }
  return done();
}

// Marks this thread as inside a loop's body during its lifetime.
thread_local bool inside_body = false;
class InsideBody {
 public:
  InsideBody() : before_(std::exchange(inside_body, true)) {}
  ~InsideBody() { inside_body = before_; }
  InsideBody(const InsideBody&) = delete;
  InsideBody& operator=(const InsideBody&) = delete;

 private:
  bool before_;
};

}  // namespace

int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// A loop is *open* from when its fields are set until the caller finds no chunk left to claim. A worker
// enters an open loop by one atomic step that checks that it is open and counts the worker, so it never
// touches the fields of a later loop. The caller returns when all workers have left.
struct WorkerPool::Shared {
  // Each thread has a contiguous share of the chunks, so that successive loops over the same data stay in its
  // cache; threads that are done help the others.
  struct alignas(64) Share {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  // `gate`: the lowest bit is set if open, the bits above it count the loops, the upper half the workers
  // inside.
  static constexpr std::uint64_t kOpen = 1;
  static constexpr std::uint64_t kLoop = 2;
  static constexpr std::uint64_t kInside = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kLoopMask = kInside - kLoop;

  alignas(64) std::atomic<std::uint64_t> gate{0};
  alignas(64) std::atomic<int> sleepers{0};
  std::atomic<bool> quit{false};
  std::vector<Share> shares;
  std::size_t n = 0, grain = 1;
  Thunk thunk = nullptr;
  void* body = nullptr;
  std::atomic<bool> failed{false};
  std::exception_ptr failure;  // of the chunk that made `failed` true

  std::mutex mutex;
  std::condition_variable wake;  // workers wait here for the next loop
  std::condition_variable left;  // the caller waits here for the last worker to leave
  std::vector<double> partials;
  std::vector<std::thread> workers;

  explicit Shared(int threads) : shares(static_cast<std::size_t>(threads)) {}

  void open(std::size_t chunks) {
    for (std::size_t t = 0; t < shares.size(); ++t) {
      shares[t].next.store(chunks * t / shares.size(), std::memory_order_relaxed);
      shares[t].end = chunks * (t + 1) / shares.size();
    }
    const std::uint64_t loop = (gate.load(std::memory_order_relaxed) + kLoop) & kLoopMask;
    gate.store(loop | kOpen);
    // Sequentially consistent with the worker, which counts itself as a sleeper before it last reads
    // the gate.
    if (sleepers.load() > 0) {
      { const std::lock_guard lock(mutex); }
      wake.notify_all();
    }
  }

  void work(std::size_t self) {
    const InsideBody inside;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(self + k) % shares.size()];
      for (;;) {
        const std::size_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= share.end) break;
        if (!failed.load(std::memory_order_relaxed)) run_chunk(chunk);
      }
    }
  }

  void run_chunk(std::size_t chunk) noexcept {
    try {
      thunk(body, chunk * grain, std::min(n, (chunk + 1) * grain));
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }

  void close() {
    gate.fetch_and(~kOpen);
    const auto empty = [&] { return gate.load(std::memory_order_acquire) < kInside; };
    if (spin_until(empty)) return;
    std::unique_lock lock(mutex);
    left.wait(lock, empty);
  }

  bool enter(std::uint64_t& seen_loop) {
    std::uint64_t value = gate.load();
    while ((value & kOpen) && (value & kLoopMask) != seen_loop) {
      if (gate.compare_exchange_weak(value, value + kInside, std::memory_order_acquire)) {
        seen_loop = value & kLoopMask;
        return true;
      }
    }
    return false;
  }

  void leave() {
    const std::uint64_t before = gate.fetch_sub(kInside, std::memory_order_acq_rel);
    // Once the gate is closed the caller may be asleep until the last worker leaves.
    if (!(before & kOpen) && before < 2 * kInside) {
      { const std::lock_guard lock(mutex); }
      left.notify_one();
    }
  }

  void run_worker(std::size_t self) {
    std::uint64_t seen_loop = 0;
    for (;;) {
      bool entered = false;
      const auto ready = [&] {
        entered = enter(seen_loop);
        return entered || quit.load();
      };
      if (!spin_until(ready)) {
        std::unique_lock lock(mutex);
        sleepers.fetch_add(1);
        wake.wait(lock, ready);
        sleepers.fetch_sub(1);
      }
      if (!entered) return;
      work(self);
      leave();
    }
  }
};

WorkerPool::WorkerPool(int threads) : shared_(std::make_unique<Shared>(threads)) {
  assert(threads >= 1);
  Shared& shared = *shared_;
  try {
    for (std::size_t t = 1; t < shared.shares.size(); ++t)
      shared.workers.emplace_back([&shared, t] { shared.run_worker(t); });
  } catch (const std::system_error&) {
    // No more threads available: the existing ones do all the work, with the same results.
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->quit.store(true);
  }
  shared_->wake.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

int WorkerPool::threads() const { return static_cast<int>(shared_->workers.size()) + 1; }

std::span<std::thread> WorkerPool::workers() { return shared_->workers; }

void WorkerPool::run(std::size_t n, std::size_t grain, Thunk thunk, void* body) {
  assert(grain >= 1);
  const std::size_t chunks = n == 0 ? 0 : (n - 1) / grain + 1;
  if (chunks <= 1 || shared_->workers.empty() || in_body()) {
    const InsideBody inside;
    for (std::size_t begin = 0; begin < n; begin += grain) thunk(body, begin, std::min(n, begin + grain));
    return;
  }
  Shared& shared = *shared_;
  shared.n = n;
  shared.grain = grain;
  shared.thunk = thunk;
  shared.body = body;
  shared.open(chunks);
  shared.work(0);
  shared.close();
  if (shared.failed.exchange(false)) std::rethrow_exception(std::exchange(shared.failure, nullptr));
}

bool WorkerPool::in_body() { return inside_body; }

std::span<double> WorkerPool::partials(std::size_t chunks) {
  if (shared_->partials.size() < chunks) shared_->partials.resize(chunks);
  return std::span(shared_->partials).first(chunks);
}

}  // namespace clothlab
