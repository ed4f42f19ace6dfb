// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cloth/material.h"
#include "cloth/wind.h"
#include "collide/contact_model.h"
#include "collide/obstacle.h"
#include "core/vec.h"
#include "integrate/integrator.h"
#include "mesh/pins.h"
#include "sim/floor.h"

namespace clothlab {

/// R×C particles, made by mesh/grid.h (`--grid`).
struct GridSource {
  int rows = 0;
  int cols = 0;
  double width = 1;  ///< W, along a row [m]
  double depth = 1;  ///< D, across the rows [m]
};

/// An OBJ file. A relative path is taken from the folder of the scene file, else the working folder.
struct FileSource {
  std::string path;
};

/// A mesh of our own generator, by its name (mesh/generators.h).
struct GeneratedSource {
  std::string name;
};

/// No mesh at all: a usage error for `simulate` and `render`.
struct NoSource {};

using MeshSource = std::variant<NoSource, GridSource, FileSource, GeneratedSource>;

/// The presets' names, by PinPreset: on the command line and in scene files.
inline constexpr std::array<std::string_view, 4> kPinPresetNames{"none", "corners", "top-corners",
                                                                 "top-edge"};

/// 0-based `v` indices of the mesh. A type of its own: libstdc++ takes a variant of a std::vector for one
/// that is never valueless, so that copying it without memory is undefined.
struct VertexList : std::vector<std::uint32_t> {
  VertexList() = default;
  VertexList(std::vector<std::uint32_t> vertices) : vector(std::move(vertices)) {}
};
using PinSelection = std::variant<PinPreset, VertexList>;

/// Positions and velocities to start from, one per `v` line, in the file's units (`--initial-state`).
struct InitialState {
  std::vector<vec3> positions;
  std::vector<vec3> velocities;

  bool operator==(const InitialState&) const = default;
};

/// How the cloth is kept out of what it meets. Numbers of 0 are chosen for the mesh.
struct Contact {
  ContactModel model = ContactModel::filter;
  double stiffness = 1000;       ///< [N/m]
  double barrier_stiffness = 0;  ///< κ [N/m]
  double distance = 0;           ///< d̂ at which forces begin [m]
  double thickness = 0;          ///< ξ [m]
  double friction_speed = 0;     ///< ε below which friction is smoothed [m/s]
  bool with_itself = true;       ///< the cloth meets itself, where the model can

  bool operator==(const Contact&) const = default;
};

struct SteppingSettings {
  double dt = 1.0 / 60;  ///< from one command to the next [s]
  int substeps = 1;      ///< of each dt
  bool adaptive = false;
  double max_strain = 0.1;    ///< largest strain of a stretch spring after an adaptive step
  double energy_limit = 100;  ///< factor of the blow-up test (model.md); infinity: off
  SolverSettings solver;

  double h() const { return dt / substeps; }  ///< of a substep [s]
};

/// Everything that defines a run: what `--scene` loads, Ctrl-S saves, and the command line fills in.
/// A plain value; its ranges are the rows of sim/parameters.h.
struct Scene {
  std::string title;
  std::string description;  ///< the scene's card: three or four sentences
  MeshSource mesh;
  double scale = 1;  ///< multiplies the mesh on load
  bool weld = true;
  bool z_up = false;  ///< the file's z axis points up: turned to y on load, back on export
  PinSelection pins = PinPreset::top_corners;
  Material material;
  Wind wind;
  Floor floor;
  Obstacles obstacles;
  Contact contact;
  std::string integrator = "semi-implicit-euler";
  /// Values of the integrators' own parameters that differ from their defaults, by parameter id.
  std::map<std::string, double, std::less<>> integrator_parameters;
  SteppingSettings stepping;
  std::optional<InitialState> initial_state;
};

}  // namespace clothlab
