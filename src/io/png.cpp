// SPDX-License-Identifier: MIT
#include "io/png.h"

#include <string>

#include "core/error.h"
#include "io/output_file.h"

// stb's code is compiled only here; its functions have internal linkage.
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

namespace clothlab {

std::string png_bytes(int width, int height, std::span<const std::uint8_t> pixels) {
  const int channels =
      static_cast<int>(pixels.size() / (static_cast<std::size_t>(width) * static_cast<std::size_t>(height)));
  std::string bytes;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                               static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &bytes, width, height, channels, pixels.data(), width * channels) == 0)
    throw SystemError("cannot encode a picture of " + std::to_string(width) + " by " +
                      std::to_string(height) + " pixels");
  return bytes;
}

void write_png(const std::filesystem::path& path, int width, int height,
               std::span<const std::uint8_t> pixels) {
  write_file(path, png_bytes(width, height, pixels));
}

}  // namespace clothlab
