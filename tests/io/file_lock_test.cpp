// SPDX-License-Identifier: MIT
#include "io/file_lock.h"

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace clothlab {
namespace {

TEST(FileLock, IsExclusiveUntilItsEnd) {
  const TemporaryFolder folder;
  auto first = FileLock::try_lock(folder / "lock");
  ASSERT_TRUE(first);
  EXPECT_FALSE(FileLock::try_lock(folder / "lock"));
  FileLock moved = std::move(*first);
  first.reset();
  EXPECT_FALSE(FileLock::try_lock(folder / "lock"));
  EXPECT_TRUE(FileLock::try_lock(folder / "other"));
  { const FileLock end = std::move(moved); }
  EXPECT_TRUE(FileLock::try_lock(folder / "lock"));
  EXPECT_FALSE(FileLock::try_lock(folder / "none" / "lock"));
}

}  // namespace
}  // namespace clothlab
