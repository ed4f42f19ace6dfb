// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/lane_tiles.h"
#include "cli/output/progress.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/text_file.h"
#include "io/output_file.h"
#include "io/png.h"

namespace clothlab {
namespace {

struct RenderCommand final : Subcommand {
  explicit RenderCommand(const SubcommandContext& context) : services(context.services) {}

  SceneOptions scene;
  LengthOptions length;
  std::string png;
  std::optional<std::string> journal, lanes, every_text, turntable_text, pixels_text, yaw_text, pitch_text,
      zoom_text, heat_text, look_text;
  PictureRequest picture;
  const Services& services;

  void add_to(CLI::App& app) override {
    scene.add_to(app);
    length.add_to(app);
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                          const char* help) { return add_text(app, "Picture", name, target, type, help); };
    app.add_option("--png", png, "The picture to write, after the last step.")
        ->type_name("FILE")
        ->required()
        ->group("Picture");
    add_journal_option(app, journal, "Picture");
    text("--integrators", lanes, "A,B,...",
         "One tile for each of these integrators, up to 8, which compute the same run.")
        ->excludes(app.get_option("--integrator"));
    CLI::Option* every =
        text("--every", every_text, "N",
             "A picture of the start and after every N steps: FILE-000000.png and so on, by step number.");
    text("--turntable", turntable_text, "N",
         "N pictures around the last shape, the camera turning by 360/N degrees each time: FILE-000000.png "
         "and so on.")
        ->excludes(every);
    text("--pixels", pixels_text, "WxH", "Size of the picture; default 1280x720.");
    text("--yaw", yaw_text, "DEG", "Camera angle about the vertical axis; default 30.");
    text("--pitch", pitch_text, "DEG", "Camera angle above the horizon; default 15.");
    text("--zoom", zoom_text, "X", "1 (the default) fits the start shape into the picture.");
    app.add_flag("--wireframe", picture.wireframe, "Draw the edges as well.")->group("Picture");
    app.add_flag("--heat-map", picture.heat_map, "Colour the cloth by strain.")->group("Picture");
    text("--look", look_text, "dark|light",
         "Colours: dark (the default), or light for bright rooms and print.");
    text("--heat-max", heat_text, "X", "Strain at the end of the colour scale; default 0.1.");
  }

  void read_values() {
    const auto number = [](const char* option, const std::optional<std::string>& text, double min, double max,
                           double& value) {
      if (!text) return;
      value =
          parse_parameter({.id = option, .title = {}, .unit = {}, .min = min, .max = max, .help = {}}, *text);
    };
    number("yaw", yaw_text, -360, 360, picture.yaw);
    number("pitch", pitch_text, -89, 89, picture.pitch);
    number("zoom", zoom_text, 0.01, 100, picture.zoom);
    number("heat-max", heat_text, 1e-6, 100, picture.heat_max_strain);
    if (look_text) {
      constexpr std::array<std::string_view, 2> kLooks{"dark", "light"};
      picture.light = parse_parameter({.id = "look",
                                       .title = {},
                                       .unit = {},
                                       .kind = ParameterSpec::Kind::choice,
                                       .help = {},
                                       .choices = kLooks},
                                      *look_text) == 1;
    }
    if (!pixels_text) return;
    const std::size_t cross = pixels_text->find('x');
    if (cross == std::string::npos)
      throw InputError("--pixels: '" + *pixels_text + "' is not of the form WxH, such as 1280x720.");
    constexpr int kMost = 8192;
    const std::string_view text = *pixels_text;
    picture.width = static_cast<int>(parse_whole("pixels", text.substr(0, cross), 1, kMost));
    picture.height = static_cast<int>(parse_whole("pixels", text.substr(cross + 1), 1, kMost));
  }

  std::string numbered(std::uint64_t step) const {
    const std::filesystem::path path(png);
    const std::string name = path.stem().string() + "-" + sequence_number(step) + path.extension().string();
    return (path.parent_path() / name).string();
  }

  using Plays = std::vector<std::unique_ptr<LanePlay>>;

  /// One for each of --integrators, or the one run; all at their start.
  Plays begin_plays(const LaneSource& source, WorkerPool& pool) const {
    Plays out;
    for (const IntegratorInfo* info :
         lanes ? parse_lanes(*lanes) : std::vector<const IntegratorInfo*>{nullptr}) {
      out.push_back(std::make_unique<LanePlay>(source, info));
      out.back()->begin(pool);
    }
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
    read_values();
    if (lanes) parse_lanes(*lanes);
    std::uint64_t every = 0, around = 0;
    read_whole("every", every_text, 1, 1'000'000'000, every);
    read_whole("turntable", turntable_text, 1, 100'000, around);
    picture.all_around = around > 0;
    OutputFiles files;
    check_extension(path_of(png), ".png");
    if (every > 0 || around > 0) {
      check_writable(numbered(0));
      const std::filesystem::path path(png);
      files.add_numbered(path.has_parent_path() ? path.parent_path() : ".", path.stem().string() + "-",
                         path.extension().string());
    } else {
      files.add(path_of(png), ".png");
    }
    const LaneSource source = read_lane_source(journal, scene, length, files);
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
    if ((every == 0 || done % every != 0) && around == 0) write(every == 0 ? png : numbered(done), paint(0));
    for (std::uint64_t side = 0; side < around && !lost; ++side)
      write(numbered(side), paint(360.0 * static_cast<double>(side) / static_cast<double>(around)));
    if (lost) return kExitFault;
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
