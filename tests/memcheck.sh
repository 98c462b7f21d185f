#!/usr/bin/env bash
# Valgrind's memcheck over the fast tests: wrong reads and writes, values that were never set, leaks. Needs the preset
# `checked` to be built. Says one line a test, and what was found. Random tests take a quarter of their cases.
#
#   tests/memcheck.sh [TEST...]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

export WAYMARK_BIN=$PWD/build/checked/bin WAYMARK_SOURCE=$PWD WAYMARK_TEST_SHARE=${WAYMARK_TEST_SHARE:-4}
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
export log

# Not here: cli_* run programs, which valgrind does not follow; limits measures time; knn_size counts bytes of 8 large maps.
fast_tests() {
    local name
    while read -r name; do
        [[ -x build/checked/tests/test_$name && ! $name =~ ^(cli_.*|limits|knn_size)$ ]] && echo "$name"
    done < <(ctest --preset checked -L '^fast$' -N | sed -n 's/^ *Test *#[0-9]*: //p')
}

memcheck() {
    local start=$SECONDS
    if valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect "build/checked/tests/test_$1" >"$log/$1" 2>&1; then
        echo "ok      $1 ($((SECONDS - start)) s)"
    else
        echo "FAILED  $1"
        grep -E '^==|ERROR' "$log/$1" | head -40
        return 1
    fi
}
export -f memcheck

# shellcheck disable=SC2016
if [[ $# -gt 0 ]]; then printf '%s\n' "$@"; else fast_tests; fi | xargs -n 1 -P "${JOBS:-1}" bash -c 'memcheck "$1"' memcheck
