// SPDX-License-Identifier: MIT
#include "sim/strict_json.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json parse_strict_json(std::string_view text) {
  constexpr int kDeepest = 16;
  std::vector<std::set<std::string>> keys;  // of the open objects
  const auto check = [&keys](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kDeepest) throw InputError("the JSON is nested too deeply.");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw InputError("the key \"" + printable(parsed.get<std::string>()) + "\" occurs twice.");
    return true;
  };
  return Json::parse(text, check, false);
}

}  // namespace clothlab
