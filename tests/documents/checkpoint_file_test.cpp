// SPDX-License-Identifier: MIT
// A run that goes on from a file has the bits of the run that wrote it; a file that is not as it was written
// is refused.

#include "documents/checkpoint_file.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "core/text_file.h"
#include "documents/load_job.h"
#include "io/output_file.h"
#include "session/lane_scenes.h"
#include "sim/loose_cloth.h"
#include "temporary_folder.h"

namespace clothlab::testing {
namespace {

using ::testing::HasSubstr;

/// A moment of one lane.
Moment alone(const Checkpoint& checkpoint) {
  return moment_of_lane(0, std::make_shared<Checkpoint>(checkpoint));
}

/// The first lane of a file.
Checkpoint checkpoint_of(const CheckpointFile& file, const ClothMesh& mesh) {
  return *moment_of(file, mesh, file.scene).lanes.front().checkpoint;
}

class CheckpointFileTest : public ::testing::TestWithParam<const IntegratorInfo*> {
 protected:
  static Scene scene() {
    Scene scene;
    scene.integrator = GetParam()->id;
    scene.mesh = GridSource{6, 7, 1, 1};
    scene.material.stretch_stiffness = 100;
    scene.wind = {.on = true, .speed = 3, .gusts = 40};
    scene.floor = {.on = true, .height = -0.0004};
    scene.dt = 0.001;
    scene.title = "A title with \"quotes\"";
    return scene;
  }
};

TEST_P(CheckpointFileTest, GoesOnWithTheSameBits) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.checkpoint";
  WorkerPool pool(1), other(2);
  const auto mesh = mesh_of(scene());
  Simulation run(scene(), mesh, pool);
  run.apply(pool, MovePins{{{0, vec3(0.01, 0.005, 0)}}, 0.02});
  const auto& held = mesh->triangles[mesh->triangles.size() / 2];
  run.apply(pool, Grab{held, vec3(0.2, 0.3, 0.5), run.state().x[held[0]] + vec3(0, 0.01, 0), 20, 0.01});
  for (int k = 0; k < 6; ++k) run.step(pool);
  Checkpoint saved;
  run.save(pool, saved);
  write_checkpoint_file(alone(saved), *mesh, path);

  LoadJob job(path, UnitChoice::fit, false);
  const std::shared_ptr<const LoadedScene> loaded = job.result().scene;
  ASSERT_NE(loaded, nullptr) << job.result().error;
  EXPECT_EQ(loaded->scene.title, scene().title);
  Simulation fresh(loaded->scene, loaded->mesh, other);
  fresh.load(other, *loaded->moment->of(0).checkpoint);
  EXPECT_EQ(fresh.steps(), run.steps());
  EXPECT_EQ(fresh.record().energy.total, run.record().energy.total);
  EXPECT_EQ(fresh.record().max_strain, run.record().max_strain);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(run.step(pool), fresh.step(other));
    EXPECT_TRUE(same_bits(run.state(), fresh.state())) << k;
  }
  Checkpoint a, b;
  run.save(pool, a);
  fresh.save(other, b);
  EXPECT_EQ(a.account.allowed(100), b.account.allowed(100));
}

// A run that goes on from a file does not report again what it has reported.
TEST(CheckpointFile, KeepsNotices) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.checkpoint";
  const Scene scene;
  const auto mesh = grid_mesh(3, 3);
  Simulation run(scene, mesh, one_thread());
  Checkpoint saved;
  run.save(one_thread(), saved);
  saved.notices.add(NoticeCause::spurious_energy, 7, "It gained 1 J.");
  saved.notices.add(NoticeCause::not_converged, 9, "Line one\nline two");
  write_checkpoint_file(alone(saved), *mesh, path);
  const Checkpoint read = checkpoint_of(read_checkpoint_file(path), *mesh);
  ASSERT_EQ(read.notices.list()->size(), 2U);
  EXPECT_EQ(read.notices.list()->front(), saved.notices.list()->front());
  EXPECT_EQ(read.notices.list()->back().step, 9U);
  EXPECT_EQ(read.notices.list()->back().text.find('\n'), std::string::npos) << "a file may say anything";
}

TEST(CheckpointFile, KeepsWhatHasPassedThroughObstacles) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.checkpoint";
  const auto mesh = grid_mesh(3, 3);
  Checkpoint saved;
  Simulation(Scene(), mesh, one_thread()).save(one_thread(), saved);
  const auto read_back = [&](std::vector<std::uint32_t> behind) {
    saved.behind = std::move(behind);
    write_checkpoint_file(alone(saved), *mesh, path);
    return checkpoint_of(read_checkpoint_file(path), *mesh).behind;
  };
  EXPECT_EQ(read_back({0, 3, 8}), (std::vector<std::uint32_t>{0, 3, 8}));
  EXPECT_EQ(read_back({}), (std::vector<std::uint32_t>{}));
  for (const std::vector<std::uint32_t>& broken : {std::vector<std::uint32_t>{9}, {3, 3}, {4, 2}})
    EXPECT_THROW(read_back(broken), InputError);
}

std::vector<const IntegratorInfo*> rows_of_integrators() {
  std::vector<const IntegratorInfo*> all;
  for (const IntegratorInfo& info : integrators()) all.push_back(&info);
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, CheckpointFileTest, ::testing::ValuesIn(rows_of_integrators()),
                         [](const auto& row) {
                           std::string name(row.param->id);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// How a run can come to a state from whose scene a barrier could not start.
struct Course {
  const char* name;
  Scene (*scene)(ContactModel model);
  void (*run)(Simulation& simulation, ContactModel model);
};

Scene loose_sheet(ContactModel model) {
  Scene scene = loose_scene("semi-implicit-euler");
  scene.mesh = GridSource{6, 6, 1, 1};
  scene.contact.model = model;
  return scene;
}

constexpr std::array kCourses{
    Course{"ABodyIsMovedOverTheStart",
           [](ContactModel model) {
             Scene scene = loose_sheet(model);
             scene.floor = {.on = true, .height = -0.2};
             return scene;
           },
           [](Simulation& simulation, ContactModel) {
             ASSERT_EQ(run(simulation, 100), 100);
             simulation.apply(one_thread(), SetObstacles{{parse_obstacle("sphere:0.5,9.9,0.5,10")}});
           }},
    Course{"TheFloorIsRaised",
           [](ContactModel model) {
             Scene scene = loose_sheet(model);
             scene.material.gravity = vec3(0, 9.8, 0);
             scene.floor = {.on = true, .height = -0.2};
             return scene;
           },
           [](Simulation& simulation, ContactModel) {
             ASSERT_EQ(run(simulation, 100), 100);
             simulation.apply(one_thread(), SetParameter{"floor-height", 0.1});
           }},
    Course{"TheModelIsSwitched",
           [](ContactModel) {
             Scene scene = loose_sheet(ContactModel::filter);
             scene.floor = {.on = true, .height = 0.1};  // which lifts the sheet
             return scene;
           },
           [](Simulation& simulation, ContactModel model) {
             ASSERT_EQ(run(simulation, 100), 100);
             simulation.apply(one_thread(), SetParameter{"contact", static_cast<double>(model)});
           }},
};

class Resumed : public ::testing::TestWithParam<std::tuple<ContactModelInfo, Course>> {};

TEST_P(Resumed, UnderItsOwnContactModelAlsoWhereItsSceneCannotStart) {
  const auto& [model, course] = GetParam();
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.checkpoint";
  WorkerPool pool(1);
  const Scene start = course.scene(model.model);
  auto run = std::make_unique<Simulation>(start, mesh_of(start), pool);
  course.run(*run, model.model);
  for (int k = 0; k < 5; ++k) ASSERT_EQ(run->step(pool), StepStatus::done);
  ASSERT_EQ(run->scene().contact.model, model.model);
  Checkpoint saved;
  run->save(pool, saved);
  write_checkpoint_file(alone(saved), run->mesh(), path);

  LoadJob job(path, UnitChoice::fit, false);
  const std::shared_ptr<const LoadedScene> loaded = job.result().scene;
  ASSERT_NE(loaded, nullptr) << job.result().error;
  const auto resumed = begin_run(pool, *loaded, initial_lanes(*loaded, {}));
  resumed->apply(pool, AddLane{1, 0});
  Moment moment;
  resumed->save(pool, moment);
  CatchUp catch_up = resumed->start_catch_up(pool, 2, run->scene(), moment);
  EXPECT_EQ(resumed->advance(pool, catch_up), std::nullopt);
  resumed->finish(std::move(catch_up));
  for (int k = 0; k < 4; ++k) {
    ASSERT_EQ(run->step(pool), StepStatus::done);
    ASSERT_EQ(resumed->step(pool), StepStatus::done);
    for (const Lane& lane : resumed->lanes())
      EXPECT_TRUE(same_bits(run->state(), lane.simulation->state())) << lane.name() << ", step " << k;
  }
  if (model.model != ContactModel::barrier) {
    EXPECT_NO_THROW(run->apply(pool, Reset{}));
    return;
  }
  const std::uint64_t hash = state_hash(run->state());
  EXPECT_THAT(refusal([&] { run->apply(pool, Reset{}); }),
              HasSubstr("at the start; contact by barrier needs"));
  EXPECT_EQ(state_hash(run->state()), hash);
}

INSTANTIATE_TEST_SUITE_P(
    All, Resumed, ::testing::Combine(::testing::ValuesIn(kContactModels), ::testing::ValuesIn(kCourses)),
    [](const auto& row) { return std::string(std::get<0>(row.param).id) + std::get<1>(row.param).name; });

std::string refusal_of(const std::filesystem::path& path) {
  try {
    read_checkpoint_file(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(CheckpointFiles, ThatAreNotAsTheyWereWrittenAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.checkpoint";
  WorkerPool pool(1);
  Scene scene;
  scene.mesh = GridSource{4, 4, 1, 1};
  Simulation run(scene, mesh_of(scene), pool);
  run.step(pool);
  Checkpoint saved;
  run.save(pool, saved);
  write_checkpoint_file(alone(saved), run.mesh(), path);
  const std::string whole = read_text_file(path, 1 << 20);
  EXPECT_EQ(refusal_of(path), "");

  // Any byte, and any end.
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x10);
    write_file(path, broken);
    EXPECT_THAT(refusal_of(path), HasSubstr("run.checkpoint: ")) << at;
    write_file(path, whole.substr(0, at));
    EXPECT_THAT(refusal_of(path), HasSubstr("run.checkpoint: ")) << at;
  }
  std::string newer = whole;
  newer.replace(newer.find("\":12"), 4, "\":13");
  write_file(path, newer);
  EXPECT_THAT(refusal_of(path), HasSubstr("versions 4 to 12"));

  write_file(path, whole);
  EXPECT_THROW(checkpoint_of(read_checkpoint_file(path), *grid_mesh(4, 5)), InputError);
}

// The run goes on among the same bodies, wherever their files lie now.
TEST(CheckpointFiles, FindMovedMeshesAndRefuseOthers) {
  const TemporaryFolder both;
  const std::filesystem::path folder = both.path() / "here", moved = both.path() / "there";
  std::filesystem::create_directory(folder);
  std::filesystem::create_directory(moved);
  const std::string fin = "v 0 -1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const auto body = folder / "fin.obj", path = folder / "run.checkpoint";
  write_file(body, fin);
  WorkerPool pool(1);
  Scene scene;
  scene.mesh = GridSource{4, 4, 1, 1};
  scene.obstacles.bodies = {parse_obstacle("mesh:0.3,-0.2,0.1,0.1," + utf8_of(body))};
  const LoadedScene loaded = load_scene(scene);
  Simulation run(loaded.scene, loaded.mesh, pool);
  run.step(pool);
  Checkpoint saved;
  run.save(pool, saved);
  write_checkpoint_file(alone(saved), run.mesh(), path);
  const auto resumed = [&](const std::filesystem::path& file, const std::filesystem::path& meshes) {
    SceneLoadOptions options;
    options.checkpoint = std::make_shared<const CheckpointFile>(read_checkpoint_file(file, {}, meshes));
    return simulation_of(load_scene(options.checkpoint->scene, options), pool)->steps();
  };
  EXPECT_EQ(resumed(path, {}), 1U);
  // Both elsewhere, and the body alone.
  const auto there = moved / "run.checkpoint";
  std::filesystem::rename(path, there);
  std::filesystem::rename(body, moved / "fin.obj");
  EXPECT_EQ(resumed(there, {}), 1U);
  std::filesystem::rename(there, path);
  EXPECT_THAT(refusal([&] { resumed(path, {}); }), HasSubstr("fin.obj"));
  EXPECT_EQ(resumed(path, moved), 1U);

  write_file(body, "v 0 -1 0\nv 1 0 0\nv 0 1.1 0\nf 1 2 3\n");
  EXPECT_THAT(refusal([&] { resumed(path, {}); }),
              HasSubstr(shown_path(body) + " is not the mesh that was loaded then."));
}

Scene small_scene(const char* integrator, int n = 5) {
  Scene scene;
  scene.mesh = GridSource{n, n, 1, 1};
  scene.integrator = integrator;
  return scene;
}

/// With the fingerprint of a file that is as it was written.
std::string sealed(std::string bytes) {
  Hash hash;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i)
      word |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    hash.add(word);
  }
  for (; at < bytes.size(); ++at) hash.add(std::uint64_t{static_cast<unsigned char>(bytes[at])});
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(hash.value() >> (8 * i) & 0xff);
  return bytes;
}

TEST(CheckpointFiles, WithForgedLanesAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.checkpoint";
  WorkerPool pool(1);
  const Scene scene = small_scene("bdf2", 3);
  Simulation run(scene, mesh_of(scene), pool);
  run.step(pool);
  Checkpoint saved;
  run.save(pool, saved);
  write_checkpoint_file(alone(saved), run.mesh(), path);
  std::string whole = read_text_file(path, 1 << 20);
  whole.resize(whole.size() - 8);
  const std::size_t numbers = whole.find('\n') + 1;
  const auto refusal_with = [&](const std::string& lanes, bool of_nothing = false) {
    std::string text = of_nothing ? whole.substr(0, numbers) : whole;
    const std::size_t from = text.find("\"lanes\":");
    text.replace(from, text.find(",\"scene\":") - from, "\"lanes\":" + lanes);
    if (of_nothing) {  // the scene without lanes
      const std::size_t list = text.find(R"(,\n  \"lanes\": [)");
      text.erase(list, text.find(']', list) + 1 - list);
    }
    write_file(path, sealed(text));
    return refusal_of(path);
  };
  const std::string count = std::to_string((whole.size() - numbers) / 8);
  EXPECT_EQ(refusal_with("[{\"numbers\":" + count + "}]"), "") << "without notices it is read";
  EXPECT_THAT(refusal_with("[{\"numbers\":1}]"), HasSubstr("it has too many numbers"));
  EXPECT_THAT(refusal_with("[{\"numbers\":" + count + "0}]"), HasSubstr("it has too few numbers"));
  EXPECT_THAT(refusal_with("[{\"numbers\":-1}]"), HasSubstr("it has too few numbers"));
  EXPECT_THAT(refusal_with("[{}]"), HasSubstr("the checkpoint is damaged"));
  EXPECT_THAT(refusal_with("[]"), HasSubstr("its lanes differ from those of its scene"));
  EXPECT_THAT(refusal_with("[]", true), HasSubstr("its lanes differ from those of its scene"));
  EXPECT_THAT(refusal_with("[{\"numbers\":" + count + ",\"held\":3}]"),
              HasSubstr("the checkpoint is damaged"));
  EXPECT_THAT(refusal_with("[{\"numbers\":" + count + ",\"blow-up\":{\"cause\":9}}]"),
              HasSubstr("unknown cause of a blow-up"));
}

// Whoever forges a file can give it the right fingerprint.
TEST(CheckpointFiles, WithForgedContentsAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.checkpoint";
  WorkerPool pool(1);
  Scene scene;
  scene.mesh = GridSource{3, 3, 1, 1};
  scene.integrator = "generalized-alpha";  // which remembers a step
  Simulation run(scene, mesh_of(scene), pool);
  run.apply(pool, MovePins{{{0, vec3(0.01, 0.005, 0)}}, 0.02});
  const auto& held = run.mesh().triangles[3];
  run.apply(pool, Grab{held, vec3(0.2, 0.3, 0.5), vec3(0, 0.01, 0), 20, 0.01});
  run.step(pool);
  Checkpoint saved;
  run.save(pool, saved);
  write_checkpoint_file(alone(saved), run.mesh(), path);
  CheckpointFile file = read_checkpoint_file(path);
  ASSERT_NO_THROW(checkpoint_of(file, run.mesh()));
  const std::vector<double> good(file.lanes[0].numbers.numbers().begin(),
                                 file.lanes[0].numbers.numbers().end());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<double> numbers = good;
    numbers[i] = std::numeric_limits<double>::quiet_NaN();
    file.lanes[0].numbers = Memory(std::move(numbers));
    EXPECT_THROW(checkpoint_of(file, run.mesh()), InputError) << i;
  }
  for (double Checkpoint::*number : {&Checkpoint::last_h, &Checkpoint::stiffened}) {
    Checkpoint forged = saved;
    forged.*number = kInfinity;
    write_checkpoint_file(alone(forged), run.mesh(), path);
    EXPECT_THROW(checkpoint_of(read_checkpoint_file(path), run.mesh()), InputError);
  }
  Checkpoint forged = saved;
  forged.state.v[4].y = -kInfinity;
  write_checkpoint_file(alone(forged), run.mesh(), path);
  EXPECT_THROW(checkpoint_of(read_checkpoint_file(path), run.mesh()), InputError);

  for (const std::uint32_t last : {8U, 9U}) {  // of 9 particles
    for (const bool is_contact : {false, true}) {
      Moment moment = alone(saved);
      moment.lanes[0].frozen = BlowUp();
      if (is_contact)
        moment.lanes[0].frozen->contact = FailedContact{.particle = last};
      else
        moment.lanes[0].frozen->spring = FailedSpring{.i = 0, .j = last};
      write_checkpoint_file(moment, run.mesh(), path);
      if (last == 8)
        EXPECT_NO_THROW(checkpoint_of(read_checkpoint_file(path), run.mesh()));
      else
        EXPECT_THROW(checkpoint_of(read_checkpoint_file(path), run.mesh()), InputError);
    }
  }

  // The header's keys, with the fingerprint of the whole.
  std::string twice = read_text_file(path, 1 << 20);
  twice.insert(1, "\"scene\":\"\",");
  write_file(path, twice);
  EXPECT_THAT(refusal_of(path), HasSubstr("the key \"scene\" occurs twice"));
}

TEST(CheckpointFiles, KeepWhereALaneBlewUp) {
  BlowUp blow_up{.cause = BlowUp::Cause::spurious_energy, .step = 7, .time = 0.7, .h = 0.1, .energy = 5};
  const auto again = [&] { return blow_up_of(nlohmann::json::parse(blow_up_json(blow_up).dump())); };
  EXPECT_FALSE(again().spring || again().contact) << "as in older files";
  blow_up.spring = FailedSpring{3, 8, false, 0.1, 0.2, 0.3, 40};
  blow_up.contact = FailedContact{5, 2, Obstacle::Shape::mesh, 60, 7};
  const FailedSpring spring = again().spring.value();
  EXPECT_EQ(std::tuple(spring.i, spring.j, spring.stretch), std::tuple(3U, 8U, false));
  EXPECT_EQ(std::tuple(spring.rest_length, spring.before, spring.after, spring.omega),
            std::tuple(0.1, 0.2, 0.3, 40.0));
  const FailedContact contact = again().contact.value();
  EXPECT_EQ(std::tuple(contact.particle, contact.surface), std::tuple(5U, 2U));
  EXPECT_EQ(contact.shape, Obstacle::Shape::mesh);
  EXPECT_EQ(std::tuple(contact.omega, contact.friction_rate), std::tuple(60.0, 7.0));
  nlohmann::json json = nlohmann::json::parse(blow_up_json(blow_up).dump());
  json["contact"]["shape"] = 6;
  EXPECT_THROW(blow_up_of(json), InputError);
}

// Four lanes, of which one blew up and one was frozen by the user.
TEST(CheckpointFiles, HoldAllLanesAndGoOnWithTheirBits) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "lanes.checkpoint";
  WorkerPool pool(1);
  const Scene scene = small_scene("semi-implicit-euler");
  Arena arena(std::make_unique<Simulation>(scene, mesh_of(scene), pool));
  const char* const kOthers[] = {"explicit-euler", "bdf2", "generalized-alpha"};
  for (LaneId lane = 1; lane <= 3; ++lane) {
    arena.apply(pool, AddLane{lane, 0});
    arena.apply(pool, lane, SetIntegrator{kOthers[lane - 1]});
  }
  arena.apply(pool, 3, SetParameter{"substeps", 3});
  arena.apply(pool, RemoveLane{0});
  for (int k = 0; k < 40; ++k) arena.step(pool);
  arena.apply(pool, HoldLane{2});
  for (int k = 0; k < 5; ++k) arena.step(pool);
  ASSERT_TRUE(arena.find(1)->frozen) << "explicit Euler blows up at this h";
  Moment now;
  arena.save(pool, now);
  write_checkpoint_file(now, arena[1].mesh(), path);

  LoadJob job(path, UnitChoice::fit, false);
  const std::shared_ptr<const LoadedScene> loaded = job.result().scene;
  ASSERT_NE(loaded, nullptr) << job.result().error;
  ASSERT_EQ(loaded->lanes.size(), 3U);
  EXPECT_EQ(loaded->lanes[2].method.substeps, 3);
  Arena again(lanes_of(*loaded, pool), Arena::Options());
  ASSERT_TRUE(again.find(1) != nullptr && again.find(1)->frozen);
  EXPECT_EQ(again.find(1)->frozen->step, arena.find(1)->frozen->step);
  EXPECT_EQ(again.find(1)->frozen->cause, arena.find(1)->frozen->cause);
  const auto failed_at = [](const Arena& of) {
    const FailedSpring& spring = of.find(1)->frozen->spring.value();
    return std::tuple(spring.i, spring.j, spring.stretch, spring.rest_length, spring.before, spring.after,
                      spring.omega);
  };
  EXPECT_EQ(failed_at(again), failed_at(arena));
  EXPECT_TRUE(again.find(2)->held);
  EXPECT_EQ(again.hash(), arena.hash());
  for (int k = 0; k < 10; ++k) {
    arena.step(pool);
    again.step(pool);
  }
  EXPECT_EQ(again.hash(), arena.hash());
  EXPECT_TRUE(again.find(3)->runs());
}

// Written by earlier programs: docs/files.md promises that they open. The hash is that of the run ten steps
// later.
struct OldFile {
  const char* name;
  std::uint64_t hash;
};
class OldFiles : public ::testing::TestWithParam<OldFile> {};

TEST_P(OldFiles, OpenAndGoOnAsTheyDid) {
  const std::filesystem::path path =
      std::filesystem::path(CLOTHLAB_SOURCE_DIR) / "tests/documents/old_files" / GetParam().name;
  LoadJob job(path, UnitChoice::fit, false);
  const std::shared_ptr<const LoadedScene> loaded = job.result().scene;
  ASSERT_NE(loaded, nullptr) << job.result().error;
  WorkerPool pool(1);
  const auto run = simulation_of(*loaded, pool);
  EXPECT_EQ(run->notices().has(NoticeCause::contacts_restarted),
            std::string_view(GetParam().name).starts_with("filter"));
  for (int k = 0; k < 10; ++k) ASSERT_EQ(run->step(pool), StepStatus::done);
  EXPECT_EQ(state_hash(run->state()), GetParam().hash);
}

INSTANTIATE_TEST_SUITE_P(Versions, OldFiles,
                         ::testing::Values(OldFile{"filter-4.checkpoint", 0x958023f761b66b46},
                                           OldFile{"filter-5.checkpoint", 0x958023f761b66b46},
                                           OldFile{"filter-6.checkpoint", 0x958023f761b66b46},
                                           OldFile{"filter-7.checkpoint", 0x958023f761b66b46},
                                           OldFile{"filter-8.checkpoint", 0x9e4c348773d64c21},
                                           OldFile{"barrier-7.checkpoint", 0x42b8d0c804edf954},
                                           OldFile{"bdf2-9.checkpoint", 0x55c6db12fc3fa802},
                                           OldFile{"lanes-1.clothlab", 0xa12d55e770c4d9ba},
                                           OldFile{"chain-1.json", 0x396125d85d4e0355},
                                           OldFile{"newton-2.json", 0x506ce3a1e6bfd15c},
                                           OldFile{"folds-3.json", 0x011e7d2aa54797c6},
                                           OldFile{"kepler-4.json", 0x57069b37adf7894b}),
                         [](const auto& row) {
                           std::string name(row.param.name);
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace clothlab::testing
