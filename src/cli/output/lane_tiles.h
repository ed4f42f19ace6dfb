// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "chart/font.h"
#include "render/picture_request.h"
#include "sim/frame.h"
#include "sim/simulation.h"

namespace clothlab {

/// Pictures of several lanes in one: up to four columns, two rows, each with its letter and title.
class LaneTiles {
 public:
  /// `whole`: the request for the complete picture. Throws InputError if it is too small, SystemError if
  /// drawing is impossible.
  LaneTiles(const PictureRequest& whole, std::size_t lanes,
            const std::function<Painter(const PictureRequest&)>& make_painter);

  /// Draws the lanes as they are, `turn` [degree] as of a Painter. A lane that blew up is dimmed.
  Image draw(std::span<const Simulation* const> lanes, double turn);

 private:
  /// Position of a tile in the picture [pixel].
  struct Place {
    int left = 0, top = 0;
  };
  std::uint8_t* pixel(int x, int y);
  void copy(const Image& tile, Place to, bool dimmed);
  void add_label(std::size_t lane, const Simulation& simulation, Place place);
  void fill(int left, int top, int width, int height, const Rgb& colour);
  void write(std::string_view text, int left, int top, double size, int room, const Rgb& colour);

  PictureRequest tile_;
  std::size_t columns_ = 1;
  Painter paint_;
  Font font_;
  Frame frame_;
  Image whole_;
};

}  // namespace clothlab
