// SPDX-License-Identifier: MIT
#include "linalg/phase_matrix.h"

#include <algorithm>

#include "core/cancel_point.h"

namespace clothlab {

void PhaseMatrix::resize(const std::shared_ptr<const SpringPattern>& pattern, const StopProbe& stop) {
  if (pattern_ == pattern) return;
  const CancelPoint cancel(stop);
  springs_.clear();
  resize_in_parts(springs_, pattern->springs(), cancel);
  diagonal_.resize(pattern->particles());
  cancel.poll();
  pattern_ = pattern;
}

void PhaseMatrix::assign(WorkerPool& pool, const SpringMatrix& A, const SpringMatrix& B) {
  A_ = &A;
  B_ = &B;
  const SpringPattern& p = *pattern_;
  const auto single = [](double value) { return static_cast<float>(value); };
  for_rows(pool, p, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = p.slot_begin[begin]; k < p.slot_begin[end]; ++k) {
      const SpringMatrix::Spring &a = A.spring_in(k), &b = B.spring_in(k);
      springs_[k].values = Octet{single(a.u.x), single(a.u.y), single(a.u.z), single(a.b),
                                 single(b.u.x), single(b.u.y), single(b.u.z), single(b.b)};
    }
    for (std::size_t i = begin; i < end; ++i) {
      const float a = single(A.diagonal_by_row()[i]), b = single(B.diagonal_by_row()[i]);
      diagonal_[i].values = Octet{a, a, a, a, b, b, b, b};
    }
  });
}

}  // namespace clothlab
