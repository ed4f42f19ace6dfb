# SPDX-License-Identifier: MIT
# clothlab::cli: the command line.
find_package(CLI11 2.1 CONFIG QUIET)
if(TARGET CLI11::CLI11)
  clothlab_provide(cli CLI11::CLI11)
else()
  clothlab_require("CLI11 2.1 or newer" DEBIAN libcli11-dev HOMEBREW cli11 VCPKG cli11)
endif()
