// SPDX-License-Identifier: MIT
#include "ui/panels/unsaved_question.h"

#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {

using Answer = AnswerUnsaved::Answer;

void UnsavedQuestion::answer(Answer answer, const PanelContext& context) {
  close();
  context.request(AnswerUnsaved{answer});
}

bool UnsavedQuestion::on_key(const KeyPress& press, const PanelContext& context) {
  if (!is_open()) return false;
  if (press.key == Key::escape) answer(Answer::cancel, context);
  if (press.key == Key::enter || press.character == 'S') answer(Answer::save, context);
  if (press.character == 'D') answer(Answer::discard, context);
  return true;
}

void UnsavedQuestion::draw(const PanelContext& context, const Area& view) {
  if (!is_open()) return;
  const std::string& title = context.edits.scene().title;
  begin_card("##unsaved", view, ImVec2(0.5F, 0.42F), units(480), palette().careful);
  card_heading("Save the changes" + (title.empty() ? "?" : " of " + title + "?"));
  wrapped_text(changes_ + ".");
  ImGui::Spacing();
  if (text_button("unsaved-save", "Save (Enter)", "Asks for the scene file's name, then continues."))
    answer(Answer::save, context);
  ImGui::SameLine();
  if (text_button("unsaved-discard", "Don't save (D)", "Continues; these changes are lost."))
    answer(Answer::discard, context);
  ImGui::SameLine();
  if (text_button("unsaved-cancel", "Cancel (Esc)", "Back to the cloth; nothing is lost."))
    answer(Answer::cancel, context);
  end_card();
}

}  // namespace clothlab
