// SPDX-License-Identifier: MIT
#include "io/png.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
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

/// Position, name and data of the chunks of a PNG file.
struct Chunk {
  std::size_t position;
  std::string name, data;
};
std::vector<Chunk> chunks_of(const std::string& png) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    std::size_t length = 0;
    for (std::size_t k = 0; k < 4; ++k) length = 256 * length + static_cast<std::uint8_t>(png[at + k]);
    chunks.push_back({at, png.substr(at + 4, 4), png.substr(at + 8, length)});
    at += length + 12;
  }
  return chunks;
}

// The command-line test reads the pictures of animations back by a program of others.
TEST(AnimatedPng, HasItsChunksInOrder) {
  const TemporaryFolder folder;
  AnimatedPng animation(folder / "a.apng", 30);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.apng"));
  for (const int value : {10, 200, 200})
    animation.add({8, 4, std::vector<std::uint8_t>(8 * 4 * 4, static_cast<std::uint8_t>(value))});
  animation.commit();
  const std::vector<Chunk> chunks = chunks_of(bytes_of(folder / "a.apng"));
  std::vector<std::string> names;
  std::string sequence;
  for (const Chunk& chunk : chunks) {
    names.push_back(chunk.name);
    if (chunk.name == "fcTL" || chunk.name == "fdAT") sequence += static_cast<char>('0' + chunk.data[3]);
    if (chunk.name == "fcTL") {
      EXPECT_EQ(chunk.data.substr(20, 4), std::string("\0\1\0\x1e", 4)) << "1/30 s";
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT",
                                             "IEND"}));
  EXPECT_EQ(sequence, "01234");
  EXPECT_EQ(chunks[1].data, std::string("\0\0\0\3\0\0\0\0", 8));
}

TEST(AnimatedPng, TimesOfPicturesAreFractions) {
  const TemporaryFolder folder;
  for (const auto& [rate, fraction] :
       {std::pair{60.0, 0x0001'003cU}, {29.97, 0x03e8'7512U}, {1000.0, 0x0001'03e8U}, {2.5, 0x03e8'09c4U}}) {
    AnimatedPng animation(folder / "a.png", rate);
    animation.add({1, 1, std::vector<std::uint8_t>(4)});
    animation.commit();
    const std::string control = chunks_of(bytes_of(folder / "a.png"))[2].data;
    unsigned found = 0;
    for (const char c : control.substr(20, 4)) found = 256 * found + static_cast<std::uint8_t>(c);
    EXPECT_EQ(found, fraction) << rate;
  }
}

TEST(AnimatedPng, LeavesNoFileWithoutACommit) {
  const TemporaryFolder folder;
  {
    AnimatedPng animation(folder / "a.apng", 30);
    animation.add({8, 4, std::vector<std::uint8_t>(8 * 4 * 4)});
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THROW(AnimatedPng("/dev/null", 30), InputError);
}

}  // namespace
}  // namespace clothlab
