// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace clothlab::testing {

/// A folder of its own for every test.
class TestFolder : public ::testing::Test {
 protected:
  TestFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / ("clothlab_" + std::string(test->name()));
    std::filesystem::create_directories(folder_);
  }
  ~TestFolder() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  /// A square of the given size in the plane z = 0, in whatever unit.
  std::filesystem::path write_square(const std::string& name, double size) {
    const std::string s = std::to_string(size);
    return write(name, "v 0 0 0\nv " + s + " 0 0\nv " + s + " " + s + " 0\nv 0 " + s + " 0\nf 1 2 3 4\n");
  }

  std::filesystem::path folder_;
};

}  // namespace clothlab::testing
