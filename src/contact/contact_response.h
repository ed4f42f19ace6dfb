// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cloth/cloth_system.h"
#include "collide/feature_pair.h"
#include "contact/contact_force.h"
#include "contact/contact_model.h"
#include "contact/contact_pair.h"
#include "contact/surfaces.h"
#include "core/compute_context.h"
#include "dynamics/state.h"
#include "linalg/coulomb.h"
#include "linalg/pair_contact.h"
#include "linalg/projection.h"

namespace clothlab {

struct ClothMesh;
struct IntegratorInfo;
struct SolverSettings;

/// The values that contact depends on, during a call. The cloth and its mesh must outlive the response.
struct ContactInput {
  const Floor& floor;
  const Obstacles& obstacles;
  const Contact& contact;
  const Material& material;
  const SolverSettings& solver;
  const IntegratorInfo& method;
  const ClothModel& cloth;
  const ClothMesh& mesh;
  double thickness = 0;  ///< ξ [m]; 0: chosen for the model
  bool self_contact = true;
  CandidateList::Joined joined = {};  ///< particles that are sewn together
  bool grows = false;                 ///< bodies grow: only particles of the cloth collide with meshes

  bool has_surfaces() const { return floor.on || !obstacles.bodies.empty(); }
};

/// A substep of h for contact.
struct ContactStep {
  const Surfaces& surfaces;  ///< where they are in this step
  double h = 0;              ///< [s]
  const State& start;
  ClothSystem& system;
  const ComputeContext& context;
  bool positional = false;  ///< see Integrator::has_positional_contact
  bool continues = false;   ///< the method uses its history in this step
};

/// A contact with a surface that constrains a particle.
struct ActiveContact {
  std::uint32_t particle = 0;
  std::uint32_t surface = 0;  ///< as in ContactPair
  bool sticks = false;
  vec3 impulse{0};  ///< of the last step [N·s]
  bool operator==(const ActiveContact&) const = default;
};

/// A pair of features that pushed in the last step.
struct ActivePair {
  FeaturePair features;
  vec3 impulse{0};  ///< of the last step [N·s]
  bool operator==(const ActivePair&) const = default;
};

/// A contact model in one run, with its memory: the contacts of the last step, sides of features, candidates
/// and stiffness. The stages of a substep call it in this order:
///
///   begin_step → may_begin → [step of the method → needs_repeat]* → limit → apply_limit → end_step
///
/// Defaults are for models without that stage. Members with a context throw Cancelled.
class ContactResponse {
 public:
  enum class Failure { squeezed, crowded };
  struct End {
    bool moved = false;  ///< particles were moved
    std::optional<Failure> failure = {};
    bool changed = false;  ///< other contacts are closed, or stick, than after the last step
  };

  virtual ~ContactResponse() = default;

  /// Adopts values. The surfaces are where they are now; they must outlive this, and are placed for each step
  /// before `begin_step`.
  virtual void configure(const ContactInput& input, const Surfaces& surfaces) = 0;

  /// Distance by which contact thickens surfaces [m].
  virtual double thickness() const { return 0; }
  /// True if it repeats steps or corrects their ends, from the state at the start.
  virtual bool corrects_steps() const { return false; }
  /// Contact as a force; empty for other models.
  const ContactForce& force() const { return force_; }

  /// Detects contacts by forces at positions x between steps [m].
  void detect(WorkerPool& pool, std::span<const vec3> x) {
    if (!force_.empty()) force_.begin(pool, x, 0, 0);
  }

  /// Detects contacts at the start of a step. True if methods with a history cannot go on.
  virtual bool begin_step(const ContactStep& step) = 0;
  /// False if the motion of pins and surfaces leaves no room for the rest of the cloth.
  virtual bool may_begin(const ContactStep& /*step*/) { return true; }
  /// The contacts that the method solves, see StepContext::contacts.
  virtual std::span<NodalContact> solved() { return {}; }
  /// The same of pairs of features, see StepContext::pairs.
  virtual std::span<PairContact> solved_pairs() { return {}; }
  /// See StepContext::reached.
  virtual std::span<vec3> reached() { return {}; }
  /// True if the step has to be repeated, with more contacts.
  virtual bool needs_repeat(const ContactStep& /*step*/, const State& /*after*/) { return false; }
  /// The least fraction of its displacement to x [m] that a particle may go; apply_limit moves them there.
  virtual double limit(const ContactStep& /*step*/, std::span<const vec3> /*x*/) { return 1; }
  virtual void apply_limit(const ContactStep& /*step*/, State& /*after*/) {}
  /// Corrects the end of a step.
  virtual End end_step(const ContactStep& /*step*/, State& /*after*/) { return {}; }
  /// The particle and the surface of the last Failure::squeezed.
  virtual DisplacementBound::LimitingContact squeezed() const { return {}; }
  /// True if its linear solves in the last step reached their tolerance.
  virtual bool converged() const { return true; }
  /// True if the last step lifts particles that were inside a surface at its start.
  virtual bool lifts() const { return false; }
  /// Undoes the last step.
  virtual void undo_step() {}

  /// The contacts of the last step at its end, or of the positions that forces were computed at last, at
  /// velocities v. Valid until the next call.
  virtual std::span<const ContactPair> pairs(std::span<const vec3> v) = 0;
  /// The contacts in a state, with surfaces as they moved to there; without a step.
  virtual std::vector<ContactPair> pairs_at(WorkerPool& pool, const Surfaces& surfaces,
                                            const State& state) = 0;
  /// Its own figures of the last step.
  virtual void add_figures(ContactFigures& /*figures*/) const {}
  /// Adds the constraints of the last step that still lie on their surfaces to a projection of the pins.
  virtual void add_constraints(Projection& /*projection*/, const Surfaces& /*surfaces*/,
                               std::span<const vec3> /*x*/) const {}

  // The memory that checkpoints keep.
  virtual const std::vector<ActiveContact>& contacts() const {
    static const std::vector<ActiveContact> none;
    return none;
  }
  virtual void set_contacts(const std::vector<ActiveContact>& /*contacts*/) {}
  const std::vector<ActivePair>& active_pairs() const { return active_pairs_; }
  void set_active_pairs(const std::vector<ActivePair>& pairs) { active_pairs_ = pairs; }
  /// Another state follows.
  void forget() {
    set_contacts({});
    active_pairs_.clear();
  }
  /// Factor of the automatic stiffness of a barrier: a power of 2.
  double stiffened() const { return stiffened_; }
  virtual void stiffen(double factor) { stiffened_ = factor; }

 protected:
  ContactForce force_;
  std::vector<ActivePair> active_pairs_;  // ascending
  double stiffened_ = 1;
};

/// The mean length of stretch springs [m].
double mean_edge(const ClothModel& cloth);
/// The automatic ε below which friction of contact by forces is smoothed [m/s].
double automatic_friction_speed(const ClothMesh& mesh);

}  // namespace clothlab
