#include "integrate/bdf2_history.h"

namespace clothlab {

void Bdf2History::add_increment(std::span<const vec3> x0, std::span<const vec3> v0, std::span<vec3> dx,
                                std::span<vec3> dv) const {
  if (!has_before_) return;
  for (std::size_t i = 0; i < dx.size(); ++i) {
    dx[i] += (x0[i] - x_before_[i]) / 3.0;
    dv[i] += (v0[i] - v_before_[i]) / 3.0;
  }
}

void Bdf2History::remember(std::vector<vec3>& x0, std::vector<vec3>& v0) {
  x_before_.swap(x0);
  v_before_.swap(v0);
  has_before_ = true;
}

}  // namespace clothlab
