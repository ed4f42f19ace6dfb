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

std::string png_bytes(const Image& image) {
  constexpr int kChannels = 4;
  std::string bytes;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                               static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &bytes, image.width, image.height, kChannels, image.rgba.data(),
                             image.width * kChannels) == 0)
    throw SystemError("cannot encode a picture of " + std::to_string(image.width) + " by " +
                      std::to_string(image.height) + " pixels");
  return bytes;
}

void write_png(const std::filesystem::path& path, const Image& image) { write_file(path, png_bytes(image)); }

}  // namespace clothlab
