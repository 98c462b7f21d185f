#!/usr/bin/env bash
# Builds libwaymark without SQLite, and checks that it needs none, is small, exports nothing but the API, walks with a
# .wmb exactly as waymark-run does, and says what to do with a .wmdb.
#
#   tests/check_without_sqlite.sh PROJECT_DIR BUILD_DIR GENERATOR BIN_DIR
set -euo pipefail
cd "$1"
build=$2/without-sqlite
generator=$3
bin=$4
cc=${CC:-cc}
most_bytes=$((200 * 1024))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

die() { echo "$*"; exit 1; }

# What would find SQLite or argtable3 is switched off: the build must not miss them.
cmake -G "$generator" -S . -B "$build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release -DWAYMARK_WITH_SQLITE=OFF \
    -DWAYMARK_WARNINGS_AS_ERRORS=ON -DCMAKE_DISABLE_FIND_PACKAGE_Argtable3=ON >"$folder/log" 2>&1 ||
    { cat "$folder/log"; die "cmake failed"; }
cmake --build "$build" >"$folder/log" 2>&1 || { cat "$folder/log"; die "the build failed"; }

library=$build/runtime/libwaymark.so
strip -o "$folder/stripped" "$library"
bytes=$(stat -c %s "$folder/stripped")
echo "libwaymark without SQLite: $bytes bytes stripped, of $most_bytes"
[[ $bytes -lt $most_bytes ]] || die "that is too much"
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
echo "needs:" $needed
[[ $needed != *sqlite* && $needed != *argtable* && $needed == *zstd* ]] || die "that is not what it should need"
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }')
[[ -n $exported ]] && ! grep -v '^wm_' <<<"$exported" || die "exported, but not of the API"

map=data/grotto.map
"$bin/waymark-build" build "$map" --method regions -o "$folder/maps.wmdb" --quiet
"$bin/waymark-build" export "$folder/maps.wmdb" --map grotto -o "$folder/grotto.wmb" --quiet
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -I runtime/include tests/without_sqlite.c -L "${library%/*}" \
    -Wl,-rpath,"${library%/*}" -lwaymark -o "$folder/client"
said=$("$folder/client" "$map" "$folder/grotto.wmb" "$folder/maps.wmdb" 4 4 90 90)
cost=$("$bin/waymark-run" path "$map" --db "$folder/maps.wmdb" --from 4,4 --to 90,90 | grep '^cost: ')
expected="$cost
$cost
damaged or unknown format: $folder/maps.wmdb is a .wmdb"
[[ $said == "$expected"* && $said == *"waymark-build export"* ]] || die "the client said '$said'"
echo "the client walks as waymark-run does: $cost"
