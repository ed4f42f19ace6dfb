// SPDX-License-Identifier: MIT
#include "sim/seam.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/disjoint_sets.h"
#include "core/error.h"
#include "core/text.h"
#include "mesh/mesh.h"
#include "sim/scene.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;

std::uint32_t sewn_particle(std::uint32_t vertex, const ClothMesh& mesh) {
  const auto refuse = [](const std::string& what) { throw InputError("A seam: " + what); };
  if (vertex >= mesh.particle_of_vertex.size())
    refuse("there is no vertex " + std::to_string(vertex) + "; the mesh has vertices 0 to " +
           std::to_string(mesh.particle_of_vertex.size() - 1) + ".");
  const std::int32_t particle = mesh.particle_of_vertex[vertex];
  if (particle < 0) refuse("no face uses vertex " + std::to_string(vertex) + ".");
  return static_cast<std::uint32_t>(particle);
}

Seam read_seam(const json& value, const std::string& of) {
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  const std::string allowed =
      "a list of pairs of vertex indices, whole numbers from 0 to " + std::to_string(kMost);
  const JsonMembers seam(value, of, {"pairs", "seconds"});
  Seam read;
  for (const json& each : seam.list("pairs", allowed.c_str())) {
    if (!each.is_array() || each.size() != 2) seam.refuse("pairs", allowed);
    for (const json& vertex : each)
      if (!vertex.is_number_unsigned() || vertex.get<std::uint64_t>() > kMost) seam.refuse("pairs", allowed);
    read.pairs.push_back({each[0].get<std::uint32_t>(), each[1].get<std::uint32_t>()});
  }
  seam.read_if("seconds", read.seconds);
  if (!(read.seconds >= 0 && read.seconds <= kMostSeamSeconds))
    seam.refuse("seconds", "from 0 to " + json_number(kMostSeamSeconds));
  return read;
}

}  // namespace

bool has_seams(const Scene& scene) { return !scene.seams.empty() || scene.seam_seconds > 0; }

std::vector<SewnPair> sewn_pairs(const Scene& scene, const ClothMesh& mesh, std::span<const vec3> start) {
  std::vector<SewnPair> pairs;
  const auto add = [&](std::uint32_t i, std::uint32_t j, double seconds) {
    if (i != j) pairs.push_back({i, j, glm::distance(start[i], start[j]), seconds});
  };
  for (const Seam& seam : scene.seams)
    for (const auto& [a, b] : seam.pairs) add(sewn_particle(a, mesh), sewn_particle(b, mesh), seam.seconds);
  if (scene.seam_seconds == 0) return pairs;
  std::set<Seam::Pair> sewn;
  for (const SewnPair& pair : pairs) sewn.insert({std::min(pair.i, pair.j), std::max(pair.i, pair.j)});
  for (const auto& [a, b] : mesh.source->lines) {
    const std::int32_t i = mesh.particle_of_vertex[a], j = mesh.particle_of_vertex[b];
    if (i < 0 || j < 0) continue;
    const auto low = static_cast<std::uint32_t>(std::min(i, j)),
               high = static_cast<std::uint32_t>(std::max(i, j));
    if (sewn.insert({low, high}).second) add(low, high, scene.seam_seconds);
  }
  return pairs;
}

std::shared_ptr<const std::vector<std::uint32_t>> joined_particles(std::span<const SewnPair> pairs,
                                                                   std::size_t particles) {
  if (pairs.empty()) return nullptr;
  DisjointSets sets(particles);
  for (const SewnPair& pair : pairs) sets.join(pair.i, pair.j);
  std::vector<std::uint32_t> joined(particles);
  for (std::uint32_t i = 0; i < particles; ++i) joined[i] = sets.find(i);
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(joined));
}

SeamGaps seam_gaps(std::span<const SewnPair> pairs, std::span<const vec3> x) {
  SeamGaps gaps{.pairs = pairs.size()};
  for (const SewnPair& pair : pairs) {
    const double gap = glm::distance(x[pair.i], x[pair.j]);
    gaps.open += gap > kOpenSeam ? 1 : 0;
    gaps.largest = std::max(gaps.largest, gap);
    gaps.closed_at = std::max(gaps.closed_at, pair.seconds);
  }
  return gaps;
}

std::string open_seams_text(const SeamGaps& gaps, double t) {
  if (gaps.open == 0) return {};
  std::string text = std::to_string(gaps.open) + " of " + std::to_string(gaps.pairs) +
                     " seam pairs are more than " + format_quantity(kOpenSeam, "m") +
                     " apart, the farthest " + format_quantity(gaps.largest, "m");
  if (t < gaps.closed_at) return text + "; seams close until " + format_quantity(gaps.closed_at, "s") + ".";
  return text +
         ": cloth pulls at their springs, or something is between them. A larger stretch stiffness "
         "leaves smaller gaps.";
}

std::vector<Seam> read_seams(const json& value) {
  if (!value.is_array()) throw InputError("\"seams\" must be a list of objects");
  std::vector<Seam> seams;
  for (const json& seam : value) seams.push_back(read_seam(seam, "seam " + std::to_string(seams.size() + 1)));
  return seams;
}

std::string write_seams(const std::vector<Seam>& seams) {
  std::string text;
  for (const Seam& seam : seams) {
    std::string pairs;
    for (const auto& [a, b] : seam.pairs)
      pairs += (pairs.empty() ? "[" : ", [") + std::to_string(a) + ", " + std::to_string(b) + "]";
    text += (text.empty() ? "{\"pairs\": [" : ", {\"pairs\": [") + pairs +
            "], \"seconds\": " + json_number(seam.seconds) + "}";
  }
  return text.empty() ? text : "[" + text + "]";
}

}  // namespace clothlab
