// SPDX-License-Identifier: MIT
#include "mesh/generators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {

namespace {

using Indices = std::vector<std::uint32_t>;

constexpr double kPi = std::numbers::pi;

/// To a micrometre: the files then have short numbers, independent of the last bit of sin and cos.
double rounded(double value) { return std::round(value * 1e6) / 1e6 + 0.0; }

/// Adds a vertex. Returns its index.
int add_vertex(ObjMesh& mesh, const vec3& at) {
  mesh.vertices.emplace_back(rounded(at.x), rounded(at.y), rounded(at.z));
  return static_cast<int>(mesh.vertices.size()) - 1;
}

void add_face(ObjMesh& mesh, const std::vector<ObjMesh::Corner>& corners) { mesh.add_face(corners); }

/// Quads between rows × cols corners.
template <class Corner>
void add_quads(ObjMesh& mesh, int rows, int cols, const Corner& corner) {
  for (int r = 0; r + 1 < rows; ++r)
    for (int c = 0; c + 1 < cols; ++c)
      add_face(mesh, {corner(r, c), corner(r + 1, c), corner(r + 1, c + 1), corner(r, c + 1)});
}

/// rows × cols vertices at position(u, v), in quads, with texture coordinates (u, 1 − v): u from 0 to 1 along
/// a row, v from 0 in the first row to 1 in the last one. With `around`, the last column is joined to the
/// first, and only the texture has a seam there.
template <class Position>
void add_sheet(ObjMesh& mesh, int rows, int cols, const Position& position, bool around = false) {
  const int texture_cols = around ? cols + 1 : cols;
  const int first = static_cast<int>(mesh.vertices.size());
  const int first_texture = static_cast<int>(mesh.texture_coordinates.size());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < texture_cols; ++c) {
      const double u = static_cast<double>(c) / (texture_cols - 1), v = static_cast<double>(r) / (rows - 1);
      if (c < cols) add_vertex(mesh, position(u, v));
      mesh.texture_coordinates.push_back({{rounded(u), rounded(1 - v), 0}, 2});
    }
  add_quads(mesh, rows, texture_cols, [&](int r, int c) {
    return ObjMesh::Corner{first + r * cols + c % cols, first_texture + r * texture_cols + c};
  });
}

Indices range(std::uint32_t first, std::uint32_t count, std::uint32_t stride = 1) {
  Indices indices;
  for (std::uint32_t i = 0; i < count; ++i) indices.push_back(first + i * stride);
  return indices;
}

/// The point at height y [m] of a circle of this radius [m] around the y axis, at this angle from x.
vec3 on_circle(double radius, double angle, double y) {
  return {radius * std::cos(angle), y, -radius * std::sin(angle)};
}

// A pleated curtain, 1.2 m wide and 1.2 m long, on rings at the crests of its pleats.
constexpr int kCurtainPleats = 6, kCurtainPerPleat = 8;

void make_curtain(ObjMesh& mesh) {
  add_sheet(mesh, 31, kCurtainPleats * kCurtainPerPleat + 1, [](double u, double v) {
    return vec3(1.2 * u, 1.2 - 1.2 * v, 0.04 * std::cos(2 * kCurtainPleats * kPi * u));
  });
}

// A round sheet of radius 0.5 m: ring i has 6i vertices, so that all triangles are about the same size.
constexpr int kRings = 14;

/// The first vertex of ring i, and the number of vertices inside it.
int ring_start(int i) { return i == 0 ? 0 : 1 + 3 * i * (i - 1); }

void make_round_sheet(ObjMesh& mesh) {
  add_vertex(mesh, {0, 0, 0});
  for (int i = 1; i <= kRings; ++i)
    for (int k = 0; k < 6 * i; ++k) add_vertex(mesh, on_circle(0.5 * i / kRings, 2 * kPi * k / (6 * i), 0));
  // Each sixth of the strip between two rings has one triangle more on the outer side.
  for (int i = 1; i <= kRings; ++i)
    for (int sixth = 0; sixth < 6; ++sixth)
      for (int k = 0; k < i; ++k) {
        const auto outer = [&](int j) { return ring_start(i) + (sixth * i + j) % (6 * i); };
        const auto inner = [&](int j) {
          return i == 1 ? 0 : ring_start(i - 1) + (sixth * (i - 1) + j) % (6 * (i - 1));
        };
        add_face(mesh, {{inner(k)}, {outer(k)}, {outer(k + 1)}});
        if (k + 1 < i) add_face(mesh, {{inner(k)}, {outer(k + 1)}, {inner(k + 1)}});
      }
}

// An open tube, 0.8 m long, 0.2 m in radius, its axis upright.
constexpr int kTubeCols = 32;

void make_tube(ObjMesh& mesh) {
  add_sheet(
      mesh, 21, kTubeCols, [](double u, double v) { return on_circle(0.2, 2 * kPi * u, 0.8 - 0.8 * v); },
      true);
}

// A chain: a ribbon of 40 links, 1 m long and 25 mm wide, pinned at one end and level at the start.
constexpr int kChainLinks = 40;

void make_chain(ObjMesh& mesh) {
  add_sheet(mesh, 2, kChainLinks + 1, [](double u, double v) { return vec3(u, 0, -0.0125 + 0.025 * v); });
}

// One spring of 1 m, from a pivot to a bob out to the side. An OBJ mesh has no springs without faces, so
// its face is a triangle with a repeated corner: one edge, no area.
void make_pendulum(ObjMesh& mesh) {
  const int pivot = add_vertex(mesh, {0, 0, 0}), bob = add_vertex(mesh, {0.6, -0.8, 0});
  add_face(mesh, {{pivot}, {bob}, {bob}});
}

// A flag, 1.5 m × 1 m, upright, pinned to its pole at ten points.
constexpr int kFlagCols = 42;

void make_flag(ObjMesh& mesh) {
  add_sheet(mesh, 28, kFlagCols, [](double u, double v) { return vec3(1.5 * u, 1 - v, 0); });
}

// A handkerchief of 0.4 m, a corner down and aslant, so that it lands on that corner and folds over.
void make_handkerchief(ObjMesh& mesh) {
  add_sheet(mesh, 25, 25, [](double u, double v) {
    const double slant = kPi / 5, half_diagonal = 0.4 / std::sqrt(2.0), up = (2 - u - v) * half_diagonal;
    return vec3((u - v) * half_diagonal, up * std::cos(slant), up * std::sin(slant));
  });
}

// A plain sheet of 1 m, upright, with texture coordinates.
constexpr int kSheetRows = 33;

void make_sheet(ObjMesh& mesh) {
  add_sheet(mesh, kSheetRows, kSheetRows, [](double u, double v) { return vec3(u, 1 - v, 0); });
}

// A flared skirt, 0.55 m long: the waist of 0.7 m is a circle, the hem of 2 m falls in eight folds.
constexpr int kSkirtCols = 64;

void make_skirt(ObjMesh& mesh) {
  const auto position = [](double u, double v) {
    const double angle = 2 * kPi * u;
    return on_circle(0.7 / (2 * kPi) + 0.2 * v + 0.04 * v * std::cos(8 * angle), angle, 1 - 0.55 * v);
  };
  add_sheet(mesh, 24, kSkirtCols, position, true);
}

// A tablecloth of 1.4 m, flat at the height of the table; the part on its round top of 0.9 m is pinned.
constexpr int kTableclothRows = 33;

vec3 tablecloth_position(double u, double v) { return {1.4 * u - 0.7, 0.75, 1.4 * v - 0.7}; }

void make_tablecloth(ObjMesh& mesh) {
  add_sheet(mesh, kTableclothRows, kTableclothRows, tablecloth_position);
}

Indices tablecloth_pins() {
  constexpr double kLast = kTableclothRows - 1;
  Indices on_the_table;
  for (int i = 0; i < kTableclothRows * kTableclothRows; ++i) {
    const vec3 at = tablecloth_position(i % kTableclothRows / kLast, i / kTableclothRows / kLast);
    if (std::hypot(at.x, at.z) <= 0.45) on_the_table.push_back(static_cast<std::uint32_t>(i));
  }
  return on_the_table;
}

// A poncho: a square of 1.2 m that slopes from a round neck of 0.6 m, one corner to the front.
constexpr int kPonchoCols = 72;

void make_poncho(ObjMesh& mesh) {
  const auto position = [](double u, double v) {
    const double angle = 2 * kPi * u;
    // From the circle to the square whose corners point along x and z.
    const double neck = 0.6 / (2 * kPi), side = 1.2 / std::sqrt(2.0);
    const double radius = neck + v * (side / (std::abs(std::cos(angle)) + std::abs(std::sin(angle))) - neck);
    return on_circle(radius, angle, 1.4 - 0.5 * (radius - neck));
  };
  add_sheet(mesh, 20, kPonchoCols, position, true);
}

// Two sheets that are joined along a texture seam, where an exporter has written every vertex twice.
constexpr int kSeamRows = 7, kSeamCols = 5;

void make_seam(ObjMesh& mesh) {
  for (const double start : {0.0, 0.3})
    add_sheet(mesh, kSeamRows, kSeamCols,
              [start](double u, double v) { return vec3(start + 0.3 * u, 0.6 - 0.6 * v, 0); });
}

// A book: three pages that share their spine, whose edges therefore have three quads.
constexpr int kBookRows = 7, kBookCols = 5, kBookPages = 3;

void make_nonmanifold(ObjMesh& mesh) {
  for (int r = 0; r < kBookRows; ++r) add_vertex(mesh, {0, 0.6 - 0.6 * r / (kBookRows - 1), 0});
  for (int page = 0; page < kBookPages; ++page) {
    const int first = kBookRows + page * kBookRows * kBookCols;
    for (int r = 0; r < kBookRows; ++r)
      for (int c = 1; c <= kBookCols; ++c)
        add_vertex(mesh, on_circle(0.4 * c / kBookCols, 2 * kPi * page / kBookPages,
                                   0.6 - 0.6 * r / (kBookRows - 1)));
    add_quads(mesh, kBookRows, kBookCols + 1,
              [&](int r, int c) { return ObjMesh::Corner{c == 0 ? r : first + r * kBookCols + c - 1}; });
  }
}

// Three sheets of different shape that no face joins.
void make_parts(ObjMesh& mesh) {
  for (int part = 0; part < 3; ++part)
    add_sheet(mesh, 6 - part, 4 + part, [part](double u, double v) {
      return vec3(0.6 * part + 0.1 * (3 + part) * u, 0.5 - 0.1 * (5 - part) * v, 0.1 * part);
    });
}

// A Möbius strip: one side, one rim.
constexpr int kMoebiusRows = 5, kMoebiusCols = 40;

void make_moebius(ObjMesh& mesh) {
  for (int c = 0; c < kMoebiusCols; ++c)
    for (int r = 0; r < kMoebiusRows; ++r) {
      const double angle = 2 * kPi * c / kMoebiusCols,
                   across = 0.2 * (static_cast<double>(r) / (kMoebiusRows - 1) - 0.5);
      const double radius = 0.4 + across * std::cos(angle / 2);
      add_vertex(mesh, {radius * std::cos(angle), radius * std::sin(angle), across * std::sin(angle / 2)});
    }
  // After one turn the rows are in the opposite order.
  const auto corner = [](int r, int c) {
    return c < kMoebiusCols ? ObjMesh::Corner{c * kMoebiusRows + r} : ObjMesh::Corner{kMoebiusRows - 1 - r};
  };
  for (int c = 0; c < kMoebiusCols; ++c)
    for (int r = 0; r + 1 < kMoebiusRows; ++r)
      add_face(mesh, {corner(r, c), corner(r + 1, c), corner(r + 1, c + 1), corner(r, c + 1)});
}

// Polygons with many corners, concave ones among them, and vertices that no face uses.
void make_polygons(ObjMesh& mesh) {
  for (const vec3& at : {vec3(5, 5, 5),  // 0, unused
                         vec3(0, 0, 0), vec3(0.6, 0, 0), vec3(0.6, 0.2, 0), vec3(0.2, 0.2, 0),
                         vec3(0.2, 0.6, 0), vec3(0, 0.6, 0),  // 1 to 6, an L
                         vec3(-5, -5, -5),                    // 7, unused
                         vec3(0.6, 0.6, 0),                   // 8, closes the square
                         vec3(0.4, 0.2, 0)})                  // 9, in the middle of an edge of the L
    add_vertex(mesh, at);
  add_face(mesh, {{1}, {2}, {3}, {9}, {4}, {5}, {6}});
  add_face(mesh, {{3}, {8}, {5}, {4}, {9}});
}

// A ball of radius 0.25 m: every face of an icosahedron is cut into rows of triangles.
constexpr int kBallRows = 8;

void make_ball(ObjMesh& mesh) {
  const double t = (1 + std::sqrt(5.0)) / 2;
  const vec3 corners[] = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                          {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
  constexpr std::array<std::array<int, 3>, 20> kFaces{
      {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
       {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
       {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
  std::map<std::array<double, 3>, int> known;  // corners and edges belong to several faces
  const auto vertex = [&](const std::array<int, 3>& face, const std::array<int, 3>& weights) {
    vec3 p(0);
    for (std::size_t k = 0; k < 3; ++k)
      p += static_cast<double>(weights[k]) * corners[static_cast<std::size_t>(face[k])];
    p *= 0.25 / std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    const auto [entry, is_new] = known.emplace(std::array{rounded(p.x), rounded(p.y), rounded(p.z)}, 0);
    if (is_new) entry->second = add_vertex(mesh, p);
    return ObjMesh::Corner{entry->second};
  };
  for (const std::array<int, 3>& face : kFaces)
    for (int i = 0; i < kBallRows; ++i)
      for (int j = 0; j + i < kBallRows; ++j) {
        const auto at = [&](int a, int b) { return vertex(face, {kBallRows - a - b, a, b}); };
        add_face(mesh, {at(i, j), at(i + 1, j), at(i, j + 1)});
        if (i + j + 1 < kBallRows) add_face(mesh, {at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
      }
}

/// Two equal pieces of cloth on a lattice of rows × cols points, one above the other along z and sewn
/// together at their seams. `has(r, c)`: the square exists; `open(r, c)`: a point at the edge is not sewn.
/// Points at least `roundness` from the seams are 2 `depth` apart.
struct Pattern {
  int rows, cols;
  double spacing;
  bool (*has)(int r, int c);
  bool (*open)(int r, int c);
  double depth, roundness;
};

/// position(x, y, z) of x = c · spacing, y = −r · spacing.
template <class Position>
void sew(ObjMesh& mesh, const Pattern& pattern, const Position& position) {
  const auto square = [&](int r, int c) {
    return r >= 0 && c >= 0 && r + 1 < pattern.rows && c + 1 < pattern.cols && pattern.has(r, c);
  };
  const auto squares_at = [&](int r, int c) {
    return int{square(r, c)} + int{square(r - 1, c)} + int{square(r, c - 1)} + int{square(r - 1, c - 1)};
  };
  const auto is_seam = [&](int r, int c) { return squares_at(r, c) % 4 != 0 && !pattern.open(r, c); };
  const auto from_seam = [&](int r, int c) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < pattern.rows; ++i)
      for (int j = 0; j < pattern.cols; ++j)
        if (is_seam(i, j)) least = std::min(least, std::hypot(r - i, c - j) * pattern.spacing);
    return least;
  };
  std::map<std::tuple<int, int, int>, int> vertices;  // of a side, a row and a column
  for (const int side : {1, -1})
    for (int r = 0; r < pattern.rows; ++r)
      for (int c = 0; c < pattern.cols; ++c) {
        if (squares_at(r, c) == 0) continue;
        const bool sewn = is_seam(r, c);
        if (side < 0 && sewn) {
          vertices[{side, r, c}] = vertices[{1, r, c}];
          continue;
        }
        const double out = sewn ? 0 : std::min(1.0, from_seam(r, c) / pattern.roundness);
        vertices[{side, r, c}] =
            add_vertex(mesh, position(c * pattern.spacing, -r * pattern.spacing,
                                      side * pattern.depth * std::sqrt(out * (2 - out))));
      }
  for (const int side : {1, -1})
    for (int r = 0; r < pattern.rows; ++r)
      for (int c = 0; c < pattern.cols; ++c) {
        if (!square(r, c)) continue;
        const auto at = [&](int i, int j) { return ObjMesh::Corner{vertices.at({side, i, j})}; };
        // Around the square, from an end of its diagonal, which must not join both sides at their seams.
        std::array<ObjMesh::Corner, 4> round{at(r, c), at(r + 1, c), at(r + 1, c + 1), at(r, c + 1)};
        if (is_seam(r, c) && is_seam(r + 1, c + 1))
          std::rotate(round.begin(), round.begin() + 1, round.end());
        if (side < 0) std::swap(round[1], round[3]);
        add_face(mesh, {round[0], round[1], round[2]});
        add_face(mesh, {round[0], round[2], round[3]});
      }
}

// A cushion of 0.5 m, level and nearly flat.
constexpr int kCushionRows = 21;

void make_cushion(ObjMesh& mesh) {
  const auto always = [](int, int) { return true; };
  const auto never = [](int, int) { return false; };
  const double spacing = 0.5 / (kCushionRows - 1);
  sew(mesh, {kCushionRows, kCushionRows, spacing, always, never, 0.02, 0.1},
      [](double x, double y, double z) { return vec3(x - 0.25, z, -y - 0.25); });
}

// A shirt of 0.5 m × 0.63 m with sleeves of 0.18 m, upright, its hem at y = 0.83 m. Hem, sleeves and neck are
// open.
constexpr int kShirtRows = 22, kShirtCols = 30, kSleeve = 6;  // squares of 3 cm; one lattice point more

void make_shirt(ObjMesh& mesh) {
  const auto has = [](int r, int c) { return r < 7 || (c >= kSleeve && c < kShirtCols - 1 - kSleeve); };
  const auto open = [](int r, int c) {
    const bool neck = r == 0 && std::abs(2 * c - (kShirtCols - 1)) <= 7;
    const bool sleeve = (c == 0 || c == kShirtCols - 1) && r > 0 && r < 7;
    const bool hem = r == kShirtRows - 1 && c > kSleeve && c < kShirtCols - 1 - kSleeve;
    return neck || sleeve || hem;
  };
  sew(mesh, {kShirtRows, kShirtCols, 0.03, has, open, 0.15, 0.15}, [](double x, double y, double z) {
    return vec3(x - 0.015 * (kShirtCols - 1), y + 0.83 + 0.03 * (kShirtRows - 1), z);
  });
}

// The front and the back of a dress without sleeves, flat, leaning towards each other like a tent over the
// dummy. Line elements are its seams: sides up to the armholes, and shoulders. 0.86 m from hem to shoulder.
constexpr int kDressRows = 39, kDressCols = 25,
              kArmhole = 28;  // rows from the hem, of which that many are sewn

/// Half the width [m] at a height above the hem.
double dress_half_width(double height) {
  constexpr std::array<std::array<double, 2>, 4> kWidths{
      {{0, 0.36}, {0.5, 0.235}, {0.66, 0.235}, {0.92, 0.15}}};
  std::size_t k = 1;
  while (height > kWidths[k][0] && k + 1 < kWidths.size()) ++k;
  const auto [low, from] = kWidths[k - 1];
  const auto [high, to] = kWidths[k];
  const double s = (height - low) / (high - low);
  return from + s * s * (3 - 2 * s) * (to - from);
}

void make_dress(ObjMesh& mesh) {
  constexpr double kTop = 0.91, kNeck = 0.5, kHem = 0.58, kTopZ = 0.065, kSlope = 0.33;
  const double along = 1 / std::hypot(1, kSlope);  // of the panels, in height
  for (const int side : {1, -1}) {
    // Rows from the hem; the back is mirrored, so that both face outwards.
    const auto position = [&](double u, double v) {
      const double across = side * (2 * u - 1), a = std::abs(across);
      const double top =
          a > kNeck ? kTop - 0.05 * (a - kNeck) / (1 - kNeck) : kTop - 0.11 * (1 - a * a / (kNeck * kNeck));
      const double height = v * top, below = (kTop - height) * along;
      return vec3(across * dress_half_width(height), kHem + kTop * along - below,
                  side * (kTopZ + kSlope * below));
    };
    add_sheet(mesh, kDressRows, kDressCols, [&](double u, double v) { return position(1 - u, v); });
  }
  const auto sew = [&](int r, int c) {
    const auto front = static_cast<std::uint32_t>(r * kDressCols + c);
    const auto back = static_cast<std::uint32_t>((kDressRows + r) * kDressCols + kDressCols - 1 - c);
    mesh.lines.push_back({front, back});
  };
  for (int r = 0; r < kArmhole; ++r)
    for (const int c : {0, kDressCols - 1}) sew(r, c);
  for (int c = 0; c < kDressCols; ++c)
    if (std::abs(2 * c - (kDressCols - 1)) >= kNeck * (kDressCols - 1)) sew(kDressRows - 1, c);
}

// Eight handkerchiefs of 0.3 m, level, 2 cm apart; each is turned by 25° against the one below it.
void make_handkerchiefs(ObjMesh& mesh) {
  for (int part = 0; part < 8; ++part) {
    const double turn = part * 25 * kPi / 180;
    add_sheet(mesh, 11, 11, [=](double u, double v) {
      const double x = 0.3 * u - 0.15, z = 0.3 * v - 0.15;
      return vec3(x * std::cos(turn) + z * std::sin(turn), 0.02 * part,
                  z * std::cos(turn) - x * std::sin(turn));
    });
  }
}

// Meshes of obstacles: all are closed and stand on the plane y = 0.

struct ProfilePoint {
  double radius, height;
};

// The surface that a profile describes as it turns about an upright axis through (x, z), with this many
// sides. The profile goes up on the outside; one that does not end on the axis is closed. Along z it is
// flattened by that factor.
void revolve(ObjMesh& mesh, const std::vector<ProfilePoint>& profile, int sides, double x = 0, double z = 0,
             double flat = 1) {
  std::vector<int> first;
  for (const auto& [radius, height] : profile)
    for (int k = 0; k < (radius > 0 ? sides : 1); ++k) {
      const double angle = 2 * kPi * k / sides;
      const int vertex =
          add_vertex(mesh, {x + radius * std::cos(angle), height, z - flat * radius * std::sin(angle)});
      if (k == 0) first.push_back(vertex);
    }
  const auto at = [&](std::size_t ring, int k) {
    return ObjMesh::Corner{first[ring] + (profile[ring].radius > 0 ? k % sides : 0)};
  };
  const bool closed = profile.back().radius > 0;
  for (std::size_t ring = 0; ring + (closed ? 0 : 1) < profile.size(); ++ring) {
    const std::size_t above = (ring + 1) % profile.size();
    for (int k = 0; k < sides; ++k) {
      std::vector<ObjMesh::Corner> corners{at(ring, k)};
      if (profile[ring].radius > 0) corners.push_back(at(ring, k + 1));
      corners.push_back(at(above, k + 1));
      if (profile[above].radius > 0) corners.push_back(at(above, k));
      add_face(mesh, corners);
    }
  }
}

// 0.72 m high, its top 0.7 m across.
void make_round_table(ObjMesh& mesh) {
  revolve(mesh,
          {{0, 0},
           {0.2, 0},
           {0.2, 0.02},
           {0.03, 0.06},
           {0.03, 0.69},
           {0.34, 0.69},
           {0.35, 0.7},
           {0.35, 0.71},
           {0.34, 0.72},
           {0, 0.72}},
          48);
}

// 0.61 m high: a cone 0.8 m across on a spout of 0.2 m.
void make_funnel(ObjMesh& mesh) {
  revolve(mesh, {{0.1, 0}, {0.12, 0}, {0.14, 0.3}, {0.42, 0.6}, {0.4, 0.61}, {0.12, 0.31}}, 48);
}

// 5 × 5 cones of 0.25 m, 0.2 m apart.
void make_needles(ObjMesh& mesh) {
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) revolve(mesh, {{0, 0}, {0.03, 0}, {0, 0.25}}, 8, 0.2 * i, 0.2 * j);
}

// A tailor's dummy on its stand, 1.45 m high: hips, waist, chest, shoulders and neck, and no arms.
void make_dummy(ObjMesh& mesh) {
  revolve(mesh, {{0, 0},        {0.2, 0},      {0.2, 0.02},   {0.03, 0.05},  {0.03, 0.7},
                 {0.12, 0.72},  {0.165, 0.78}, {0.17, 0.85},  {0.155, 0.94}, {0.13, 1.03},
                 {0.145, 1.12}, {0.165, 1.2},  {0.175, 1.27}, {0.17, 1.32},  {0.14, 1.35},
                 {0.085, 1.37}, {0.06, 1.39},  {0.055, 1.44}, {0.03, 1.45},  {0, 1.45}},
          36, 0, 0, 0.62);
}

constexpr std::array<GeneratedMesh, 21> kMeshes{{
    {"curtain", make_curtain, [] { return range(0, kCurtainPleats + 1, kCurtainPerPleat); }},
    {"round_sheet", make_round_sheet,
     [] {
       return range(static_cast<std::uint32_t>(ring_start(kRings)), static_cast<std::uint32_t>(6 * kRings));
     }},
    {"tube", make_tube, [] { return range(0, kTubeCols); }},
    {"chain", make_chain, [] { return range(0, 2, kChainLinks + 1); }},
    {"pendulum", make_pendulum, [] { return Indices{0}; }},
    {"flag", make_flag, [] { return range(0, 10, 3 * kFlagCols); }},
    {"handkerchief", make_handkerchief, [] { return Indices{0}; }},
    {"sheet", make_sheet, [] { return range(0, 2, kSheetRows - 1); }},
    {"skirt", make_skirt, [] { return range(0, kSkirtCols); }},
    {"tablecloth", make_tablecloth, tablecloth_pins},
    {"poncho", make_poncho, [] { return range(0, kPonchoCols); }},
    {"ball", make_ball, [] { return Indices{0}; }},
    {"cushion", make_cushion, [] { return Indices{0}; }},
    {"shirt", make_shirt, [] { return range(0, 2, kShirtCols - 1); }},
    {"dress", make_dress, [] { return range((kDressRows - 1) * kDressCols, 2, kDressCols - 1); }},
    {"handkerchiefs", make_handkerchiefs, [] { return Indices{0}; }},
    {"seam", make_seam, [] { return range(0, 2, kSeamRows * kSeamCols + kSeamCols - 1); }},
    {"nonmanifold", make_nonmanifold, [] { return Indices{0}; }},
    {"parts", make_parts, [] { return Indices{0, 3, 24, 28, 49, 54}; }},
    {"moebius", make_moebius, [] { return range(kMoebiusRows * kMoebiusCols / 4, kMoebiusRows); }},
    {"polygons", make_polygons, [] { return range(6, 2, 2); }},
}};

constexpr std::array<GeneratedMesh, 4> kBodies{{{"round_table", make_round_table},
                                                {"funnel", make_funnel},
                                                {"needles", make_needles},
                                                {"dummy", make_dummy}}};

}  // namespace

ObjMesh GeneratedMesh::make() const {
  ObjMesh mesh;
  mesh.name = name;
  build(mesh);
  return mesh;
}

std::span<const GeneratedMesh> generated_meshes() { return kMeshes; }
std::span<const GeneratedMesh> generated_bodies() { return kBodies; }

const GeneratedMesh& find_generated_mesh(std::string_view name) {
  std::string names;
  for (const GeneratedMesh& mesh : kMeshes) {
    if (mesh.name == name) return mesh;
    names.append(names.empty() ? "" : ", ").append(mesh.name);
  }
  throw InputError("there is no generated mesh '" + printable(name) + "'; there are " + names);
}

namespace {

void check(const std::string& name, int rows, int cols, double width, double depth) {
  if (rows < 2 || cols < 2) throw InputError(name + " is too small: it needs at least 2 rows and 2 columns");
  for (const double size : {width, depth})
    if (!(size > 0) || !std::isfinite(size)) throw InputError(name + ": its size must be positive numbers");
  // With n = R·C particles: 3n − 2R − 2C + 1 edges, and one bending spring for each that is not on the rim.
  const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(cols);
  if (r > kMaxParticles / c)
    throw InputError(name + " is too large: " + std::to_string(kMaxParticles) + " particles are allowed");
  const std::size_t edges = 3 * r * c - 2 * (r + c) + 1, rim = 2 * (r - 1) + 2 * (c - 1);
  if (edges + (edges - rim) > kMaxSprings)
    throw InputError(name + " is too large: " + std::to_string(kMaxSprings) + " springs are allowed");
}

}  // namespace

ObjMesh make_grid_obj(int rows, int cols, double width, double depth) {
  ObjMesh mesh;
  mesh.name = "grid " + std::to_string(rows) + "x" + std::to_string(cols);
  check(mesh.name, rows, cols, width, depth);
  mesh.grid = GridShape{rows, cols};
  const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  mesh.vertices.reserve(n);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      mesh.vertices.emplace_back(width * (static_cast<double>(c) / (cols - 1)), 0.0,
                                 depth * (static_cast<double>(r) / (rows - 1)));
  mesh.corners.reserve(6 * n);
  mesh.face_offsets.reserve(2 * n);
  for (int r = 0; r + 1 < rows; ++r)
    for (int c = 0; c + 1 < cols; ++c) {
      const int a = r * cols + c, b = a + 1, d = a + cols, e = d + 1;
      mesh.add_face(std::array<ObjMesh::Corner, 3>{{{a}, {d}, {b}}});
      mesh.add_face(std::array<ObjMesh::Corner, 3>{{{b}, {d}, {e}}});
    }
  return mesh;
}

}  // namespace clothlab
