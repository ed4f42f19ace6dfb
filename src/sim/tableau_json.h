// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "integrate/tableau.h"

namespace clothlab {

/// {"name": "Heun", "a": [["0", "0"], ["1", "0"]], "b": ["1/2", "1/2"]}; cells are texts or numbers. The row
/// sums "c" may be given as well. Of a two-step method {"name", "alpha", "beta"}, for u₋₁, u0 and u1. Throws
/// InputError: what is wrong and what is allowed.
const TableauMethod& read_tableau(const nlohmann::json& object);
/// The same from the text of a file. `name`: of the file, for messages.
const TableauMethod& parse_tableau(std::string_view text, std::string_view name);

/// The text from which the same tableau is read, on one line.
std::string write_tableau(const Tableau& tableau);
/// The same, or the id of a preset.
std::string tableau_text(const Tableau& tableau);

}  // namespace clothlab
