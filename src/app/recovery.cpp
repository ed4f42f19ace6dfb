// SPDX-License-Identifier: MIT
#include "app/recovery.h"

#include <string>
#include <utility>

#include "core/text.h"
#include "documents/program_log.h"
#include "io/config_folder.h"
#include "sim/parameters.h"
#include "ui/readings.h"

namespace clothlab {
namespace {

std::string lanes_text(const JournalSummary& session) {
  std::vector<LaneMethod> lanes = session.lanes;
  if (lanes.empty()) lanes.push_back({0, session.scene.method()});
  std::string text;
  for (const LaneMethod& lane : lanes) {
    const Scene scene = with_method(session.scene, lane.method);
    text.append(text.empty() ? "" : ", ").append({lane_letter(lane.lane), ' '});
    text += title_with(method_info(scene), scene.solver);
  }
  return text;
}

std::string mesh_text(const Scene& scene) {
  if (const auto* grid = std::get_if<GridSource>(&scene.mesh))
    return "grid " + std::to_string(grid->rows) + " × " + std::to_string(grid->cols);
  const auto* generated = std::get_if<GeneratedSource>(&scene.mesh);
  return generated != nullptr ? generated->name : mesh_name(scene);
}

}  // namespace

Recovery::Recovery(UserInterface& ui, bool writes) : ui_(ui) {
  std::filesystem::path folder = state_folder(process_environment());
  if (folder.empty()) return;
  folder /= "sessions";
  if (writes) journal_ = std::make_shared<SessionJournal>(folder);
  search_ = std::make_unique<BackgroundTask<std::shared_ptr<Sessions>>>([folder](const StopProbe& stop) {
    return std::make_shared<Sessions>(LostSession::find(folder, stop));
  });
}

void Recovery::follow(const Snapshot& shown, bool may_ask) {
  if (may_ask && search_ && search_->done() && !ui_.dialog_open()) {
    lost_ = std::move(*search_->result());
    search_.reset();
    offer_next();
  }
  if (journal_)
    if (const auto notice = journal_->take_notice()) ui_.show_message(*notice, true);
  std::erase_if(restored_, [&](Restored& each) {
    each.is_shown |= each.loaded && each.loaded == shown.loaded;
    // Without a journal the file remains the only copy: finish() removes it.
    const bool is_safe = each.is_shown && journal_ && journal_->has_written(each.loaded.get());
    if (is_safe) each.session.remove();
    return is_safe;
  });
}

void Recovery::offer_next() {
  if (lost_.empty()) return;
  const LostSession& session = lost_.front();
  const JournalSummary& summary = session.summary();
  SessionOffer::Rows rows{{"Last written", local_time(session.time())},
                          {"Scene", summary.scene.title},
                          {"Mesh", mesh_text(summary.scene)},
                          {summary.lanes.size() > 1 ? "Lanes" : "Lane", lanes_text(summary)},
                          {"Step", format_count(summary.steps)}};
  if (lost_.size() > 1) rows.emplace_back("Older sessions", format_count(lost_.size() - 1));
  ui_.session_offer().ask(std::move(rows));
  session.mark_offered();
}

void Recovery::answer(AnswerSession::Answer answer, Documents& documents) {
  ui_.session_offer().close();
  if (lost_.empty()) return;
  // "Not now" ends the locks: another window may offer the sessions.
  if (answer == AnswerSession::Answer::later) return lost_.clear();
  LostSession session = std::move(lost_.front());
  lost_.erase(lost_.begin());
  if (answer == AnswerSession::Answer::discard) {
    session.remove();
    return offer_next();
  }
  const std::filesystem::path file = session.file();
  restored_.push_back({std::move(session)});
  lost_.clear();  // the others wait for the next start
  documents.restore(file, [this](std::shared_ptr<const LoadedScene> loaded) {
    if (!restored_.empty()) restored_.back().loaded = std::move(loaded);
  });
}

void Recovery::finish() {
  if (journal_) journal_->finish();
  for (Restored& each : restored_)
    if (each.is_shown) each.session.remove();
}

}  // namespace clothlab
