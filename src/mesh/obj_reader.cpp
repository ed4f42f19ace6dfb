// SPDX-License-Identifier: MIT
#include "mesh/obj_reader.h"

#include <tiny_obj_loader.h>

#include <istream>
#include <streambuf>
#include <string>

#include "core/error.h"
#include "mesh/obj_checker.h"

namespace clothlab {
namespace {

/// Share of the progress for reading the file's bytes.
constexpr double kReadShare = 0.2;

/// Lets a stream read a string without copying it.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string& text) { setg(text.data(), text.data(), text.data() + text.size()); }
};

/// What tinyobjloader's callbacks need: it hands out a face's indices as they are written, and relative
/// ones count back from the elements read so far.
struct FaceSink {
  ObjMesh& mesh;
  std::int32_t vertices = 0;
  std::int32_t textures = 0;

  static std::int32_t resolve(int index, std::int32_t count) { return index > 0 ? index - 1 : count + index; }

  void add_face(const tinyobj::index_t* indices, int count) {
    for (int i = 0; i < count; ++i) {
      const tinyobj::index_t& index = indices[i];
      mesh.corners.push_back({resolve(index.vertex_index, vertices),
                              index.texcoord_index == 0 ? -1 : resolve(index.texcoord_index, textures)});
    }
    mesh.face_offsets.push_back(static_cast<std::uint32_t>(mesh.corners.size()));
  }
};

/// Parses checked lines with tinyobjloader; the coordinates are the checker's.
void parse_block(std::string& plain, FaceSink& sink) {
  tinyobj::callback_t callback;
  using Real = tinyobj::real_t;
  callback.vertex_cb = [](void* user, Real, Real, Real, Real) { ++static_cast<FaceSink*>(user)->vertices; };
  callback.texcoord_cb = [](void* user, Real, Real, Real) { ++static_cast<FaceSink*>(user)->textures; };
  callback.index_cb = [](void* user, tinyobj::index_t* indices, int count) {
    static_cast<FaceSink*>(user)->add_face(indices, count);
  };
  TextBuffer buffer(plain);
  std::istream stream(&buffer);
  std::string error;
  if (!tinyobj::LoadObjWithCallback(stream, callback, &sink, nullptr, nullptr, &error))
    throw SystemError("tinyobjloader failed on lines that were checked before: " + error);
}

}  // namespace

ObjMesh parse_obj(std::string_view text, std::string_view name, const LoadOptions& options) {
  if (text.size() > kMaxObjBytes)
    throw InputError(std::string(name) + ": it has more than the 512 MiB that are allowed");
  ObjMesh mesh;
  mesh.name = name;
  ObjChecker checker(text, name);
  FaceSink sink{mesh};
  for (std::string plain; checker.next_block(mesh, plain);) {
    parse_block(plain, sink);
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
