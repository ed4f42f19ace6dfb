// SPDX-License-Identifier: MIT
// Writes the meshes of mesh/generators.h into a folder: clothlab_make_assets assets

#include <algorithm>
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
  const auto write = [&](const auto& mesh) {
    const auto path = std::filesystem::path(argv[1]) / (std::string(mesh.name) + ".obj");
    std::ofstream file(path, std::ios::binary);
    file << clothlab::obj_text(mesh.make()) << std::flush;
    if (!file) std::fprintf(stderr, "cannot write %s\n", path.string().c_str());
    return file.good();
  };
  const bool written = std::ranges::all_of(clothlab::generated_meshes(), write) &&
                       std::ranges::all_of(clothlab::generated_bodies(), write);
  return written ? 0 : 1;
}
