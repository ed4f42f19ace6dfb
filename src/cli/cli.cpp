// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/subcommand.h"
#include "core/about.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/body_file.h"
#include "documents/command_line.h"
#include "documents/scene_file.h"

namespace clothlab {
namespace {

int complain(int status, std::string_view sentence) {
  constexpr std::size_t kLongest = 2000;  // an argument may be far longer, with any characters
  std::fprintf(stderr, "clothlab: %s\n", printable(sentence, kLongest, "\n").c_str());
  return status;
}

/// The program's own options are the window's and have no effect before a subcommand.
void refuse_options_before(const CLI::App& app, const std::string& subcommand) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0)
      throw InputError(option->get_name() + " is written before `" + subcommand +
                       "`, where it has no effect: write it after `" + subcommand + "`.");
}

/// A word that is not a file may be a misspelt subcommand.
void refuse_misspelt_subcommand(const CLI::App& app, const std::string& word) {
  std::error_code error;
  if (std::filesystem::path(word).has_extension() || std::filesystem::exists(word, error)) return;
  std::vector<std::string_view> candidates;
  for (const CLI::App* sub : app.get_subcommands({})) candidates.push_back(sub->get_name());
  throw InputError(
      "'" + word +
      "' is neither a file (.obj, .json, .checkpoint, .journal or .clothlab) nor a subcommand (" +
      joined(candidates) + ")" + suggestion(word, candidates, "`"));
}

constexpr std::array kCommands{&kSimulateCommand, &kCompareCommand, &kChooseCommand, &kSweepCommand,
                               &kAnalyzeCommand,  &kRenderCommand,  &kReplayCommand, &kBenchCommand};

struct Window {
  SceneOptions scene;
  std::optional<std::string> file;
  bool play = false;

  int run(const Services& services) {
    if (file && !BodyFile(path_of(*file)).exists())
      throw InputError("'" + *file + "' cannot be opened: there is no such file.");
    const FileKind kind = file ? kind_of(*file) : FileKind::other;
    const bool is_run = kind == FileKind::checkpoint || kind == FileKind::journal || kind == FileKind::bundle;
    WindowRequest request = is_run ? of_checkpoint() : of_scene();
    request.threads = scene.threads();
    request.stop = Interrupt::probe();
    services.open_window(request);
    return Interrupt::requested() ? Interrupt::exit_status() : kExitDone;
  }

  WindowRequest of_checkpoint() const {
    if (scene.changes_a_scene() || scene.mesh_file())
      throw InputError("'" + *file +
                       "' has its own scene: only the scene option --mesh-folder can be combined with it.");
    WindowRequest request;
    request.checkpoint = *file;
    request.mesh_folder = scene.mesh_folder();
    return request;
  }

  WindowRequest of_scene() {
    WindowRequest request;
    Scene wanted = scene.scene(file);  // also without a scene: the options must be valid
    request.lanes = scene.lanes();
    if (!request.lanes.empty()) request.lanes.front().method = wanted.method();
    if (!std::holds_alternative<NoSource>(wanted.mesh)) request.scene = std::move(wanted);
    request.with_options = [this](Scene builtin) { return scene.applied_to(std::move(builtin)); };
    request.is_mesh = scene.mesh_file() || (file && kind_of(*file) == FileKind::mesh);
    request.play = play;
    request.dress = scene.dresses();
    request.initial_state = scene.initial_state_file().value_or(std::string());
    request.may_fit = !scene.names_a_scale();
    return request;
  }
};

}  // namespace

Subcommands add_subcommands(CLI::App& app, std::span<const SubcommandRow* const> rows,
                            const SubcommandContext& context) {
  Subcommands out;
  for (const SubcommandRow* row : rows) {
    out.emplace_back(app.add_subcommand(row->name, row->help), row->make(context));
    out.back().second->add_to(*out.back().first);
  }
  return out;
}

int run_cli(int argc, const char* const* argv, const Services& services) {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error with a sentence
#endif
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);  // so is the limit of a file's size
#endif
#ifdef SIGCHLD
  std::signal(SIGCHLD, SIG_DFL);  // a parent may have ignored it, and then no end of a process is reported
#endif
  CLI::App app{
      "ClothLab: feel and measure how a time integrator behaves on real cloth.\n"
      "Without a subcommand it opens the window.",
      "clothlab"};
  app.set_version_flag("--version", "clothlab " + std::string(program_version()));
  app.require_subcommand(0, 1);
  app.footer(
      "Numbers may have units and be expressions: --dt 1/60, --dt \"20 us\", --mass 200g, --size 50cmx1m. "
      "The default is\nSI units.\nExit status: 0 done, also if some of several lanes blew up; 1 fault of "
      "the program or the system; 2 bad\ninput, nothing was written; 3 the run blew up, its last good state "
      "was written; 4 steps did not converge, with\n--fail-on-nonconvergence; 130 Ctrl-C or 143 SIGTERM, the "
      "results so far were written.");
  Window window;
  app.add_option(
      "FILE", window.file,
      "A scene (.json), a mesh (.obj), a checkpoint, a journal or a bundle (.clothlab) to open in the "
      "window.");
  app.add_flag("--play", window.play, "Meshes play at once; otherwise they wait to be pinned.");
  window.scene.add_to(app);
  SubcommandContext context{services, "clothlab"};
  for (int k = 1; k < argc; ++k) context.line += " " + shell_quoted(argv[k]);
  const Subcommands commands = add_subcommands(app, kCommands, context);
  try {
    app.parse(argc, argv);
    const Interrupt interrupt;
    for (const auto& [sub, command] : commands) {
      if (!sub->parsed()) continue;
      refuse_options_before(app, sub->get_name());
      return command->run();
    }
    if (window.file) refuse_misspelt_subcommand(app, *window.file);
    return window.run(services);
  } catch (const CLI::Success& answer) {  // --help, --version
    return app.exit(answer);
  } catch (const CLI::ExtrasError&) {
    return complain(kExitUsage, unknown_argument(app));
  } catch (const CLI::ParseError& error) {
    return complain(kExitUsage, error.what());
  } catch (const InputError& error) {
    return complain(kExitUsage, error.what());
  } catch (const Cancelled&) {
    return complain(Interrupt::exit_status(), "interrupted; every written file is complete.");
  } catch (const std::bad_alloc&) {
    return complain(kExitFault, "not enough memory.");
  } catch (const std::exception& error) {
    return complain(kExitFault, error.what());
  }
}

}  // namespace clothlab
