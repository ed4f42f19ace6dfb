// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/stop_probe.h"
#include "core/vec.h"
#include "sim/scene.h"

namespace clothlab {

/// The version that is written. Earlier ones are read too, with their defaults (scene_reader.cpp).
inline constexpr int kSceneVersion = 4;

/// Limits of a title and of a description [characters].
inline constexpr std::size_t kLongestTitle = 200;
inline constexpr std::size_t kLongestDescription = 4000;

/// Contents of a scene file in addition to its scene.
struct SceneExtras {
  std::string remark;             ///< a sentence about a value of an earlier version
  std::vector<LaneMethod> lanes;  ///< ascending; the first has the method of the scene. Empty: none are named
};

/// The scene in a JSON text (docs/scene-format.md): one object whose keys are the options of the command
/// line. Missing keys have their defaults. Strict: throws InputError, one sentence that begins with `name`
/// (the file) and gives the line or the key, for text that is not JSON, an unknown key (naming the nearest),
/// a repeated key, and a value of the wrong type or out of its range. A title or a description that is too
/// long is cut. A mesh file is not opened. Throws Cancelled. With lanes, the scene has the method of the
/// first one.
Scene parse_scene(std::string_view json_text, std::string_view name, const StopProbe& stop = {},
                  SceneExtras* extras = nullptr);

/// The text from which parse_scene reads the same scene, every number to the last bit. The integrators' own
/// parameters are written if they differ from their defaults. Throws InputError for a number that is not
/// finite and a path that is not UTF-8. The first of the lanes has the method of the scene.
std::string write_scene(const Scene& scene, std::span<const LaneMethod> lanes = {});
/// The same on one line.
std::string write_scene_line(const Scene& scene, std::span<const LaneMethod> lanes = {});
/// The fields of a method alone as a JSON object on one line.
std::string write_method(const Method& method);
/// A JSON number, from which the same double is read.
std::string json_number(double value);
/// A JSON list of three numbers.
std::string json_list(const vec3& v);
/// A JSON string. Throws InputError for text that is not UTF-8.
std::string json_text(std::string_view text);

/// Every key of a scene file: its own first, then the parameters' ids.
std::vector<std::string_view> scene_keys();

}  // namespace clothlab
