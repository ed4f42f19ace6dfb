// SPDX-License-Identifier: MIT
#include "cli/output/lane_tiles.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "chart/dash.h"
#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

constexpr double kZoom = 0.8;  // a swinging sheet leaves a tile sooner than a window
constexpr int kGap = 2;        // between tiles [pixel]
constexpr int kLabel = 26;     // height [pixel]
constexpr double kText = 17;   // [pixel]
constexpr int kPadding = 6;    // [pixel]
constexpr int kSmallest = 32;  // tile [pixel]
constexpr Rgb kWhite{255, 255, 255};

std::size_t columns_for(std::size_t lanes) {
  constexpr std::array<std::size_t, kMostLanes + 1> kColumnsFor{1, 1, 2, 3, 2, 3, 3, 4, 4};
  return kColumnsFor[lanes];
}

}  // namespace

LaneTiles::LaneTiles(const PictureRequest& whole, std::size_t lanes,
                     const std::function<Painter(const PictureRequest&)>& make_painter)
    : tile_(whole), columns_(columns_for(lanes)), font_(find_font_file()) {
  const int columns = static_cast<int>(columns_);
  const int rows = (static_cast<int>(lanes) + columns - 1) / columns;
  tile_.width = (whole.width - (columns - 1) * kGap) / columns;
  tile_.height = (whole.height - (rows - 1) * kGap) / rows;
  if (tile_.width < kSmallest || tile_.height < kSmallest)
    throw InputError("--pixels: " + std::to_string(lanes) + " tiles need at least " +
                     std::to_string(columns * (kSmallest + kGap)) + "x" +
                     std::to_string(rows * (kSmallest + kGap)) + " pixels.");
  tile_.zoom *= kZoom;
  paint_ = make_painter(tile_);
  whole_.width = whole.width;
  whole_.height = whole.height;
  whole_.rgba.resize(4 * static_cast<std::size_t>(whole.width) * static_cast<std::size_t>(whole.height));
}

Image LaneTiles::draw(std::span<const Simulation* const> lanes, double turn) {
  fill(0, 0, whole_.width, whole_.height, tile_.light ? kWhite : Rgb{27, 31, 37});
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Simulation& simulation = *lanes[k];
    capture(simulation, simulation.shared_scene(), frame_);
    const Place place{static_cast<int>(k % columns_) * (tile_.width + kGap),
                      static_cast<int>(k / columns_) * (tile_.height + kGap)};
    copy(paint_(frame_, turn), place, simulation.blow_up().has_value());
    add_label(k, simulation, place);
  }
  return whole_;
}

std::uint8_t* LaneTiles::pixel(int x, int y) {
  return &whole_.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(whole_.width) +
                           static_cast<std::size_t>(x))];
}

void LaneTiles::copy(const Image& tile, Place to, bool dimmed) {
  for (int y = 0; y < tile.height; ++y) {
    const std::uint8_t* from =
        &tile.rgba[4 * static_cast<std::size_t>(y) * static_cast<std::size_t>(tile.width)];
    std::uint8_t* row = pixel(to.left, to.top + y);
    for (std::size_t c = 0; c < 4 * static_cast<std::size_t>(tile.width); ++c)
      row[c] = static_cast<std::uint8_t>(dimmed && c % 4 != 3 ? (from[c] + 128) / 2 : from[c]);
  }
}

void LaneTiles::add_label(std::size_t lane, const Simulation& simulation, Place place) {
  const Rgb background = tile_.light ? kWhite : Rgb{27, 31, 37};
  const Rgb text = tile_.light ? Rgb{27, 31, 37} : Rgb{226, 230, 236};
  fill(place.left, place.top, tile_.width, kLabel, background);
  fill(place.left, place.top, kLabel, kLabel, kLaneStyles[lane].colour);
  const int top = place.top + (kLabel - static_cast<int>(kText)) / 2;
  write(std::string(1, lane_letter(lane)), place.left + kPadding, top, kText, kLabel, kWhite);
  std::string title(simulation.integrator().title);
  if (const auto& blow_up = simulation.blow_up())
    title += ": blew up at " + format_quantity(blow_up->time, "s");
  const int left = kLabel + kPadding;
  write(title, place.left + left, top, kText, tile_.width - left, text);
}

void LaneTiles::fill(int left, int top, int width, int height, const Rgb& colour) {
  const int right = std::min(left + width, whole_.width), bottom = std::min(top + height, whole_.height);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      std::copy(colour.begin(), colour.end(), pixel(x, y));
      pixel(x, y)[3] = 255;
    }
  }
}

void LaneTiles::write(std::string_view text, int left, int top, double size, int room, const Rgb& colour) {
  const TextMask mask = font_.draw(text, size);
  const int right = std::min({left + mask.width, left + room, whole_.width});
  const int bottom = std::min(top + mask.height, whole_.height);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      const int cover = mask.at(x - left, y - top);
      std::uint8_t* to = pixel(x, y);
      for (std::size_t c = 0; c < 3; ++c)
        to[c] = static_cast<std::uint8_t>((cover * colour[c] + (255 - cover) * to[c]) / 255);
    }
  }
}

}  // namespace clothlab
