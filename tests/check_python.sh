#!/usr/bin/env bash
# bindings/python against waymark-run, with the library that WAYMARK_LIBRARY names.
#
#   tests/check_python.sh PROJECT_DIR
set -euo pipefail
cd "$1"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$WAYMARK_BIN/waymark-build" build data/grotto.map -o "$folder/x.wmdb" --method regions --quiet
"$WAYMARK_BIN/waymark-build" export "$folder/x.wmdb" --map grotto -o "$folder/x.wmb" --quiet
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=bindings/python python3 -W error tests/check_python.py \
    "$WAYMARK_BIN" data/grotto.map "$folder/x.wmdb" "$folder/x.wmb" runtime/include/waymark.h
