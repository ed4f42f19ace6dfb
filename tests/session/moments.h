// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "session/background.h"
#include "session/control.h"
#include "session/support.h"

namespace clothlab::testing {

/// The state of the scene after some steps.
inline KeepMoment::Kept moment_of(const std::shared_ptr<const LoadedScene>& loaded, int steps) {
  WorkerPool pool(1);
  Simulation simulation(loaded->scene, loaded->mesh, pool);
  for (int k = 0; k < steps; ++k) simulation.step(pool);
  const auto checkpoint = std::make_shared<Checkpoint>();
  simulation.save(pool, *checkpoint);
  return {moment_of_lane(0, checkpoint), loaded};
}

inline std::shared_future<KeepMoment::Kept> promised(KeepMoment::Kept moment) {
  std::promise<KeepMoment::Kept> promise;
  promise.set_value(std::move(moment));
  return promise.get_future().share();
}

/// What a search has found at its end.
template <class Search>
auto found_by(const Search& search) {
  const auto start = Clock::now();
  while (!search.done() && seconds_since(start) < kPatience * kSlowdown)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(search.done());
  return search.progress();
}

/// That it ends within 0.2 s of processor time when asked, also while it waits for its moment.
template <class Search, class... Arguments>
void expect_to_end_when_asked(const std::shared_ptr<const LoadedScene>& loaded, Arguments... arguments) {
  Search search(promised(moment_of(loaded, 1)), arguments...);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(search.done());
  const double asked = process_seconds();
  search.cancel();
  while (!search.done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LT(process_seconds() - asked, 0.2 * kSlowdown);
  EXPECT_EQ(search.progress()->error, "Cancelled.");
  std::promise<KeepMoment::Kept> never;
  { const Search waits(never.get_future().share(), arguments...); }
  SUCCEED() << "it does not wait for what does not come";
}

}  // namespace clothlab::testing
