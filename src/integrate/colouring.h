// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/cancel_point.h"
#include "core/compressed_rows.h"
#include "core/worker_pool.h"
#include "dynamics/dynamic_system.h"

namespace clothlab {

/// A spring, seen from one of its ends.
struct SpringLink {
  double rest_length = 0;  ///< [m]
  std::uint32_t other = 0;
  std::uint32_t spring = 0;  ///< its index in elements()
};

/// A spring with its factors in a (sub)step of h.
struct SpringInStep {
  std::uint32_t i = 0, j = 0;
  double rest_length = 0;             ///< [m]
  double stiffness = 0, damping = 0;  ///< h² k, h k_d [kg]
  double bending = 0;                 ///< h² β [kg]

  SpringInStep() = default;
  SpringInStep(const ElasticElement& e, double h)
      : i(e.i),
        j(e.j),
        rest_length(e.rest_length),
        stiffness(h * h * e.stiffness),
        damping(h * e.damping),
        bending(h * h * e.bending) {}
  bool operator==(const SpringInStep&) const = default;
};

/// The springs of every particle, in their order.
CompressedRows<SpringLink> spring_links(const ElasticElements& springs, std::size_t particles,
                                        CancelPoint& cancel);

/// Springs or particles in colours: those of one colour do not touch, so threads can process them
/// concurrently, with the same bits for any number of threads.
class Colouring {
 public:
  std::size_t colours() const { return begin_.size() - 1; }
  /// All of them: colour by colour, ascending in each.
  std::span<const std::uint32_t> order() const { return order_; }
  std::size_t begin(std::size_t colour) const { return begin_[colour]; }  ///< of a colour, in `order()`

 protected:
  /// Gives each of n, in their order, the first colour that is free: `taken_by(i, taken)` is the set of the
  /// colours that i must not have, a bit each, and `take(i, bit, taken)` adds its colour. At most as many
  /// colours as touch one of them, and one more. `taken` has one set per particle.
  template <class Taken, class Take>
  void colour(std::size_t n, std::size_t particles, CancelPoint& cancel, const Taken& taken_by,
              const Take& take);

  std::shared_ptr<const SpringPattern> pattern_;  // of the springs that are coloured

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> begin_{0};  // colour -> its first index in order_; one more at the end
};

/// Springs of one colour share no particle: at most 2d − 1 colours if no particle has more than d springs.
class SpringColouring : public Colouring {
 public:
  /// Springs per chunk of `sweep`, from the first of each colour.
  static constexpr std::size_t kGrain = 512;

  /// Colours the springs, in the order of elements(), if the pattern has changed. Throws Cancelled.
  void update(const DynamicSystem& system, const StopProbe& stop);

  /// Calls body(first, last) for the range [first, last) of `order()`: colour after colour, the chunks of a
  /// colour concurrently. Throws Cancelled between two colours.
  template <class Body>
  void sweep(WorkerPool& pool, const StopProbe& stop, const Body& body) const {
    const CancelPoint cancel(stop);
    for (std::size_t colour = 0; colour < colours(); ++colour) {
      cancel.poll();
      const std::size_t first_of_colour = begin(colour);
      pool.for_chunks(begin(colour + 1) - first_of_colour, kGrain, [&](std::size_t first, std::size_t last) {
        body(first_of_colour + first, first_of_colour + last);
      });
    }
  }
};

/// Particles of one colour share no spring: at most d + 1 colours if no particle has more than d springs.
class ParticleColouring : public Colouring {
 public:
  /// Colours the particles if the pattern has changed. Throws Cancelled.
  void update(const DynamicSystem& system, const StopProbe& stop);

  std::span<const SpringLink> links(std::uint32_t particle) const { return links_[particle]; }

 private:
  CompressedRows<SpringLink> links_;
};

}  // namespace clothlab
