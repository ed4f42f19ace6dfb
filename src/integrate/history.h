// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/memory.h"
#include "core/vec.h"
#include "integrate/integrator.h"

namespace clothlab {

/// Vectors per particle and impulses that a method keeps from its last step; `full` after that step.
template <std::size_t kVectors, std::size_t kImpulses>
struct History {
  bool full = false;
  std::array<std::vector<vec3>, kVectors> vectors;
  std::array<ImpulseMemory, kImpulses> impulses;

  bool empty() const { return !full; }
  /// As Integrator::save and Integrator::load.
  void save(Memory& memory) const {
    memory.put(full ? 1 : 0);
    if (!full) return;
    for (const std::vector<vec3>& values : vectors) memory.put(values);
    for (const ImpulseMemory& kept : impulses) kept.save(memory);
  }
  void load(MemoryReader& memory, std::size_t n) {
    full = !memory.at_end() && memory.count(1) == 1;
    for (ImpulseMemory& kept : impulses) kept.clear();
    if (!full) return;
    for (std::vector<vec3>& values : vectors) {
      values.resize(n);
      memory.vectors(values);
    }
    for (ImpulseMemory& kept : impulses) kept.load(memory, n);
  }
};

/// Base of methods whose whole history is an OwnHistory, with empty(), save() and load().
template <class OwnHistory>
class MethodWithHistory : public Integrator {
 public:
  bool has_history() const override { return !history_.empty(); }
  void save(Memory& memory) const final { history_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) final { history_.load(memory, n); }

 protected:
  OwnHistory history_;
};

/// The memory of a BDF2 method: u₋₁, the state one step earlier. In û + γF = u1, û = u0 + ⅓ (u0 − u₋₁) and γ
/// = ⅔h [Hairer 1996, V.1]; in the first step û = u0 and γ = h, as backward Euler.
struct Bdf2History : History<2, 1> {
  std::span<const vec3> x_before() const { return vectors[0]; }
  std::span<const vec3> v_before() const { return vectors[1]; }
  double gamma(double h) const { return empty() ? h : 2 * h / 3; }
  /// du += û − u0. Reports a third of the impulses of the previous step.
  void add_increment(const StepContext& context, std::span<const vec3> x0, std::span<const vec3> v0,
                     std::span<vec3> dx, std::span<vec3> dv) const {
    if (empty()) return;
    impulses[0].recall(context, 1.0 / 3);
    for (std::size_t i = 0; i < dx.size(); ++i) {
      dx[i] += (x0[i] - x_before()[i]) / 3.0;
      dv[i] += (v0[i] - v_before()[i]) / 3.0;
    }
  }
  /// Ends the step, after finish_step: u0 becomes u₋₁.
  void remember(const StepContext& context, std::vector<vec3>& x0, std::vector<vec3>& v0) {
    impulses[0].keep(context, 1, 0);
    full = true;
    vectors[0].swap(x0);
    vectors[1].swap(v0);
  }
};

}  // namespace clothlab
