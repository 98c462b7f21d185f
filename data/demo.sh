#!/usr/bin/env bash
# The tour of `make demo`: databases for the maps of this folder, a race on them, and a picture.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=build/release/bin
out=build/demo
mkdir -p "$out"

# Shows a command, then runs it.
run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

printf 'Waymark: databases for the eight maps in data/, then a race on 50 problems each.\n'
run $bin/waymark-build build data/*.map -o $out/maps.wmdb --method all
run $bin/waymark-build verify $out/maps.wmdb data/*.map
run $bin/waymark-run compare data/*.map --db $out/maps.wmdb \
    --algorithms regions:preset=best,regions,knn-lrta,tb-wa,tba,tb-gbfs,prta,lrta,astar
run $bin/waymark-run path data/grotto.map --db $out/maps.wmdb --from 4,4 --to 90,90 --svg $out/path.svg
printf '\nThe database is %s, the picture %s. Next: %s/waymark-run --help, %s/waymark-build --help.\n' \
    $out/maps.wmdb $out/path.svg $bin $bin
