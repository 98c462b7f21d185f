#!/usr/bin/env bash
# Makes a folder that `love FOLDER` plays: the game, a map, its database and the library.
#
#   bindings/love/make.sh FOLDER [BIN_DIR LIBRARY]      default: what `cmake --build --preset release` made
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
folder=${1:?usage: make.sh FOLDER [BIN_DIR LIBRARY]}
bin=${2:-$root/build/release/bin}
library=${3:-$root/build/release/runtime/libwaymark.so.1}

mkdir -p "$folder"
cp "$here"/*.lua "$folder"
cp -L "$library" "$folder/libwaymark.so.1"
"$bin/waymark-build" generate --kind caves --size 112x70 --density 42 --seed 3 -o "$folder/cave.map"
"$bin/waymark-build" build "$folder/cave.map" -o "$folder/cave.wmdb" --method regions --quiet
"$bin/waymark-build" export "$folder/cave.wmdb" --map cave -o "$folder/cave.wmb" --quiet
