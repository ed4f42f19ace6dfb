#pragma once

#include <vector>

#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "linalg/cholesky_factor.h"
#include "linalg/projection.h"
#include "linalg/row_space.h"

namespace clothlab {

/// A CholeskyFactor as preconditioner of conjugate gradients, kept while the matrix changes from solve to
/// solve: with its own matrix one iteration is enough, with those of later steps some more are needed.
///
/// It is made anew when a solve has cost more than solves did on average since it was made, its making
/// included: the rule for replacing what wears out that has the lowest mean cost. Costs are counted in work,
/// not measured, so that they do not depend on the machine; but unlike with the other preconditioners, the
/// bits of a result depend on what was solved before, until `forget`.
class LaggedCholesky {
 public:
  enum class Outcome { ready, indefinite, stopped };

  /// Makes the factor where there is none for A's pattern; otherwise keeps it. All arguments have to stay as
  /// they are until the last `apply`. After `indefinite` (of A itself) there is none.
  Outcome prepare(WorkerPool& pool, const SpringMatrix& A, const Projection& projection,
                  const RowFilter& filter, const StopProbe& stop);

  /// Whether the factor has outlived its use in this solve; then `renew` makes it of the A at hand, and the
  /// iteration must start again with what it is now.
  bool outlived() const { return solves_ > 0 && iterations_ * solves_ > spent_; }
  Outcome renew();

  /// z := S M⁻¹ r, by row; returns r . z. Something else when the probe asks to stop.
  double apply(const RowVector& r, RowVector& z);

  /// Lets go of the factor: the next solve makes one.
  void forget() { factor_.forget(); }

 private:
  CholeskyFactor factor_;
  // In units of one `apply`: of the solves since the factor was made, without the one at hand.
  double spent_ = 0;
  double solves_ = 0;
  double iterations_ = 0;  // of the solve at hand

  WorkerPool* pool_ = nullptr;
  const SpringMatrix* A_ = nullptr;
  const Projection* projection_ = nullptr;
  const RowFilter* filter_ = nullptr;
  const StopProbe* stop_ = nullptr;
  std::vector<vec3> r_, y_;  // by particle
};

}  // namespace clothlab
