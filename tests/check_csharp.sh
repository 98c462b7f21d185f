#!/usr/bin/env bash
# bindings/csharp against waymark-run, on mono, with the library that WAYMARK_LIBRARY names.
#
#   tests/check_csharp.sh PROJECT_DIR
set -euo pipefail
cd "$1"
command -v mcs >/dev/null && command -v mono >/dev/null || { echo "skipped: there is no mono (Debian: mono-mcs)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$WAYMARK_BIN/waymark-build" build data/grotto.map -o "$folder/x.wmdb" --method regions --quiet
"$WAYMARK_BIN/waymark-build" export "$folder/x.wmdb" --map grotto -o "$folder/x.wmb" --quiet
mcs -langversion:6 -warnaserror -warn:4 -out:"$folder/check.exe" bindings/csharp/Waymark.cs tests/check_csharp.cs
cp "$WAYMARK_LIBRARY" "$folder/libwaymark.so" # beside the program, as a game ships it
for cells in 4,4:90,90 90,90:4,4; do
    from=${cells%:*} to=${cells#*:}
    "$WAYMARK_BIN/waymark-run" path data/grotto.map --db "$folder/x.wmdb" --from "$from" --to "$to" |
        grep -E '^(cost|path): ' >"$folder/expected"
    (cd "$folder" && LD_LIBRARY_PATH=. mono check.exe "$OLDPWD/data/grotto.map" x.wmdb x.wmb "$from" "$to") >"$folder/walked"
    diff "$folder/expected" "$folder/walked" || { echo "C# does not walk as waymark-run does"; exit 1; }
done
declared=$(grep -v '^ *//' runtime/include/waymark.h | grep -o '\bwm_[a-z_]*(' | sort -u)
bound=$(grep -o 'extern .*' bindings/csharp/Waymark.cs | grep -o '\bwm_[a-z_]*(' | sort -u)
diff <(echo "$declared") <(echo "$bound") || { echo "Waymark.cs does not bind what waymark.h declares"; exit 1; }
echo "C# walks as waymark-run does"
