#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes BUILD/ClothLab.AppDir, a folder from which the program starts on other distributions, and from it an AppImage.
#
#   packaging/appimage.sh [BUILD]     build/release by default, already configured
#
# UNTRIED: the last step, appimagetool, which Debian does not have. The folder was tried on Debian 12 only. It contains the libraries
# that the program is linked with, except those of the system (C, C++, OpenGL, X11).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$(realpath "${1:-build/release}")
folder=$build/ClothLab.AppDir
cmake --build "$build" --target clothlab manual
rm -rf "$folder"
DESTDIR=$folder cmake --install "$build" --prefix /usr --strip > /dev/null
mkdir -p "$folder/usr/lib"
ldd "$folder/usr/bin/clothlab" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
  case ${library##*/} in
    libglfw* | libstb* | libtinyobjloader* | libzip* | libbz2* | libcrypto*) cp -L "$library" "$folder/usr/lib/" ;;
  esac
done
cp packaging/clothlab.desktop packaging/icons/256x256/clothlab.png "$folder/"
# shellcheck disable=SC2016 # of AppRun
printf '%s\n' '#!/bin/sh' 'here=$(dirname "$(readlink -f "$0")")' \
  'LD_LIBRARY_PATH=$here/usr/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$here/usr/bin/clothlab" "$@"' > "$folder/AppRun"
chmod +x "$folder/AppRun"
"$folder/AppRun" --version

if command -v appimagetool > /dev/null; then
  appimagetool "$folder" "$build/ClothLab.AppImage"
else
  echo "$folder is complete; appimagetool is missing (https://appimage.github.io), so no AppImage was made."
fi
