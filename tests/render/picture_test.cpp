// SPDX-License-Identifier: MIT
// Pixels of pictures drawn without a display. Skipped with a message where EGL gives no context.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <glm/geometric.hpp>
#include <limits>
#include <memory>

#include "core/error.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "render/canvas.h"
#include "render/gl.h"
#include "render/renderer.h"
#include "render/scales.h"

namespace clothlab {
namespace {

constexpr int kWidth = 320;
constexpr int kHeight = 200;

using Colour = std::array<int, 3>;

Colour pixel(const Image& image, int x, int y) {
  const auto at =
      4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x));
  return {image.rgba[at], image.rgba[at + 1], image.rgba[at + 2]};
}

int count(const Image& image, const std::function<bool(const Colour&)>& is_so) {
  int n = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) n += is_so(pixel(image, x, y));
  return n;
}

// Far apart in hue, so that no shading makes one look like another; background and ground are grey.
bool is_front(const Colour& c) { return c[2] > c[0] + 50 && c[2] > 70; }
bool is_back(const Colour& c) { return c[0] > c[2] + 30 && c[0] > c[1] + 8; }
bool is_grab(const Colour& c) { return c[0] > 150 && c[1] > 120 && c[2] < c[1] - 60; }
bool is_grey(const Colour& c) { return std::abs(c[0] - c[2]) < 35 && std::abs(c[0] - c[1]) < 35; }
bool is_white(const Colour& c) { return c[0] > 190 && is_grey(c); }

std::shared_ptr<const ClothMesh> sheet(int n) {
  return std::make_shared<const ClothMesh>(build_cloth_mesh(make_grid_obj(n, n)));
}

std::shared_ptr<const ClothMesh> generated(const char* name) {
  return std::make_shared<const ClothMesh>(build_cloth_mesh(find_generated_mesh(name).make()));
}

Frame at_rest(std::shared_ptr<const ClothMesh> mesh) {
  Frame frame;
  frame.positions = mesh->positions;
  frame.pinned.assign(mesh->positions.size(), 0);
  frame.mesh = std::move(mesh);
  return frame;
}

#ifdef GL_KHR_debug
#ifdef GLAD_API_PTR
#define CLOTHLAB_GL_CALL GLAD_API_PTR  // glad 2
#else
#define CLOTHLAB_GL_CALL APIENTRY
#endif
void CLOTHLAB_GL_CALL print_message(GLenum, GLenum type, GLuint, GLenum severity, GLsizei,
                                    const GLchar* message, const void*) {
  if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || type == GL_DEBUG_TYPE_PERFORMANCE) return;
  std::fprintf(stderr, "OpenGL: %s\n", message);
}
#endif

// Prints OpenGL's messages for the current context on stderr, where it has KHR_debug.
void report_gl_errors() {
#ifdef GL_KHR_debug
  if (!GLAD_GL_KHR_debug || !glDebugMessageCallback) return;
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(print_message, nullptr);
#endif
}

class Picture : public testing::Test {
 protected:
  void SetUp() override {
    try {
      offscreen_ = std::make_unique<Offscreen>(kWidth, kHeight, 0);
    } catch (const SystemError& error) {
      std::fprintf(stderr, "PICTURES ARE NOT TESTED: %s\n", error.what());
      GTEST_SKIP() << error.what();
    }
    report_gl_errors();
    renderer_ = std::make_unique<Renderer>();
    ASSERT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  }

  void TearDown() override {
    if (!offscreen_) return;
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    renderer_.reset();
    offscreen_.reset();
  }

  Image draw(const Frame& frame, const ViewOptions& options = {}) {
    offscreen_->bind();
    renderer_->draw(frame, camera_, options, {0, 0, kWidth, kHeight});
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    return offscreen_->read();
  }

  /// From above (below, if negative) on a sheet in the plane y = 0, which fills the middle of the view.
  void look_at_sheet(double pitch) {
    camera_.yaw = 0.3;
    camera_.pitch = pitch;
    camera_.frame({{0, 0, 0}, {1, 0, 1}}, {kWidth, kHeight});
  }

  std::unique_ptr<Offscreen> offscreen_;
  std::unique_ptr<Renderer> renderer_;
  Camera camera_;
};

TEST_F(Picture, ASheetShowsItsFrontFromAboveAndItsBackFromBelow) {
  const Frame frame = at_rest(sheet(12));
  look_at_sheet(1.2);
  const Image above = draw(frame);
  EXPECT_TRUE(is_front(pixel(above, kWidth / 2, kHeight / 2)));
  EXPECT_GT(count(above, is_front), kWidth * kHeight / 8);
  EXPECT_EQ(count(above, is_back), 0);
  for (const int x : {2, kWidth - 3})
    for (const int y : {2, kHeight - 3}) EXPECT_TRUE(is_grey(pixel(above, x, y)));

  look_at_sheet(-1.2);
  const Image below = draw(frame);
  EXPECT_TRUE(is_back(pixel(below, kWidth / 2, kHeight / 2)));
  EXPECT_GT(count(below, is_back), kWidth * kHeight / 8);
  EXPECT_EQ(count(below, is_front), 0);
}

TEST_F(Picture, TheSilhouetteIsWhereTheCameraProjectsIt) {
  const Frame frame = at_rest(sheet(6));
  look_at_sheet(1.0);
  const Image image = draw(frame, {.pins = false, .grid = false, .shadow = false});
  double left = 1e9;
  double right = -1e9;
  double top = 1e9;
  double bottom = -1e9;
  for (const vec3& p : frame.positions) {
    const Pixels at = camera_.project(p, {kWidth, kHeight})->pixel;
    left = std::min(left, at.x);
    right = std::max(right, at.x);
    top = std::min(top, at.y);
    bottom = std::max(bottom, at.y);
  }
  int shown[4] = {kWidth, -1, kHeight, -1};
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      if (is_front(pixel(image, x, y))) {
        shown[0] = std::min(shown[0], x);
        shown[1] = std::max(shown[1], x + 1);
        shown[2] = std::min(shown[2], y);
        shown[3] = std::max(shown[3], y + 1);
      }
  // The tip of a corner may miss the centre of its pixel and the next one.
  EXPECT_NEAR(shown[0], left, 2);
  EXPECT_NEAR(shown[1], right, 2);
  EXPECT_NEAR(shown[2], top, 2);
  EXPECT_NEAR(shown[3], bottom, 2);
}

TEST_F(Picture, TheHeatMapTakesItsColoursFromTheScale) {
  look_at_sheet(1.2);
  const auto mesh = sheet(8);
  const auto middle_at = [&](double stretch, const ViewOptions& options) {
    Frame frame = at_rest(mesh);
    for (vec3& p : frame.positions) p = vec3(0.5, 0, 0.5) + (1 + stretch) * (p - vec3(0.5, 0, 0.5));
    return pixel(draw(frame, options), kWidth / 2, kHeight / 2);
  };
  // Light changes the brightness, so the ratios of the linear colours are compared, without the sheen.
  const auto expect_like = [](const Colour& shown, const glm::vec3& wanted) {
    glm::vec3 a(0);
    for (int k = 0; k < 3; ++k) a[k] = static_cast<float>(shown[static_cast<std::size_t>(k)]) / 255;
    a *= a;
    const glm::vec3 b = wanted * wanted;
    EXPECT_GT(glm::dot(glm::normalize(a), glm::normalize(b)), 0.985f)
        << shown[0] << ' ' << shown[1] << ' ' << shown[2];
  };
  ViewOptions options{.heat_map = true, .heat_max_strain = 0.2};
  expect_like(middle_at(0, options), heat_colour(0));
  expect_like(middle_at(0.1, options), heat_colour(0.5));
  expect_like(middle_at(-0.1, options), heat_colour(0.5));
  expect_like(middle_at(0.2, options), heat_colour(1));
  expect_like(middle_at(0.5, options), heat_colour(1));
  for (const double odd : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options.heat_max_strain = odd;
    expect_like(middle_at(0.05, options), heat_colour(0.5));
  }
  // Strained, and away from where another run is.
  std::vector<vec3> from = mesh->positions;
  for (vec3& p : from) p.y -= 0.03;
  options = {.heat_map = true, .heat_from = &from, .heat_max_distance = 0.06};
  expect_like(middle_at(0, options), heat_colour(0.5));
  options.heat_max_distance = 0.01;
  expect_like(middle_at(0, options), heat_colour(1));
  from.pop_back();  // of another cloth
  expect_like(middle_at(0, options), heat_colour(0));
}

TEST_F(Picture, TheHandIsALineWithItsEnds) {
  look_at_sheet(0.4);
  Frame frame = at_rest(sheet(8));
  EXPECT_EQ(count(draw(frame), is_grab), 0);
  frame.grab = Frame::Grab{{0.5, 0, 0.5}, {0.7, 0.4, 0.6}};
  const Image image = draw(frame);
  for (const double s : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const vec3 on_line = (1 - s) * frame.grab->point + s * frame.grab->cursor;
    const Pixels at = camera_.project(on_line, {kWidth, kHeight})->pixel;
    EXPECT_TRUE(is_grab(pixel(image, static_cast<int>(at.x), static_cast<int>(at.y)))) << s;
  }
  frame.grab->cursor.x = std::numeric_limits<double>::quiet_NaN();
  draw(frame);
}

TEST_F(Picture, PinsAreMarkedWhereTheyAre) {
  look_at_sheet(0.9);
  Frame frame = at_rest(sheet(8));
  EXPECT_EQ(count(draw(frame), is_white), 0);
  frame.pinned[27] = 1;
  const Pixels at = camera_.project(frame.positions[27], {kWidth, kHeight})->pixel;
  EXPECT_TRUE(is_white(pixel(draw(frame), static_cast<int>(at.x), static_cast<int>(at.y))));
  EXPECT_EQ(count(draw(frame, {.pins = false}), is_white), 0);
}

TEST_F(Picture, SwitchesShowWhatTheySay) {
  look_at_sheet(1.0);
  const Frame frame = at_rest(sheet(8));
  const Image plain = draw(frame, {.grid = false, .shadow = false});
  EXPECT_NE(draw(frame, {.grid = true, .shadow = false}).rgba, plain.rgba);
  EXPECT_NE(draw(frame, {.bend_springs = true, .grid = false, .shadow = false}).rgba, plain.rgba);
  EXPECT_NE(draw(frame, {.particles = true, .grid = false, .shadow = false}).rgba, plain.rgba);
  EXPECT_NE(draw(frame, {.stretch_springs = true, .grid = false, .shadow = false}).rgba, plain.rgba);
  const Image edges = draw(frame, {.wireframe = true, .grid = false, .shadow = false});
  const auto is_dark = [](const Colour& c) { return c[2] < 110; };
  int darkened = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      darkened += is_front(pixel(plain, x, y)) && !is_dark(pixel(plain, x, y)) &&
                  pixel(edges, x, y)[2] < pixel(plain, x, y)[2] - 15;
  EXPECT_GT(darkened, 300);
}

TEST_F(Picture, ArrowsPointWhereTheMotionGoes) {
  look_at_sheet(0.2);
  Frame frame = at_rest(sheet(3));
  const Image plain = draw(frame, {.velocity_scale = 0.1});
  frame.velocities.assign(frame.positions.size(), vec3(0, 2, 0));
  frame.pinned[4] = 1;  // in the middle: held, so without an arrow
  const Image arrows = draw(frame, {.pins = false, .velocity_scale = 0.1});
  const auto changed = [&](const vec3& p) {
    const Pixels at = camera_.project(p, {kWidth, kHeight})->pixel;
    const int x = static_cast<int>(at.x), y = static_cast<int>(at.y);
    return pixel(arrows, x, y) != pixel(plain, x, y);
  };
  EXPECT_TRUE(changed(frame.positions[1] + vec3(0, 0.1, 0)));
  EXPECT_TRUE(changed(frame.positions[1] + vec3(0, 0.18, 0)));
  EXPECT_FALSE(changed(frame.positions[1] + vec3(0, 0.25, 0)));
  EXPECT_FALSE(changed(frame.positions[4] + vec3(0, 0.1, 0)));
  EXPECT_EQ(draw(frame, {.pins = false, .force_scale = 1}).rgba, draw(frame, {.pins = false}).rgba);
}

// What sticks is yellow, what slides is cyan.
TEST_F(Picture, ContactsArePointsWithArrows) {
  look_at_sheet(0.4);
  Frame frame = at_rest(sheet(3));
  const ViewOptions shown{.contact_scale = 0.1};
  const Image plain = draw(frame, shown);
  frame.contacts = {{1, 0, true, 0, 0, vec3(0, 2, 0), vec3(0)},
                    {7, 0, false, 0, 1, vec3(0, 1, 0), vec3(1, 0, 0)}};
  const Image marked = draw(frame, shown);
  const auto at = [&](const vec3& p) {
    const Pixels seen = camera_.project(p, {kWidth, kHeight})->pixel;
    return std::pair(static_cast<int>(seen.x), static_cast<int>(seen.y));
  };
  const auto changed = [&](const vec3& p) {
    const auto [x, y] = at(p);
    return pixel(marked, x, y) != pixel(plain, x, y);
  };
  const auto colour = [&](const vec3& p) {
    const auto [x, y] = at(p);
    return pixel(marked, x, y);
  };
  const vec3 &a = frame.positions[1], &b = frame.positions[7];
  EXPECT_TRUE(changed(a + vec3(0, 0.18, 0)));
  EXPECT_FALSE(changed(a + vec3(0, 0.25, 0)));
  EXPECT_TRUE(changed(b + vec3(0.05, 0.05, 0)));
  EXPECT_FALSE(changed(b + vec3(0, 0.08, 0)));
  EXPECT_GT(colour(a)[0], colour(a)[2] + 40);
  EXPECT_GT(colour(b)[2], colour(b)[0] + 40);
  EXPECT_EQ(draw(frame, {}).rgba, draw(at_rest(sheet(3)), {}).rgba) << "without a scale there are none";
  look_at_sheet(-0.4);
  frame.contacts.resize(1);
  EXPECT_NE(draw(frame, shown).rgba, draw(at_rest(sheet(3)), shown).rgba) << "from below";
}

// The sides of the triangles, seen through whatever hides them.
TEST_F(Picture, TrianglesThatIntersectAreMarked) {
  Frame frame = at_rest(sheet(3));
  for (const double pitch : {0.4, -0.4}) {
    look_at_sheet(pitch);
    frame.intersections = {};
    const Image plain = draw(frame, {});
    frame.intersections = {1, 0, {2}, {}};
    const Image marked = draw(frame, {});
    for (std::size_t t = 0; t < frame.mesh->triangles.size(); ++t) {
      const auto [a, b, c] = frame.mesh->triangles[t];
      const Pixels seen =
          camera_.project((frame.positions[a] + frame.positions[b]) / 2.0, {kWidth, kHeight})->pixel;
      const auto x = static_cast<int>(seen.x), y = static_cast<int>(seen.y);
      if (t == 2) {
        EXPECT_NE(pixel(marked, x, y), pixel(plain, x, y));
      }
    }
  }
}

TEST_F(Picture, TheWeaveIsShownWhereTheMeshHasTextureCoordinates) {
  look_at_sheet(1.0);
  camera_.distance *= 0.3;
  const Frame woven = at_rest(sheet(8));
  EXPECT_NE(draw(woven, {.weave = true}).rgba, draw(woven, {.weave = false}).rgba);
  auto bare = *woven.mesh;
  bare.grid.reset();
  const Frame plain = at_rest(std::make_shared<const ClothMesh>(bare));
  EXPECT_EQ(draw(plain, {.weave = true}).rgba, draw(plain, {.weave = false}).rgba);
}

TEST_F(Picture, TheLightLookIsLighter) {
  look_at_sheet(1.0);
  const Frame frame = at_rest(sheet(4));
  const auto is_bright = [](const Colour& c) { return c[0] > 180 && c[1] > 180 && c[2] > 180; };
  EXPECT_EQ(count(draw(frame), is_bright), 0);
  EXPECT_GT(count(draw(frame, {.look = light_look()}), is_bright), kWidth * kHeight / 4);
}

TEST_F(Picture, TheShadowLiesBelowTheCloth) {
  look_at_sheet(0.5);
  camera_.distance *= 1.6;
  const Frame frame = at_rest(sheet(8));
  const Image without = draw(frame, {.shadow = false});
  const Image with = draw(frame, {.shadow = true});
  int darker = 0;
  int lighter = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      darker += pixel(with, x, y)[1] < pixel(without, x, y)[1] - 8;
      lighter += pixel(with, x, y)[1] > pixel(without, x, y)[1];
    }
  EXPECT_GT(darker, 300);
  EXPECT_EQ(lighter, 0);
}

TEST_F(Picture, TheSameFrameGivesTheSameBytes) {
  look_at_sheet(0.8);
  Frame frame = at_rest(sheet(20));
  for (vec3& p : frame.positions) p.y = 0.1 * std::sin(8 * p.x) * std::cos(5 * p.z);
  frame.pinned.front() = 1;
  const ViewOptions options{.wireframe = true, .heat_map = true};
  const Image first = draw(frame, options);
  draw(at_rest(sheet(5)));
  EXPECT_EQ(draw(frame, options).rgba, first.rgba) << "nothing is left over from other frames";

  Offscreen other(kWidth, kHeight, 0);
  Image second;
  {
    Renderer renderer;
    renderer.draw(frame, camera_, options, {0, 0, kWidth, kHeight});
    second = other.read();
  }
  EXPECT_EQ(second.rgba, first.rgba);
  offscreen_->bind();
}

TEST_F(Picture, DrawsIntoItsViewportAlone) {
  look_at_sheet(1.2);
  const Frame frame = at_rest(sheet(8));
  offscreen_->bind();
  glClearColor(1, 0, 1, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  renderer_->draw(frame, camera_, {}, {100, 50, 160, 100});
  const Image image = offscreen_->read();
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const bool inside = x >= 100 && x < 260 && y >= kHeight - 150 && y < kHeight - 50;
      EXPECT_EQ(pixel(image, x, y) == (Colour{255, 0, 255}), !inside) << x << ' ' << y;
    }
  EXPECT_TRUE(is_front(pixel(image, 180, 100)));
}

TEST_F(Picture, PositionsThatAreNotFiniteAreLeftOut) {
  look_at_sheet(1.2);
  const auto mesh = sheet(12);
  const Image whole = draw(at_rest(mesh));
  Frame broken = at_rest(mesh);
  broken.positions[3].x = std::numeric_limits<double>::quiet_NaN();
  broken.positions[40].y = std::numeric_limits<double>::infinity();
  broken.positions[75].z = -1e300;
  broken.pinned[3] = 1;
  const ViewOptions all{.wireframe = true, .heat_map = true, .bend_springs = true};
  const Image holes = draw(broken, all);
  EXPECT_LT(count(holes, is_front), count(whole, is_front));
  EXPECT_GT(count(draw(broken), is_front), count(whole, is_front) / 2);
  EXPECT_EQ(draw(at_rest(mesh)).rgba, whole.rgba) << "the triangles come back";

  for (vec3& p : broken.positions) p = vec3(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(count(draw(broken, all), is_front), 0);
}

TEST_F(Picture, AnyFrameAndAnyViewportIsFine) {
  draw(Frame{});
  draw(at_rest(std::make_shared<const ClothMesh>()));
  Frame half = at_rest(sheet(6));
  half.positions.resize(7);
  EXPECT_EQ(count(draw(half), is_front), 0) << "positions of another mesh are not drawn";
  Frame frame = at_rest(sheet(6));
  frame.pinned.clear();
  frame.grab = Frame::Grab{};
  const ViewOptions all{.wireframe = true, .heat_map = true, .bend_springs = true};
  for (const Viewport& viewport :
       {Viewport{0, 0, 0, 0}, Viewport{0, 0, 1, 1}, Viewport{0, 0, 1, 200}, Viewport{5, 5, 200, 1},
        Viewport{0, 0, -3, 8}, Viewport{-50, -50, 5000, 5000}}) {
    renderer_->draw(frame, camera_, all, viewport);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  }
  camera_.distance = Camera::kMaxDistance;
  draw(frame, all);
  camera_.distance = Camera::kMinDistance;
  draw(frame, all);
}

TEST_F(Picture, MeshesOfAnyShapeAreDrawn) {
  for (const GeneratedMesh& made : generated_meshes()) {
    const Frame frame = at_rest(generated(std::string(made.name).c_str()));
    camera_.frame(frame.mesh->box, {kWidth, kHeight});
    camera_.pitch = 0.7;
    const Image image = draw(frame);
    EXPECT_GT(count(image, [](const Colour& c) { return is_front(c) || is_back(c); }), 100) << made.name;
  }
}

TEST_F(Picture, AMoebiusStripHasOneColourAndASheetOfAnyWindingTwo) {
  const Frame strip = at_rest(generated("moebius"));
  camera_.frame(strip.mesh->box, {kWidth, kHeight});
  for (const double yaw : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}) {
    camera_.yaw = yaw;
    const Image image = draw(strip);
    EXPECT_GT(count(image, is_front), 500);
    EXPECT_EQ(count(image, is_back), 0);
  }
}

TEST_F(Picture, AMeshOfMoreThan65536VerticesIsDrawnToItsEnd) {
  look_at_sheet(1.2);
  const Frame frame = at_rest(sheet(270));
  ASSERT_GT(frame.positions.size(), 65536u);
  const Image image = draw(frame);
  for (const std::size_t corner : {std::size_t{271}, frame.positions.size() - 272}) {
    const Pixels at = camera_.project(frame.positions[corner], {kWidth, kHeight})->pixel;
    EXPECT_TRUE(is_front(pixel(image, static_cast<int>(at.x), static_cast<int>(at.y))));
  }
}

TEST_F(Picture, FarFromTheOriginItIsAsSharp) {
  look_at_sheet(1.2);
  const ViewOptions bare{.grid = false, .shadow = false};
  Frame frame = at_rest(sheet(12));
  const Image near_origin = draw(frame, bare);
  const vec3 away(4096e3, -2048e3, 1024e3);  // exact in binary, so that only the drawing could blur it
  for (vec3& p : frame.positions) p += away;
  camera_.target += away;
  const Image far_away = draw(frame, bare);
  int different = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      different += is_front(pixel(near_origin, x, y)) != is_front(pixel(far_away, x, y));
  EXPECT_LE(different, 8);
}

TEST_F(Picture, MultisamplingSoftensTheRimAlone) {
  look_at_sheet(1.0);
  const Frame frame = at_rest(sheet(8));
  const Image plain = draw(frame);
  renderer_.reset();
  Offscreen smooth(kWidth, kHeight, 4);
  Image softened;
  {
    Renderer renderer;
    renderer.draw(frame, camera_, {}, {0, 0, kWidth, kHeight});
    softened = smooth.read();
  }
  offscreen_->bind();
  renderer_ = std::make_unique<Renderer>();
  int different = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      different += std::abs(pixel(plain, x, y)[2] - pixel(softened, x, y)[2]) > 24;
  EXPECT_GT(different, 20);
  EXPECT_LT(different, 2000);
}

TEST_F(Picture, ShadersAreReadFromAFolderAndABadOneChangesNothing) {
  namespace fs = std::filesystem;
  look_at_sheet(1.2);
  const Frame frame = at_rest(sheet(8));
  const Image before = draw(frame);
  const fs::path folder = fs::temp_directory_path() / "clothlab_shaders_test";
  fs::remove_all(folder);
  fs::copy(fs::path(CLOTHLAB_SOURCE_DIR) / "shaders", folder);
  ASSERT_EQ(setenv("CLOTHLAB_SHADER_DIR", folder.c_str(), 1), 0);
  renderer_->reload_shaders();
  EXPECT_EQ(draw(frame).rgba, before.rgba) << "the embedded shaders are those of the folder";

  std::ofstream(folder / "cloth.frag")
      << "out vec4 colour;\nvoid main() { colour = vec4(1.0, 0.0, 0.0, 1.0); }\n";
  renderer_->reload_shaders();
  EXPECT_EQ(pixel(draw(frame), kWidth / 2, kHeight / 2), (Colour{255, 0, 0}));

  std::ofstream(folder / "cloth.frag") << "out vec4 colour;\nvoid main() { colour = nonsense; }\n";
  try {
    renderer_->reload_shaders();
    ADD_FAILURE() << "a shader that does not compile was taken";
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("cloth.frag"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
  EXPECT_EQ(pixel(draw(frame), kWidth / 2, kHeight / 2), (Colour{255, 0, 0}));

  fs::remove(folder / "cloth.frag");
  EXPECT_THROW(renderer_->reload_shaders(), SystemError);
  ASSERT_EQ(unsetenv("CLOTHLAB_SHADER_DIR"), 0);
  renderer_->reload_shaders();
  EXPECT_EQ(draw(frame).rgba, before.rgba);
  fs::remove_all(folder);
}

TEST_F(Picture, SizesThatCannotBeAreRefused) {
  EXPECT_THROW(Offscreen(0, 10), SystemError);
  EXPECT_THROW(Offscreen(10, -1), SystemError);
  EXPECT_THROW(Offscreen(1 << 30, 10), SystemError);
  offscreen_->bind();
}

}  // namespace
}  // namespace clothlab
