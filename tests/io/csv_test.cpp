// SPDX-License-Identifier: MIT
#include "io/csv.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"
#include "core/text_file.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

TEST(Csv, WritesStatesWithSeventeenDigits) {
  const std::vector<vec3> x{{0, 0.1, -1}, {1e-300, 2.5, 1e22}}, v{{-0.0, 1.0 / 3, 0}, {1, 2, 3}};
  EXPECT_EQ(state_csv(x, v),
            "x,y,z,vx,vy,vz\n"
            "0,0.10000000000000001,-1,-0,0.33333333333333331,0\n"
            "1e-300,2.5,1e+22,1,2,3\n");
}

TEST(Csv, StatesReadBackBitForBit) {
  std::mt19937_64 random(11);
  std::vector<vec3> x, v;
  while (x.size() < 2000) {
    vec3 a, b;
    for (int axis = 0; axis < 3; ++axis) {
      a[axis] = std::bit_cast<double>(random());
      b[axis] = std::bit_cast<double>(random());
    }
    if (!std::isfinite(a.x + a.y + a.z + b.x + b.y + b.z)) continue;
    x.push_back(a);
    v.push_back(b);
  }
  const TemporaryFolder folder;
  const StateRows rows = read_state_csv(folder.write("state.csv", state_csv(x, v)), x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(rows.positions[i][axis]),
                std::bit_cast<std::uint64_t>(x[i][axis]));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(rows.velocities[i][axis]),
                std::bit_cast<std::uint64_t>(v[i][axis]));
    }
}

TEST(Csv, ReadsOtherWaysToWriteTheSame) {
  const std::string plain = "x,y,z,vx,vy,vz\n1,2,3,4,5,6\n-1,0.5,0,0,0,1e3\n";
  for (const std::string& text :
       {plain, plain.substr(0, plain.size() - 1), plain + "\n \r\n",
        std::string("\xEF\xBB\xBFx, y ,z,vx,vy,vz\r\n 1,2,3,4,5,6 \r\n-1,.5,0,\t0,0,+1000\r\n")}) {
    const StateRows rows = parse_state_csv(text, "s.csv", 2);
    EXPECT_EQ(rows.positions, (std::vector<vec3>{{1, 2, 3}, {-1, 0.5, 0}})) << text;
    EXPECT_EQ(rows.velocities, (std::vector<vec3>{{4, 5, 6}, {0, 0, 1000}})) << text;
  }
}

TEST(Csv, RefusesWithFileLineAndReason) {
  const std::string head = "x,y,z,vx,vy,vz\n";
  struct Refusal {
    std::string text;
    int line;
    const char* reason;
  };
  for (const Refusal& refusal : std::vector<Refusal>{
           {"", 1, "header"},
           {"1,2,3,4,5,6\n", 1, "header"},
           {"x,y,z\n1,2,3\n", 1, "header"},
           {"x,y,z,vx,vy,vz,t\n", 1, "header"},
           {"y,x,z,vx,vy,vz\n", 1, "header"},
           {head + "1,2,3,4,5\n", 2, "6 values"},
           {head + "1,2,3,4,5,6,7\n", 2, "more"},
           {head + "1,2,3,4,5,6,\n", 2, "more"},
           {head + "1,2,3,4,5,6\n\n1,2,3,4,5,6\n", 3, "'' is not a finite number"},
           {head + "1,2,,4,5,6\n", 2, "'' is not a finite number"},
           {head + "1,2,3,4,5,6\n1,2,3,nan,5,6\n", 3, "'nan' is not a finite number"},
           {head + "1,2,3,4,-inf,6\n", 2, "'-inf'"},
           {head + "1,2,3,4,1e999,6\n", 2, "'1e999'"},
           {head + "1,2,3,4,five,6\n", 2, "'five'"},
           {head + "1;2;3;4;5;6\n", 2, "'1;2;3;4;5;6'"},
           {head + "1,2,3,4,5,6\n", 2, "ends after 1 rows, and the mesh has 2"},
           {head, 1, "ends after 0 rows"},
           {head + "1,2,3,4,5,6\n1,2,3,4,5,6\n1,2,3,4,5,6\n", 4,
            "more rows than the mesh has vertices, which is 2"},
       }) {
    const std::string message = message_of<InputError>([&] { parse_state_csv(refusal.text, "s.csv", 2); });
    EXPECT_TRUE(message.starts_with("s.csv:" + std::to_string(refusal.line) + ": ")) << message << "\n"
                                                                                     << refusal.text;
    EXPECT_NE(message.find(refusal.reason), std::string::npos) << message << "\n" << refusal.text;
  }
}

TEST(Csv, RefusesWhatIsNoReadableFile) {
  const TemporaryFolder folder;
  EXPECT_NE(message_of<InputError>([&] { read_state_csv(folder / "no.csv", 1); }).find("no such file"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { read_state_csv(folder.path(), 1); }).find("directory"),
            std::string::npos);
}

TEST(Csv, GivesUpWhenAsked) {
  std::string text = "x,y,z,vx,vy,vz\n";
  for (int i = 0; i < 5000; ++i) text += "1,2,3,4,5,6\n";
  EXPECT_THROW(parse_state_csv(text, "s.csv", 5000, [] { return true; }), Cancelled);
}

TEST(Csv, ValuesThatAreNotFiniteAreNotWritten) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(csv_row(double{NAN}, 1.0, kInfinity, 2, -kInfinity), "nan,1,nan,2,nan\n");
  for (const double bad : {double{NAN}, kInfinity}) {
    const std::vector<vec3> good{vec3(0)}, broken{vec3(0, bad, 0)};
    EXPECT_THROW(state_csv(broken, good), SystemError);
    EXPECT_THROW(state_csv(good, broken), SystemError);
  }
}

TEST(Csv, WritesLinesOfATable) { EXPECT_EQ(csv_row(12LL, 0.1, -3, 2.0), "12,0.10000000000000001,-3,2\n"); }

TEST(TextFile, HasALimit) {
  const TemporaryFolder folder;
  const auto path = folder.write("scene.json", "{\"a\": 1}");
  EXPECT_EQ(read_text_file(path, 8), "{\"a\": 1}");
  EXPECT_THROW(read_text_file(path, 7), InputError);
  EXPECT_EQ(read_text_file(folder.write("empty", ""), 8), "");
}

}  // namespace
}  // namespace clothlab
