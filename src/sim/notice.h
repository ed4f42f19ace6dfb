// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clothlab {

/// What a notice reports.
enum class NoticeCause : std::uint8_t {
  rods_entered,        ///< cloth was moved to the lengths of rods
  barrier_stiffened,   ///< a barrier's automatic stiffness was raised
  spurious_energy,     ///< the method and its solvers gained energy
  gain_in_step,        ///< a linearised step gained much spurious energy
  intersections,       ///< triangles intersect at the start, or where impulses cannot separate them
  strain_not_limited,  ///< an adaptive step was accepted above its largest strain
  not_converged,       ///< a step did not converge
  mesh_size,           ///< the mesh is larger or smaller than usual cloth
  mesh_repaired,       ///< doubled faces were merged, or faces without area dropped
  overlap,             ///< particles were inside the floor or an obstacle at the start
  large_strain,        ///< a stretch spring was strained by more than half
  unstable_contact,    ///< the method gains energy where cloth lands on something
  tunnelling,          ///< particles passed through an obstacle within a step
  behind_obstacle,     ///< most of the cloth is behind an obstacle, or one went through it
  open_obstacle,       ///< an obstacle's mesh is not closed
  obstacle_size,       ///< an obstacle's mesh is too large or too small for usual cloth
  contacts_restarted,  ///< a checkpoint of an earlier version has no impulses of contacts
  distances_violated,  ///< no positions have all distances of the scene
  bodies_grow,         ///< bodies contain cloth and start smaller
  bodies_grown,        ///< bodies have their size; what still intersects
  fabric_fitted,       ///< springs of a fabric are a fit on some triangles
  open_seams,          ///< pairs of seams are apart at the end of a run
  unstable_bending,    ///< a method evaluates the hinges of a fabric with too large steps
  unstable_pins,       ///< a method evaluates soft pins with too large steps
  blow_up_soon,        ///< a blow-up is expected
  not_converged_soon,  ///< a step that does not converge is expected
  tunnelling_soon,     ///< the cloth is about to pass through an obstacle
  warning_withdrawn,   ///< the expected failure did not occur
};

/// By NoticeCause: the names in files.
inline constexpr std::array<std::string_view, 28> kNoticeCauseNames{
    "rods-entered",       "barrier-stiffened",  "spurious-energy",    "gain-in-step",    "intersections",
    "strain-not-limited", "not-converged",      "mesh-size",          "mesh-repaired",   "overlap",
    "large-strain",       "unstable-contact",   "tunnelling",         "behind-obstacle", "open-obstacle",
    "obstacle-size",      "contacts-restarted", "distances-violated", "bodies-grow",     "bodies-grown",
    "fabric-fitted",      "open-seams",         "unstable-bending",   "unstable-pins",   "blow-up-soon",
    "not-converged-soon", "tunnelling-soon",    "warning-withdrawn"};

constexpr std::string_view name_of(NoticeCause cause) {
  return kNoticeCauseNames[static_cast<std::size_t>(cause)];
}

/// Information about a run that the user needs.
struct Notice {
  NoticeCause cause = NoticeCause::not_converged;
  std::uint64_t step = 0;  ///< step after which it was found; 0: at the start
  std::string text;        ///< one or two sentences

  bool operator==(const Notice&) const = default;
};

inline bool contains(std::span<const Notice> notices, NoticeCause cause) {
  return std::ranges::find(notices, cause, &Notice::cause) != notices.end();
}

/// "Step 12: The method ...", or "Start: ..."
inline std::string text_with_step(const Notice& notice) {
  return (notice.step == 0 ? std::string("Start") : "Step " + std::to_string(notice.step)) + ": " +
         notice.text;
}

/// The notices of a run since its start, oldest first, each cause once; only warnings may return. A plain
/// value whose copies share their memory, so that checkpoints are cheap.
class NoticeLog {
 public:
  using List = std::vector<Notice>;

  const std::shared_ptr<const List>& list() const { return list_; }
  bool has(NoticeCause cause) const { return contains(*list_, cause); }

  /// It may be reported again. Throws std::bad_alloc, without effect.
  void forget(NoticeCause cause) {
    remove_if([cause](const Notice& notice) { return notice.cause == cause; });
  }
  /// Throws std::bad_alloc, without effect.
  template <class Condition>
  void remove_if(const Condition& condition) {
    if (std::ranges::none_of(*list_, condition)) return;
    auto others = std::make_shared<List>(*list_);
    std::erase_if(*others, condition);
    list_ = std::move(others);
  }

  /// Does nothing if the cause has been reported. Throws std::bad_alloc, without effect.
  void add(NoticeCause cause, std::uint64_t step, std::string text) {
    if (!has(cause)) add_again(cause, step, std::move(text));
  }
  /// Adds a notice of any cause. Throws std::bad_alloc, without effect.
  void add_again(NoticeCause cause, std::uint64_t step, std::string text) {
    auto longer = std::make_shared<List>();
    longer->reserve(list_->size() + 1);
    *longer = *list_;
    longer->push_back({cause, step, std::move(text)});
    list_ = std::move(longer);
  }

 private:
  std::shared_ptr<const List> list_ = std::make_shared<const List>();
};

/// The warnings of a blow-up, of a step that does not converge and of tunnelling, in this order.
inline constexpr std::array kWarnings{NoticeCause::blow_up_soon, NoticeCause::not_converged_soon,
                                      NoticeCause::tunnelling_soon};
/// When each of them is withdrawn if nothing happens [s]: the expected time, or some time after the last
/// sign; none: there is no such warning.
using WarningTimes = std::array<std::optional<double>, kWarnings.size()>;

/// Finds the notices that a run has added since the last call, also after a restart, a return to the past or
/// a removal.
class NewNotices {
 public:
  /// Valid until the next call.
  std::span<const Notice> in(const NoticeLog& log) {
    const NoticeLog::List& all = *log.list();
    std::size_t known = all.size();  // new ones are the last
    while (known > 0 && std::ranges::find(*seen_, all[known - 1]) == seen_->end()) --known;
    seen_ = log.list();
    return std::span(*seen_).subspan(known);
  }

 private:
  std::shared_ptr<const NoticeLog::List> seen_ = NoticeLog().list();
};

inline void append(std::span<const Notice> notices, std::vector<Notice>& to) {
  to.insert(to.end(), notices.begin(), notices.end());
}

}  // namespace clothlab
