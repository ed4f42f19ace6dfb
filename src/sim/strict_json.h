// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace clothlab {

/// The value of a JSON text; a discarded value where the text is not JSON. Throws InputError where an object
/// has a key twice, or where values are nested too deeply to be copied and written by recursion.
nlohmann::ordered_json parse_strict_json(std::string_view text);

}  // namespace clothlab
