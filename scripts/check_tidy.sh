#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs clang-tidy 14 over src/ with the checks of .clang-tidy; every finding is an error. Some minutes.
# Exit 77 where clang-tidy-14 is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset check --log-level=NOTICE
# The headers that the build makes.
ninja -C build/check third_party/libclothlab_glad_generated.a generated/render/shader_sources.h > /dev/null
exec python3 scripts/check_clang.py build/check --tidy
