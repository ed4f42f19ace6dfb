// SPDX-License-Identifier: MIT
// main() of the test programs. Unlike GoogleTest's own, it fails if a filter matches no test.

#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const bool only_lists = GTEST_FLAG_GET(list_tests);
  if (only_lists || testing::UnitTest::GetInstance()->test_to_run_count() > 0) return failed;
  std::fprintf(stderr, "No test matches --gtest_filter='%s'. Names of tests have _ where ids have -.\n",
               GTEST_FLAG_GET(filter).c_str());
  return 1;
}
