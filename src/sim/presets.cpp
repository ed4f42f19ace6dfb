// SPDX-License-Identifier: MIT
#include "sim/presets.h"

#include <array>

#include "core/text.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

using Value = Preset::Value;

constexpr std::array kSoft{Value{"stretch-stiffness", 200}, Value{"bend-stiffness", 0.01},
                           Value{"spring-damping", 0.02}};
constexpr std::array kMedium{Value{"stretch-stiffness", 1000}, Value{"bend-stiffness", 1},
                             Value{"spring-damping", 0.01}};
constexpr std::array kStiff{Value{"stretch-stiffness", 20000}, Value{"bend-stiffness", 50},
                            Value{"spring-damping", 0.05}};
constexpr std::array kRubbery{Value{"stretch-stiffness", 40}, Value{"bend-stiffness", 0.5},
                              Value{"spring-damping", 0.001}};
constexpr std::array kExplodes{Value{"stretch-stiffness", 5000}, Value{"bend-stiffness", 1},
                               Value{"spring-damping", 0}, Value{"rayleigh-stiffness", 0},
                               Value{"dt", 1.0 / 60}};

constexpr std::array kGames{Value{"xpbd-substeps", 64}, Value{"xpbd-iterations", 5},
                            Value{"newton-tolerance", 1e-3}};

constexpr std::array kPresets{
    Preset{"soft", "Soft", "Falls into many folds, like silk.", kSoft},
    Preset{"medium", "Medium", "The defaults of the program: roughly cotton.", kMedium},
    Preset{"stiff", "Stiff",
           "Hardly stretches and resists folding, like canvas. Explicit methods need a far smaller h.",
           kStiff},
    Preset{"rubbery", "Rubbery", "Stretches under its own weight and goes on bouncing.", kRubbery},
    Preset{"games", "Games",
           "XPBD with many substeps of few sweeps, which solve a sheet of 20 x 20 at 1/60 s. On finer or "
           "stiffer cloth it reports non-convergence: use more substeps there.",
           kGames, "xpbd"},
    Preset{"explodes", "Explodes on purpose",
           "Explicit Euler with far too large a step: it blows up within half a second. Undo restores your "
           "values, R the cloth.",
           kExplodes, "explicit-euler"},
};

}  // namespace

std::span<const Preset> presets() { return kPresets; }

std::string preset_text(const Preset& preset) {
  std::string text;
  for (const Value& each : preset.values) {
    const ParameterSpec& spec = parameter_spec(each.parameter);
    text += std::string(spec.title) + ": " + format_quantity(each.value, spec.unit, 4) + "\n";
  }
  if (!preset.integrator.empty())
    text += "Integrator: " + std::string(integrator_info(preset.integrator).title) + "\n";
  text.pop_back();
  return text;
}

Scene with_preset(Scene scene, const Preset& preset) {
  for (const Value& each : preset.values) set_parameter(scene, each.parameter, each.value);
  if (!preset.integrator.empty()) set_integrator(scene, preset.integrator);
  return scene;
}

}  // namespace clothlab
