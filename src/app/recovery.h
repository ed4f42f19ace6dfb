// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/documents.h"
#include "documents/background_task.h"
#include "session/session_journal.h"
#include "ui/user_interface.h"

namespace clothlab {

/// Records the session of this window, and offers to restore those that did not end properly, one after the
/// other.
class Recovery {
 public:
  /// `writes`: whether the session of this window is written.
  Recovery(UserInterface& ui, bool writes);

  /// Null if it is not written.
  const std::shared_ptr<SessionJournal>& session_journal() const { return journal_; }
  /// True while the folder of sessions is read.
  bool busy() const { return search_ != nullptr; }
  /// Offers what was found if `may_ask`, and reports why this one is no longer kept. Removes a restored
  /// session once the file of this one has its state; while no file is written, it stays until finish().
  void follow(const Snapshot& shown, bool may_ask);
  void answer(AnswerSession::Answer answer, Documents& documents);
  /// The window was closed properly.
  void finish();

 private:
  using Sessions = std::vector<LostSession>;

  void offer_next();

  UserInterface& ui_;
  std::shared_ptr<SessionJournal> journal_;
  std::unique_ptr<BackgroundTask<std::shared_ptr<Sessions>>> search_;
  Sessions lost_;  // the first is offered
  struct Restored {
    LostSession session;
    std::shared_ptr<const LoadedScene> loaded = nullptr;  // null: not yet
    bool is_shown = false;                                // the simulation has it
  };
  std::vector<Restored> restored_;
};

}  // namespace clothlab
