// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <vector>

#include "bench/sections.h"
#include "bench/stream.h"
#include "cli/bench/bench.h"
#include "cli/interrupt.h"
#include "core/error.h"

namespace clothlab {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

BenchTable triad_table(int threads) {
  return {.id = "triad",
          .title = "What the machine streams: a[i] = b[i] + s c[i], 24 bytes counted for each i",
          .columns = {{"working_set_mib", "working set", "MiB", 4},
                      {"rate_1", "1 thread", "GB/s", 3},
                      {"rate_all", std::to_string(threads) + " threads", "GB/s", 3},
                      {"gain", "gain", "×", 3}},
          .notes = {"The best of some rounds; working set: of all threads together."}};
}

BenchTable product_table(int threads) {
  const std::string all = std::to_string(threads) + " thr.";
  return {
      .id = "products",
      .title =
          "One product y = A x beside the time in which the triad streams as many bytes from a working "
          "set as large",
      .columns = {{"matrix", "matrix", ""},
                  {"particles", "particles", ""},
                  {"mib", "bytes", "MiB", 3},
                  {"ms_1", "1 thread", "ms", 3},
                  {"ms_all", all, "ms", 3},
                  {"rate_1", "1 thread", "GB/s", 3},
                  {"rate_all", all, "GB/s", 3},
                  {"over_stream_1", "over streaming, 1 thread", "×", 3},
                  {"over_stream_all", "over streaming, " + all, "×", 3},
                  {"gain", "gain", "×", 3},
                  {"triad_gain", "triad's gain", "×", 3}},
      .notes = {"Bytes: every array that the product goes through, once: values, indices, x and y. Double "
                "precision is that of conjugate gradients, single precision that of multigrid's smoother. "
                "The best of some rounds."}};
}

}  // namespace

void bench_products(const BenchSettings& settings, const std::vector<int>& sizes,
                    std::vector<BenchTable>& tables) {
  const std::size_t first = tables.size();
  tables.push_back(triad_table(settings.pool.threads()));
  tables.push_back(product_table(settings.pool.threads()));
  settings.begin("triad");
  // From what fits into a core's own cache to well beyond the largest product, of some 300 bytes per
  // particle.
  const double largest = sizes.empty() ? 0 : std::ranges::max(sizes);
  const double most = std::clamp(4 * 300 * largest * largest / kMiB, 32.0, 512.0);
  for (double mib = 0.25; mib <= most; mib *= 2) {
    if (Interrupt::requested()) throw Cancelled();
    const auto bytes = static_cast<std::size_t>(mib * kMiB);
    const double one = triad_rate(settings.alone, bytes), all = triad_rate(settings.pool, bytes);
    tables[first].rows.push_back({mib, one, all, all / one});
  }
  for (const int n : sizes) {
    settings.begin("product " + std::to_string(n) + "×" + std::to_string(n));
    const LoadedScene loaded = load_for_bench(hanging_sheet(n));
    const Simulation simulation(loaded.scene, loaded.mesh, settings.pool, Interrupt::probe());
    const State& state = simulation.state();
    const double h = loaded.scene.dt;
    SpringMatrix A(simulation.system().pattern());
    simulation.system().assemble(settings.pool, state.x, state.v, {1, h, h * h}, JacobianMode::clamped, A);
    for (const bool single : {false, true}) {
      if (Interrupt::requested()) throw Cancelled();
      const auto time = [&](WorkerPool& pool) {
        return single ? single_product_ms(pool, A) : product_ms(pool, A);
      };
      const std::size_t bytes = single ? single_product_bytes(A.pattern()) : product_bytes(A.pattern());
      const double gigabytes = static_cast<double>(bytes) * 1e-9;
      const double one = time(settings.alone), all = time(settings.pool);
      const double stream_one = triad_rate(settings.alone, bytes),
                   stream_all = triad_rate(settings.pool, bytes);
      const double rate_one = gigabytes / (one * 1e-3), rate_all = gigabytes / (all * 1e-3);
      tables[first + 1].rows.push_back({std::string(single ? "single" : "double"),
                                        static_cast<long long>(A.size()), static_cast<double>(bytes) / kMiB,
                                        one, all, rate_one, rate_all, stream_one / rate_one,
                                        stream_all / rate_all, one / all, stream_all / stream_one});
    }
  }
}

}  // namespace clothlab
