// SPDX-License-Identifier: MIT
// main() of the test programs. Unlike GoogleTest's own, it fails if a filter matches no test.
// One of several shares of a program may be empty, because shares are dealt out without counting.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const bool may_be_empty = GTEST_FLAG_GET(list_tests) || std::getenv("GTEST_TOTAL_SHARDS") != nullptr;
  if (may_be_empty || testing::UnitTest::GetInstance()->test_to_run_count() > 0) return failed;
  std::fprintf(stderr, "No test matches --gtest_filter='%s'. Names of tests have _ where ids have -.\n",
               GTEST_FLAG_GET(filter).c_str());
  return 1;
}
