// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace clothlab {

/// Number of threads that this machine runs at the same time, at least 1.
int hardware_threads();

/// A fixed set of threads that share the chunks of a loop. Below the documents layer, threads are used here
/// only.
///
/// Results never depend on the number of threads: chunk boundaries depend only on `n` and `grain`,
/// a chunk writes its own part only, and `sum` adds the chunks' partial sums in order.
///
/// One caller at a time. A loop that a body starts, on this pool or another, runs on the body's own thread,
/// over the same chunks in ascending order: the same bits. If a body throws, on any thread, the
/// caller gets the exception at the end of the loop. Chunks that had not begun are skipped, and only one of
/// several exceptions is kept.
class WorkerPool {
 public:
  /// `threads` >= 1 counts the calling thread; 1 starts no thread at all.
  explicit WorkerPool(int threads = 1);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const;
  /// Threads in addition to the calling one.
  std::span<std::thread> workers();
  /// True if this thread is inside a body of any pool.
  static bool in_body();

  /// Calls body(begin, end) for every chunk [begin, end) of [0, n), each at most `grain` >= 1 long,
  /// concurrently, and returns when all are done. A loop of one chunk runs on the caller only, and so do
  /// chunks for which no worker is awake: a loop never waits for a thread to wake up.
  template <class Body>
  void for_chunks(std::size_t n, std::size_t grain, Body&& body) {
    using Stored = std::remove_reference_t<Body>;
    run(
        n, grain, [](void* b, std::size_t begin, std::size_t end) { (*static_cast<Stored*>(b))(begin, end); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

  /// Sum over all chunks of body(begin, end) -> double, added in the order of the chunks.
  template <class Body>
  double sum(std::size_t n, std::size_t grain, Body&& body) {
    double total = 0;
    for_parts(n, grain, body, [&](double part) { total += part; });
    return total;
  }

  /// Largest of 0 and body(begin, end) -> double over all chunks; NaN if one of them is NaN.
  template <class Body>
  double max(std::size_t n, std::size_t grain, Body&& body) {
    double largest = 0;
    for_parts(n, grain, body, [&](double part) {
      if (!std::isnan(largest) && !(part <= largest)) largest = part;
    });
    return largest;
  }

 private:
  // take(body(begin, end)) of every chunk, in their order.
  template <class Body, class Take>
  void for_parts(std::size_t n, std::size_t grain, Body& body, const Take& take) {
    if (in_body()) {  // the partial results in store belong to the loop around this one
      for_chunks(n, grain, [&](std::size_t begin, std::size_t end) { take(body(begin, end)); });
      return;
    }
    const std::span<double> parts = partials(n == 0 ? 0 : (n - 1) / grain + 1);
    for_chunks(n, grain,
               [&](std::size_t begin, std::size_t end) { parts[begin / grain] = body(begin, end); });
    for (const double part : parts) take(part);
  }

  using Thunk = void (*)(void* body, std::size_t begin, std::size_t end);
  void run(std::size_t n, std::size_t grain, Thunk thunk, void* body);
  std::span<double> partials(std::size_t chunks);  // grows, never shrinks: no allocation once warm

  struct Shared;
  std::unique_ptr<Shared> shared_;
};

/// Calls body(i) for every i below n, concurrently in chunks of `grain`; each i writes its own data.
template <class Body>
void for_each(WorkerPool& pool, std::size_t n, std::size_t grain, const Body& body) {
  pool.for_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// The sum of term(i) over every i below n, in chunks of `grain`.
template <class Term>
double sum_over(WorkerPool& pool, std::size_t n, std::size_t grain, const Term& term) {
  return pool.sum(n, grain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += term(i);
    return sum;
  });
}

}  // namespace clothlab
