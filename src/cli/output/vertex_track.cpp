// SPDX-License-Identifier: MIT
#include "cli/output/vertex_track.h"

#include <algorithm>
#include <limits>

#include "cli/options.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "io/csv.h"

namespace clothlab {

void VertexTrack::add_to(CLI::App& app, const char* group, OutputFiles& outputs) {
  add_text(app, group, "--track", text_, "I,J,...", "0-based vertex indices for --track-csv.");
  outputs.add_option(app, group, "--track-csv", ".csv", file_, "FILE.csv",
                     "Position and velocity of the vertices of --track, one row per step and vertex.");
}

void VertexTrack::check() {
  if (text_.has_value() != file_.has_value())
    throw InputError("--track names the vertices of --track-csv: give both.");
  if (!file_) return;
  for (const std::string_view part : split(*text_, ','))
    vertices_.push_back(
        static_cast<std::uint32_t>(parse_whole("track", part, 0, std::numeric_limits<std::uint32_t>::max())));
  std::vector<std::uint32_t> sorted = vertices_;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw InputError("--track names vertex " + std::to_string(*twice) + " twice.");
}

std::string VertexTrack::header(const std::string& before) {
  return before + "step,time,vertex,x,y,z,vx,vy,vz\n";
}

std::string VertexTrack::rows(const Simulation& simulation, const std::string& before) const {
  const std::vector<std::int32_t>& particles = simulation.mesh().particle_of_vertex;
  const InitialState now = simulation.export_state();
  std::string rows;
  for (const std::uint32_t i : vertices_) {
    if (i >= particles.size() || particles[i] < 0)
      throw InputError("--track: no face uses vertex " + std::to_string(i) + "; the mesh has vertices 0 to " +
                       std::to_string(particles.size() - 1) + ".");
    const vec3 &x = now.positions[i], &v = now.velocities[i];
    rows += before + csv_row(simulation.steps(), simulation.state().t, i, x.x, x.y, x.z, v.x, v.y, v.z);
  }
  return rows;
}

}  // namespace clothlab
