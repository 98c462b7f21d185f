#!/usr/bin/env bash
# How building grows with the map: processor time, peak memory and stored bytes, for each kind of generated map and each
# method. Needs GNU time. Prints a table in Markdown; what takes more than LIMIT seconds of processor time is stopped.
#
#   bench/scaling.sh [SIDE...]        sides in cells; default 64 256 1024 4096
#   BIN=build/release/bin LIMIT=120 RECORDS=1000 KINDS='caves rooms maze random' METHODS='knn regions'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bin=$PWD/${BIN:-build/release/bin}
limit=${LIMIT:-120}
records=${RECORDS:-1000}
sides=("$@")
[[ ${#sides[@]} -gt 0 ]] || sides=(64 256 1024 4096)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# measure <title> <command...>: one row.
measure() {
    local title=$1 status=0 seconds kilobytes
    shift
    rm -f out.wmdb*
    (ulimit -t "$limit" && exec /usr/bin/time -o time.txt -f '%U %M' "$@" >said.txt 2>error.txt) || status=$?
    read -r seconds kilobytes < <(tail -n 1 time.txt)
    case $status in
    0) printf '| %s | %s | %d | %s |\n' "$title" "$seconds" $((kilobytes / 1024)) "$(grep -o '[0-9]* bytes' said.txt | head -n 1)" ;;
    3) printf '| %s | %s | %d | %s |\n' "$title" "$seconds" $((kilobytes / 1024)) "$(sed 's/^waymark-build: [^ ]* //' error.txt)" ;;
    *) printf '| %s | | | stopped at %d s |\n' "$title" "$limit" ;;
    esac
}

printf '| kind | side | method | processor s | peak MiB | stored |\n|---|---|---|---|---|---|\n'
for side in "${sides[@]}"; do
    for kind in ${KINDS:-caves rooms maze random}; do
        "$bin/waymark-build" generate --kind $kind --size "${side}x$side" --seed 1 -o map.map
        for method in ${METHODS:-knn regions}; do
            measure "$kind | $side | $method" "$bin/waymark-build" build map.map -o out.wmdb -n "$records" --threads 1 --method $method
        done
    done
done
