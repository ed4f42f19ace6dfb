// SPDX-License-Identifier: MIT
#include "cli/output/html.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/text.h"

namespace clothlab {
namespace {

// Of RFC 4648.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (const unsigned shift : {18u, 12u, 6u, 0u}) out += kDigits[three >> shift & 63];
  }
  for (std::size_t k = 0; k < (3 - bytes.size() % 3) % 3; ++k) out[out.size() - 1 - k] = '=';
  return out;
}

}  // namespace

extern constinit const std::string_view kReportStyle =
    R"(body{font:16px/1.5 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#1b1f25;background:#fff}
h1{font-size:1.6em}
h2{font-size:1.25em;margin-top:2em}
table{border-collapse:collapse}
th,td{padding:.3em .7em;border-bottom:1px solid #d5dae1;text-align:right;vertical-align:top}
th{border-bottom:2px solid #54606c}
.text{text-align:left}
img{max-width:100%;height:auto}
.mark{display:inline-block;min-width:1.5em;text-align:center;color:#fff;border-radius:.2em;font-weight:600}
code{background:#eef1f5;padding:.1em .3em;overflow-wrap:anywhere}
.bad{color:#a33a00;font-weight:600}
figure{margin:1em 0}
figcaption,.small{color:#54606c;font-size:.9em}
.wide{overflow-x:auto}
)";

std::string filled(std::string_view piece,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string out;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t begin = std::min(piece.find("[[", at), piece.size());
    out += piece.substr(at, begin - at);
    if (begin == piece.size()) break;
    const std::size_t end = piece.find("]]", begin);
    const std::string_view name = piece.substr(begin + 2, end - begin - 2);
    out += std::ranges::find(fields, name, [](const auto& field) { return field.first; })->second;
    at = end + 2;
  }
  return out;
}

std::string escaped(std::string_view text) {
  constexpr std::array<std::pair<char, std::string_view>, 4> kEntities{
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}}};
  std::string out;
  for (const char c : printable(text, text.size(), "\n")) {
    const auto* found = std::ranges::find(kEntities, c, [](const auto& entity) { return entity.first; });
    out += found == kEntities.end() ? std::string_view(&c, 1) : found->second;
  }
  return out;
}

std::string picture(std::string_view png, const char* description) {
  return "<img src=\"data:image/png;base64," + base64(png) + "\" alt=\"" + description + "\">";
}

std::string cell(const std::string& tag, bool is_text, const std::string& content) {
  return "<" + tag + (is_text ? " class=\"text\">" : ">") + content + "</" + tag + ">";
}

}  // namespace clothlab
