#!/usr/bin/env bash
# Fuzzes each target for some time, from the kept inputs on. What it finds is put into BUILD/found/<target>, crashes too;
# BUILD/found/<target>.log has libFuzzer's own words. Fails if any target crashed, leaked or took too long.
#
#   tests/fuzz/run.sh BUILD SECONDS [TARGET]...
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1
seconds=$2
shift 2
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=(map scen spec knn regions d_lrta choice wmb wmdb round_trip)

found=$build/found
failed=0
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
# Inputs are written to files by the thousand: in memory, where there is a place for them.
[[ -n ${TMPDIR:-} || ! -w /dev/shm ]] || export TMPDIR=/dev/shm
for target in "${targets[@]}"; do
    mkdir -p "$found/$target"
    longest=2048
    [[ $target == wmdb ]] && longest=24576
    if "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=$longest -timeout=60 -print_final_stats=1 \
        -artifact_prefix="$found/$target/" "$found/$target" "$here/corpus/$target" >"$found/$target.log" 2>&1; then
        result=ok
    else
        result=FAILED
        failed=1
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$target.log")
    printf '%-8s %-12s %4d s, %s executions\n' "$result" "$target" "$seconds" "${runs:-?}"
    [[ $result == ok ]] || tail -n 30 "$found/$target.log"
done
exit $failed
