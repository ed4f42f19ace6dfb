// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cctype>

#include "core/text.h"
#include "ui/command_palette.h"

namespace clothlab {
namespace {

// Ratings of how a typed word matches a word.
constexpr int kWhole = 100, kBeginning = 80, kInitials = 60, kPart = 40, kApproximate = 10;
constexpr int kInName = 3;             // times as good as in the keywords
constexpr int kFirstWord = 15;         // more for the first word of the name
constexpr int kWholeName = 1000;       // more for the whole name
constexpr std::size_t kLeastPart = 2;  // letters
constexpr std::size_t kLeastApproximate = 4;

// Of words: punctuation, also dashes and spaces from U+2000 to U+206F and the no-break space.
bool separates(char32_t code) {
  if (code < 0x80) return std::isalnum(static_cast<int>(code)) == 0;
  return code == 0xA0 || (code >= 0x2000 && code < 0x2070);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    if (!separates(next.code))
      words.back() += lower_case(text.substr(0, bytes));
    else if (!words.back().empty())
      words.emplace_back();
    text.remove_prefix(bytes);
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Whether the letters occur in the word in that order, the first one at its beginning.
bool leaves_letters_out(std::string_view typed, std::string_view word) {
  std::size_t next = 0;
  for (const char letter : word)
    if (next < typed.size() && letter == typed[next]) ++next;
  return next == typed.size() && typed.front() == word.front();
}

int rate(std::string_view typed, std::string_view word) {
  if (word == typed) return kWhole;
  if (word.starts_with(typed)) return kBeginning;
  if (typed.size() >= kLeastPart && word.find(typed) != std::string_view::npos) return kPart;
  if (typed.size() < kLeastApproximate) return 0;
  const bool misspelt = !nearest_name(typed, std::array{word}).empty();
  return misspelt || leaves_letters_out(typed, word) ? kApproximate : 0;
}

struct Match {
  int rating = 0;  // 0: none
  bool approximate = false;
};

// The words of an entry, in lower case.
struct EntryWords {
  std::vector<std::string> name, others;
  std::string joined, initials;  // of the name

  explicit EntryWords(const PaletteEntry& entry)
      : name(words_of(entry.name)),
        others(words_of(entry.keywords + " " + std::string(entry.kind) + " " + entry.keys)) {
    for (const std::string& word : name) {
      joined += word;
      initials += word.front();
    }
  }

  Match match(std::string_view typed) const {
    int in_name = 0, in_others = 0;
    for (const std::string& word : name) {
      const int found = rate(typed, word);
      in_name = std::max(in_name, found + (found > kApproximate && &word == &name.front() ? kFirstWord : 0));
    }
    if (typed.size() >= kLeastPart && initials.starts_with(typed)) in_name = std::max(in_name, kInitials);
    if (typed.size() >= kLeastApproximate && joined.starts_with(typed))
      in_name = std::max(in_name, kInitials);
    for (const std::string& word : others) in_others = std::max(in_others, rate(typed, word));
    const int best = std::max(kInName * in_name, in_others);
    return {best, std::max(in_name, in_others) <= kApproximate};
  }
};

Match match(const PaletteEntry& entry, std::span<const std::string> typed, const std::string& query) {
  const EntryWords words(entry);
  Match all;
  for (const std::string& each : typed) {
    const Match one = words.match(each);
    if (one.rating == 0) return {};
    all.rating += one.rating;
    all.approximate |= one.approximate;
  }
  if (lower_case(entry.name) == query) all.rating += kWholeName;
  return all;
}

}  // namespace

std::vector<std::size_t> matching_entries(std::span<const PaletteEntry> entries, std::string_view query) {
  const std::string whole = lower_case(trimmed(query));
  const std::vector<std::string> typed = words_of(whole);
  std::vector<Match> matches(entries.size(), Match{1, false});
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!typed.empty())
      matches[i] = match(entries[i], typed, whole);
    else if (!whole.empty())  // only punctuation: a key
      matches[i].rating = entries[i].keys == whole ? 1 : 0;
  const bool exact =
      std::ranges::any_of(matches, [](const Match& m) { return m.rating > 0 && !m.approximate; });
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (matches[i].rating > 0 && !(exact && matches[i].approximate)) found.push_back(i);
  if (typed.empty()) return found;
  // Of equally good ones the shorter name, of which the query is more.
  std::ranges::stable_sort(found, [&](std::size_t a, std::size_t b) {
    const int by = matches[a].rating - matches[b].rating;
    return by != 0 ? by > 0 : entries[a].name.size() < entries[b].name.size();
  });
  return found;
}

}  // namespace clothlab
