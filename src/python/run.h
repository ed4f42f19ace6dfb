// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "arena/arena.h"
#include "cli/options.h"
#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "documents/journal.h"
#include "documents/scene_loader.h"
#include "session/mouse_grab.h"

namespace clothlab {

/// The scene file or mesh of `path`, otherwise the cloth that the options name, with the options on top. All
/// three throw InputError, SystemError.
LoadedScene load_scene(const std::optional<std::string>& path, SceneOptions& options);
/// The same cloth with more options on top.
LoadedScene with_options(const LoadedScene& loaded, const SceneOptions& options);
/// The scene and the moment of a checkpoint; only --mesh-folder may change it.
LoadedScene load_checkpoint(const std::filesystem::path& path, const SceneOptions& options);

/// A state that arrays show. It lives in its run until that continues, then here.
struct ShownState {
  std::shared_ptr<const void> run;
  State kept = {};
};

/// The lanes of a run with their journal, for a caller that keeps arrays of the state. One thread at a time
/// uses it: the others get std::logic_error.
class Run : public std::enable_shared_from_this<Run> {
 public:
  /// The exclusive use of a run that changes: states that are shown leave it. Create and destroy it while
  /// no other thread calls the run.
  class Change {
   public:
    explicit Change(Run& run);
    ~Change() { run_.changing_ = false; }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    Run& run_;
  };

  /// Throws as lanes_of().
  Run(LoadedScene loaded, int threads);

  const LoadedScene& loaded() const { return loaded_; }
  std::span<const Lane> lanes() const;
  const Lane& lane(LaneId id) const;
  std::vector<ContactPair> contacts(LaneId id);
  std::string blow_up_text(LaneId id);  ///< what happened and why
  /// Keeps the state's memory as it is, also after the next step, as long as the result exists.
  std::shared_ptr<ShownState> show(LaneId id);

  // Changes; all throw InputError, without effect.

  /// Up to `count` steps, also while other threads call the run; returns how many were done before a blow-up
  /// or a cancellation.
  std::uint64_t step(const Change& change, std::uint64_t count, const StopProbe& stop);
  /// Values of the world for all lanes, of the method for this one.
  void set(LaneId id, const SceneOptions& options);
  /// Continues from the present state of `from` by another method.
  LaneId add_lane(LaneId from, const SceneOptions& options);
  /// Pulls a `v` line's particle to `target` [m], as the mouse does (MouseGrab).
  void drag(std::uint32_t vertex, const vec3& target);
  void release();
  void reset();

  void save_checkpoint(const std::filesystem::path& path);
  void save_journal(const std::filesystem::path& path);
  void save_bundle(const std::filesystem::path& path);

 private:
  struct Drag {
    std::uint32_t particle;
    LaneId lane;  // whose limits bind
    MouseGrab mouse;
  };

  void check_idle() const;
  void start_drag(std::uint32_t particle);
  void pull();
  std::shared_ptr<const Scene> scene_with(LaneId id, const SceneOptions& options) const;

  WorkerPool pool_;
  LoadedScene loaded_;
  Journal journal_;
  Arena arena_;
  std::optional<Drag> drag_;
  std::array<std::weak_ptr<ShownState>, kMostLanes> shown_;
  bool changing_ = false;
};

}  // namespace clothlab
