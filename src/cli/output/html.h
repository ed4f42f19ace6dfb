// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace clothlab {

// Pieces of reports in HTML.

/// A template in which names in double brackets are replaced by the values of these fields, which are HTML.
std::string filled(std::string_view piece,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> fields);
/// Text as HTML, without control characters.
std::string escaped(std::string_view text);
/// A picture within the page, from the bytes of a PNG file.
std::string picture(std::string_view png, const char* description);
/// A cell of a table; `tag`: td or th.
std::string cell(const std::string& tag, bool is_text, const std::string& content);
/// The style of all reports.
extern const std::string_view kReportStyle;

}  // namespace clothlab
