// SPDX-License-Identifier: MIT
#include "sim/presets.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

using Value = Preset::Value;

constexpr std::array kSoft{Value{"material", 0}, Value{"stretch-stiffness", 200},
                           Value{"bend-stiffness", 0.01}, Value{"spring-damping", 0.02}};
constexpr std::array kMedium{Value{"material", 0}, Value{"stretch-stiffness", 1000},
                             Value{"bend-stiffness", 1}, Value{"spring-damping", 0.01}};
constexpr std::array kStiff{Value{"material", 0}, Value{"stretch-stiffness", 20000},
                            Value{"bend-stiffness", 50}, Value{"spring-damping", 0.05}};
constexpr std::array kRubbery{Value{"material", 0}, Value{"stretch-stiffness", 40},
                              Value{"bend-stiffness", 0.5}, Value{"spring-damping", 0.001}};
constexpr std::array kExplodes{Value{"material", 0},           Value{"stretch-stiffness", 5000},
                               Value{"bend-stiffness", 1},     Value{"spring-damping", 0},
                               Value{"rayleigh-stiffness", 0}, Value{"dt", 1.0 / 60}};

// [Wang 2011], the files of the authors: c11, c22 and c33 of the stretch tensor at rest, and the mean of the
// bending stiffnesses at small curvature in three directions.
constexpr std::array kCotton{
    Value{"material", 1},         Value{"membrane-warp", 2030},    Value{"membrane-weft", 2020},
    Value{"membrane-shear", 105}, Value{"fabric-bending", 120e-6}, Value{"density", 0.22}};
constexpr std::array kDenim{Value{"material", 1},           Value{"membrane-warp", 1010},
                            Value{"membrane-weft", 205},    Value{"membrane-shear", 53},
                            Value{"fabric-bending", 78e-6}, Value{"density", 0.324}};
// A sheet of t = 0.25 mm with the shear modulus 0.5 MPa and 950 kg/m³ of natural rubber, incompressible: E t
// = 375 N/m is 8/3 of the shear stiffness of springs, and B = E t³/9.
constexpr std::array kRubber{
    Value{"material", 1},         Value{"membrane-warp", 422},     Value{"membrane-weft", 422},
    Value{"membrane-shear", 141}, Value{"fabric-bending", 2.6e-6}, Value{"density", 0.24}};

constexpr std::array kGames{Value{"xpbd-substeps", 64}, Value{"xpbd-iterations", 5},
                            Value{"newton-tolerance", 1e-3}};

constexpr std::array kPresets{
    Preset{"cotton", "Cotton", "A fabric: trousers of 65 % cotton and 35 % polyester, measured.", kCotton},
    Preset{"denim", "Denim", "A fabric: jeans of 99 % cotton, 11 oz, measured. Soft along the weft.", kDenim},
    Preset{"rubber", "Rubber", "A fabric: a sheet of natural rubber of 0.25 mm.", kRubber},
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

std::span<const Preset> fabrics() { return std::span(kPresets).first(3); }

const Preset& fabric(std::string_view id) {
  const auto found = std::ranges::find(fabrics(), id, &Preset::id);
  if (found != fabrics().end()) return *found;
  std::vector<std::string_view> ids;
  for (const Preset& each : fabrics()) ids.push_back(each.id);
  throw InputError("'" + printable(id) + "' is no fabric: must be one of " + joined(ids) + ".");
}

std::string preset_text(const Preset& preset) {
  std::string text;
  for (const Value& each : preset.values) {
    const ParameterSpec& spec = parameter_spec(each.parameter);
    text += std::string(spec.title) + ": " +
            (spec.kind == ParameterSpec::Kind::choice ? parameter_text(spec, each.value)
                                                      : format_quantity(each.value, spec.unit, 4)) +
            "\n";
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
