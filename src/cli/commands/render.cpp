// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chart/dash.h"
#include "chart/font.h"
#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/progress.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/lane_id.h"
#include "core/text.h"
#include "core/text_file.h"
#include "io/output_file.h"
#include "io/png.h"

namespace clothlab {
namespace {

constexpr double kTileZoom = 0.8;  // a swinging sheet leaves a tile sooner than a window
constexpr int kTileGap = 2;        // between tiles [pixel]
constexpr int kLabelHeight = 26;   // height [pixel]
constexpr double kLabelText = 17;  // [pixel]
constexpr int kLabelPadding = 6;   // [pixel]
constexpr int kSmallestTile = 32;  // tile [pixel]
constexpr Rgb kWhite{255, 255, 255};

constexpr std::array<std::size_t, kMostLanes + 1> kColumnsFor{1, 1, 2, 3, 2, 3, 3, 4, 4};  // by lanes

/// Pictures of several lanes in one: up to four columns, two rows, each with its letter and title.
class LaneTiles {
 public:
  /// `whole`: the request for the complete picture. Throws InputError if it is too small, SystemError if
  /// drawing is impossible.
  LaneTiles(const PictureRequest& whole, std::size_t lanes,
            const std::function<Painter(const PictureRequest&)>& make_painter)
      : tile_(whole), columns_(kColumnsFor[lanes]), font_(find_font_file()) {
    const int columns = static_cast<int>(columns_);
    const int rows = (static_cast<int>(lanes) + columns - 1) / columns;
    tile_.width = (whole.width - (columns - 1) * kTileGap) / columns;
    tile_.height = (whole.height - (rows - 1) * kTileGap) / rows;
    if (tile_.width < kSmallestTile || tile_.height < kSmallestTile)
      throw InputError("--pixels: " + std::to_string(lanes) + " tiles need at least " +
                       std::to_string(columns * (kSmallestTile + kTileGap)) + "x" +
                       std::to_string(rows * (kSmallestTile + kTileGap)) + " pixels.");
    tile_.zoom *= kTileZoom;
    paint_ = make_painter(tile_);
    whole_.width = whole.width;
    whole_.height = whole.height;
    whole_.rgba.resize(4 * static_cast<std::size_t>(whole.width) * static_cast<std::size_t>(whole.height));
  }

  /// Draws the lanes as they are, `turn` [degree] as of a Painter. A lane that blew up is dimmed.
  Image draw(std::span<const Simulation* const> lanes, double turn) {
    fill(0, 0, whole_.width, whole_.height, tile_.light ? kWhite : Rgb{27, 31, 37});
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const Simulation& simulation = *lanes[k];
      capture(simulation, simulation.shared_scene(), frame_);
      const Place place{static_cast<int>(k % columns_) * (tile_.width + kTileGap),
                        static_cast<int>(k / columns_) * (tile_.height + kTileGap)};
      copy(paint_(frame_, turn), place, simulation.blow_up().has_value());
      add_label(k, simulation, place);
    }
    return whole_;
  }

 private:
  /// Position of a tile in the picture [pixel].
  struct Place {
    int left = 0, top = 0;
  };

  std::uint8_t* pixel(int x, int y) {
    return &whole_.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(whole_.width) +
                             static_cast<std::size_t>(x))];
  }

  void copy(const Image& tile, Place to, bool dimmed) {
    for (int y = 0; y < tile.height; ++y) {
      const std::uint8_t* from =
          &tile.rgba[4 * static_cast<std::size_t>(y) * static_cast<std::size_t>(tile.width)];
      std::uint8_t* row = pixel(to.left, to.top + y);
      for (std::size_t c = 0; c < 4 * static_cast<std::size_t>(tile.width); ++c)
        row[c] = static_cast<std::uint8_t>(dimmed && c % 4 != 3 ? (from[c] + 128) / 2 : from[c]);
    }
  }

  void add_label(std::size_t lane, const Simulation& simulation, Place place) {
    const Rgb background = tile_.light ? kWhite : Rgb{27, 31, 37};
    const Rgb text = tile_.light ? Rgb{27, 31, 37} : Rgb{226, 230, 236};
    fill(place.left, place.top, tile_.width, kLabelHeight, background);
    fill(place.left, place.top, kLabelHeight, kLabelHeight, kLaneStyles[lane].colour);
    const int top = place.top + (kLabelHeight - static_cast<int>(kLabelText)) / 2;
    write(std::string(1, lane_letter(lane)), place.left + kLabelPadding, top, kLabelText, kLabelHeight,
          kWhite);
    std::string title = title_with(simulation.integrator(), simulation.scene().solver);
    if (const auto& blow_up = simulation.blow_up())
      title += ": blew up at " + format_quantity(blow_up->time, "s");
    const int left = kLabelHeight + kLabelPadding;
    write(title, place.left + left, top, kLabelText, tile_.width - left, text);
  }

  void fill(int left, int top, int width, int height, const Rgb& colour) {
    const int right = std::min(left + width, whole_.width), bottom = std::min(top + height, whole_.height);
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        std::copy(colour.begin(), colour.end(), pixel(x, y));
        pixel(x, y)[3] = 255;
      }
    }
  }

  void write(std::string_view text, int left, int top, double size, int room, const Rgb& colour) {
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

  PictureRequest tile_;
  std::size_t columns_ = 1;
  Painter paint_;
  Font font_;
  Frame frame_;
  Image whole_;
};

struct RenderCommand final : Subcommand {
  explicit RenderCommand(const SubcommandContext& context) : services(context.services) {}

  SceneOptions scene;
  OutputFiles files;
  std::optional<std::string> png, journal, lanes;
  std::uint64_t every = 0, around = 0;
  OptionReaders options{"Picture"};
  PictureRequest picture;
  const Services& services;

  void add_to(CLI::App& app) override {
    scene.add_to(app);
    scene.add_length_to(app);
    const auto number = [&](const char* id, const char* type, double min, double max, double& value,
                            const char* help) {
      options.add_value(app, {.id = id, .title = {}, .min = min, .max = max, .help = {}}, type, value, help);
    };
    constexpr static std::array<std::string_view, 2> kLooks{"dark", "light"};
    using Kind = ParameterSpec::Kind;
    const ParameterSpec look{.id = "look", .title = {}, .kind = Kind::choice, .help = {}, .choices = kLooks};
    files
        .add_option(app, "Picture", "--png", ".png", png, "FILE",
                    "The picture to write, after the last step.")
        ->required();
    add_journal_option(app, journal, "Picture");
    add_text(app, "Picture", "--integrators", lanes, "A,B,...",
             "One tile for each of these integrators, up to 8, which compute the same run.")
        ->excludes(app.get_option("--integrator"));
    CLI::Option* every_option = options.add_whole(
        app, "every", every, 1, 1'000'000'000,
        "A picture of the start and after every N steps: FILE-000000.png and so on, by step number.");
    options
        .add_whole(app, "turntable", around, 1, 100'000,
                   "N pictures around the last shape, the camera turning by 360/N degrees each time: "
                   "FILE-000000.png and so on.")
        ->excludes(every_option);
    options.add(app, "pixels", "WxH", "Size of the picture; default 1280x720.",
                [this](const std::string& text) { read_pixels(text); });
    number("yaw", "DEG", -360, 360, picture.yaw, "Camera angle about the vertical axis; default 30.");
    number("pitch", "DEG", -89, 89, picture.pitch, "Camera angle above the horizon; default 15.");
    number("zoom", "X", 0.01, 100, picture.zoom, "1 (the default) fits the start shape into the picture.");
    app.add_flag("--wireframe", picture.wireframe, "Draw the edges as well.")->group("Picture");
    app.add_flag("--heat-map", picture.heat_map, "Colour the cloth by strain.")->group("Picture");
    options.add_value(app, look, "dark|light", picture.light,
                      "Colours: dark (the default), or light for bright rooms and print.");
    number("heat-max", "X", 1e-6, 100, picture.heat_max_strain,
           "Strain at the end of the colour scale; default 0.1.");
  }

  void read_pixels(std::string_view text) {
    const std::size_t cross = text.find('x');
    if (cross == std::string_view::npos)
      throw InputError("--pixels: '" + std::string(text) + "' is not of the form WxH, such as 1280x720.");
    constexpr int kMost = 8192;
    picture.width = static_cast<int>(parse_whole("pixels", text.substr(0, cross), 1, kMost));
    picture.height = static_cast<int>(parse_whole("pixels", text.substr(cross + 1), 1, kMost));
  }

  std::string numbered(std::uint64_t step) const {
    const std::filesystem::path path(*png);
    const std::string name = path.stem().string() + "-" + sequence_number(step) + path.extension().string();
    return (path.parent_path() / name).string();
  }

  using Plays = std::vector<std::unique_ptr<LanePlay>>;

  /// One for each of --integrators, or the one run; all at their start.
  Plays begin_plays(const LaneSource& source, WorkerPool& pool) const {
    Plays out;
    const auto begin = [&](std::optional<Method> method) {
      out.push_back(std::make_unique<LanePlay>(source, std::move(method)));
      out.back()->begin(pool);
    };
    if (!lanes) begin({});
    for (const IntegratorInfo* info : lanes ? parse_lanes(*lanes) : std::vector<const IntegratorInfo*>())
      begin(with_integrator(source.scene.scene.method(), *info));
    return out;
  }

  /// Draws all of them, turned by an angle [degree].
  std::function<Image(double)> painter(const Plays& plays) const {
    if (lanes) {
      auto tiles = std::make_shared<LaneTiles>(picture, plays.size(), services.make_painter);
      return [tiles, &plays](double turn) {
        std::vector<const Simulation*> now;
        for (const auto& play : plays) now.push_back(&play->simulation());
        return tiles->draw(now, turn);
      };
    }
    auto frame = std::make_shared<Frame>();
    return [paint = services.make_painter(picture), frame, &plays](double turn) {
      const Simulation& simulation = plays.front()->simulation();
      capture(simulation, simulation.shared_scene(), *frame);
      return paint(*frame, turn);
    };
  }

  static void print_notices(const Plays& plays) {
    for (std::size_t k = 0; k < plays.size(); ++k)
      for (const Notice& notice : *plays[k]->simulation().notices().list())
        std::fprintf(stderr, "clothlab: %s%s\n",
                     plays.size() > 1
                         ? ("Lane " + std::string(1, lane_letter(static_cast<LaneId>(k))) + ": ").c_str()
                         : "",
                     text_with_step(notice).c_str());
  }

  struct Tick {
    bool stepped = false;  ///< some lane
    bool left = false;     ///< some lane has not ended
    bool stopped = false;  ///< by Ctrl-C
  };
  static Tick step_all(const Plays& plays, WorkerPool& pool) {
    Tick tick;
    for (const auto& play : plays) {
      const Replay::Event event = play->next_step(pool);
      tick.stepped = tick.stepped || event == Replay::Event::stepped;
      tick.left = tick.left || event != Replay::Event::ended;
      tick.stopped = tick.stopped || event == Replay::Event::stopped || Interrupt::requested();
    }
    return tick;
  }

  int run() override {
    options.read_all();
    if (lanes) parse_lanes(*lanes);
    picture.all_around = around > 0;
    if (every > 0 || around > 0) {
      if (*png == "-")
        throw InputError(
            "--png: a sequence of pictures cannot go to stdout. Name its files, e.g. cloth.png.");
      const std::filesystem::path path = path_of(*png);
      check_extension(path, ".png");
      check_writable(numbered(0));
      files.add_numbered(path.has_parent_path() ? path.parent_path() : ".", path.stem().string() + "-",
                         path.extension().string());
    } else {
      files.check();
    }
    const LaneSource source = read_lane_source(journal, scene, files);
    WorkerPool pool(scene.threads());
    const Plays plays = begin_plays(source, pool);
    const auto paint = painter(plays);
    Image last;
    if (around == 0) last = paint(0);  // fixes the camera on the start shape
    bool lost = false;
    const auto write = [&lost](const std::string& path, const Image& p) {
      lost = lost || !try_write([&] { write_png(path, p); });
    };
    if (every > 0) write(numbered(0), last);
    std::uint64_t done = 0;
    Tick tick;
    tick.left = true;
    {
      Progress progress(source.last_step(), scene.quiet());
      while (tick.left && !tick.stopped && !lost) {
        tick = step_all(plays, pool);
        if (!tick.stepped) continue;
        ++done;
        progress.show(done, plays.front()->simulation().state().t);
        if (every > 0 && done % every == 0) write(numbered(done), paint(0));
      }
    }
    // The last state is also drawn with --every, even before a blow-up.
    if ((every == 0 || done % every != 0) && around == 0) write(every == 0 ? *png : numbered(done), paint(0));
    for (std::uint64_t side = 0; side < around && !lost; ++side)
      write(numbered(side), paint(360.0 * static_cast<double>(side) / static_cast<double>(around)));
    if (lost) return kExitFault;
    print_notices(plays);
    bool blown_up = false;
    for (const auto& play : plays) {
      if (!play->simulation().blow_up()) continue;
      blown_up = true;
      std::fprintf(stderr, "clothlab: %s\n", blow_up_text(play->simulation(), pool).c_str());
    }
    if (blown_up && !lanes) return kExitBlownUp;
    return tick.stopped ? Interrupt::exit_status() : kExitDone;
  }
};

}  // namespace

const SubcommandRow kRenderCommand{"render", "Picture(s) of a run, without a display.",
                                   make_subcommand<RenderCommand>};

}  // namespace clothlab
