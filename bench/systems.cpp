// SPDX-License-Identifier: MIT
#include "bench/systems.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "cli/interrupt.h"
#include "cli/output/table.h"
#include "core/error.h"
#include "linalg/linear_solver.h"
#include "linalg/multigrid.h"
#include "linalg/row_space.h"

namespace clothlab {
namespace {

constexpr int kRepetitions = 3;
constexpr double kLong = 200;  // [ms]; what takes longer is not repeated
constexpr int kNoLimit = 1'000'000;

/// The median of some repetitions.
template <class Work>
double repeated(Work&& work) {
  std::vector<double> ms;
  do ms.push_back(milliseconds_of(work));
  while (ms.size() < kRepetitions && ms.back() < kLong);
  return median(ms);
}

}  // namespace

struct SystemContest::Impl {
  Impl(const LoadedScene& loaded, const std::vector<State>& the_samples, WorkerPool& the_pool)
      : samples(the_samples),
        pool(the_pool),
        simulation(loaded.scene, loaded.mesh, pool, Interrupt::probe()),
        system(simulation.system()),
        h(loaded.scene.dt),
        settings(loaded.scene.solver),
        A(system.pattern()),
        b(A.size()),
        x(A.size()) {
    settings.linear.cg.max_iterations = kNoLimit;
    settings.linear.cg.warm_start = false;
  }

  void forces(const State& state) { system.force(pool, state.x, state.v, b); }

  void linearize(const State& state) {
    // b = h (f + hKv), A = M − hD − h²K
    contacts.clear();
    system.linearize(pool, state.x, state.v, h, state.v, {1, h, h * h}, settings.jacobian, contacts, b, A);
    for (vec3& each : b) each *= h;
  }

  // Pins stand still, so nothing is prescribed but Δv = 0.
  SolveReport solve() {
    if (Interrupt::requested()) throw Cancelled();
    return solver.solve({pool}, {A, b, system.projection()}, x, settings.linear);
  }

  bool uses_multigrid() const {
    const PreconditionerKind kind = settings.linear.cg.preconditioner;
    return settings.linear.kind == LinearSolverSettings::Kind::cg &&
           (kind == PreconditionerKind::multigrid ||
            (kind == PreconditionerKind::automatic && A.size() >= kMultigridParticles));
  }

  const std::vector<State>& samples;
  WorkerPool& pool;
  Simulation simulation;
  const ClothSystem& system;
  double h;
  SolverSettings settings;
  ContactSet contacts;
  SpringMatrix A;
  std::vector<vec3> b, x;
  LinearSolver solver;
};

SystemContest::SystemContest(const LoadedScene& loaded, const std::vector<State>& samples, WorkerPool& pool)
    : impl_(std::make_unique<Impl>(loaded, samples, pool)) {}
SystemContest::~SystemContest() = default;

PhaseFigures SystemContest::phases() {
  Impl& s = *impl_;
  const bool multigrid = s.uses_multigrid();
  Multigrid preconditioner;
  RowFilter filter;
  filter.assign(s.A.pattern(), s.system.projection());
  std::array<RowVector, 2> scratch{RowVector(s.A.size()), RowVector(s.A.size())};
  std::vector<double> forces, assembly, setup, solve, energies;
  double energy = 0;
  // In the order of a step, so that each finds the caches as a step would leave them; the first round builds
  // what is built once.
  for (int round = 0; round <= kRepetitions; ++round) {
    if (round == 1)
      for (auto* times : {&forces, &assembly, &setup, &solve, &energies}) times->clear();
    for (const State& state : s.samples) {
      forces.push_back(milliseconds_of([&] { s.forces(state); }));
      // One pass over the springs makes the forces and the matrix. Both times of a pair are from the same
      // moment, so that other work on the machine disturbs few of the differences.
      assembly.push_back(milliseconds_of([&] { s.linearize(state); }) - forces.back());
      if (multigrid)
        setup.push_back(
            milliseconds_of([&] { preconditioner.prepare({s.pool}, s.A, filter, scratch[0], scratch[1]); }));
      solve.push_back(milliseconds_of([&] { s.solve(); }));
      energies.push_back(milliseconds_of([&] { energy += s.system.energies(s.pool, state.x).stretch; }));
    }
  }
  PhaseFigures figures{median(forces), std::max(median(assembly), 0.0), median(setup), median(solve),
                       median(energies)};
  if (multigrid)
    figures.solve -= figures.setup;
  else
    figures.setup = kNotMeasured;
  return figures;
}

SolveFigures SystemContest::ours() {
  Impl& s = *impl_;
  SolveFigures figures;
  for (const State& state : s.samples) {
    s.linearize(state);
    if (figures.ms.empty()) s.solve();  // what is built once per mesh
    SolveReport report;
    figures.ms.push_back(repeated([&] { report = s.solve(); }));
    figures.iterations.push_back(report.iterations);
    figures.worst_residual = std::max(figures.worst_residual, report.residual);
  }
  return figures;
}

std::map<BaselineMethod, SolveFigures> SystemContest::baselines(bool ldlt) {
  Impl& s = *impl_;
  std::map<BaselineMethod, EigenBaseline> active;
  for (const BaselineName& name : kBaselines) {
    if (!EigenBaseline::has(name.method) || (name.method == BaselineMethod::ldlt && !ldlt)) continue;
    active.try_emplace(name.method, name.method, s.pool.threads());
  }
  std::map<BaselineMethod, SolveFigures> all;
  for (const State& state : s.samples) {
    s.linearize(state);
    double best = std::numeric_limits<double>::infinity();
    for (auto& each : active) {
      const BaselineMethod method = each.first;
      EigenBaseline& baseline = each.second;
      if (Interrupt::requested()) throw Cancelled();
      baseline.build(s.A, s.b, {}, s.system.projection());
      SolveFigures& figures = all[method];
      figures.ms.push_back(repeated([&] { baseline.solve(s.settings.linear.cg.tolerance, kNoLimit); }));
      const SolveReport report = baseline.result(s.x);
      figures.iterations.push_back(report.iterations);
      figures.worst_residual = std::max(figures.worst_residual, report.residual);
      best = std::min(best, figures.ms.back());
    }
    std::erase_if(active, [&](const auto& entry) { return all[entry.first].ms.back() > 2 * best; });
  }
  return all;
}

}  // namespace clothlab
