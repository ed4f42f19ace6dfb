// SPDX-License-Identifier: MIT
#include "cli/render_command.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/lane_run.h"
#include "cli/lane_tiles.h"
#include "cli/parse_value.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "core/error.h"
#include "io/output_file.h"
#include "io/png.h"

namespace clothlab {
namespace {

struct RenderCommand {
  SceneOptions scene;
  LengthOptions length;
  std::string png;
  std::optional<std::string> lanes, every_text, turntable_text, pixels_text, yaw_text, pitch_text, zoom_text,
      heat_text, look_text;
  PictureRequest picture;
  std::function<Painter(const PictureRequest&)> make_painter;

  void add_to(CLI::App& app) {
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                          const char* help) {
      return app.add_option(name, target, help)->type_name(type)->take_last()->group("Picture");
    };
    app.add_option("--png", png, "The picture to write, after the last step.")
        ->type_name("FILE")
        ->required()
        ->group("Picture");
    text("--integrators", lanes, "A,B,...",
         "Tiles instead, one for each of these integrators: the same run by up to 8 of them.")
        ->excludes(app.get_option("--integrator"));
    CLI::Option* every =
        text("--every", every_text, "N",
             "A picture of the start and after every N steps: FILE-000000.png and so on, by step number.");
    text("--turntable", turntable_text, "N",
         "N pictures of the last shape from all around, the camera turned by 360/N degrees each: "
         "FILE-000000.png "
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
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "-%06llu", static_cast<unsigned long long>(step));
    return (path.parent_path() / (path.stem().string() + digits.data() + path.extension().string())).string();
  }

  /// One for each of --integrators; none without.
  std::vector<std::unique_ptr<Simulation>> tiled_lanes(const Run& run) const {
    std::vector<std::unique_ptr<Simulation>> out;
    if (!lanes) return out;
    for (const IntegratorInfo* info : parse_lanes(*lanes)) {
      Scene of_lane = run.loaded.scene;
      of_lane.integrator = info->id;
      out.push_back(
          std::make_unique<Simulation>(std::move(of_lane), run.loaded.mesh, *run.pool, Interrupt::probe()));
    }
    return out;
  }

  /// Draws all of them, turned by an angle [degree].
  std::function<Image(double)> painter(const std::vector<Simulation*>& all) const {
    if (lanes) {
      auto tiles = std::make_shared<LaneTiles>(picture, all.size(), make_painter);
      return [tiles, all](double turn) {
        const std::vector<const Simulation*> now(all.begin(), all.end());
        return tiles->draw(now, turn);
      };
    }
    auto frame = std::make_shared<Frame>();
    return [paint = make_painter(picture), frame, simulation = all.front()](double turn) {
      capture(*simulation, simulation->shared_scene(), *frame);
      return paint(*frame, turn);
    };
  }

  /// One step of those that have not blown up; false when there are none left. `stopped`: by Ctrl-C.
  static bool step_all(const std::vector<Simulation*>& all, WorkerPool& pool, bool& stopped) {
    bool moves = false;
    for (Simulation* simulation : all) {
      if (simulation->blow_up()) continue;
      const StepStatus status = simulation->step(pool, Interrupt::probe());
      stopped = stopped || status == StepStatus::stopped;
      moves = moves || status == StepStatus::done;
    }
    return moves && !stopped;
  }

  int run() {
    const Interrupt interrupt;
    read_values();
    if (lanes) parse_lanes(*lanes);
    const std::uint64_t every =
        every_text ? static_cast<std::uint64_t>(parse_whole("every", *every_text, 1, 1'000'000'000)) : 0;
    const std::uint64_t around =
        turntable_text ? static_cast<std::uint64_t>(parse_whole("turntable", *turntable_text, 1, 100'000))
                       : 0;
    picture.all_around = around > 0;
    OutputFiles files;
    if (every > 0 || around > 0) {
      check_writable(numbered(0));
      const std::filesystem::path path(png);
      files.add_numbered(path.has_parent_path() ? path.parent_path() : ".", path.stem().string() + "-",
                         path.extension().string());
    } else {
      files.add(png);
    }
    Run run = prepare_run(scene, files);
    std::vector<std::unique_ptr<Simulation>> tiled = tiled_lanes(run);
    std::vector<Simulation*> all{run.simulation.get()};
    if (!tiled.empty()) all.clear();
    for (const auto& lane : tiled) all.push_back(lane.get());
    const auto paint = painter(all);
    Image last;
    if (around == 0) last = paint(0);  // fixes the camera on the start shape
    const auto write = [](const std::string& path, const Image& p) {
      write_png(path, p.width, p.height, p.rgba);
    };
    if (every > 0) write(numbered(0), last);
    const std::uint64_t steps = length.steps(run.simulation->scene().stepping.dt);
    std::uint64_t done = 0;
    bool stopped = false;
    {
      Progress progress(steps, scene.quiet());
      for (bool moves = true; done < steps && moves && !stopped;) {
        moves = step_all(all, *run.pool, stopped);
        if (moves) ++done;
        progress.show(done, all.front()->state().t);
        if (moves && every > 0 && done % every == 0) write(numbered(done), paint(0));
        stopped = stopped || Interrupt::requested();
      }
    }
    // The last state is drawn with --every too, also that before a blow-up.
    if ((every == 0 || done % every != 0) && around == 0) write(every == 0 ? png : numbered(done), paint(0));
    for (std::uint64_t side = 0; side < around; ++side)
      write(numbered(side), paint(360.0 * static_cast<double>(side) / static_cast<double>(around)));
    bool blown_up = false;
    for (const Simulation* simulation : all) {
      if (!simulation->blow_up()) continue;
      blown_up = true;
      std::fprintf(stderr, "clothlab: %s\n", blow_up_text(*simulation, *run.pool).c_str());
    }
    if (blown_up && tiled.empty()) return kExitBlownUp;
    return stopped ? Interrupt::exit_status() : kExitDone;
  }
};

}  // namespace

std::function<int()> add_render(CLI::App& app, const Services& services) {
  auto command = std::make_shared<RenderCommand>();
  command->make_painter = services.make_painter;
  CLI::App& sub = *app.add_subcommand("render", "Picture(s) of a run, without a display.");
  command->scene.add_to(sub);
  command->length.add_to(sub);
  command->add_to(sub);
  return [command] { return command->run(); };
}

}  // namespace clothlab
