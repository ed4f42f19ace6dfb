// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/window.h"

namespace clothlab {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(NoWindowMessage, HasWhatWasFoundAndTheReason) {
  EXPECT_THAT(
      no_window_message("2.1 Mesa", 21, "GLX: no context"),
      StartsWith("The window needs OpenGL 3.3, but the graphics driver offers only OpenGL 2.1 Mesa (GLX: no "
                 "context): update"));
  EXPECT_THAT(no_window_message({}, 0, "GLX: no extension"),
              HasSubstr("offers no OpenGL (GLX: no extension): "));
}

// Another cause than the version.
TEST(NoWindowMessage, DoesNotBlameAVersionThatSuffices) {
  for (const int version : {33, 46})
    EXPECT_THAT(
        no_window_message("4.6", version, "GLX: no memory"),
        AllOf(StartsWith("The window needs OpenGL 3.3. OpenGL 4.6 was found, but no window can be opened "
                         "(GLX: no memory): "),
              Not(HasSubstr("only"))));
}

}  // namespace
}  // namespace clothlab
