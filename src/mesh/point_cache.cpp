// SPDX-License-Identifier: MIT
#include "mesh/point_cache.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/cancel_point.h"
#include "core/error.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSignature = "POINTCACHE2\0"sv;
constexpr std::size_t kHeader = 32, kNumber = 4;  // [bytes]

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t k = kNumber; k-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at + k]);
  return word;
}

void append_word(std::string& bytes, std::uint32_t word, PointCacheFormat format) {
  for (std::size_t k = 0; k < kNumber; ++k) {
    const std::size_t byte = format == PointCacheFormat::mdd ? kNumber - 1 - k : k;
    bytes += static_cast<char>(word >> 8 * byte & 0xFF);
  }
}

void append_float(std::string& bytes, double value, PointCacheFormat format) {
  append_word(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)), format);
}

double float_at(std::string_view bytes, std::size_t at) {
  return static_cast<double>(std::bit_cast<float>(word_at(bytes, at)));
}

}  // namespace

PointCache read_point_cache(const std::filesystem::path& path, const StopProbe& stop) {
  const std::string bytes = read_text_file(path, kMaxPointCacheBytes, {stop, {}});
  const auto refuse = [&](const std::string& why) { throw InputError(shown_path(path) + ": " + why); };
  if (bytes.size() < kHeader || !bytes.starts_with(kSignature) || word_at(bytes, 12) != 1)
    refuse("this is not a PC2 point cache of version 1.");
  PointCache cache;
  cache.points = word_at(bytes, 16);
  cache.interval = float_at(bytes, 24);
  const std::size_t samples = word_at(bytes, 28);
  if (cache.points == 0 || samples == 0) refuse("the point cache has no points or no samples.");
  if (!(cache.interval > 0 && cache.interval <= 1e6))
    refuse("the point cache needs a sample rate above 0 and up to 1,000,000 frames.");
  const auto numbers = static_cast<double>(cache.points) * static_cast<double>(samples) * 3;
  const double size = static_cast<double>(kHeader) + static_cast<double>(kNumber) * numbers;
  if (size != static_cast<double>(bytes.size()))
    refuse("the point cache has " + std::to_string(bytes.size()) + " bytes, and " + std::to_string(samples) +
           " samples of " + std::to_string(cache.points) + " points need another number. Is it truncated?");
  cache.positions.reserve(samples * cache.points);
  CancelPoint cancel(stop);
  for (std::size_t at = kHeader; at < bytes.size(); at += 3 * kNumber) {
    cancel.pass();
    cache.positions.emplace_back(float_at(bytes, at), float_at(bytes, at + kNumber),
                                 float_at(bytes, at + 2 * kNumber));
  }
  return cache;
}

void PointCacheSamples::add(double time, std::span<const vec3> points) {
  points_ = points.size();
  ++samples_;
  append_float(times_, time, format_);
  for (const vec3& p : points)
    for (int axis = 0; axis < 3; ++axis) append_float(positions_, p[axis], format_);
}

void PointCacheSamples::write(const std::function<void(std::string_view piece)>& sink) const {
  std::string header;
  const auto append = [&](std::size_t number) {
    append_word(header, static_cast<std::uint32_t>(number), format_);
  };
  if (format_ == PointCacheFormat::mdd) {
    append(samples_);
    append(points_);
    header += times_;
  } else {
    header = kSignature;
    append(1);  // version
    append(points_);
    append_float(header, 0, format_);  // first frame
    append_float(header, 1, format_);  // frames per sample
    append(samples_);
  }
  sink(header);
  sink(positions_);
}

}  // namespace clothlab
