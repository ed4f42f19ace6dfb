// SPDX-License-Identifier: MIT
#include "core/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace clothlab {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table: before last, last and current.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// Whether one name may be a misspelling of the other: at most a third of the letters differ, or one is a
/// meaningful part of the other.
bool is_close(std::string_view a, std::string_view b, std::size_t distance) {
  constexpr std::size_t kTellingPart = 3;
  const auto [shortest, longest] = std::minmax({a.size(), b.size()});
  return (distance <= std::max<std::size_t>(1, longest / 3) && distance < longest) ||
         (shortest >= kTellingPart && (contains(a, b) || contains(b, a)));
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  // A name far longer than any candidate is cut, to bound the time.
  name = name.substr(0, 100);
  std::string_view nearest;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < smallest && is_close(name, candidate, distance)) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates,
                       std::string_view quote) {
  const std::string_view nearest = nearest_name(name, candidates);
  if (nearest.empty()) return ".";
  return "; did you mean " + std::string(quote) + std::string(nearest) + std::string(quote) + "?";
}

}  // namespace clothlab
