// SPDX-License-Identifier: MIT
#include "integrate/bdf2_history.h"

namespace clothlab {

void Bdf2History::add_increment(const StepContext& context, std::span<const vec3> x0,
                                std::span<const vec3> v0, std::span<vec3> dx, std::span<vec3> dv) const {
  if (empty()) return;
  impulses_.recall(context, 1.0 / 3);
  for (std::size_t i = 0; i < dx.size(); ++i) {
    dx[i] += (x0[i] - x_before_[i]) / 3.0;
    dv[i] += (v0[i] - v_before_[i]) / 3.0;
  }
}

void Bdf2History::remember(const StepContext& context, std::vector<vec3>& x0, std::vector<vec3>& v0) {
  impulses_.keep(context, 1, 0);
  full_ = true;
  x_before_.swap(x0);
  v_before_.swap(v0);
}

void Bdf2History::save(Memory& memory) const {
  memory.put(full_ ? 1 : 0);
  if (!full_) return;
  memory.put(x_before_);
  memory.put(v_before_);
  impulses_.save(memory);
}

void Bdf2History::load(MemoryReader& memory, std::size_t n) {
  full_ = !memory.at_end() && memory.count(1) == 1;
  impulses_.clear();
  if (!full_) return;
  for (std::vector<vec3>* before : {&x_before_, &v_before_}) {
    before->resize(n);
    memory.vectors(*before);
  }
  impulses_.load(memory, n);
}

}  // namespace clothlab
