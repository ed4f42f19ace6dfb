// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "collide/feature_pair.h"
#include "contact/pair_finder.h"
#include "core/vec.h"
#include "core/worker_pool.h"

namespace clothlab {

/// A PairFinder that keeps what it has listed while no particle has gone farther than its room from where it
/// was then: short steps need a search only now and then.
class KeptPairs {
 public:
  void clear() {
    finder_.clear();
    forget();
  }
  std::size_t meshes() const { return finder_.meshes(); }
  void add(std::span<const PairFinder::Triangle> triangles, std::span<const vec3> positions) {
    finder_.add(triangles, positions);
    forget();
  }

  struct Found {
    std::span<const FeaturePair> pairs;
    std::span<const double> least;  ///< that each is surely apart at x [m]
  };
  /// As PairFinder::find, in the same order. Which pairs are listed that come no nearer than `reach` depends
  /// on earlier calls.
  std::optional<Found> find(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> way,
                            double reach, bool with_itself);
  /// Searches so far.
  std::size_t searches() const { return searches_; }

 private:
  struct Listed {
    FeaturePair pair;
    double distance;  // of the places of its particles [m]
  };
  void forget() {
    listed_reach_ = 0;
    waits_ = 0;
  }
  bool covers(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> way, double reach,
              bool with_itself);
  bool is_worth_it(double reach) const;
  bool list(WorkerPool& pool, std::span<const vec3> x, double reach, bool with_itself);
  Found listed_near(WorkerPool& pool, double reach);

  PairFinder finder_;
  std::size_t searches_ = 0;
  // Listed are all pairs that come nearer than that while each particle stays within its room of its place,
  // but for what all have in common.
  std::vector<Listed> listed_;
  double listed_reach_ = 0;  // 0: nothing is listed
  bool listed_itself_ = false;
  std::vector<vec3> places_;
  std::vector<double> rooms_;
  // Of the last `covers`: how far particles go on their ways, are from their places, and both together.
  std::vector<double> going_, moved_, gone_;
  double longest_ = 0;          // of going_
  int served_ = 0, waits_ = 0;  // calls that the list was good for; that go by before the next one
  struct Near {
    FeaturePair pair;
    double least;
  };
  std::vector<std::vector<Near>> by_chunk_;
  std::vector<FeaturePair> near_;
  std::vector<double> least_;
};

}  // namespace clothlab
