// SPDX-License-Identifier: MIT
#include "mesh/obj_reader.h"

#include <tiny_obj_loader.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "mesh/triangulate.h"

namespace clothlab {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

std::string quoted(std::string_view token) { return "'" + printable(token, 40) + "'"; }

/// Reads OBJ text before tinyobjloader. Rejects input that tinyobjloader accepts ("nan" as 0, indices out of
/// range), reads numbers exactly (tinyobjloader can be off by one unit in the last place), and passes on only
/// plain `f` lines with indices from 1 of vertices and texture coordinates. Line elements (`l`) are read
/// here, lines with names are kept for exports; other statements have no effect.
class ObjChecker {
 public:
  /// `text` must outlive the checker.
  ObjChecker(std::string_view text, std::string_view name) : text_(text), name_(name) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) text_.remove_prefix(kByteOrderMark.size());
    refuse_binary();
  }

  /// Reads the next few hundred kilobytes. Their vertices, texture coordinates and counts are added to
  /// `mesh`; `faces` becomes their faces. False at the end of the text. Throws InputError.
  bool next_block(ObjMesh& mesh, std::string& faces) {
    faces.clear();
    if (at_ == text_.size()) return false;
    for (const std::size_t end = at_ + kBlock; at_ < end && next_statement();) {
      const std::string_view keyword = tokens_.front().text;
      if (keyword == "v") {
        read_vertex(mesh);
      } else if (keyword == "vt") {
        read_texture_coordinate(mesh);
      } else if (keyword == "vn") {
        if (tokens_.size() < 4) refuse(tokens_.front().line, "a normal ('vn') needs 3 numbers");
        for (std::size_t i = 1; i < tokens_.size(); ++i) number(tokens_[i]);
        ++normals_.count;
        ++mesh.normals;
      } else if (keyword == "f" || keyword == "fo") {  // fo: an outline face of the earliest versions
        read_face(faces);
      } else if (keyword == "l") {
        read_line(mesh);
      } else if (keyword == "g" || keyword == "o" || keyword == "s" || keyword == "usemtl" ||
                 keyword == "mtllib") {
        keep_statement(mesh);
      }
    }
    return true;
  }

  /// Checks at the end of the text: indices of vertices that do not exist, and no face at all.
  /// Throws InputError.
  void finish(const ObjMesh& mesh) const {
    for (const auto& [element, of, index, line] : forward_)
      if (index > static_cast<std::int64_t>(element->count))
        refuse(line, std::string(of) + " has the " + std::string(element->name) + " index " +
                         std::to_string(index) + ", which is out of range; the file has " +
                         std::to_string(element->count));
    if (faces_ == 0)
      throw InputError(name_ + ": no faces ('f' lines) in it" +
                       (mesh.vertices.empty() ? ", and no vertices; is it an OBJ file?" : ""));
  }

  /// How much of the text has been read, 0…1.
  double fraction() const {
    return text_.empty() ? 1.0 : static_cast<double>(at_) / static_cast<double>(text_.size());
  }

 private:
  struct Token {
    std::string_view text;
    std::size_t line;
  };
  struct Element {
    const char* name;
    std::size_t count = 0;     // read so far
    std::int64_t largest = 0;  // index of a face
  };
  /// A face's index that was larger than the number of elements so far, and than all earlier indices: smaller
  /// ones are valid when these are.
  struct ForwardReference {
    const Element* element;
    const char* of;  // what has the index
    std::int64_t index;
    std::size_t line;
  };

  [[noreturn]] void refuse(std::size_t line, const std::string& reason) const {
    throw InputError(name_ + ":" + std::to_string(line) + ": " + reason);
  }

  [[noreturn]] void refuse_corner(const Token& token, const std::string& what) const {
    refuse(token.line,
           (is_line() ? "line element point " : "face corner ") + quoted(token.text) + " " + what);
  }

  /// True if the current statement is a line element.
  bool is_line() const { return tokens_.front().text == "l"; }

  void refuse_binary() const {
    const auto is_binary = [](char c) {
      return static_cast<unsigned char>(c) < ' ' && !is_blank(c) && !is_line_end(c);
    };
    const auto found = std::find_if(text_.begin(), text_.end(), is_binary);
    if (found == text_.end()) return;
    std::size_t line = 1;
    for (auto c = text_.begin(); c != found; ++c) line += *c == '\n' || (*c == '\r' && *(c + 1) != '\n');
    refuse(line, "binary content; an OBJ file is plain text (ASCII or UTF-8)");
  }

  /// Splits the next statement into tokens. A backslash before the end of a line continues a statement, but
  /// not a comment, which starts with '#'. False at the end of the text.
  bool next_statement() {
    tokens_.clear();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_line_end(c)) {
        read_newline();
        if (!tokens_.empty()) return true;
      } else if (is_blank(c)) {
        ++at_;
      } else if (c == '#') {
        skip_to_line_end();
      } else if (c == '\\' && skip_continuation()) {
        continue;
      } else {
        std::size_t end = at_;
        while (end < text_.size() && !is_blank(text_[end]) && !is_line_end(text_[end]) && text_[end] != '#')
          ++end;
        if (text_[end - 1] == '\\' && end - 1 > at_) --end;  // it may continue the line
        tokens_.push_back({text_.substr(at_, end - at_), line_});
        at_ = end;
      }
    }
    return !tokens_.empty();
  }

  /// At a backslash: steps over it and the end of the line, if only blanks are between them.
  bool skip_continuation() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    if (end < text_.size() && !is_line_end(text_[end])) return false;
    at_ = end;
    if (at_ < text_.size()) read_newline();
    return true;
  }

  void skip_to_line_end() { at_ = std::min(text_.find_first_of("\r\n", at_), text_.size()); }

  /// Steps over "\n", "\r\n" or "\r".
  void read_newline() {
    at_ += text_.substr(at_, 2) == "\r\n" ? 2 : 1;
    ++line_;
  }

  double number(const Token& token) const {
    const std::optional<double> value = parse_number(token.text);
    if (!value) refuse(token.line, quoted(token.text) + " is not a number");
    if (!std::isfinite(*value)) refuse(token.line, quoted(token.text) + " is not a finite number");
    return *value;
  }

  void read_vertex(ObjMesh& mesh) {
    if (tokens_.size() < 4) refuse(tokens_.front().line, "a vertex ('v') needs 3 coordinates");
    mesh.vertices.emplace_back(number(tokens_[1]), number(tokens_[2]), number(tokens_[3]));
    for (std::size_t i = 4; i < tokens_.size(); ++i) number(tokens_[i]);  // a weight, a colour
    ++vertices_.count;
  }

  void read_texture_coordinate(ObjMesh& mesh) {
    if (tokens_.size() < 2)
      refuse(tokens_.front().line, "a texture coordinate ('vt') needs at least 1 number");
    TextureCoordinate texture;
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      const double value = number(tokens_[i]);
      if (texture.count < 3) texture.value[static_cast<std::size_t>(texture.count++)] = value;
    }
    mesh.texture_coordinates.push_back(texture);
    ++textures_.count;
  }

  void read_face(std::string& faces) {
    if (tokens_.size() < 4)
      refuse(tokens_.front().line,
             "a face ('f') needs at least 3 corners; this one has " + std::to_string(tokens_.size() - 1));
    if (tokens_.size() - 1 > kMaxCorners)
      refuse(tokens_.front().line, "a face ('f') may have " + std::to_string(kMaxCorners) +
                                       " corners at most; this one has " +
                                       std::to_string(tokens_.size() - 1));
    faces += 'f';
    for (std::size_t i = 1; i < tokens_.size(); ++i) read_corner(tokens_[i], faces += ' ');
    faces += '\n';
    ++faces_;
  }

  /// A polyline: its points in a row, with or without texture coordinates.
  void read_line(ObjMesh& mesh) {
    if (tokens_.size() < 3) refuse(tokens_.front().line, "a line element ('l') needs at least 2 points");
    std::string point;
    std::uint32_t before = 0;
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      read_corner(tokens_[i], point = {});
      std::uint32_t vertex = 0;
      std::from_chars(point.data(), point.data() + point.size(), vertex);
      if (i > 1) mesh.lines.push_back({before, vertex - 1});
      before = vertex - 1;
    }
  }

  void keep_statement(ObjMesh& mesh) const {
    std::string text;
    for (const Token& token : tokens_) text.append(text.empty() ? "" : " ").append(token.text);
    text.erase(text.find_last_not_of("\\ ") + 1);  // a backslash at the end would continue the line
    mesh.statements.push_back({std::move(text), faces_});
    if (tokens_.front().text != "g") return;
    ObjMesh::FaceGroup& group = mesh.groups.emplace_back();
    for (std::size_t i = 1; i < tokens_.size(); ++i) group.names.emplace_back(tokens_[i].text);
    group.first_face = faces_;
  }

  /// One of v, v/vt, v//vn and v/vt/vn.
  void read_corner(const Token& token, std::string& faces) {
    const char* const end = token.text.data() + token.text.size();
    const char* at = read_index(token, token.text.data(), vertices_, faces);
    if (at == end) return;
    std::string of_normal;  // not passed on
    if (*at == '/' && at + 1 != end && at[1] == '/') {
      at = read_index(token, at + 2, normals_, of_normal);
    } else if (*at == '/') {
      at = read_index(token, at + 1, textures_, faces += '/');
      if (at != end && *at == '/') at = read_index(token, at + 1, normals_, of_normal);
    }
    if (at != end) refuse_corner(token, kNoForm);
  }

  /// Appends the index that starts at `begin` in a face's corner, counted from 1; returns where it ends.
  const char* read_index(const Token& token, const char* begin, Element& element, std::string& faces) {
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(begin, token.text.data() + token.text.size(), index);
    if (error == std::errc::invalid_argument) refuse_corner(token, kNoForm);
    const auto count = static_cast<std::int64_t>(element.count);
    const std::string kind = element.name;
    if (error == std::errc::result_out_of_range || index > std::numeric_limits<std::int32_t>::max() ||
        index < -count)
      refuse_corner(
          token, "has a " + kind + " index out of range; there are " + std::to_string(count) + " before it");
    if (index == 0)
      refuse_corner(token, "has the " + kind + " index 0; indices count from 1, or back from -1");
    if (index > std::max(count, element.largest)) {
      forward_.push_back({&element, is_line() ? "a line element" : "a face", index, token.line});
      element.largest = index;
    }
    faces += std::to_string(index > 0 ? index : count + index + 1);
    return end;
  }

  static constexpr const char* kNoForm = "is none of v, v/vt, v//vn and v/vt/vn";

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<Token> tokens_;  // of the current statement, the keyword first
  Element vertices_{"vertex"}, textures_{"texture coordinate"}, normals_{"normal"};
  std::vector<ForwardReference> forward_;
  std::size_t faces_ = 0;
};

/// Share of the progress for reading the file's bytes.
constexpr double kReadShare = 0.2;

/// Adds checked faces to the mesh.
void add_faces(const std::string& faces, ObjMesh& mesh) {
  tinyobj::callback_t callback;
  callback.index_cb = [](void* user, tinyobj::index_t* indices, int count) {
    auto& to = *static_cast<ObjMesh*>(user);
    for (const tinyobj::index_t& index : std::span(indices, static_cast<std::size_t>(count)))
      to.corners.push_back({index.vertex_index - 1, index.texcoord_index - 1});  // 0: without texture
    to.face_offsets.push_back(static_cast<std::uint32_t>(to.corners.size()));
  };
  std::istringstream stream(faces);
  std::string error;
  if (!tinyobj::LoadObjWithCallback(stream, callback, &mesh, nullptr, nullptr, &error))
    throw SystemError("tinyobjloader failed on lines that were checked before: " + error);
}

}  // namespace

ObjMesh parse_obj(std::string_view text, std::string_view name, const LoadOptions& options) {
  if (text.size() > kMaxObjBytes)
    throw InputError(std::string(name) + ": it has more than the 512 MiB that are allowed");
  ObjMesh mesh;
  mesh.name = name;
  ObjChecker checker(text, name);
  for (std::string faces; checker.next_block(mesh, faces);) {
    add_faces(faces, mesh);
    if (stop_requested(options.stop)) throw Cancelled();
    if (options.progress) options.progress(checker.fraction());
  }
  checker.finish(mesh);
  return mesh;
}

ObjMesh read_obj_file(const std::filesystem::path& path, const LoadOptions& options) {
  LoadOptions reading{options.stop, {}}, parsing{options.stop, {}};
  if (options.progress) {
    reading.progress = [&](double fraction) { options.progress(kReadShare * fraction); };
    parsing.progress = [&](double fraction) { options.progress(kReadShare + (1 - kReadShare) * fraction); };
  }
  return parse_obj(read_text_file(path, kMaxObjBytes, reading), shown_path(path), parsing);
}

}  // namespace clothlab
