#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds ClothLab and starts it.
#
#   scripts/run.sh [--yes] [clothlab's arguments]
#
#   --yes   install missing packages without asking
#
# Examples: scripts/run.sh          the window on the built-in scene
#           scripts/run.sh my.obj   the window on a mesh
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/packages.sh"

assume_yes=no
if [[ ${1-} == --yes ]]; then
  assume_yes=yes
  shift
fi

ensure_packages "$assume_yes" "${build_packages[@]}"
(
  cd "$root" # where CMake looks for the presets
  cmake --preset release --log-level=NOTICE
  cmake --build --preset release --target clothlab
)

program=$root/build/release/clothlab
case ${1-} in
  simulate | compare | analyze | render | bench | -h | --help | --version) exec "$program" "$@" ;;
esac
if [[ $(uname) == Linux && -z ${DISPLAY-} && -z ${WAYLAND_DISPLAY-} ]]; then
  echo "There is no display (DISPLAY and WAYLAND_DISPLAY are not set), so no window can open; this needs none:"
  echo "  ${program#"$PWD"/} render --grid 32x32 --steps 60 --png cloth.png"
  exit 0
fi
exec "$program" "$@"
