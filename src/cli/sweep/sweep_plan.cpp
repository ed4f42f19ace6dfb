// SPDX-License-Identifier: MIT
#include "cli/sweep/sweep_plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "core/about.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/checkpoint_file.h"
#include "documents/scene_file.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

constexpr std::size_t kMostRuns = 1'000'000;

/// The values from `low` to `high`, texts with units, in the middle with six digits.
std::vector<std::string> range_of(const std::string& name, std::string_view low, std::string_view high,
                                  std::string_view how) {
  const auto count = static_cast<int>(parse_whole("vary " + name, how.substr(3), 2, 100'000));
  const ParameterSpec* spec = find_parameter_spec(name);
  const auto number = [&](std::string_view text) {
    return spec != nullptr ? parse_parameter(*spec, text)
                           : parse_positive(name, text, name == "duration" ? "s" : "");
  };
  const double from = number(low), to = number(high);
  const bool logarithmic = how.starts_with("log");
  if (logarithmic && !(from / to > 0 && std::isfinite(from / to)))
    throw InputError("--vary " + name + ": both ends of a logarithmic range must be greater than 0.");
  const bool whole = name == "steps" || (spec != nullptr && spec->kind == ParameterSpec::Kind::integer);
  std::vector<std::string> values;
  for (int k = 0; k < count; ++k) {
    const double part = static_cast<double>(k) / (count - 1);
    const double value = logarithmic ? from * std::pow(to / from, part) : from + part * (to - from);
    std::string text = whole            ? std::to_string(std::llround(value))
                       : k == 0         ? std::string(low)
                       : k == count - 1 ? std::string(high)
                                        : format_digits(value, 6);
    if (values.empty() || values.back() != text) values.push_back(std::move(text));
  }
  return values;
}

/// The option of that name, which must be one of a scene or of stepping.
CLI::Option& option_of(CLI::App& app, const std::string& name) {
  constexpr std::array<std::string_view, 4> kFixed{"help", "quiet", "threads", "mesh-folder"};
  std::vector<std::string_view> known;
  for (CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_group() == kSweepGroup) continue;
    const std::string& known_name = option->get_lnames().front();
    if (std::ranges::find(kFixed, known_name) != kFixed.end()) continue;
    if (known_name == name) return *option;
    known.push_back(known_name);
  }
  throw InputError("--vary: there is no option '" + printable(name) + "' of a scene" +
                   suggestion(name, known) + " `clothlab sweep --help` lists them all.");
}

void set(CLI::Option& option, const std::string& value) {
  try {
    option.clear();
    option.add_result(value);
    option.run_callback();
  } catch (const std::exception&) {  // of CLI11 or of the C++ library: a switch with another text
    throw InputError(option.get_name() + ": '" + printable(value) + "' is not on or off.");
  }
}

void add(std::string_view bytes, Hash& hash) {
  hash.add(std::uint64_t{bytes.size()});
  for (const char byte : bytes) hash.add(std::uint64_t{static_cast<unsigned char>(byte)});
}

}  // namespace

SweepVariation parse_variation(std::string_view text) {
  const std::size_t equals = text.find('=');
  SweepVariation variation{std::string(text.substr(0, equals)), {}};
  std::string& name = variation.name;
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  if (equals == std::string_view::npos || name.empty() || equals + 1 == text.size())
    throw InputError("--vary: '" + printable(text) +
                     "' is not of the form NAME=v1,v2,..., NAME=a:b:logN or NAME=a:b:linN.");
  const std::string_view values = text.substr(equals + 1);
  const std::vector<std::string_view> ends = split(values, ':');
  if (ends.size() == 3 && (ends[2].starts_with("log") || ends[2].starts_with("lin")))
    variation.values = range_of(name, ends[0], ends[1], ends[2]);
  else
    for (const std::string_view value : split(values, values.find(';') == std::string_view::npos ? ',' : ';'))
      variation.values.emplace_back(value);
  for (std::size_t k = 0; k < variation.values.size(); ++k)
    if (std::ranges::count(variation.values, variation.values[k]) > 1)
      throw InputError("--vary " + name + ": '" + printable(variation.values[k]) + "' occurs twice.");
  return variation;
}

SweepReference parse_reference(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0)
    throw InputError("--reference: '" + printable(text) +
                     "' is not an integrator and its step, such as rk4:1e-5.");
  return {&parse_integrator(text.substr(0, colon)), parse_positive("reference", text.substr(colon + 1), "s")};
}

SweepPlan::SweepPlan(CLI::App& app, SceneOptions& scene, std::vector<SweepVariation> variations,
                     std::optional<SweepReference> reference)
    : app_(app), options_(scene), variations_(std::move(variations)), reference_(reference) {
  for (const SweepVariation& variation : variations_) {
    const std::string& name = variation.name;
    for (const CLI::Option* other : option_of(app_, name).get_excludes())
      if (other->count() > 0 || std::ranges::find(variations_, other->get_lnames().front(),
                                                  &SweepVariation::name) != variations_.end())
        throw InputError("--vary " + name + " and " + other->get_name() + " exclude each other.");
    if (std::ranges::count(variations_, name, &SweepVariation::name) > 1)
      throw InputError("The option '" + name + "' varies twice.");
    size_ *= variation.values.size();
    if (size_ > kMostRuns) throw InputError("A sweep has at most " + std::to_string(kMostRuns) + " runs.");
  }
}

std::vector<std::string> SweepPlan::values(std::size_t number) const {
  std::vector<std::string> values(variations_.size());
  std::size_t rest = number - 1;
  for (std::size_t k = variations_.size(); k-- > 0; rest /= variations_[k].values.size())
    values[k] = variations_[k].values[rest % variations_[k].values.size()];
  return values;
}

std::string SweepPlan::text_of(std::size_t number) const {
  const std::vector<std::string> texts = values(number);
  std::string out;
  for (std::size_t k = 0; k < texts.size(); ++k)
    out.append(k == 0 ? "" : ", ").append(variations_[k].name).append("=").append(texts[k]);
  return out;
}

SweepRun SweepPlan::run(std::size_t number) {
  const std::vector<std::string> texts = values(number);
  for (std::size_t k = 0; k < texts.size(); ++k) set(option_of(app_, variations_[k].name), texts[k]);
  options_.refuse_dress();
  SweepRun run{.name = std::to_string(number), .scene = named_scene(options_)};
  run.steps = options_.steps(run.scene.dt);
  run.initial_state = options_.initial_state_file().value_or(std::string());
  if (reference_) run.reference = reference_of(run).key;
  run.key = key_of(run);
  return run;
}

SweepRun SweepPlan::reference_of(const SweepRun& run) {
  SweepRun out{
      .name = "r" + run.name, .scene = run.scene, .initial_state = run.initial_state, .is_reference = true};
  Method method;
  set_integrator(method, *reference_->info);
  method.contact = run.scene.contact;  // what a contact does depends on it
  method.solver.newton_tolerance = method.solver.linear.cg.tolerance = 1e-10;
  out.scene = with_method(std::move(out.scene), method);
  // Sums of steps differ in their last digits, which must not make references differ.
  const double end = *parse_number(format_digits(static_cast<double>(run.steps) * run.scene.dt, 12));
  out.steps = static_cast<std::uint64_t>(std::round(std::abs(end) / reference_->h));
  if (run.steps > 0) out.steps = std::max<std::uint64_t>(out.steps, 1);
  out.scene.dt = run.steps > 0 ? end / static_cast<double>(out.steps) : reference_->h;
  try {
    check_parameters(out.scene);
  } catch (const InputError& error) {
    throw InputError(std::string("--reference: ") + error.what());
  }
  out.key = key_of(out);
  return out;
}

std::string SweepPlan::key_of(const SweepRun& run) {
  Scene scene = run.scene;
  Hash hash;
  if (scene.initial_state) hash.add(scene.initial_state->positions).add(scene.initial_state->velocities);
  scene.initial_state.reset();
  std::vector<std::filesystem::path> files = files_of(scene);
  if (!run.initial_state.empty()) files.push_back(path_of(run.initial_state));
  for (const std::filesystem::path& file : files) {
    const auto [found, is_new] = files_.try_emplace(file, 0);  // 0: it does not exist
    std::error_code error;
    if (is_new && std::filesystem::exists(file, error))
      found->second = file_fingerprint(file, Interrupt::probe());
    hash.add(found->second);
  }
  for (const std::string& text : {std::string(program_version()), write_scene(scene), run.initial_state,
                                  run.reference, std::to_string(run.steps)})
    add(text, hash);
  return hex_digits(hash.add(std::uint64_t{run.is_reference}).value());
}

}  // namespace clothlab
