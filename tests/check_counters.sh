#!/usr/bin/env bash
# Whether region databases have become worse: bytes, suboptimality and states against
# bench/counters.csv. Better is fine, and a reason to write the file anew:
#
#   waymark-bench --counters . > bench/counters.csv
#
#   tests/check_counters.sh PROJECT_DIR WAYMARK_BENCH
set -euo pipefail
cd "$1"
maps=${WAYMARK_BENCHMARKS:-../shared/movingai}
"$2" --counters . --maps "$maps" | awk -F, '
    function worse(name, is, was, slack) {
        if (is > was * (1 + slack) + 0.0005) {
            printf "%s, %s: %s is %s and was %s\n", $1, $2, name, is, was
            bad++
        }
    }
    NR == FNR { kept[$1 "," $2] = $0; next }
    FNR == 1 { if (kept["map,preset"] != $0) { print "the columns are others"; bad++ } next }
    !(($1 "," $2) in kept) { print $1 "," $2 " is not in bench/counters.csv"; bad++; next }
    {
        split(kept[$1 "," $2], was, ",")
        worse("bytes", $3, was[3], 0.01) # versions of zstd differ by a byte or two
        worse("mean_percent", $4, was[4], 0)
        worse("p95_percent", $5, was[5], 0)
        worse("states_per_move", $6, was[6], 0)
        worse("worst_states", $7, was[7], 0)
        rows++
    }
    END { printf "%d rows compared, %d worse\n", rows, bad; exit rows == 0 || bad > 0 }
' bench/counters.csv -
