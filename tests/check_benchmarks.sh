#!/usr/bin/env bash
# Whether the public maps are there. Tests that need them skip without them, each in its own output; this
# one shows it in the summary.
#
#   tests/check_benchmarks.sh PROJECT_DIR
dir=${WAYMARK_BENCHMARKS:-$1/../shared/movingai}
if [[ -d $dir ]]; then
    echo "public maps are in $dir"
else
    echo "no public maps in $dir (WAYMARK_BENCHMARKS names another place): tests on them are skipped"
    exit 77
fi
