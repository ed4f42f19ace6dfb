// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compute_context.h"
#include "core/vec.h"
#include "linalg/coulomb.h"
#include "linalg/linear_solver.h"
#include "linalg/linear_system.h"
#include "linalg/pair_contacts.h"
#include "linalg/vectors.h"

namespace clothlab {

// A step with contact and friction: truncated nonsmooth Newton with preconditioned CG
//
// Find the velocities v with A v = b + ρ, where ρ obeys Coulomb's law at every contact. For given pushes p
// this v minimises J(v) = ½ v·A v − b·v + Σ μ p |w| where n·v ≥ c.
//
//        ┌─► ≤ 3 sweeps: Coulomb's law at each particle alone   which contacts are open, slip or stick?
//        │      r = b − A v;  done if no impulse that the law allows leaves more than the tolerance
//        │      S: free directions;  H: derivative of friction where a contact slips
//        │   CG: S (A + H) S d = S (r − friction)               the springs, for these states
//        │      v := v + d, each contact kept on its side
//        └── halve d while J increases
//
//   open: S = I        slip: S = T, H = μ p/|w| (T − ŵ ŵᵀ)        stick: S = 0
//
//      ρ = 0               ρ in the edge of the cone                ρ in the cone
//    ──────────          ───\──────→ w                            ───\│/───
//
// CG begins with four iterations, because its solution is not worth more while the states change (fewer save
// iterations but need more rounds); the number doubles when few change. From the second round on it has no
// limit where none changes. Coarse levels of multigrid are computed once, for the first states; the finest
// one follows the states. The sweeps use twice the diagonal blocks, so that all particles can move at once:
// the bits do not depend on the number of threads.
//
// J decreases for frozen p only, and p changes with v, so there is no proof of convergence for Coulomb
// friction. Where μ is large, pushes and friction may keep changing each other; later rounds therefore take
// a smaller and smaller share of the new p. v satisfies n·v ≥ c in every iteration, also in the last one.
//
// Pairs of features have an augmented Lagrangian (linalg/pair_contacts.h): J gets the potentials of their
// forces, and CG the derivatives K of these, as springs Jᵀ K J. A search along d finds the least J, because
// pairs that close within d are stiff. Multipliers follow when the rest is solved to half of their residual.
// The solution ends where both residuals are within the tolerance.
//
// Truncated nonsmooth Newton methods: [Gräser 2009]. Contacts of single particles: [Daviet 2020].

struct ContactSolveReport {
  SolveReport solve;  ///< iterations of CG, residual relative to the tolerance's scale
  int rounds = 0;     ///< of the loop above
  int changes = 0;    ///< of states
  double scale = 0;   ///< what the tolerance is relative to [N·s]
};

class ContactSolver {
 public:
  struct Problem {
    SpringMatrix& A;  ///< gets further stencils during a solve
    std::span<const vec3> b;
    const Projection& pins;
    std::span<const vec3> v0;           ///< before the change x: contacts refer to v = v0 + x
    std::span<NodalContact> contacts;   ///< ascending by particle, none of a pinned one
    double tolerance = 0;               ///< of the natural residual [N·s]; 0: relative, by the settings
    std::span<const vec3> forces = {};  ///< what the tolerance is relative to; none: b
    std::span<PairContact> pairs = {};  ///< not of pinned particles only
  };

  /// Solves A x = b + ρ. On entry x has the prescribed change on pins. Leaves states and impulses in the
  /// contacts. No allocation after the first solve of a size.
  ContactSolveReport solve(const ComputeContext& context, LinearSolver& solver, const Problem& problem,
                           std::span<vec3> x, const LinearSolverSettings& settings);

  /// b − A x of the last solution, by particle, including pins.
  std::span<const vec3> residual() const { return rhs_; }  // stored there at the end of `solve`
  /// Those of the last solve, with its stiffnesses.
  PairContacts& pairs() { return pairs_; }

 private:
  // The contacts of one particle.
  struct Group {
    std::uint32_t particle = 0, row = 0, begin = 0, end = 0;
    mat3 D{1.0}, D_inverse{1.0};
    // Of the current round.
    FreeDirections free{};
    mat3 H{0.0};
  };
  std::span<NodalContact> of(const Group& group) const {
    return problem_->contacts.subspan(group.begin, group.end - group.begin);
  }
  vec3 velocity(const Group& group) const { return problem_->v0[group.particle] + unpadded(x_[group.row]); }
  void set_velocity(const Group& group, const vec3& v) {
    x_[group.row] = padded(v - problem_->v0[group.particle]);
  }

  vec3 velocity(std::uint32_t particle) const {
    return problem_->v0[particle] + unpadded(x_[problem_->A.pattern().row[particle]]);
  }

  void start(WorkerPool& pool, std::span<const vec3> prescribed);
  void start_pairs();
  void add_pair_forces(WorkerPool& pool);
  std::size_t linearize_pairs(bool is_first);
  mat3 own_block(const Group& group) const;
  void stiffen_blocks();
  double search_line(WorkerPool& pool);
  void find_touched_chunks();
  void compute_residual(WorkerPool& pool);
  void update_residual(WorkerPool& pool);
  void compute_residual(std::size_t chunk);
  int sweep(WorkerPool& pool, double enough);
  double natural_residual(WorkerPool& pool);
  double scale(WorkerPool& pool);
  void constrain(WorkerPool& pool, double share);
  void advance(WorkerPool& pool, double share);
  double energy(WorkerPool& pool) const;

  // Arguments of the current solve.
  const Problem* problem_ = nullptr;

  std::vector<Group> groups_;
  std::vector<char> is_free_;                  // by row: without a contact or a pin
  std::vector<std::uint32_t> touched_chunks_;  // whose rows the velocity of a contact reaches
  std::vector<char> has_contact_, touched_;    // by row and by chunk
  RowVector x_, r_, kept_x_;
  std::vector<vec3> rhs_, change_;  // by particle
  std::vector<NodalContact> kept_;
  std::vector<vec3> slip_direction_;  // by contact: ŵ
  std::vector<double> bound_;         // by contact: μ p
  RowVector diagonal_, rest_;
  PairContacts pairs_;
  bool freezes_ = false;                 // the next evaluation of pairs adopts their bounds
  std::vector<std::uint32_t> group_of_;  // by row, with pairs
  std::vector<vec3> product_;            // by particle
  Projection constrained_;
  std::vector<Projection::Entry> added_;
  std::vector<SpringMatrix::Stencil> friction_;
};

}  // namespace clothlab
