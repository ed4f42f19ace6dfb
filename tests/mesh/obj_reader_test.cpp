// SPDX-License-Identifier: MIT
#include "mesh/obj_reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "temporary_folder.h"

#ifndef _WIN32
#include <sys/stat.h>
#endif

namespace clothlab {
namespace {

/// Every bit that export and simulation depend on, as text.
std::string fingerprint(const ObjMesh& mesh) {
  std::string text;
  const auto add = [&](double value) { text += std::to_string(std::bit_cast<std::uint64_t>(value)) + " "; };
  for (const vec3& p : mesh.vertices) add(p.x), add(p.y), add(p.z);
  text += "| ";
  for (const TextureCoordinate& t : mesh.texture_coordinates)
    for (int i = 0; i < t.count; ++i) add(t.value[static_cast<std::size_t>(i)]);
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    text += "| ";
    for (const auto& corner : mesh.face(f))
      text += std::to_string(corner.vertex) + "/" + std::to_string(corner.texture) + " ";
  }
  return text;
}

std::string read(std::string_view text) { return fingerprint(parse_obj(text, "test.obj")); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

const std::string kPlain =
    "v 0.1 -2.5 3e-2\n"
    "v 1 0 0\n"
    "v 1.25 1 0\n"
    "v 0 1 -0\n"
    "v 0.5 2 0.3333333333333333\n"
    "f 1 2 3 4\n"
    "f 4 3 5\n";

TEST(ObjReader, ReadsVerticesAndPolygons) {
  const ObjMesh mesh = parse_obj(kPlain, "plain.obj");
  EXPECT_EQ(mesh.name, "plain.obj");
  ASSERT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.vertices[0], vec3(0.1, -2.5, 0.03));
  EXPECT_TRUE(std::signbit(mesh.vertices[3].z));
  ASSERT_EQ(mesh.face_count(), 2u);
  ASSERT_EQ(mesh.face(0).size(), 4u);
  EXPECT_EQ(mesh.face(0)[3].vertex, 3);
  EXPECT_EQ(mesh.face(0)[3].texture, -1);
  EXPECT_EQ(mesh.face(1)[0].vertex, 3);
}

TEST(ObjReader, EveryLegalFormGivesTheSameBits) {
  const std::string expected = read(kPlain);
  const std::vector<std::pair<const char*, std::string>> forms{
      {"CRLF", replaced(kPlain, "\n", "\r\n")},
      {"CR", replaced(kPlain, "\n", "\r")},
      {"byte order mark", "\xEF\xBB\xBF" + kPlain},
      {"byte order mark before a comment", "\xEF\xBB\xBF# made by hand\n" + kPlain},
      {"no final newline", kPlain.substr(0, kPlain.size() - 1)},
      {"backslash at the end of the file", kPlain.substr(0, kPlain.size() - 1) + "\\"},
      {"continued lines", replaced(replaced(kPlain, "f 1 2 ", "f 1 \\\n2 \\\n"), "v 1 ", "v \\\n 1\\\n ")},
      {"continued CRLF lines", replaced(replaced(kPlain, "\n", "\r\n"), "f 1 2 ", "f 1\\\r\n2 \\\r\n")},
      {"backslash and blanks", replaced(kPlain, "f 1 2 ", "f 1 \\ \t\n2 ")},
      {"blank lines and blanks", "\n \t\n" + replaced(replaced(kPlain, "\n", " \t\n\n"), " ", "\t  ")},
      {"leading blanks", "  " + replaced(kPlain, "\nf", "\n\t f")},
      {"comments", "# v 9 9 9\n" + replaced(kPlain, "\n", " # f 9 9 9\n")},
      {"comments without a blank", replaced(kPlain, "\n", "#c\n")},
      {"a comment that ends in a backslash", "# C:\\meshes\\\n" + replaced(kPlain, "\nf", " # \\\nf")},
      {"relative indices", replaced(replaced(kPlain, "f 1 2 3 4", "f -5 -4 -3 -2"), "f 4 3 5", "f -2 -3 -1")},
      {"relative indices, faces between vertices",
       replaced(replaced(kPlain, "v 0.5 2", "f -4 -3 -2 -1\nv 0.5 2"), "f 1 2 3 4\n", "")},
      {"faces first", "f 1 2 3 4\nf 4 3 5\n" + kPlain.substr(0, kPlain.find('f'))},
      {"normals", "vn 0 0 1\n" + replaced(replaced(kPlain, "1 2 3 4", "1//1 2//1 3//1 4//-1"), "4 3 5",
                                          "4//1 3//1 5//1")},
      {"groups, objects, smoothing, materials",
       "mtllib nothing here.mtl\no thing\n" +
           replaced(kPlain, "f 4", "g top left\nusemtl red\ns 1\ns off\nlod 1\nf 4")},
      {"weights and colours",
       replaced(replaced(kPlain, "v 1 0 0", "v 1 0 0 1"), "v 0 1 -0", "v 0 1 -0 .1 .2 .3")},
      {"points, lines and free-form curves",
       "vp 0.1 0.2\ncstype bezier\ndeg 3\n" + kPlain + "p 1\nl 1 2 3\ncurv 0 1 1 2\nparm u 0 1\nend\n"},
      {"other spellings of the numbers",
       replaced(replaced(replaced(replaced(kPlain, "0.1 -2.5 3e-2", "+.1 -25e-1 +3.0E-002"), "v 1 0 0",
                                  "v 1. 0.0 0e5"),
                         "1.25", "0125e-2"),
                "0.3333333333333333", "0.33333333333333330000000000000000000000")},
      {"the old keyword of outline faces", replaced(kPlain, "f 4", "fo 4")},
  };
  for (const auto& [what, text] : forms) EXPECT_EQ(read(text), expected) << what << ":\n" << text;
}

TEST(ObjReader, ReadsTheFourFormsOfACorner) {
  const std::string head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0.5\nvt 0.25 1 0\nvn 0 0 1\n";
  const std::string with_texture = read(head + "f 1/3 2/2 3/1\n");
  EXPECT_EQ(read(head + "f 1/3/1 2/2/1 3/1/1\n"), with_texture);
  EXPECT_EQ(read(head + "f -3/-1/-1 -2/-2/-1 -1/-3/-1\n"), with_texture);
  const std::string without = read(head + "f 1 2 3\n");
  EXPECT_EQ(read(head + "f 1//1 2//1 3//1\n"), without);
  EXPECT_NE(with_texture, without);
  EXPECT_EQ(parse_obj(head + "f 1/3 2 3//1\n", "mixed.obj").face(0)[0].texture, 2);
  EXPECT_EQ(parse_obj(head + "f 1 2 3\n", "t.obj").texture_coordinates[2].count, 3);
}

TEST(ObjReader, CountsNormals) {
  const ObjMesh mesh = parse_obj("mtllib a\no b\ng c\ng d e\ns 1\nvn 0 1 0\nl 1 2\n" + kPlain, "t.obj");
  EXPECT_EQ(mesh.normals, 1u);
}

/// Sets the locale of C and C++ to one with a decimal comma for the length of a test.
class CommaLocale {
 public:
  CommaLocale() {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"})
      if (std::setlocale(LC_ALL, name)) break;
    std::locale::global(std::locale(std::locale(), new Comma));
  }
  ~CommaLocale() { std::locale::global(std::locale::classic()); }

 private:
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
};

TEST(ObjReader, TheLocaleDoesNotMatter) {
  std::string text = kPlain;
  for (int i = 0; i < 2000; ++i) text += "v 1234567.25 0.5 1e3\n";
  text += "f 1 2 2000\n";
  const std::string expected = read(text);
  const CommaLocale comma;
  EXPECT_EQ(read(text), expected);
}

TEST(ObjReader, NumbersHaveTheBitsOfStrtod) {
  std::vector<std::string> numbers{"0",
                                   "-0",
                                   "-0.0",
                                   "5e-324",
                                   "2.4703282292062328e-324",
                                   "2.4703282292062327e-324",
                                   "1e-400",
                                   "-1e-400",
                                   "1e-99999999999999999999",
                                   "0e999999",
                                   "1.7976931348623157e308",
                                   "2.2250738585072011e-308",
                                   "9007199254740993",
                                   "0.1e1",
                                   "123456789012345678901234567890",
                                   "1." + std::string(500, '3'),
                                   "0." + std::string(400, '0') + "1",
                                   "1" + std::string(300, '0') + "e-300",
                                   "0." + std::string(400, '0') + "1e400"};
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    char text[64];
    const int digits = 1 + static_cast<int>(random() % 20);
    std::snprintf(text, sizeof text, i % 2 ? "%.*e" : "%.*g", digits, value);
    if (std::isfinite(std::strtod(text, nullptr))) numbers.emplace_back(text);
  }
  std::string obj;
  for (const std::string& number : numbers) obj += "v " + number + " 0 0\n";
  const ObjMesh mesh = parse_obj(obj + "f 1 2 3\n", "numbers.obj");
  for (std::size_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(mesh.vertices[i].x),
              std::bit_cast<std::uint64_t>(std::strtod(numbers[i].c_str(), nullptr)))
        << numbers[i];
}

struct Refusal {
  std::string text;
  int line;
  const char* reason;  // part of the message
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST(ObjReader, RefusesWithFileLineAndReason) {
  const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
  const std::vector<Refusal> refusals{
      {"v 0 0 nan\n", 1, "'nan' is not a finite number"},
      {"v 0 0 0\nv inf 0 0\n", 2, "'inf' is not a finite number"},
      {"v 0 -Infinity 0\n", 1, "'-Infinity' is not a finite number"},
      {"v 0 0 1e400\n", 1, "'1e400' is not a finite number"},
      {"v 0 0 abc\n", 1, "'abc' is not a number"},
      {"# c\r\n\r\nv 0 0,5 0\r\n", 3, "'0,5' is not a number"},
      {"v 0 0 0x10\n", 1, "'0x10' is not a number"},
      {"v 0 0 1e\n", 1, "'1e' is not a number"},
      {"v 0 0 --1\n", 1, "'--1' is not a number"},
      {"v 0 0 +-1\n", 1, "'+-1' is not a number"},
      {"v 0 0 1-\n", 1, "'1-' is not a number"},
      {"v 0 0 0 x\n", 1, "'x' is not a number"},
      {"v 0 0\n", 1, "3 coordinates"},
      {"v\n", 1, "3 coordinates"},
      {"v 0 0 # 0\n", 1, "3 coordinates"},
      {"vt\n", 1, "texture coordinate"},
      {"vt 0 nan\n", 1, "finite"},
      {"vn 0 1\n", 1, "normal"},
      {"vn 0 1 zero\n", 1, "'zero' is not a number"},
      {square + "f 0 1 2\n", 5, "index 0"},
      {square + "f 1 2 5\n", 5, "vertex index 5"},
      {square + "f 1 2 -5\n", 5, "out of range"},
      {"f -1 -2 -3\n" + square, 1, "out of range"},
      {square + "f 1 2 3\nf 1 2 9\nf 1 2 7\n", 6, "vertex index 9"},
      {square + "f 1 2 99999999999999999999\n", 5, "out of range"},
      {square + "f 1 2 2147483648\n", 5, "out of range"},
      {square + "f 1 2 -9223372036854775809\n", 5, "out of range"},
      {square + "f 4294967297 2 3\n", 5, "out of range"},
      {square + "f 1/1 2/1 3/1\n", 5, "texture coordinate index 1"},
      {square + "f 1//1 2//1 3//1\n", 5, "normal index 1"},
      {square + "vt 0 0\nf 1/0 2/1 3/1\n", 6, "index 0"},
      {square + "f 1 2\n", 5, "at least 3 corners"},
      {square + "f\n", 5, "at least 3 corners"},
      {square + "f 1 2 # 3\n", 5, "at least 3 corners"},
      {square + "f" + repeated(" 1 2 3 4", 1025) + "\n", 5,
       "may have 4096 corners at most; this one has 4100"},
      {square + "f 1 2 x\n", 5, "'x'"},
      {square + "f 1 2 3.5\n", 5, "'3.5'"},
      {square + "f 1 2 3/\n", 5, "'3/'"},
      {square + "vt 0 0\nf 1 2 3//\n", 6, "'3//'"},
      {square + "vt 0 0\nvn 0 0 1\nf 1 2 3/1/1/1\n", 7, "'3/1/1/1'"},
      {square + "f 1 2 3\\ 4\n", 5, "'\\'"},
      {square + "f 1 2 \\\n 99\n", 6, "vertex index 99"},
      {std::string("v 0 0 0\nv 1 0 \0 0\n", 17), 2, "binary content"},
      {"v 0 0 0\r\nv 1 0 \x01\n", 2, "binary content"},
      {std::string("\xFF\xFEv\0 \0", 6), 1, "binary content"},
  };
  for (const Refusal& refusal : refusals) {
    const std::string message = message_of<InputError>([&] { parse_obj(refusal.text, "bad.obj"); });
    EXPECT_TRUE(message.starts_with("bad.obj:" + std::to_string(refusal.line) + ": ")) << message << "\n"
                                                                                       << refusal.text;
    EXPECT_NE(message.find(refusal.reason), std::string::npos) << message << "\n" << refusal.text;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(ObjReader, RefusesAMeshWithoutFaces) {
  for (const char* text :
       {"", "\n", "\xEF\xBB\xBF", "# nothing\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\n", "hello, world\n"}) {
    const std::string message = message_of<InputError>([&] { parse_obj(text, "empty.obj"); });
    EXPECT_TRUE(message.starts_with("empty.obj: no faces")) << message;
  }
}

TEST(ObjReader, MessagesStayShortAndPrintable) {
  const std::string message =
      message_of<InputError>([] { parse_obj("v 0 0 " + std::string(100000, '\xC3') + "\n", "long.obj"); });
  EXPECT_LT(message.size(), 150u);
  for (const char c : message.substr(0, message.find("…"))) EXPECT_TRUE(c >= ' ' && c <= '~');
}

/// Valid text with random edits: the reader returns a mesh whose indices are valid, or refuses it as bad
/// input.
TEST(ObjReader, SurvivesRandomEdits) {
  const std::string valid = "o a\nv 0 0 0\nv 1 0 0 1\nv 1 1e0 0 \\\n .1 .2 .3\nvt 0 0\nvt 1 0\nvn 0 0 1\n" +
                            kPlain +
                            "g x\nf 1/1 2/2 3/1\nf 1//1 2//1 3//1 # c\nf -1/-1/-1 -2/-2/-1 -3/-1/-1\r\n";
  const std::string_view bytes = "0123456789-+.eE/\\ \t\r\n#vfntgn\xEF\xBB\xBF\xFFinax,";
  std::mt19937 random(2024);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int good = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = valid;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = bytes[below(bytes.size())];
          break;
        case 1:
          text.insert(at, 1, bytes[below(bytes.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(below(text.size()), text.substr(at, 1 + below(12)));
      }
    }
    try {
      const ObjMesh mesh = parse_obj(text, "edited.obj");
      ++good;
      ASSERT_GT(mesh.face_count(), 0u);
      for (std::size_t f = 0; f < mesh.face_count(); ++f) ASSERT_GE(mesh.face(f).size(), 3u) << text;
      for (const auto& corner : mesh.corners) {
        ASSERT_TRUE(corner.vertex >= 0 && static_cast<std::size_t>(corner.vertex) < mesh.vertices.size())
            << text;
        ASSERT_TRUE(corner.texture >= -1 &&
                    corner.texture < static_cast<std::int32_t>(mesh.texture_coordinates.size()))
            << text;
      }
      for (const vec3& p : mesh.vertices) ASSERT_TRUE(std::isfinite(p.x + p.y + p.z));
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(good, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(ObjReader, ReadsAFile) {
  const TemporaryFolder folder;
  const auto path = folder.write("tëst mesh.obj", kPlain);
  EXPECT_EQ(fingerprint(read_obj_file(path)), read(kPlain));
}

TEST(ObjReader, RefusesWhatIsNoReadableFile) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::filesystem::path& path) {
    return message_of<InputError>([&] { read_obj_file(path); });
  };
  EXPECT_NE(refusal(folder / "missing.obj").find("missing.obj: no such file"), std::string::npos);
  EXPECT_NE(refusal(folder.path()).find("it is a directory"), std::string::npos);
  EXPECT_NE(refusal(folder.write("file", "") / "x.obj").find("x.obj"), std::string::npos);
  EXPECT_NE(refusal(folder.write("empty.obj", "")).find("empty.obj: no faces"), std::string::npos);
#ifndef _WIN32
  ASSERT_EQ(mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
  EXPECT_NE(refusal(folder / "pipe.obj").find("named pipe"), std::string::npos);
  EXPECT_NE(refusal("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal(folder / std::string(300, 'x')).find("cannot read"), std::string::npos);
#endif
}

#ifndef _WIN32
TEST(ObjReader, RefusesAFileWithoutPermission) {
  const TemporaryFolder folder;
  const auto path = folder.write("secret.obj", kPlain);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const Unprivileged user;
  EXPECT_NE(message_of<InputError>([&] { read_obj_file(path); }).find("Permission denied"),
            std::string::npos);
}

TEST(ObjReader, ChecksTheSizeBeforeReading) {
  const TemporaryFolder folder;
  const auto path = folder.write("huge.obj", "v 0 0 0\n");
  std::filesystem::resize_file(path, kMaxObjBytes + 1);  // sparse: takes no room
  EXPECT_NE(message_of<InputError>([&] { read_obj_file(path); }).find("512 MiB"), std::string::npos);
}

TEST(ObjReader, MtllibNeverOpensAFile) {
  // Opening the pipe for reading would wait for a writer for ever.
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe.mtl").c_str(), 0600), 0);
  const std::string pipe = (folder / "pipe.mtl").string();
  const auto path = folder.write("m.obj", "mtllib pipe.mtl\nmtllib " + pipe + "\nusemtl x\n" + kPlain);
  EXPECT_EQ(fingerprint(read_obj_file(path)), read(kPlain));
}
#endif

TEST(ObjReader, StopsWhenAskedAndReportsProgress) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "v 0.125 0.25 0.5\n";
  text += "f 1 2 3\n";
  const TemporaryFolder folder;
  const auto path = folder.write("long.obj", text);
  std::vector<double> seen;
  read_obj_file(path, {{}, [&](double fraction) { seen.push_back(fraction); }});
  ASSERT_GT(seen.size(), 4u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_GE(seen.front(), 0.0);
  EXPECT_EQ(seen.back(), 1.0);
  int calls = 0;
  EXPECT_THROW(read_obj_file(path, {[&] { return ++calls > 3; }, {}}), Cancelled);
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace clothlab
