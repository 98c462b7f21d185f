#!/usr/bin/env bash
# Valgrind's memcheck over tests that take seconds without it: wrong reads and writes, values that were never set, leaks.
# Needs the preset `checked` to be built. Says one line a test, and what was found.
#
#   tests/memcheck.sh [TEST...]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export WAYMARK_BIN=$PWD/build/checked/bin WAYMARK_SOURCE=$PWD
tests=("$@")
[[ ${#tests[@]} -gt 0 ]] || tests=(bytes text grid format mapfile scenfile single db disk_faults checkpoint distance climb
    heap pairs planes rta rtaa prta lrta_ls lss_lrta lookahead knn_merge knn_size knn_source routes map_edit)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
for test in "${tests[@]}"; do
    [[ -x build/checked/tests/test_$test ]] || continue
    if valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect "build/checked/tests/test_$test" >"$log" 2>&1; then
        echo "ok      $test"
    else
        echo "FAILED  $test"
        grep -E '^==|ERROR' "$log" | head -40
        failed=1
    fi
done
exit $failed
