// SPDX-License-Identifier: MIT
// A bundle opens where nothing else of the run exists, and goes on with the same bits; a damaged or hostile
// one is refused with one sentence.

#include "documents/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "documents/checkpoint_file.h"
#include "documents/load_job.h"
#include "documents/obstacle_meshes.h"
#include "documents/replay.h"
#include "documents/scene_file.h"
#include "session/support.h"
#include "temporary_folder.h"

namespace clothlab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

/// A sheet of two groups with texture coordinates, 1 m above the origin.
std::string cloth_obj() {
  std::string text = "# made by hand\n", faces;
  constexpr int kN = 7;
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j) {
      text += "v " + std::to_string(i / 6.0) + " 0.3 " + std::to_string(j / 6.0) + "\nvt " +
              std::to_string(i / 6.0) + " " + std::to_string(j / 6.0) + "\n";
      if (i + 1 == kN || j + 1 == kN) continue;
      if (j == 0 && i % 3 == 0) faces += i == 0 ? "g front\n" : "g back\n";
      const auto corner = [&](int a, int b) {
        const std::string index = std::to_string(a * kN + b + 1);
        return " " + index + "/" + index;
      };
      faces += "f" + corner(i, j) + corner(i + 1, j) + corner(i + 1, j + 1) + corner(i, j + 1) + "\n";
    }
  return text + faces;
}

std::string tetrahedron_obj(double y) {
  return "v 0.2 " + std::to_string(y) + " 0.2\nv 0.8 " + std::to_string(y) + " 0.3\nv 0.4 " +
         std::to_string(y) + " 0.9\nv 0.5 " + std::to_string(y + 0.25) +
         " 0.5\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 3 2\n";
}

class Bundle : public ::testing::Test {
 protected:
  /// Three lanes of a cloth on a mesh, with further bodies: one of the same file name, and one that deforms.
  Bundle() {
    for (const char* name : {"here", "there", "there/walk", "elsewhere"})
      fs::create_directory(folder_ / name);
    cloth_ = folder_.write("here/cloth.obj", cloth_obj());
    folder_.write("here/body.obj", tetrahedron_obj(0));
    folder_.write("there/body.obj", tetrahedron_obj(-0.5));
    folder_.write("there/walk/w_1.obj", tetrahedron_obj(-2));
    folder_.write("there/walk/w_2.obj", tetrahedron_obj(-2.1));
    Scene scene;
    scene.title = "Three lanes";
    scene.mesh = FileSource{utf8_of(cloth_)};
    scene.dt = 1.0 / 120;
    for (const char* body : {"here/body.obj", "there/body.obj", "there/walk"})
      scene.obstacles.bodies.push_back(parse_obstacle("mesh:0,0,0,1," + utf8_of(folder_ / body)));
    SceneLoadOptions options;
    for (const auto& [lane, method] :
         {std::pair<LaneId, const char*>{0, "bdf2"}, {1, "newmark"}, {3, "xpbd"}}) {
      Scene other = scene;
      other.integrator = method;
      options.lanes.push_back({lane, other.method()});
    }
    thread_.emplace(std::make_shared<const LoadedScene>(
                        load_scene(with_method(scene, options.lanes.front().method), options)),
                    paused());
    send(SetPinned{{0, 6}, true});
    steps(20);
    send(SetParameter{"friction", 0.6});
    std::vector<Obstacle> bodies = thread_->latest()->frame.scene->obstacles.bodies;
    bodies.front().from.x = bodies.front().to.x = 0.05;
    send(SetObstacles{std::move(bodies)});
    steps(15);
  }

  template <class Request>
  void send(Request request) {
    std::shared_ptr<const Snapshot> after;
    if constexpr (std::is_constructible_v<Command, Request>)
      after = send_and_wait(*thread_, Command(std::move(request)));
    else
      after = send_and_wait(*thread_, Control(std::move(request)));
    ASSERT_EQ(after->errors, 0u) << after->error;
  }
  void steps(int count) {
    for (int k = 0; k < count; ++k) send(StepOnce{});
  }

  fs::path save(std::string_view name = "run.clothlab") {
    const KeepJournal::Whole run = thread_->keep_journal().get();
    now_ = run.now;
    write_bundle({run.moment, *run.loaded->mesh, run.journal, run.log, run.now}, folder_ / name);
    return folder_ / name;
  }

  /// The bundle alone, in another folder, as on another machine.
  fs::path moved(const fs::path& bundle) {
    fs::copy(bundle, folder_ / "elsewhere/moved.clothlab", fs::copy_options::overwrite_existing);
    for (const char* name : {"here", "there"}) fs::remove_all(folder_ / name);
    fs::remove(bundle);
    return folder_ / "elsewhere/moved.clothlab";
  }

  TemporaryFolder folder_;
  fs::path cloth_;
  std::optional<SimulationThread> thread_;
  std::uint64_t now_ = 0;
};

std::shared_ptr<const LoadedScene> opened(const fs::path& path) {
  LoadJob job(path, UnitChoice::fit, false);
  const LoadJob::Result result = job.result();
  EXPECT_NE(result.scene, nullptr) << result.error;
  return result.scene;
}

std::vector<std::string> names_in(const fs::path& bundle) {
  std::vector<std::string> names;
  for (const Archive::Entry& entry : Archive(bundle).entries()) names.push_back(entry.name);
  return names;
}

TEST_F(Bundle, GoesOnWithTheSameBitsOnAnotherMachine) {
  const fs::path saved = save();
  const std::string cloth = bytes_of(cloth_);
  steps(30);
  const std::uint64_t later = thread_->keep_journal().get().now;
  const fs::path bundle = moved(saved);

  const std::shared_ptr<const LoadedScene> loaded = opened(bundle);
  ASSERT_NE(loaded, nullptr);
  WorkerPool pool(2);
  Arena arena(lanes_of(*loaded, pool), Arena::Options());
  ASSERT_EQ(arena.lanes().size(), 3u);
  EXPECT_EQ(arena.lanes()[2].id, 3);
  EXPECT_EQ(arena.lanes()[2].simulation->scene().integrator, "xpbd");
  EXPECT_EQ(arena.hash(), now_);
  for (int k = 0; k < 30; ++k) arena.step(pool);
  EXPECT_EQ(arena.hash(), later);
  EXPECT_NE(later, now_);

  EXPECT_EQ(read_text_file(bundle / "meshes/cloth.obj", kMaxSceneBytes), cloth);
}

TEST_F(Bundle, RepeatsItsJournal) {
  const fs::path bundle = moved(save());
  WorkerPool pool(1);
  Replay replay(read_journal(bundle), {});
  while (replay.next(pool) != Replay::Event::ended) {
  }
  EXPECT_EQ(replay.step(), 35u);
  EXPECT_EQ(replay.compared(), 2u);
  EXPECT_FALSE(replay.difference());
  EXPECT_EQ(replay.arena().hash(), now_);
}

TEST_F(Bundle, HasAScene) {
  const fs::path bundle = moved(save());
  SceneExtras extras;
  const Scene scene = scene_from_path(bundle, {}, &extras);
  EXPECT_EQ(scene.title, "Three lanes");
  EXPECT_EQ(extras.lanes.size(), 3u);
  EXPECT_EQ(load_scene(scene).mesh->positions.size(), 49u);
}

TEST_F(Bundle, NamesNothingOfThisMachine) {
  const fs::path bundle = save();
  EXPECT_THAT(names_in(bundle), ElementsAre("manifest.json", "scene.json", "moment.checkpoint",
                                            "session.journal", "meshes-2/body.obj", "meshes-2/walk/w_1.obj",
                                            "meshes-2/walk/w_2.obj", "meshes/body.obj", "meshes/cloth.obj"));
  for (const std::string& name : names_in(bundle))
    EXPECT_THAT(Archive(bundle).read(name, kMaxSceneBytes), Not(HasSubstr(utf8_of(folder_.path())))) << name;
}

TEST_F(Bundle, LimitsAMeshToAGroup) {
  Scene scene;
  scene.mesh = FileSource{utf8_of(cloth_) + "#front"};
  thread_.emplace(loaded(scene), paused());
  const fs::path bundle = moved(save());
  const auto again = opened(bundle);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->mesh->positions.size(), 28u);
  EXPECT_EQ(std::get<FileSource>(again->scene.mesh).path, utf8_of(bundle / "meshes/cloth.obj#front"));
}

// What was opened from a bundle is saved over it: its meshes come from there.
TEST_F(Bundle, ReplacesItself) {
  const fs::path bundle = moved(save());
  thread_.emplace(opened(bundle), paused());
  steps(3);
  fs::copy(bundle, folder_ / "run.clothlab");
  save("elsewhere/moved.clothlab");
  EXPECT_EQ(names_in(bundle), names_in(folder_ / "run.clothlab"));
  const auto again = opened(bundle);
  ASSERT_NE(again, nullptr);
  WorkerPool pool(1);
  EXPECT_EQ(Arena(lanes_of(*again, pool), Arena::Options()).hash(), now_);
  save("elsewhere/other.clothlab");
  EXPECT_NE(opened(folder_ / "elsewhere/other.clothlab"), nullptr);
}

// "here/link/.." is "elsewhere", not "here".
TEST_F(Bundle, HasTheMeshThatAPathWithALinkNames) {
  fs::create_directory(folder_ / "elsewhere/deep");
  fs::create_directory_symlink(folder_ / "elsewhere/deep", folder_ / "here/link");
  const std::string other = cloth_obj() + "# the one that is loaded\n";
  folder_.write("elsewhere/cloth.obj", other);
  Scene scene;
  scene.mesh = FileSource{utf8_of(folder_ / "here/link/../cloth.obj")};
  scene.obstacles.bodies.push_back(
      parse_obstacle("mesh:0,0,0,1," + utf8_of(folder_ / "there/walk/../../here/link/../../there/walk/")));
  thread_.emplace(loaded(scene), paused());
  const fs::path bundle = save();
  EXPECT_EQ(read_text_file(bundle / "meshes/cloth.obj", kMaxSceneBytes), other);
  EXPECT_NE(opened(bundle), nullptr);
}

TEST_F(Bundle, RefusesMeshesThatHaveChangedSince) {
  folder_.write("here/body.obj", tetrahedron_obj(0.01));
  EXPECT_THAT(message_of<InputError>([&] { save(); }),
              HasSubstr("here/body.obj is not the mesh that was loaded"));
  folder_.write("here/body.obj", tetrahedron_obj(0));
  fs::remove(cloth_);
  EXPECT_THAT(message_of<InputError>([&] { save(); }), HasSubstr("cloth.obj: no such file"));
  EXPECT_FALSE(fs::exists(folder_ / "run.clothlab"));
}

TEST(OpenBundle, IsKeptUntilItChanges) {
  const TemporaryFolder folder;
  const auto packed = [](std::string text) { return archive_bytes(std::vector<ArchivedFile>{{"a", text}}); };
  const fs::path bundle = folder.write("run.clothlab", packed("one"));
  EXPECT_NE(open_bundle(bundle), open_bundle(bundle));
  const KeepBundleOpen keep;
  EXPECT_EQ(open_bundle(bundle), open_bundle(bundle));
  { const KeepBundleOpen again; }
  EXPECT_EQ(open_bundle(bundle), open_bundle(bundle));
  folder.write("run.clothlab", packed("a longer one"));
  EXPECT_EQ(read_text_file(bundle / "a", 100), "a longer one");
  EXPECT_THROW(Archive(bundle, [] { return true; }), Cancelled);
}

// Opening a bundle lists all files: once for each frame, this took 30 times as long.
TEST(OpenBundle, ReadsASequenceAboutAsFastAsAFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "walk");
  std::vector<ArchivedFile> files;
  for (int k = 1; k <= 600; ++k) {
    files.push_back({"walk/w_" + std::to_string(k) + ".obj", tetrahedron_obj(-0.001 * k)});
    folder.write(files.back().name, files.back().bytes);
  }
  folder.write("run.clothlab", archive_bytes(files));
  const auto seconds = [&](const char* path) {
    std::vector<Obstacle> bodies{parse_obstacle("mesh:0,0,0,1," + utf8_of(folder / path))};
    const std::clock_t begin = std::clock();
    read_obstacle_meshes(bodies);
    EXPECT_EQ(bodies[0].mesh.frames->positions().size(), 2400u);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double on_disk = seconds("walk"), in_bundle = seconds("run.clothlab/walk");
  EXPECT_LT(in_bundle, 5 * on_disk) << on_disk << " s on the disk";
}

// OldFiles continues its moment.
TEST(OldBundle, RepeatsItsJournal) {
  WorkerPool pool(1);
  Replay replay(read_journal(fs::path(CLOTHLAB_SOURCE_DIR) / "tests/documents/old_files/lanes-1.clothlab"),
                {});
  while (replay.next(pool) != Replay::Event::ended) {
  }
  EXPECT_EQ(replay.step(), 59u);
  EXPECT_EQ(replay.compared(), 2u);
  EXPECT_FALSE(replay.difference());
}

// --- Damaged and hostile bundles
// --------------------------------------------------------------------------------

std::vector<ArchivedFile> files_of_bundle(const fs::path& bundle) {
  const Archive archive(bundle);
  std::vector<ArchivedFile> files;
  for (const Archive::Entry& entry : archive.entries())
    files.push_back({entry.name, archive.read(entry.name, kMaxSceneBytes)});
  return files;
}

/// A bundle of `files` with the manifest of `listed`.
std::string with_manifest_of(const std::vector<ArchivedFile>& listed, std::vector<ArchivedFile> files) {
  Json manifest{{"clothlab-bundle", 1}, {"files", Json::object()}};
  for (const ArchivedFile& file : std::span(listed).subspan(1))
    manifest["files"][file.name] = {{"bytes", file.bytes.size()},
                                    {"hash", hex_digits(fingerprint(std::string_view(file.bytes)))}};
  files.front().bytes = manifest.dump();
  return archive_bytes(files);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Where the central directory has the entry of a name (the bytes of "PK\1\2").
std::size_t entry_of(const std::string& zip, std::string_view name) {
  constexpr std::size_t kHeader = 46;
  const std::size_t at = zip.rfind(name);
  EXPECT_EQ(zip.substr(at - kHeader, 4), "PK\1\2");
  return at - kHeader;
}

std::string with_bytes(std::string zip, std::size_t at, std::string_view bytes) {
  return zip.replace(at, bytes.size(), bytes);
}

class HostileBundle : public Bundle {
 protected:
  HostileBundle() : good_(bytes_of(save())) {}

  /// How the window refuses these bytes; the sentence is printable and names the file.
  std::string refusal(const std::string& bytes) {
    const fs::path path = folder_.write("hostile.clothlab", bytes);
    LoadJob job(path, UnitChoice::fit, false);
    const LoadJob::Result result = job.result();
    EXPECT_EQ(result.scene, nullptr);
    EXPECT_EQ(printable(result.error, 4000), result.error);
    EXPECT_THAT(result.error, HasSubstr("hostile.clothlab"));
    return result.error;
  }
  std::string good_;
};

TEST_F(HostileBundle, NamesThatLeaveTheBundle) {
  for (const char* name : {"/etc/shells..obj", "../../../../s.obj", "meshes/../../obj", "meshes\\..\\..\\.",
                           "C:/meshes/a.obj.", "meshes/\nody.obj\n"}) {
    const std::string hostile =
        replaced(good_, "meshes/cloth.obj", std::string(name).append(16, 'x').substr(0, 16));
    EXPECT_THAT(refusal(hostile), HasSubstr("which is not allowed in a bundle")) << name;
  }
}

TEST_F(HostileBundle, TwoFilesOfOneName) {
  EXPECT_THAT(refusal(replaced(good_, "meshes-2/walk/w_2.obj", "meshes-2/walk/w_1.obj")),
              HasSubstr("two files with the name \"meshes-2/walk/w_1.obj\""));
}

TEST_F(HostileBundle, Links) {
  const std::size_t entry = entry_of(good_, "meshes/cloth.obj");
  const std::string unix_zip = with_bytes(good_, entry + 5, "\3");
  EXPECT_THAT(refusal(with_bytes(unix_zip, entry + 38, std::string("\0\0\377\241", 4))),
              HasSubstr("is a link"));
}

TEST_F(HostileBundle, EncryptedFiles) {
  EXPECT_THAT(refusal(with_bytes(good_, entry_of(good_, "meshes/cloth.obj") + 8, "\1")),
              HasSubstr("is encrypted"));
}

TEST_F(HostileBundle, FilesThatUnpackToTooMuch) {
  const std::size_t entry = entry_of(good_, "meshes/cloth.obj");
  EXPECT_THAT(refusal(with_bytes(good_, entry + 24, std::string("\0\0\0\40", 4))),
              HasSubstr("unpacked it would have more than 256 MiB"));
  // The size that it claims is not the one that it has.
  const std::string lying = with_bytes(good_, entry + 24, std::string("\20\0\0\0", 4));
  EXPECT_THAT(refusal(lying), HasSubstr("has changed since"));
  EXPECT_THAT(
      message_of<InputError>([&] { Archive(lying, "lying").read("meshes/cloth.obj", kMaxSceneBytes); }),
      HasSubstr("damaged"));
  std::vector<ArchivedFile> many(1, {"manifest.json", "{}"});
  for (int k = 0; k < 20'000; ++k) many.push_back({std::to_string(k), ""});
  EXPECT_THAT(message_of<InputError>([&] { archive_bytes(many); }), HasSubstr("more than 20000 files"));
}

// The moment alone would open.
TEST_F(HostileBundle, FilesLargerThanTheirReaderAccepts) {
  std::vector<ArchivedFile> files = files_of_bundle(folder_ / "run.clothlab");
  files[1].bytes.append(kMaxSceneBytes, ' ');
  EXPECT_THAT(refusal(with_manifest_of(files, files)),
              HasSubstr("\"scene.json\" has more than the 64 MiB that are allowed"));
}

// Nothing is unpacked to find that a size differs.
TEST_F(HostileBundle, OtherSizesThanListed) {
  const std::vector<ArchivedFile> files = files_of_bundle(folder_ / "run.clothlab");
  std::vector<ArchivedFile> changed = files;
  changed.back().bytes += "# another line\n";
  std::string bytes = with_manifest_of(files, changed);
  bytes = with_bytes(bytes, bytes.find("session.journal") + 60, "damage");
  EXPECT_THAT(refusal(bytes), HasSubstr("\"meshes/cloth.obj\" has changed since"));
}

TEST(ArchiveParts, HaveOneMebibyte) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  std::string whole;
  for (std::size_t k = 0; k < 2 * kMebibyte + 12; ++k) whole += static_cast<char>(k % 251);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{7}, kMebibyte - 1, kMebibyte, whole.size()}) {
    const std::string packed = archive_bytes(std::vector<ArchivedFile>{{"file", whole.substr(0, bytes)}});
    std::string read;
    Hash hash;
    Archive(packed, "packed").read_parts("file", bytes, {}, [&](std::string_view part) {
      EXPECT_LE(part.size(), kMebibyte);
      EXPECT_EQ(read.size() % kMebibyte, 0u);
      read += part;
      add_part(hash, part);
    });
    EXPECT_EQ(read, whole.substr(0, bytes));
    EXPECT_EQ(hash.value(), fingerprint(std::string_view(read)));
  }
}

TEST_F(HostileBundle, DamagedBytes) {
  EXPECT_THAT(refusal(std::string()), HasSubstr("not a ZIP file, or it is damaged"));
  EXPECT_THAT(refusal("PK nonsense"), HasSubstr("not a ZIP file, or it is damaged"));
  EXPECT_THAT(refusal(good_.substr(0, good_.size() / 2)), HasSubstr("not a ZIP file, or it is damaged"));
  const std::size_t inside = good_.find("meshes/cloth.obj") + 60;
  EXPECT_THAT(refusal(with_bytes(good_, inside, "damage")), HasSubstr("damaged"));
}

TEST_F(HostileBundle, Manifests) {
  std::vector<ArchivedFile> files = files_of_bundle(folder_ / "run.clothlab");
  const auto with_manifest = [&](const std::string& text) {
    std::vector<ArchivedFile> changed = files;
    changed.front().bytes = text;
    return refusal(archive_bytes(changed));
  };
  EXPECT_THAT(with_manifest("[]"), HasSubstr("manifest.json has no version"));
  EXPECT_THAT(with_manifest("{"), HasSubstr("manifest.json"));
  EXPECT_THAT(
      with_manifest(replaced(files.front().bytes, "\"clothlab-bundle\": 1", "\"clothlab-bundle\": 2")),
      HasSubstr("this program reads bundles of version 1."));
  EXPECT_THAT(with_manifest(R"({"clothlab-bundle": 1, "files": {}})"), HasSubstr("does not list the files"));
  EXPECT_THAT(refusal(archive_bytes(std::span(files).subspan(1))), HasSubstr("has no manifest.json"));

  std::vector<ArchivedFile> changed = files;
  changed.back().bytes += "# another line\n";
  EXPECT_THAT(refusal(with_manifest_of(files, changed)), HasSubstr("\"meshes/cloth.obj\" has changed since"));
  changed = files;
  changed.back().name = "meshes/other.obj";
  EXPECT_THAT(refusal(with_manifest_of(files, changed)), HasSubstr("does not list \"meshes/other.obj\""));
  changed = files;
  changed.erase(changed.begin() + 2);
  EXPECT_THAT(refusal(with_manifest_of(changed, changed)), HasSubstr("has no moment.checkpoint"));
}

TEST_F(HostileBundle, MeshesOutsideOfIt) {
  const std::vector<ArchivedFile> files = files_of_bundle(folder_ / "run.clothlab");
  for (const std::string& path : {std::string("../here/cloth.obj"), utf8_of(cloth_)}) {
    std::vector<ArchivedFile> changed = files;
    changed[1].bytes = replaced(files[1].bytes, "meshes/cloth.obj", path);
    const fs::path bundle = folder_.write("hostile.clothlab", with_manifest_of(changed, changed));
    EXPECT_THAT(message_of<InputError>([&] { read_scene_file(bundle); }),
                HasSubstr("names the mesh " + path + ", which is not in the bundle"));
  }
}

// Whatever byte is damaged: refused, or read as if it were not.
TEST_F(HostileBundle, EveryByte) {
  const Archive archive(good_, "good");
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good_.size(); at += 11) {
    const std::string damaged = with_bytes(good_, at, std::string(1, static_cast<char>(good_[at] ^ 0x55)));
    try {
      check_bundle(Archive(damaged, "damaged"), "damaged");
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(printable(error.what(), 4000), error.what());
    }
  }
  EXPECT_GT(refused, good_.size() / 11 * 8 / 10);
}

}  // namespace
}  // namespace clothlab::testing
