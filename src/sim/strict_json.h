// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace clothlab {

/// The value of a JSON text; a discarded value if the text is not JSON. Throws InputError if an object has a
/// key twice, or if values are nested too deeply for recursive copying and writing.
nlohmann::ordered_json parse_strict_json(std::string_view text);

}  // namespace clothlab
