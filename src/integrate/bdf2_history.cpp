#include "integrate/bdf2_history.h"

namespace clothlab {

void Bdf2History::add_increment(std::span<const vec3> x0, std::span<const vec3> v0, std::span<vec3> dx,
                                std::span<vec3> dv) const {
  if (empty()) return;
  const std::vector<vec3>&x_before = x_before_.value(), &v_before = v_before_.value();
  for (std::size_t i = 0; i < dx.size(); ++i) {
    dx[i] += (x0[i] - x_before[i]) / 3.0;
    dv[i] += (v0[i] - v_before[i]) / 3.0;
  }
}

void Bdf2History::remember(std::vector<vec3>& x0, std::vector<vec3>& v0) {
  const auto resize = [n = x0.size()](std::vector<vec3>& v) { v.resize(n); };
  for (auto* before : {&x_before_, &v_before_}) before->make_room(resize);
  x_before_.take(x0);
  v_before_.take(v0);
}

void Bdf2History::forget() {
  for (auto* before : {&x_before_, &v_before_}) before->forget();
}

void Bdf2History::mark() {
  for (auto* before : {&x_before_, &v_before_}) before->mark();
}

void Bdf2History::go_back() {
  for (auto* before : {&x_before_, &v_before_}) before->go_back();
}

}  // namespace clothlab
