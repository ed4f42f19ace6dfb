// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

/// Reads OBJ text before tinyobjloader does: refuses what that accepts (it turns "nan" into 0 and keeps
/// indices out of range), reads the numbers exactly (it can be off by one unit in the last place) and passes
/// on plain `v`, `vt`, `vn` and `f` lines only, without comments and continued lines, so that other
/// statements such as `mtllib` have no effect.
class ObjChecker {
 public:
  /// `text` must outlive the checker.
  ObjChecker(std::string_view text, std::string_view name);

  /// Checks the next few hundred kilobytes. Their vertices, texture coordinates and counts are added to
  /// `mesh`, their lines in plain form to `plain`. False at the end of the text. Throws InputError.
  bool next_block(ObjMesh& mesh, std::string& plain);

  /// Checks at the end of the text: indices of vertices that do not exist, and no face at all.
  /// Throws InputError.
  void finish(const ObjMesh& mesh) const;

  /// How much of the text has been read, 0…1.
  double fraction() const;

 private:
  struct Token {
    std::string_view text;
    std::size_t line;
  };
  /// A face's positive index that was larger than the number of elements so far.
  struct ForwardReference {
    std::int64_t index;
    std::size_t line;
  };
  struct Element {
    const char* name;
    std::size_t count = 0;                  // read so far
    std::vector<ForwardReference> forward;  // ascending: smaller indices are valid when these are
  };

  [[noreturn]] void refuse(std::size_t line, const std::string& reason) const;
  void refuse_binary() const;
  bool next_statement();
  bool skip_continuation();
  void skip_to_line_end();
  void read_newline();
  double number(const Token& token) const;
  void read_vertex(ObjMesh& mesh);
  void read_texture_coordinate(ObjMesh& mesh);
  void read_face();
  void read_corner(const Token& token);
  const char* check_index(const Token& token, const char* begin, Element& element);

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<Token> tokens_;  // of the current statement, the keyword first
  Element vertices_{"vertex", 0, {}}, textures_{"texture coordinate", 0, {}}, normals_{"normal", 0, {}};
  std::size_t faces_ = 0;
};

}  // namespace clothlab
