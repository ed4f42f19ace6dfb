// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/memory.h"
#include "core/vec.h"
#include "integrate/integrator.h"

namespace clothlab {

/// The memory of a BDF2 method: u₋₁, the state one step earlier. In û + γF = u1, û = u0 + ⅓ (u0 − u₋₁) and γ
/// = ⅔h [Hairer 1996, V.1]; in the first step û = u0 and γ = h, as backward Euler.
class Bdf2History {
 public:
  bool empty() const { return !full_; }
  double gamma(double h) const { return empty() ? h : 2 * h / 3; }
  /// du += û − u0. Reports a third of the impulses of the previous step.
  void add_increment(const StepContext& context, std::span<const vec3> x0, std::span<const vec3> v0,
                     std::span<vec3> dx, std::span<vec3> dv) const {
    if (empty()) return;
    impulses_.recall(context, 1.0 / 3);
    for (std::size_t i = 0; i < dx.size(); ++i) {
      dx[i] += (x0[i] - x_before_[i]) / 3.0;
      dv[i] += (v0[i] - v_before_[i]) / 3.0;
    }
  }

  std::span<const vec3> x_before() const { return x_before_; }
  std::span<const vec3> v_before() const { return v_before_; }

  /// Ends the step, after finish_step: u0 becomes u₋₁.
  void remember(const StepContext& context, std::vector<vec3>& x0, std::vector<vec3>& v0) {
    impulses_.keep(context, 1, 0);
    full_ = true;
    x_before_.swap(x0);
    v_before_.swap(v0);
  }

  /// As Integrator::save and Integrator::load.
  void save(Memory& memory) const {
    memory.put(full_ ? 1 : 0);
    if (!full_) return;
    memory.put(x_before_);
    memory.put(v_before_);
    impulses_.save(memory);
  }

  void load(MemoryReader& memory, std::size_t n) {
    full_ = !memory.at_end() && memory.count(1) == 1;
    impulses_.clear();
    if (!full_) return;
    for (std::vector<vec3>* before : {&x_before_, &v_before_}) {
      before->resize(n);
      memory.vectors(*before);
    }
    impulses_.load(memory, n);
  }

 private:
  bool full_ = false;
  std::vector<vec3> x_before_;
  std::vector<vec3> v_before_;
  ImpulseMemory impulses_;
};

}  // namespace clothlab
