// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ui/keys.h"
#include "ui/overlays.h"

namespace clothlab {

/// Asks what to do about unsaved changes. The answer is an AnswerUnsaved.
class UnsavedQuestion {
 public:
  /// `changes` describes them.
  void ask(std::string changes) { changes_ = std::move(changes); }
  void close() { changes_.clear(); }
  bool is_open() const { return !changes_.empty(); }

  /// True when the key was meant for the question.
  bool on_key(const KeyPress& press, const PanelContext& context);
  void draw(const PanelContext& context, const Area& view);

 private:
  void answer(AnswerUnsaved::Answer answer, const PanelContext& context);

  std::string changes_;
};

}  // namespace clothlab
