#!/usr/bin/env bash
# Makes the maps and problems of this folder again, into DIR.
#
#   data/make.sh DIR [WAYMARK_BUILD]
set -euo pipefail
dir=$1
build=${2:-build/release/bin/waymark-build}

# map <name> <kind> <size> <seed> [option...]: a map and 50 problems on it.
map() {
    local name=$1 kind=$2 size=$3 seed=$4
    shift 4
    "$build" generate --kind "$kind" --size "$size" --seed "$seed" "$@" -o "$dir/$name.map"
    "$build" problems "$dir/$name.map" -n 50 --seed "$seed" -o "$dir/$name.map.scen"
}

map grotto     caves  96x96   3
map caverns    caves  256x192 1
map cellars    rooms  128x128 2 --grain 12
map barracks   rooms  192x128 3 --grain 20
map labyrinth  maze   128x128 4
map catacombs  maze   64x64   5 --grain 2
map scrub      random 128x128 6 --density 15
map rubble     random 96x64   7 --density 30
