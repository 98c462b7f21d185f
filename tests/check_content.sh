#!/usr/bin/env bash
# Whether databases have the content that they always had: whatever the compiler, the optimisation
# and the number of threads. Where content is meant to change, write the file anew:
#
#   tests/check_content.sh . build/release/bin/waymark-build --print > tests/golden/content.csv
#
#   tests/check_content.sh PROJECT_DIR WAYMARK_BUILD [--print | THREADS...]
set -euo pipefail
cd "$1"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# contents <maps> <threads> <option...>: a line of map, method and content hash for each payload.
contents() {
    local maps=$1 threads=$2
    shift 2
    rm -f "$folder/x.wmdb"
    # shellcheck disable=SC2086
    "$build" build $maps -o "$folder/x.wmdb" --threads "$threads" --quiet "$@"
    "$build" info "$folder/x.wmdb" |
        awk -v with="$*" -F', content ' '/^[^ ]/ { sub(/:.*/, ""); map = $0 }
            /content/ { split($0, method, ":"); sub(/,.*/, "", $2); gsub(/ /, "", method[1])
                        print map "," method[1] "," with "," $2 }'
}

all() {
    contents "data/*.map" "$1" --method knn -n 1000
    contents "data/*.map" "$1" --method knn -n 1000 --chains --pairs coverage --diagonal squeeze
    contents data/grotto.map "$1" --method regions
    contents "data/[bcgl]*.map" "$1" --method regions --radius 10 --epsilon 2 --diagonal squeeze
    contents data/catacombs.map "$1" --method regions --radius 24 --portals 16 --controller search:30
    contents "data/*.map" "$1" --method d-lrta --level 3
    contents data/catacombs.map "$1" --method d-lrta --diagonal squeeze
}

build=$2
if [[ ${3:-} == --print ]]; then
    echo "map,method,options,content"
    all 1
    exit
fi
counts=("${@:3}")
[[ ${#counts[@]} -gt 0 ]] || counts=(1 2 8)
for threads in "${counts[@]}"; do
    { echo "map,method,options,content"; all "$threads"; } | diff tests/golden/content.csv - ||
        { echo "with $threads threads the content is not that of tests/golden/content.csv"; exit 1; }
done
echo "$(($(wc -l < tests/golden/content.csv) - 1)) payloads have their content with ${counts[*]} threads"
