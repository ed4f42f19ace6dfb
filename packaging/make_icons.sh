#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Draws the icons in packaging/icons from the scene of the table cloth; needs ImageMagick.
#
#   packaging/make_icons.sh [PROGRAM]      build/release/clothlab by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"${1:-build/release/clothlab}" render --scene assets/scenes/24-table-cloth.json --duration 1.2 --pixels 1024x1024 --zoom 1.95 \
  --pitch 20 --quiet --png "$folder/scene.png"
convert "$folder/scene.png" -alpha set \( +clone -alpha transparent -fill white -draw 'roundrectangle 0,0 1023,1023 160,160' \) \
  -compose DstIn -composite "$folder/icon.png"
for size in 16 32 48 64 128 256; do
  mkdir -p "packaging/icons/${size}x$size"
  convert "$folder/icon.png" -filter Box -resize "${size}x$size" -strip -define png:exclude-chunks=date,time \
    "packaging/icons/${size}x$size/clothlab.png"
done
