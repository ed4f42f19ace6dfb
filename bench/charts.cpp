// SPDX-License-Identifier: MIT
#include "bench/charts.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

#include "bench/eigen_baseline.h"

namespace clothlab {
namespace {

constexpr Rgb kOurs{86, 180, 233}, kOursAlone{0, 114, 178}, kStream{226, 230, 236},
    kStreamAlone{150, 156, 166};
constexpr std::array<Rgb, kBaselines.size()> kOthers{Rgb{230, 159, 0}, Rgb{240, 228, 66}, Rgb{204, 121, 167},
                                                     Rgb{213, 94, 0}};
constexpr Rgb kSingle{0, 158, 115}, kSingleAlone{0, 110, 80};

ChartAxis logarithmic(const char* title) { return {.title = title, .logarithmic = true}; }

/// a[i] / b[i] · factor
std::vector<double> quotient(std::vector<double> a, const std::vector<double>& b, double factor) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] *= factor / b[i];
  return a;
}

ChartCurve curve(std::string label, Rgb colour, std::vector<double> x, std::vector<double> y) {
  return {.label = std::move(label), .colour = colour, .markers = true, .x = std::move(x), .y = std::move(y)};
}

Chart cost_chart(const BenchTable& solvers) {
  const std::vector<double> n = values_of(solvers, "particles");
  constexpr double kNanoseconds = 1e6;
  ChartPanel panel{.x = logarithmic("particles"), .y = logarithmic("ns for each particle and step")};
  const auto add = [&](std::string label, Rgb colour, std::string_view column) {
    panel.curves.push_back(
        curve(std::move(label), colour, n, quotient(values_of(solvers, column), n, kNanoseconds)));
  };
  add("our step", kOurs, "step_ms");
  add("our solve", kOursAlone, "ours_ms");
  for (std::size_t k = 0; k < kBaselines.size(); ++k)
    add(std::string(kBaselines[k].title) + ", solve alone", kOthers[k],
        std::string(kBaselines[k].id) + "-ms");
  // What fits into a frame.
  std::vector<double> frame;
  for (const double particles : n) frame.push_back(1e9 / 60 / particles);
  panel.curves.push_back(
      {.label = "real time: 1/60 s", .colour = kStream, .dash = kChartDash, .x = n, .y = std::move(frame)});
  return {.title = "What a step of the hanging sheet costs", .panels = {panel}};
}

Chart iteration_chart(const BenchTable& solvers) {
  const std::vector<double> n = values_of(solvers, "particles");
  ChartPanel panel{.x = logarithmic("particles"),
                   .y = logarithmic("iterations of conjugate gradients to 1e-3")};
  panel.curves = {curve("ours", kOurs, n, values_of(solvers, "ours_iterations")),
                  curve("Eigen, diagonal preconditioner", kOthers[0], n,
                        values_of(solvers, "eigen-cg-lower-iterations"))};
  return {.title = "Iterations of a step of the hanging sheet", .panels = {panel}};
}

Chart roofline_chart(const BenchTable& triad, const BenchTable& products) {
  ChartPanel panel{.x = logarithmic("working set [MiB]"), .y = logarithmic("GB/s")};
  const std::vector<double> sets = values_of(triad, "working_set_mib");
  for (const auto& [rate, suffix, stream, whole, half] :
       {std::tuple{"rate_all", "", kStream, kOurs, kSingle},
        std::tuple{"rate_1", ", 1 thread", kStreamAlone, kOursAlone, kSingleAlone}}) {
    panel.curves.push_back({.label = std::string("triad") + suffix,
                            .colour = stream,
                            .dash = kChartDash,
                            .x = sets,
                            .y = values_of(triad, rate)});
    for (const bool single : {false, true}) {
      ChartCurve points = curve(std::string(single ? "product, single" : "product, double") + suffix,
                                single ? half : whole, {}, {});
      const std::vector<double> x = values_of(products, "mib"), y = values_of(products, rate);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::get<std::string>(products.rows[i][0]) != (single ? "single" : "double")) continue;
        points.x.push_back(x[i]);
        points.y.push_back(y[i]);
      }
      panel.curves.push_back(std::move(points));
    }
  }
  return {.title = "The matrix product below the streaming limit", .panels = {panel}};
}

}  // namespace

std::vector<std::pair<std::string, Chart>> bench_charts(const std::vector<BenchTable>& tables) {
  const auto with_rows = [&](std::string_view id) {
    const BenchTable* table = find_table(tables, id);
    return table != nullptr && !table->rows.empty() ? table : nullptr;
  };
  std::vector<std::pair<std::string, Chart>> charts;
  const BenchTable *solvers = with_rows("solvers"), *triad = with_rows("triad"),
                   *products = with_rows("products");
  if (solvers != nullptr) {
    charts.emplace_back(kBenchPictures[0], cost_chart(*solvers));
    charts.emplace_back(kBenchPictures[1], iteration_chart(*solvers));
  }
  if (triad != nullptr && products != nullptr)
    charts.emplace_back(kBenchPictures[2], roofline_chart(*triad, *products));
  return charts;
}

}  // namespace clothlab
