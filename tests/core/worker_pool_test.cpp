// SPDX-License-Identifier: MIT
#include "core/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/hash.h"

namespace clothlab {
namespace {

TEST(WorkerPool, CallsEveryChunkExactlyOnce) {
  for (int threads = 1; threads <= 4; ++threads) {
    WorkerPool pool(threads);
    for (std::size_t n : {0u, 1u, 2u, 7u, 8u, 9u, 64u, 1000u}) {
      for (std::size_t grain : {1u, 3u, 8u, 2000u}) {
        std::vector<int> calls(n, 0);
        pool.for_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
          EXPECT_LT(begin, end);
          EXPECT_EQ(begin % grain, 0u);
          EXPECT_EQ(end, std::min(n, begin + grain));
          for (std::size_t i = begin; i < end; ++i) ++calls[i];
        });
        EXPECT_EQ(calls, std::vector<int>(n, 1)) << threads << " threads, n " << n << ", grain " << grain;
      }
    }
  }
}

// Thousands of short loops in a row, each reading what the one before wrote on other threads: a worker that
// came late into a closed loop, or a caller that left too early, shows as a wrong value or a data race.
TEST(WorkerPool, ManySmallLoopsSeeEachOther) {
  constexpr std::size_t kSize = 64;
  constexpr int kLoops = 4000;
  for (int threads = 1; threads <= 4; ++threads) {
    WorkerPool pool(threads);
    std::vector<std::uint64_t> a(kSize, 0), b(kSize, 0);
    for (int loop = 0; loop < kLoops; ++loop) {
      pool.for_chunks(kSize, 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) b[i] = a[(i + 9) % kSize] + 1;
      });
      std::swap(a, b);
    }
    EXPECT_EQ(a, std::vector<std::uint64_t>(kSize, kLoops)) << threads << " threads";
  }
}

// Whichever thread it was thrown on. Threads other than the caller are sure to take part: their chunks wait
// for each other.
TEST(WorkerPool, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  for (const std::size_t thrower : {std::size_t{0}, std::size_t{1}}) {
    WorkerPool pool(2);
    std::atomic<int> begun{0};
    const auto fail = [&] {
      pool.for_chunks(2, 1, [&](std::size_t begin, std::size_t) {
        ++begun;
        while (begun < 2) std::this_thread::yield();
        if (begin == thrower) throw std::runtime_error("chunk " + std::to_string(begin));
      });
    };
    EXPECT_THROW(fail(), std::runtime_error);
    EXPECT_EQ(pool.sum(100, 1, [](std::size_t, std::size_t) { return 1.0; }), 100);
  }
}

// Sums in the bodies of a sum: of the same pool and of another one.
TEST(WorkerPool, ALoopInsideABodyRunsOnItsThreadWithTheSameBits) {
  const auto term = [](std::size_t i) {
    return std::ldexp(std::sin(static_cast<double>(i)), static_cast<int>(i % 50));
  };
  std::vector<double> sums;
  for (const int threads : {1, 2, 4}) {
    WorkerPool pool(threads), other(2);
    for (WorkerPool* inner : {&pool, &other}) {
      for (const std::size_t grain :
           {1, 64}) {  // 1 runs its chunks concurrently; 64, its only one on the caller
        std::vector<char> kept_thread(64, 1);
        sums.push_back(pool.sum(64, grain, [&](std::size_t begin, std::size_t end) {
          const auto here = std::this_thread::get_id();
          double total = 0;
          for (std::size_t k = begin; k < end; ++k) {
            total += inner->sum(100, 3, [&](std::size_t from, std::size_t to) {
              if (std::this_thread::get_id() != here) kept_thread[k] = 0;
              double part = 0;
              for (std::size_t i = from; i < to; ++i) part += term(100 * k + i);
              return part;
            });
          }
          return total;
        }));
        EXPECT_EQ(kept_thread, std::vector<char>(64, 1)) << threads << " threads, grain " << grain;
      }
    }
    // The pool is usable again.
    EXPECT_EQ(pool.sum(100, 1, [](std::size_t, std::size_t) { return 1.0; }), 100);
  }
  for (const double sum : sums) EXPECT_EQ(sum, sums.front());
}

TEST(WorkerPool, WhatALoopInsideABodyThrowsReachesTheOutermostCaller) {
  WorkerPool pool(2);
  const auto fail = [&] {
    pool.for_chunks(4, 1, [&](std::size_t, std::size_t) {
      pool.for_chunks(4, 1, [](std::size_t begin, std::size_t) {
        if (begin == 2) throw std::runtime_error("inner chunk 2");
      });
    });
  };
  EXPECT_THROW(fail(), std::runtime_error);
  std::vector<std::thread::id> by(2);
  std::atomic<int> begun{0};
  pool.for_chunks(2, 1,
                  [&](std::size_t begin, std::size_t) {  // concurrent again: the two wait for each other
                    ++begun;
                    while (begun < 2) std::this_thread::yield();
                    by[begin] = std::this_thread::get_id();
                  });
  EXPECT_NE(by[0], by[1]);
}

// Between these loops the workers fall asleep, so that waking them is exercised too.
TEST(WorkerPool, WakesSleepingWorkers) {
  WorkerPool pool(3);
  std::vector<int> calls(6, 0);
  for (int loop = 0; loop < 30; ++loop) {
    pool.for_chunks(calls.size(), 1, [&](std::size_t begin, std::size_t) {
      ++calls[begin];
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // long enough for the others to join in
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(calls, std::vector<int>(6, 30));
}

TEST(WorkerPool, SharesTheWork) {
  WorkerPool pool(2);
  EXPECT_EQ(pool.threads(), 2);
  std::vector<std::thread::id> by(16);
  pool.for_chunks(by.size(), 1, [&](std::size_t begin, std::size_t) {
    by[begin] = std::this_thread::get_id();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  EXPECT_TRUE(std::any_of(by.begin(), by.end(), [](auto id) { return id == std::this_thread::get_id(); }));
  EXPECT_TRUE(std::any_of(by.begin(), by.end(), [](auto id) { return id != std::this_thread::get_id(); }));
}

TEST(WorkerPool, ALoopOfOneChunkRunsOnTheCaller) {
  WorkerPool pool(4);
  std::thread::id by;
  pool.for_chunks(5, 5, [&](std::size_t, std::size_t) { by = std::this_thread::get_id(); });
  EXPECT_EQ(by, std::this_thread::get_id());
}

TEST(WorkerPool, SumHasTheSameBitsForAnyNumberOfThreads) {
  // Terms of very different size: any other order of the partial sums changes the last bits.
  std::vector<double> terms(10'007);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = std::ldexp(std::sin(static_cast<double>(i)), static_cast<int>(i % 50));
  }
  std::vector<double> sums;
  for (int threads = 1; threads <= 4; ++threads) {
    WorkerPool pool(threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      sums.push_back(pool.sum(terms.size(), 100, [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t i = begin; i < end; ++i) part += terms[i];
        return part;
      }));
    }
  }
  double expected = 0;
  for (std::size_t begin = 0; begin < terms.size(); begin += 100) {
    double part = 0;
    for (std::size_t i = begin; i < std::min(terms.size(), begin + 100); ++i) part += terms[i];
    expected += part;
  }
  for (double sum : sums) EXPECT_EQ(sum, expected);
  WorkerPool pool(2);
  EXPECT_EQ(pool.sum(0, 10, [](std::size_t, std::size_t) { return 1.0; }), 0.0);
}

TEST(WorkerPool, MaxSeesEveryChunkAndWhatIsNotANumber) {
  for (int threads = 1; threads <= 3; ++threads) {
    WorkerPool pool(threads);
    std::vector<double> values(1'007, 1.0);
    const auto max = [&] {
      return pool.max(values.size(), 10, [&](std::size_t begin, std::size_t) { return values[begin]; });
    };
    for (const std::size_t at : {0, 500, 1'000}) {
      values[at] = 2.5;
      EXPECT_EQ(max(), 2.5);
      values[at] = std::nan("");
      EXPECT_TRUE(std::isnan(max()));
      values[at] = 1;
    }
    EXPECT_EQ(max(), 1.0);
    EXPECT_EQ(pool.max(0, 10, [](std::size_t, std::size_t) { return 1.0; }), 0.0);
  }
}

TEST(Hash, SeesEveryBitAndTheOrder) {
  const auto hash = [](std::vector<double> values) {
    return Hash().add(std::span<const double>(values)).value();
  };
  EXPECT_EQ(hash({1, 2, 3}), hash({1, 2, 3}));
  EXPECT_NE(hash({1, 2, 3}), hash({1, 3, 2}));
  EXPECT_NE(hash({0.0}), hash({-0.0}));
  EXPECT_NE(hash({0, 0}), hash({0, 0, 0}));
  EXPECT_NE(hash({1}), hash({std::nextafter(1.0, 2.0)}));
  EXPECT_EQ(Hash().add(vec3(1, 2, 3)).value(), hash({1, 2, 3}));
  // Must never change: golden files hold such values.
  EXPECT_EQ(hash({1, 2, 3}), 0x2e38d66001d341bbULL);
}

}  // namespace
}  // namespace clothlab
