// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "core/text_file.h"
#include "mesh/mesh.h"

namespace clothlab {

inline constexpr std::size_t kMaxObjBytes = std::size_t{512} << 20;

/// Reads a Wavefront OBJ file: `v`, `vt`, `f` and `g` lines are kept, and for exports `o`, `s`, `usemtl` and
/// `mtllib`; everything else is skipped, and no other file is opened. All legal forms of the same mesh give
/// the same bits: LF, CRLF or CR, a byte order mark, lines continued with '\', comments, relative and forward
/// indices, the four forms of a corner, groups, a last line without its end, any locale. Coordinates are
/// correctly rounded.
///
/// Throws InputError, one sentence "FILE:LINE: reason", for numbers that are unreadable or not finite,
/// incomplete lines, indices out of range, faces with fewer than 3 corners or more than 4096, no faces,
/// binary content, or a file that cannot be read; Cancelled on request of the caller.
ObjMesh read_obj_file(const std::filesystem::path& path, const LoadOptions& options = {});

/// The same for text in memory. Messages use `name` as the file name.
ObjMesh parse_obj(std::string_view text, std::string_view name, const LoadOptions& options = {});

}  // namespace clothlab
