// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/progress.h"
#include "cli/subcommand.h"
#include "core/error.h"
#include "core/lane_id.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/lane_picture.h"
#include "documents/video_writer.h"
#include "io/output_file.h"
#include "io/png.h"

namespace clothlab {
namespace {

struct RenderCommand final : Subcommand {
  explicit RenderCommand(const SubcommandContext& context) : services(context.services) {}

  SceneOptions scene;
  OutputFiles files;
  std::optional<std::string> png, mp4, apng, journal, lanes;
  std::uint64_t every = 0, around = 0;
  int fps = 0;         // 0: not given
  double speed = 0;    // the same
  std::string notice;  // of the video's file
  std::optional<LanePlot> plot;
  CLI::Option *integrator = nullptr, *heat_max = nullptr;
  OptionReaders options{"Picture"};
  PictureRequest picture;
  const Services& services;

  void add_to(CLI::App& app) override {
    scene.add_to(app);
    scene.add_length_to(app);
    integrator = app.get_option("--integrator");
    const auto number = [&](const char* id, const char* type, double min, double max, double& value,
                            const char* help) {
      return options.add_value(app, {.id = id, .title = {}, .min = min, .max = max, .help = {}}, type, value,
                               help);
    };
    using Kind = ParameterSpec::Kind;
    constexpr static std::array<std::string_view, 2> kLooks{"dark", "light"};
    const ParameterSpec look{.id = "look", .title = {}, .kind = Kind::choice, .help = {}, .choices = kLooks};
    CLI::Option* png_option = files.add_option(app, "Picture", "--png", ".png", png, "FILE",
                                               "The picture to write, after the last step.");
    CLI::Option* mp4_option = files.add_option(
        app, "Picture", "--mp4", ".mp4 or .apng", mp4, "FILE",
        "A video of the run instead of a picture, H.264 by the program ffmpeg. Without ffmpeg in PATH it is "
        "an animated PNG, FILE with the extension .apng, and a notice names it.");
    CLI::Option* apng_option = files.add_option(app, "Picture", "--apng", ".apng or .png", apng, "FILE",
                                                "The video as an animated PNG, without loss.");
    png_option->excludes(mp4_option)->excludes(apng_option);
    mp4_option->excludes(apng_option);
    options.add_whole(app, "fps", fps, 1, 1000,
                      "Frames per second of the video; default 30. They are even in simulated time: frame k "
                      "shows the first step at or after k/fps seconds, times --speed.");
    number("speed", "X", 1e-4, 1e4, speed,
           "Simulated seconds per second of the video; 0.1 is ten times slower than real time; default 1.");
    add_journal_option(app, journal, "Picture");
    add_text(app, "Picture", "--integrators", lanes, "A,B,...",
             "One tile for each of these integrators, up to 8, which compute the same run. A scene file with "
             "lanes has a tile for each of them, unless --integrator is given.")
        ->excludes(integrator);
    const ParameterSpec plots{
        .id = "plot", .title = {}, .kind = Kind::choice, .help = {}, .choices = kLanePlotNames};
    options.add(
        app, "plot", "NAME",
        "A plot over simulated time below the lanes, as far as the run has come, with a curve in the "
        "colour of each lane: total-energy (its change since the start), kinetic-energy, spurious-energy, "
        "strain (the largest), or distance (of two lanes or more: root mean square over the particles, from "
        "the first lane at the same time). The y axis contains the lanes that have not blown up.",
        [this, plots](const std::string& text) {
          plot = static_cast<LanePlot>(parse_parameter(plots, text));
        });
    CLI::Option* every_option = options.add_whole(
        app, "every", every, 1, 1'000'000'000,
        "A picture of the start and after every N steps: FILE-000000.png and so on, by step number.");
    every_option->excludes(mp4_option)->excludes(apng_option);
    options
        .add_whole(app, "turntable", around, 1, 100'000,
                   "N pictures around the last shape, the camera turning by 360/N degrees each time: "
                   "FILE-000000.png and so on, or the frames of a video.")
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
    heat_max = number("heat-max", "X", 1e-6, 100, picture.heat_max_strain,
                      "Strain at the end of the colours of --heat-map; default 0.1.");
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

  /// A lane that runs; the one run of a command without lanes is A.
  struct Lane {
    LaneId id = 0;
    std::unique_ptr<LanePlay> play;
  };
  using Lanes = std::vector<Lane>;

  bool is_video() const { return mp4 || apng; }

  /// The lanes of --integrators or of the scene file; empty: one run.
  std::vector<LaneMethod> lane_methods(const LaneSource& source) const {
    std::vector<LaneMethod> methods;
    if (lanes)
      for (const IntegratorInfo* info : parse_lanes(*lanes))
        methods.push_back({methods.size(), with_integrator(source.scene.scene.method(), *info)});
    else if (scene.chooses_lanes() && !journal)
      for (const SceneOptions::LaneOfFile& lane : scene.lanes_of_file())
        methods.push_back({lane.lane, lane.scene.method()});
    return methods;
  }

  /// All at their start.
  static Lanes begin_lanes(const LaneSource& source, const std::vector<LaneMethod>& methods,
                           WorkerPool& pool) {
    Lanes out;
    for (const LaneMethod& method : methods)
      out.push_back({method.lane, std::make_unique<LanePlay>(source, method.method)});
    if (methods.empty()) out.push_back({0, std::make_unique<LanePlay>(source, std::nullopt)});
    for (const Lane& lane : out) lane.play->begin(pool);
    return out;
  }

  static std::vector<ShownLane> shown(const Lanes& of) {
    std::vector<ShownLane> now;
    for (const Lane& lane : of) now.push_back(show_lane({lane.id, &lane.play->simulation()}));
    return now;
  }

  PlotPoints points(const Lanes& of) const {
    std::vector<RunningLane> now;
    for (const Lane& lane : of) now.push_back({lane.id, &lane.play->simulation()});
    return plot ? plot_points(now, *plot) : PlotPoints();
  }

  /// Draws all of them, turned by an angle [degree].
  std::function<Image(double)> painter(const Lanes& of, LanePicture* tiles) const {
    if (tiles != nullptr) return [tiles, &of](double turn) { return tiles->draw(shown(of), turn); };
    auto frame = std::make_shared<Frame>();
    return [paint = services.make_painter(picture), frame, &of](double turn) {
      const Simulation& simulation = of.front().play->simulation();
      capture(simulation, simulation.shared_scene(), *frame);
      return paint(*frame, turn);
    };
  }

  static std::size_t blown_up(const Lanes& of) {
    return static_cast<std::size_t>(std::ranges::count_if(
        of, [](const Lane& lane) { return lane.play->simulation().blow_up().has_value(); }));
  }

  /// "Lane A: ", of several.
  static std::string letter_of(const Lane& lane, const Lanes& of) {
    return of.size() > 1 ? "Lane " + std::string(1, lane_letter(lane.id)) + ": " : "";
  }

  static void print_notices(const Lanes& of) {
    for (const Lane& lane : of)
      for (const Notice& notice : *lane.play->simulation().notices().list())
        std::fprintf(stderr, "clothlab: %s%s\n", letter_of(lane, of).c_str(), text_with_step(notice).c_str());
  }

  struct Tick {
    bool stepped = false;  ///< some lane
    bool left = false;     ///< some lane has not ended
    bool stopped = false;  ///< by Ctrl-C
    double time = 0;       ///< of the lanes that stepped [s]
  };
  static Tick step_all(const Lanes& of, WorkerPool& pool) {
    Tick tick;
    for (const Lane& lane : of) {
      const Replay::Event event = lane.play->next_step(pool);
      if (event == Replay::Event::stepped) tick.time = lane.play->simulation().state().t;
      tick.stepped = tick.stepped || event == Replay::Event::stepped;
      tick.left = tick.left || event != Replay::Event::ended;
      tick.stopped = tick.stopped || event == Replay::Event::stopped || Interrupt::requested();
    }
    return tick;
  }

  /// Throws InputError for options that contradict each other, and for outputs that cannot be written.
  void check_outputs() {
    if (!png && !is_video())
      throw InputError("Nothing says what to write: name a picture (--png) or a video (--mp4 or --apng).");
    if (!is_video() && (fps > 0 || speed > 0))
      throw InputError("--fps and --speed belong to a video: name --mp4 or --apng.");
    if (heat_max->count() > 0 && !picture.heat_map)
      throw InputError("--heat-max is the end of the colours of --heat-map: add it.");
    if (around > 0 && speed > 0)
      throw InputError("--speed has no effect on --turntable, which shows the last shape only. Remove one.");
    if (is_video()) {
      const std::string& name = mp4 ? *mp4 : *apng;
      const std::string of_name = lower_case(path_of(name).extension().string());
      if (mp4 ? of_name != ".mp4" : of_name != ".apng" && of_name != ".png")
        throw InputError("The name of the video, '" + printable(name) + "', does not end with " +
                         (mp4 ? ".mp4." : ".apng or .png."));
    }
    if (mp4) {
      const VideoFile file = choose_video_file(path_of(*mp4));
      notice = file.notice;
      *mp4 = utf8_of(file.path);
      check_video_size(file.path, picture.width, picture.height);
    }
    if (is_video()) check_replaceable(path_of(mp4 ? *mp4 : *apng));
    if (is_video() || (every == 0 && around == 0)) return files.check();
    if (*png == "-")
      throw InputError("--png: a sequence of pictures cannot go to stdout. Name its files, e.g. cloth.png.");
    const std::filesystem::path path = path_of(*png);
    check_extension(path, ".png");
    check_writable(numbered(0));
    files.add_numbered(path.has_parent_path() ? path.parent_path() : ".", path.stem().string() + "-",
                       path.extension().string());
  }

  int run() override {
    options.read_all();
    if (lanes) parse_lanes(*lanes);
    if (integrator->empty()) scene.allow_several_lanes();
    picture.all_around = around > 0;
    check_outputs();
    const LaneSource source = read_lane_source(journal, scene, files);
    WorkerPool pool(scene.threads());
    const std::vector<LaneMethod> methods = lane_methods(source);
    warn_of_no_effect(scene.given_parameters(), runs_of(source, methods));
    if (plot == LanePlot::distance && methods.size() < 2)
      throw InputError(
          "--plot distance compares lanes: name two or more with --integrators, or a --scene that has them.");
    const Lanes runs = begin_lanes(source, methods, pool);
    const double dt = runs.front().play->simulation().scene().dt;
    if (dt < 0 && (is_video() || plot)) throw InputError("A video and --plot need a positive --dt.");
    std::optional<LanePicture> tiles;
    if (!methods.empty() || plot)
      tiles.emplace(picture, runs.size(), services.make_painter, plot,
                    static_cast<double>(source.last_step()) * dt);
    const auto paint = painter(runs, tiles ? &*tiles : nullptr);
    if (tiles) tiles->add_step(points(runs));
    Image last;
    if (around == 0) last = paint(0);  // fixes the camera on the start shape
    bool lost = false;
    const auto attempt = [&lost](const std::function<void()>& write) { lost = lost || !try_write(write); };
    const auto write = [&](const std::string& path, const Image& p) { attempt([&] { write_png(path, p); }); };
    const double rate = fps > 0 ? fps : 30;
    FrameClock clock((speed > 0 ? speed : 1) / rate);
    std::optional<VideoWriter> video;
    if (!notice.empty()) std::fprintf(stderr, "clothlab: %s\n", notice.c_str());
    if (is_video()) video.emplace(path_of(mp4 ? *mp4 : *apng), picture.width, picture.height, rate);
    std::size_t marked = 0;  // lanes whose blow-up the last frame shows
    const auto add_frames = [&](std::uint64_t count) {
      if (count == 0) return;
      const Image frame = paint(0);
      for (std::uint64_t k = 0; k < count; ++k) attempt([&] { video->add(frame); });
      marked = blown_up(runs);
    };
    const auto add_due_frames = [&](double time) { add_frames(video && around == 0 ? clock.due(time) : 0); };
    if (every > 0) write(numbered(0), last);
    add_due_frames(runs.front().play->simulation().state().t);
    std::uint64_t done = 0;
    Tick tick;
    tick.left = true;
    {
      Progress progress(source.last_step(), scene.quiet());
      while (tick.left && !tick.stopped && !lost) {
        tick = step_all(runs, pool);
        if (!tick.stepped) continue;
        ++done;
        progress.show(done, tick.time);
        if (tiles) tiles->add_step(points(runs));
        if (every > 0 && done % every == 0) write(numbered(done), paint(0));
        add_due_frames(tick.time);
      }
    }
    if (video && around == 0 && blown_up(runs) > marked) add_frames(1);
    // The last state is also drawn with --every, even before a blow-up.
    if (!video && around == 0 && (every == 0 || done % every != 0))
      write(every == 0 ? *png : numbered(done), paint(0));
    // A video has at least one frame.
    for (std::uint64_t side = 0; side < around && !lost && (side == 0 || !Interrupt::requested()); ++side) {
      const Image frame = paint(360.0 * static_cast<double>(side) / static_cast<double>(around));
      if (video)
        attempt([&] { video->add(frame); });
      else
        write(numbered(side), frame);
    }
    if (video) attempt([&] { video->finish(); });
    print_notices(runs);
    for (const Lane& lane : runs)
      if (lane.play->simulation().blow_up())
        std::fprintf(stderr, "clothlab: %s%s\n", letter_of(lane, runs).c_str(),
                     blow_up_text(lane.play->simulation(), pool).c_str());
    if (lost) return kExitFault;
    if (runs.size() == 1 && blown_up(runs) > 0) return kExitBlownUp;
    return tick.stopped || Interrupt::requested() ? Interrupt::exit_status() : kExitDone;
  }
};

}  // namespace

const SubcommandRow kRenderCommand{"render", "Picture(s) or a video of a run, without a display.",
                                   make_subcommand<RenderCommand>};

}  // namespace clothlab
