# SPDX-License-Identifier: MIT
# clothlab::json: scene and summary files.
find_package(nlohmann_json 3.10 CONFIG QUIET)
if(TARGET nlohmann_json::nlohmann_json)
  clothlab_provide(json nlohmann_json::nlohmann_json)
else()
  clothlab_require("JSON for Modern C++ 3.10 or newer" DEBIAN nlohmann-json3-dev HOMEBREW nlohmann-json VCPKG nlohmann-json)
endif()
