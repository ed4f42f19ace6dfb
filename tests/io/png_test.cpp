// SPDX-License-Identifier: MIT
#include "io/png.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"
#include "temporary_folder.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#include <stb_image.h>

namespace clothlab {
namespace {

/// The pixels of a picture file, and `width`, `height` and `channels` as its header gives them.
std::vector<std::uint8_t> pixels_of(const std::filesystem::path& path, int& width, int& height,
                                    int& channels) {
  const std::string bytes = bytes_of(path);
  stbi_uc* data = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()),
                                        static_cast<int>(bytes.size()), &width, &height, &channels, 0);
  if (!data) return {};
  std::vector<std::uint8_t> pixels(data, data + static_cast<std::ptrdiff_t>(width) * height * channels);
  stbi_image_free(data);
  return pixels;
}

TEST(Png, ReadsBackAsWritten) {
  const TemporaryFolder folder;
  for (const int channels : {3, 4}) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(37 * 11 * channels));
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * i / 7);
    write_png(folder / "a.png", 37, 11, pixels);
    int width = 0, height = 0, found = 0;
    EXPECT_EQ(pixels_of(folder / "a.png", width, height, found), pixels);
    EXPECT_EQ(width, 37);
    EXPECT_EQ(height, 11);
    EXPECT_EQ(found, channels);
  }
}

TEST(Png, TheSamePixelsGiveTheSameBytes) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> pixels(64 * 64 * 4, 200);
  write_png(folder / "a.png", 64, 64, pixels);
  write_png(folder / "b.png", 64, 64, pixels);
  EXPECT_EQ(bytes_of(folder / "a.png"), bytes_of(folder / "b.png"));
}

TEST(Png, RefusesAFolderThatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_png(folder / "no" / "a.png", 1, 1, std::vector<std::uint8_t>(4)), InputError);
}

}  // namespace
}  // namespace clothlab
