// SPDX-License-Identifier: MIT
#include "io/png.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/error.h"

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

namespace {

constexpr std::size_t kSignature = 8, kHeader = 25;  // the signature, and the chunk IHDR [byte]
constexpr std::size_t kAround = 12;                  // length, name and checksum of a chunk [byte]

/// Most significant byte first.
std::string big_endian(std::uint32_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes) & 255);
  return text;
}

std::string chunk(std::string_view name, std::string_view data) {
  std::string text(name);
  text += data;
  std::string bytes = text;  // stb does not promise to leave them
  const unsigned sum =
      stbiw__crc32(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  return big_endian(static_cast<std::uint32_t>(data.size()), 4) + text + big_endian(sum, 4);
}

std::string animation_control(std::uint32_t pictures) {
  return chunk("acTL", big_endian(pictures, 4) + big_endian(0, 4));  // 0: repeats indefinitely
}

}  // namespace

AnimatedPng::AnimatedPng(const std::filesystem::path& path, double pictures_per_second)
    : file_((check_replaceable(path), path)) {
  // The seconds of a picture as a fraction: exact for whole rates, and for others to a thousandth.
  constexpr double kMost = 65535;
  const double rate = std::min(pictures_per_second, kMost);
  const double scale = rate == std::round(rate) ? 1 : std::min(1000.0, std::floor(kMost / rate));
  numerator_ = static_cast<std::uint16_t>(scale);
  denominator_ = static_cast<std::uint16_t>(std::lround(scale * rate));
}

void AnimatedPng::write_chunk(std::string_view name, std::string_view data) {
  file_.write(chunk(name, data));
}

void AnimatedPng::add(const Image& picture) {
  const std::string png = png_bytes(picture);
  if (pictures_ == 0) {
    file_.write(std::string_view(png).substr(0, kSignature + kHeader));
    file_.write(animation_control(0));
  }
  write_chunk("fcTL", big_endian(sequence_++, 4) + big_endian(static_cast<std::uint32_t>(picture.width), 4) +
                          big_endian(static_cast<std::uint32_t>(picture.height), 4) + std::string(8, '\0') +
                          big_endian(numerator_, 2) + big_endian(denominator_, 2) + std::string(2, '\0'));
  // stb writes one chunk IDAT between the header and the end, IEND.
  const std::string_view data =
      std::string_view(png).substr(kSignature + kHeader, png.size() - kSignature - kHeader - kAround);
  const std::string_view pixels = data.substr(8, data.size() - kAround);
  if (pictures_++ == 0)
    file_.write(data);
  else
    write_chunk("fdAT", big_endian(sequence_++, 4) + std::string(pixels));
}

void AnimatedPng::commit() {
  write_chunk("IEND", {});
  file_.overwrite(kSignature + kHeader, animation_control(pictures_));
  file_.commit();
}

}  // namespace clothlab
