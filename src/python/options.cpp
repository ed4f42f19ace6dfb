// SPDX-License-Identifier: MIT
#include "python/options.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "sim/parameters.h"

namespace py = pybind11;

namespace clothlab {
namespace {

std::string option_name(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string keyword(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string text_of(const py::handle& value, const char* separator) {
  if (py::isinstance<py::str>(value)) return py::cast<std::string>(value);
  if (py::isinstance<py::bool_>(value)) return py::cast<bool>(value) ? "on" : "off";
  if (py::isinstance<py::dict>(value))
    return py::cast<std::string>(py::module_::import("json").attr("dumps")(value));
  if (py::hasattr(value, "__fspath__")) return py::cast<std::string>(py::str(value));
  if (py::isinstance<py::sequence>(value)) {
    std::string text;
    for (const py::handle& item : value)
      text.append(text.empty() ? "" : separator).append(text_of(item, separator));
    return text;
  }
  if (PyIndex_Check(value.ptr()) != 0) return py::cast<std::string>(py::repr(value.attr("__index__")()));
  const auto number = py::cast<double>(value);
  return std::isinf(number) && number > 0 ? "off" : py::cast<std::string>(py::repr(py::float_(number)));
}

py::object value_of(const ParameterSpec& spec, double value) {
  switch (spec.kind) {
    case ParameterSpec::Kind::boolean:
      return py::bool_(value != 0);
    case ParameterSpec::Kind::integer:
      if (std::isfinite(value)) return py::int_(static_cast<std::int64_t>(value));
      break;
    case ParameterSpec::Kind::choice:
      return py::str(std::string(spec.choices[static_cast<std::size_t>(value)]));
    case ParameterSpec::Kind::real:
      break;
  }
  return py::float_(value);
}

}  // namespace

SceneOptions options_of(const py::kwargs& values) {
  std::vector<std::string> arguments;
  for (const auto& [key, value] : values) {
    if (value.is_none()) continue;
    const std::string option = "--" + option_name(py::cast<std::string>(key)), name = option + "=";
    const bool repeats =
        name == "--obstacle=" && (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value));
    const char* separator = name == "--grid=" || name == "--size=" ? "x" : ",";
    const auto add = [&](const py::handle& one) {
      try {
        arguments.push_back(name + text_of(one, separator));
      } catch (const py::cast_error&) {
        throw InputError(option + ": " + py::cast<std::string>(py::repr(one)) +
                         " is not a text, a number or a list of them.");
      }
      if (arguments.back() == name)
        throw InputError(option + ": the value is empty; None leaves the option out.");
    };
    if (!repeats) {
      add(value);
      continue;
    }
    for (const py::handle& item : value) add(item);
    if (py::len(value) == 0) arguments.push_back(name + "none");
  }
  SceneOptions options;
  options.read(std::move(arguments));
  options.refuse_dress();
  return options;
}

py::dict values_of(const Scene& scene) {
  py::dict values;
  values["integrator"] = std::string(method_info(scene).id);
  values["gravity"] =
      py::make_tuple(scene.material.gravity.x, scene.material.gravity.y, scene.material.gravity.z);
  for (const ParameterSpec* spec : all_parameters())
    values[py::str(keyword(spec->id))] = value_of(*spec, parameter_value(scene, *spec));
  return values;
}

}  // namespace clothlab
