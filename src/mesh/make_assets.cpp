// SPDX-License-Identifier: MIT
// Writes the meshes of mesh/generators.h into a folder: clothlab_make_assets assets

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "mesh/generators.h"
#include "mesh/obj_writer.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: clothlab_make_assets FOLDER\n", stderr);
    return 2;
  }
  for (const clothlab::GeneratedMesh& mesh : clothlab::generated_meshes()) {
    const auto path = std::filesystem::path(argv[1]) / (std::string(mesh.name) + ".obj");
    std::ofstream file(path, std::ios::binary);
    file << clothlab::obj_text(mesh.make()) << std::flush;
    if (!file) {
      std::fprintf(stderr, "cannot write %s\n", path.string().c_str());
      return 1;
    }
  }
  return 0;
}
