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
  Image image{37, 11, std::vector<std::uint8_t>(37 * 11 * 4)};
  for (std::size_t i = 0; i < image.rgba.size(); ++i) image.rgba[i] = static_cast<std::uint8_t>(i * i / 7);
  write_png(folder / "a.png", image);
  int width = 0, height = 0, channels = 0;
  EXPECT_EQ(pixels_of(folder / "a.png", width, height, channels), image.rgba);
  EXPECT_EQ(width, 37);
  EXPECT_EQ(height, 11);
  EXPECT_EQ(channels, 4);
}

TEST(Png, TheSamePixelsGiveTheSameBytes) {
  const TemporaryFolder folder;
  const Image image{64, 64, std::vector<std::uint8_t>(64 * 64 * 4, 200)};
  write_png(folder / "a.png", image);
  write_png(folder / "b.png", image);
  EXPECT_EQ(bytes_of(folder / "a.png"), bytes_of(folder / "b.png"));
}

TEST(Png, RefusesAFolderThatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_png(folder / "no" / "a.png", {1, 1, std::vector<std::uint8_t>(4)}), InputError);
}

}  // namespace
}  // namespace clothlab
