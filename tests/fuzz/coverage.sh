#!/usr/bin/env bash
# How many lines of each parser the kept inputs reach, by clang's own coverage. Builds into build/fuzz-coverage.
#
#   tests/fuzz/coverage.sh [--uncovered FILE]      lists the lines of FILE that no input reaches
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/fuzz-coverage
parsers=(shared/{mapfile,scenfile,text,bytes,format,pack,single,store,archive,coder,choice}.c shared/knn_decode.c
    shared/regions_codec.c shared/region_map.c shared/waypoints.c shared/d_lrta_codec.c runtime/db.c runtime/algorithms/registry.c)
tool() { command -v "$1" || command -v "$1-14" || { echo "$1 is not there; install llvm" >&2 && exit 1; }; }
cov=$(tool llvm-cov)
profdata=$(tool llvm-profdata)
targets=(map scen spec knn regions d_lrta choice wmb wmdb round_trip)

cmake -S . -B $build -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DWAYMARK_BUILD_BENCH=OFF -DWAYMARK_INSTALL=OFF \
    -DCMAKE_C_FLAGS='-fprofile-instr-generate -fcoverage-mapping' >/dev/null
cmake --build $build --target "${targets[@]/#/replay_}" >/dev/null
rm -f $build/*.profraw
objects=()
for target in "${targets[@]}"; do
    LLVM_PROFILE_FILE=$build/$target.profraw $build/tests/fuzz/replay_"$target" tests/fuzz/corpus/"$target" >/dev/null
    objects+=(-object "$build/tests/fuzz/replay_$target")
done
"$profdata" merge -o $build/all.profdata $build/*.profraw
if [[ ${1:-} == --uncovered ]]; then
    "$cov" show "${objects[@]:1}" -instr-profile $build/all.profdata "$2" | grep -E '^ +[0-9]+\| +0\|'
    exit
fi
"$cov" report "${objects[@]:1}" -instr-profile $build/all.profdata "${parsers[@]}" |
    awk '/\.c |^TOTAL/ { printf "%-28s %5d lines, %6s reached\n", $1, $8, $10 }'
