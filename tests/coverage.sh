#!/usr/bin/env bash
# Reports which share of the lines the fast tests and the experiments' run: per folder, and every file below the line. Fails
# where a folder is below it. Needs the preset `coverage` to be built, and nothing but gcov.
#
#   tests/coverage.sh [CTEST_OPTION...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wanted=90 # percent of the lines of each folder
build=build/coverage

# Programs that may not write, because a test limits their files, would say a sentence of gcov's beside their own.
export GCOV_ERROR_FILE=/dev/null
find "$build" -name '*.gcda' -delete
failed=0
ctest --preset coverage -L fast "$@" || failed=1
ctest --preset coverage -R "^cli_experiment\$" || failed=1
[[ $failed == 0 ]] || echo "coverage: some tests failed; their lines count all the same"

# One object file at a time: a line counts as run where any of the objects that have it ran it.
find "$build" -name '*.gcda' -print0 | xargs -0 -r -n 1 gcov -t 2>/dev/null | awk -v wanted=$wanted -v root="$PWD/" '
    match($0, /^ *[^:]+: *0:Source:/) {
        file = substr($0, RSTART + RLENGTH)
        sub(root, "", file)
        ours = file ~ /^(shared|runtime|builder)\//
        next
    }
    !ours { next }
    {
        split($0, field, ":")
        count = field[1]
        line = file ":" field[2] + 0
        gsub(/[ *]/, "", count)
        if (count == "-") next
        if (!(line in has)) { has[line] = 0; lines[file]++ }
        if (count !~ /^[#=]/ && !has[line]) { has[line] = 1; run[file]++ }
    }
    END {
        for (file in lines) {
            folder = file
            sub(/\/.*/, "", folder)
            all[folder] += lines[file]
            done[folder] += run[file]
            if (100 * run[file] < wanted * lines[file])
                printf "  %-44s %5.1f %% of %d lines\n", file, 100 * run[file] / lines[file], lines[file]
        }
        for (folder in all) {
            printf "%-46s %5.1f %% of %d lines\n", folder, 100 * done[folder] / all[folder], all[folder]
            if (100 * done[folder] < wanted * all[folder]) failed = 1
        }
        exit failed
    }'
