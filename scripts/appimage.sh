#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes BUILD/ClothLab.AppDir, a folder from which the program starts on other distributions, and from it an AppImage.
#
#   scripts/appimage.sh [BUILD]     build/appimage by default, which has the settings of the preset release; do not use a
#                                   folder that also makes the .deb, because BUILD keeps the RPATH
#
# Needs no installation: the program finds its assets in ../share/clothlab/assets and its libraries in ../lib (RPATH), from
# the folder in which it is. So programs that it starts, such as ffmpeg, use the libraries of the system. Tries the folder
# without a display and without the user's environment.
#
# UNTRIED: the last step, appimagetool, which Debian does not have. The folder was tried on Debian 12 only.
# Debian: binutils; for the checks desktop-file-utils appstream.
set -euo pipefail

case ${1-} in -h | --help)
  sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
  ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath -m "${1:-build/appimage}")
folder=$build/ClothLab.AppDir
fail() {
  echo "appimage.sh: $1" >&2
  exit 1
}

# Libraries that every desktop has, or that have to be those of its drivers. From
# https://github.com/AppImageCommunity/pkg2appimage/blob/master/excludelist (commit 03abb125), without
# libraries that neither this program nor its libraries need.
of_the_system() {
  case $1 in
    ld-linux*.so.* | libc.so.* | libm.so.* | libmvec.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | libutil.so.*) ;; # glibc
    libstdc++.so.* | libgcc_s.so.*) ;;
    libGL.so.* | libEGL.so.* | libGLX.so.* | libGLdispatch.so.* | libOpenGL.so.* | libdrm.so.* | libglapi.so.* | libgbm.so.*) ;;
    libX11.so.* | libX11-xcb.so.* | libxcb.so.* | libxcb-dri[23].so.* | libICE.so.* | libSM.so.* | libwayland-client.so.*) ;;
    libfontconfig.so.* | libfreetype.so.* | libharfbuzz.so.* | libfribidi.so.*) ;;
    libz.so.* | libexpat.so.* | libuuid.so.* | libcom_err.so.* | libgpg-error.so.* | libgmp.so.*) ;;
    *) return 1 ;;
  esac
}

# RPATH, not RUNPATH, because it also applies to the libraries of the libraries.
# shellcheck disable=SC2016 # $ORIGIN is for the dynamic linker
rpath=('-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib' '-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags' --log-level=NOTICE)
if [[ -f $build/CMakeCache.txt ]]; then cmake "$build" "${rpath[@]}"; else cmake --preset release -B "$build" "${rpath[@]}"; fi
cmake --build "$build" --target clothlab manual
rm -rf "$folder"
DESTDIR=$folder cmake --install "$build" --prefix /usr --strip > /dev/null
program=$folder/usr/bin/clothlab

mkdir -p "$folder/usr/lib"
found=$(ldd "$build/clothlab")
bundle() { # FILE: copies the libraries that it names, and theirs
  local library path
  for library in $(objdump -p "$1" | sed -n 's/^ *NEEDED *//p'); do
    if of_the_system "$library" || [[ -e $folder/usr/lib/$library ]]; then continue; fi
    path=$(awk -v name="$library" '$1 == name { print $3 }' <<< "$found")
    [[ -e $path ]] || fail "$library, which $1 needs, is not found"
    install -m 644 "$path" "$folder/usr/lib/$library"
    bundle "$path"
  done
}
bundle "$program"

cp packaging/clothlab.desktop packaging/icons/256x256/clothlab.png "$folder/"
ln -s clothlab.png "$folder/.DirIcon"
ln -s usr/bin/clothlab "$folder/AppRun"

# The folder by itself.
loaded=$(env -i ldd "$program")
for library in "$folder"/usr/lib/*; do
  grep -qF "=> $folder/usr/bin/../lib/${library##*/} " <<< "$loaded" || fail "the program does not load ${library##*/} from the folder"
done
! grep -F "not found" <<< "$loaded" || fail "libraries are missing"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
(cd "$home" && env -i HOME="$home" "$folder/AppRun" --version)
(cd "$home" && env -i HOME="$home" "$folder/AppRun" simulate --scene "$folder/usr/share/clothlab/assets/scenes/01-sheet.json" --steps 5 --quiet > /dev/null)
! command -v desktop-file-validate > /dev/null || desktop-file-validate "$folder/clothlab.desktop"
! command -v appstreamcli > /dev/null || appstreamcli validate-tree --no-net "$folder" > "$home/metadata" || fail "the metadata: $(cat "$home/metadata")"
echo "$folder: $(du -sm "$folder" | cut -f1) MB, with $(cd "$folder/usr/lib" && echo *)"

if command -v appimagetool > /dev/null; then
  appimagetool "$folder" "$build/ClothLab.AppImage"
else
  echo "$folder is complete, but no AppImage was made because appimagetool is missing (https://github.com/AppImage/appimagetool)."
fi
