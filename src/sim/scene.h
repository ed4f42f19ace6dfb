// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cloth/material.h"
#include "cloth/wind.h"
#include "collide/obstacle.h"
#include "contact/contact_model.h"
#include "contact/surfaces.h"
#include "core/lane_id.h"
#include "core/shared_value.h"
#include "core/vec.h"
#include "integrate/integrator.h"
#include "mesh/pins.h"
#include "sim/added_mesh.h"
#include "sim/driver.h"
#include "sim/seam.h"

namespace clothlab {

struct TableauMethod;

/// R×C particles of mesh/generators.h (`--grid`).
struct GridSource {
  int rows = 0;
  int cols = 0;
  double width = 1;  ///< W, along a row [m]
  double depth = 1;  ///< D, across the rows [m]
  bool operator==(const GridSource&) const = default;
};

/// An OBJ file. A relative path is taken from the folder of the scene file, else the working folder.
struct FileSource {
  std::string path;
  bool operator==(const FileSource&) const = default;
};

/// A generated mesh, by its name (mesh/generators.h).
struct GeneratedSource {
  std::string name;
  bool operator==(const GeneratedSource&) const = default;
};

/// No mesh at all: a usage error for `simulate` and `render`.
struct NoSource {
  bool operator==(const NoSource&) const = default;
};

using MeshSource = std::variant<NoSource, GridSource, FileSource, GeneratedSource>;

/// The presets' names, by PinPreset: on the command line and in scene files.
inline constexpr std::array<std::string_view, 4> kPinPresetNames{"none", "corners", "top-corners",
                                                                 "top-edge"};

/// 0-based `v` indices of the mesh. A separate type: libstdc++ treats a variant with a std::vector as never
/// valueless, so copying it without memory is undefined.
struct VertexList : std::vector<std::uint32_t> {
  VertexList() = default;
  VertexList(std::vector<std::uint32_t> vertices) : vector(std::move(vertices)) {}
};
/// Names of groups of the scene or, where it has none of that name, of the mesh file. A separate type as
/// above.
struct PinnedGroups : std::vector<std::string> {
  PinnedGroups() = default;
  PinnedGroups(std::vector<std::string> names) : vector(std::move(names)) {}
};
using PinSelection = std::variant<PinPreset, VertexList, PinnedGroups>;

/// Positions and velocities to start from, one per `v` line, in the file's units (`--initial-state`).
struct InitialState {
  std::vector<vec3> positions;
  std::vector<vec3> velocities;

  bool operator==(const InitialState&) const = default;
};

/// The cloth of a run; no command changes it.
struct MeshPart {
  MeshSource mesh;
  std::vector<AddedMesh> added_meshes;  ///< joined to it
  double scale = 1;                     ///< multiplies all of them on load
  bool weld = true;
  bool z_up = false;  ///< the file's z axis points up: turned to y on load, back on export
  SharedValue<InitialState> initial_state;  ///< none: the mesh as it is, at rest

  bool operator==(const MeshPart&) const = default;
};

/// Values that all lanes share, without the cloth.
struct World {
  PinSelection pins = PinPreset::top_corners;
  Material material;
  Wind wind;
  Floor floor;
  Obstacles obstacles;
  std::vector<ParticleGroup> groups;
  std::vector<Driver> drivers;
  std::vector<Seam> seams;
  double seam_seconds = 0;    ///< in which line elements of the mesh close [s]; 0: they are not sewn
  double thickness = 0;       ///< ξ of contact [m]; 0: chosen for the model
  bool self_contact = true;   ///< the cloth collides with itself if the contact model supports it
  double dt = 1.0 / 60;       ///< from one command to the next [s]
  double energy_limit = 100;  ///< factor of the blow-up test (model.md); infinity: off

  bool operator==(const World&) const = default;
};

/// Values of one lane.
struct Method {
  std::string integrator = "semi-implicit-euler";
  /// Of the integrators runge-kutta or two-step; null, or a tableau of the other kind, means the integrator's
  /// own table. Equal tableaux have one address, which stays valid (integrate/tableau.h).
  const TableauMethod* tableau = nullptr;
  /// Values of the integrators' own parameters that differ from their defaults, by parameter id.
  std::map<std::string, double, std::less<>> integrator_parameters;
  Contact contact;
  int substeps = 1;  ///< of each dt
  bool adaptive = false;
  double max_strain = 0.1;  ///< largest strain of a stretch spring after an adaptive step
  SolverSettings solver;

  bool operator==(const Method&) const = default;
};

/// A lane of a scene file: its letter and its method.
struct LaneMethod {
  LaneId lane = 0;
  Method method;

  bool operator==(const LaneMethod&) const = default;
};

/// Everything that defines a run: `--scene` loads it, Ctrl-S saves it, the command line fills it in.
/// A plain value; its ranges are the rows of sim/parameters.h.
struct Scene : MeshPart, World, Method {
  std::string title;
  std::string description;  ///< the scene's card: three or four sentences

  double h() const { return dt / substeps; }  ///< of a substep [s]
  const World& world() const { return *this; }
  const Method& method() const { return *this; }

  bool operator==(const Scene&) const = default;
};

/// The scene with another method.
inline Scene with_method(Scene scene, const Method& method) {
  static_cast<Method&>(scene) = method;
  return scene;
}

}  // namespace clothlab
