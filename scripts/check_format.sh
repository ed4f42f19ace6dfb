#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks that every source is formatted as .clang-format says. Exit 77 where clang-format is missing.
# The formats of its major versions differ a little; Debian 12's, 14, decides.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

formatter=$(command -v clang-format-14 || command -v clang-format) || {
  echo "clang-format is not installed (Debian: clang-format)" >&2
  exit 77
}
folders=(src tests)
[[ -d bench ]] && folders+=(bench)
find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 "$formatter" --dry-run --Werror
