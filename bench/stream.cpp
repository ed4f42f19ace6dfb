// SPDX-License-Identifier: MIT
#include "bench/stream.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/bench/bench.h"
#include "core/cancel_point.h"
#include "linalg/row_space.h"
#include "linalg/single_spring_matrix.h"

namespace clothlab {
namespace {

constexpr int kRounds = 8;
constexpr double kRoundMs = 6;  // a round takes this long or one call

// A whole cache line, so that no two threads write to one.
struct alignas(64) Line {
  double v[8];
};

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2"), noinline)) void triad_avx2(Line* __restrict a, const Line* __restrict b,
                                                          const Line* __restrict c, double s,
                                                          std::size_t lines) {
  for (std::size_t i = 0; i < lines; ++i)
    for (int k = 0; k < 8; ++k) a[i].v[k] = b[i].v[k] + s * c[i].v[k];
}
#endif

void triad(Line* __restrict a, const Line* __restrict b, const Line* __restrict c, double s,
           std::size_t lines) {
#if defined(__GNUC__) && defined(__x86_64__)
  if (kHasAvx2) return triad_avx2(a, b, c, s, lines);
#endif
  for (std::size_t i = 0; i < lines; ++i)
    for (int k = 0; k < 8; ++k) a[i].v[k] = b[i].v[k] + s * c[i].v[k];
}

/// Time of one call [ms]: the best of some rounds of as many calls as make a round long enough.
template <class Calls>
double best_of_rounds(const Calls& calls) {
  calls(1);  // fills the caches
  const double once = milliseconds_of([&] { calls(1); });
  const int count = std::max(1, static_cast<int>(kRoundMs / std::max(once, 1e-4)));
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round)
    best = std::min(best, milliseconds_of([&] { calls(count); }) / count);
  return best;
}

template <class T>
std::size_t bytes(const std::vector<T>& array) {
  return array.size() * sizeof(T);
}

/// Of the indices that both products read.
std::size_t index_bytes(const SpringPattern& p) {
  return bytes(p.chunk_begin) + bytes(p.slot_begin) + bytes(p.slot_outer) + bytes(p.upper) +
         bytes(p.incoming.items) + bytes(p.incoming.begin) + bytes(p.blocks.items) + bytes(p.blocks.begin);
}

}  // namespace

double triad_rate(WorkerPool& pool, std::size_t total) {
  const auto threads = static_cast<std::size_t>(pool.threads());
  const std::size_t lines = std::max<std::size_t>(total / (3 * sizeof(Line)), threads);
  std::vector<Line> a(lines, Line{}), b(lines, Line{{1, 1, 1, 1, 1, 1, 1, 1}}), c(b);
  const std::size_t share = (lines + threads - 1) / threads;
  const double ms = best_of_rounds([&](int count) {
    pool.for_chunks(lines, share, [&](std::size_t begin, std::size_t end) {
      for (int k = 0; k < count; ++k) triad(&a[begin], &b[begin], &c[begin], k, end - begin);
    });
  });
  return static_cast<double>(3 * sizeof(Line) * lines) / ms * 1e-6;
}

std::size_t product_bytes(const SpringPattern& p) {
  return index_bytes(p) + p.particles() * sizeof(double) + p.springs() * sizeof(SpringMatrix::Spring) +
         2 * p.particles() * sizeof(Padded);
}

std::size_t single_product_bytes(const SpringPattern& p) {
  return index_bytes(p) + p.particles() * sizeof(float) + p.springs() * sizeof(Quad) +
         2 * p.particles() * sizeof(Quad);
}

double product_ms(WorkerPool& pool, const SpringMatrix& A) {
  RowVector x(A.size()), y(A.size());
  for (std::size_t i = 0; i < A.size(); ++i) x[i] = {std::sin(static_cast<double>(i)), 1, 2, 0};
  return best_of_rounds([&](int count) {
    for (int k = 0; k < count; ++k) {
      for_rows(pool, A.pattern(), [&](std::size_t chunk, std::uint32_t, std::uint32_t) {
        A.multiply_chunk(chunk, x.data(), y.data());
      });
    }
  });
}

double single_product_ms(WorkerPool& pool, const SpringMatrix& A) {
  const StopProbe never;
  CancelPoint cancel(never);
  SingleSpringMatrix single;
  single.choose(A.pattern(), std::vector<char>(A.pattern().springs(), 1), cancel);
  single.start(A);
  for (std::size_t chunk = 0; chunk < A.pattern().chunks(); ++chunk) single.assign(chunk);
  SingleVector x(A.size()), y(A.size());
  for (std::size_t i = 0; i < A.size(); ++i)
    x[i] = Quad{static_cast<float>(std::sin(static_cast<double>(i))), 1.0f, 2.0f, 0.0f};
  return best_of_rounds([&](int count) {
    for (int k = 0; k < count; ++k) {
      for_rows(pool, A.pattern(), [&](std::size_t chunk, std::uint32_t, std::uint32_t) {
        single.multiply_chunk(chunk, x, y, [&](std::uint32_t i, Quad Ax) { y[i] = Ax; });
      });
    }
  });
}

}  // namespace clothlab
