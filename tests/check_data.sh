#!/usr/bin/env bash
# Whether the maps and problems in data/ are what data/make.sh makes.
#
#   tests/check_data.sh PROJECT_DIR WAYMARK_BUILD
set -euo pipefail
cd "$1"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
data/make.sh "$made" "$2"
for file in "$made"/*; do
    cmp "$file" "data/$(basename "$file")"
done
echo "$(ls "$made" | wc -l) files are the same"
