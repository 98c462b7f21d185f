#!/usr/bin/env bash
# clang-tidy over all sources of the project. What it found nothing in is not looked at again until the file, a header,
# how it is compiled, the checks or clang-tidy changes; build/tidy/ knows what that was.
#
#   tests/tidy.sh [JOBS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/clang
known=build/tidy
mkdir -p "$known"
common=$({
    clang-tidy --version
    cat .clang-tidy "$build/compile_commands.json"
    { git ls-files -z '*.h'; find "$build" -name '*.h' -print0 | sort -z; } | xargs -0 sha256sum
} | sha256sum)
export build known common

tidy() {
    local stamp
    stamp=$known/$({ echo "$common $1"; cat "$1"; } | sha256sum | cut -c 1-64)
    [[ -e $stamp ]] && return
    clang-tidy --quiet -p "$build" "$1" && touch "$stamp"
}
export -f tidy
# shellcheck disable=SC2016
git ls-files -z 'shared/*.c' 'runtime/*.c' 'builder/*.c' | xargs -0 -r -n 1 -P "${1:-2}" bash -c 'tidy "$1"' tidy
