#!/usr/bin/env bash
# bindings/love against waymark-run: the game walks the same ways without a window, and draws under Xvfb.
#
#   tests/check_love.sh PROJECT_DIR
set -euo pipefail
cd "$1"
command -v love >/dev/null || { echo "skipped: there is no love"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_DATA_HOME=$folder/data XDG_RUNTIME_DIR=$folder
chmod 700 "$folder"

declared=$(grep -v '^ *//' runtime/include/waymark.h | grep -o '\bwm_[a-z_]*(' | sort -u)
bound=$(sed -n '/ffi.cdef/,/^]]/p' bindings/love/waymark.lua | grep -o '\bwm_[a-z_]*(' | sort -u)
diff <(echo "$declared") <(echo "$bound") || { echo "waymark.lua does not bind what waymark.h declares"; exit 1; }

bindings/love/make.sh "$folder/game" "$WAYMARK_BIN" "$WAYMARK_LIBRARY"
unset WAYMARK_LIBRARY # the game must find the one in its folder
"$WAYMARK_BIN/waymark-build" problems "$folder/game/cave.map" -n 8 -o "$folder/x.scen"
walks=0
while read -r _ _ _ _ x y goal_x goal_y _; do
    "$WAYMARK_BIN/waymark-run" path "$folder/game/cave.map" --db "$folder/game/cave.wmb" --from "$x,$y" --to "$goal_x,$goal_y" |
        grep -E '^(cost|path): ' >"$folder/expected"
    WAYMARK_HEADLESS=1 timeout 60 love "$folder/game" --walk "$x,$y" "$goal_x,$goal_y" >"$folder/walked" </dev/null
    diff "$folder/expected" "$folder/walked" || { echo "the game does not walk as waymark-run does"; exit 1; }
    walks=$((walks + 1))
done < <(tail -n +2 "$folder/x.scen")
[[ $walks -eq 8 ]]
echo "$walks walks without a window, as waymark-run walks"

mkdir "$folder/check"
cp -r "$folder/game/." "$folder/check"
cp tests/check_love.lua "$folder/check/main.lua"
WAYMARK_HEADLESS=1 timeout 60 love "$folder/check" >"$folder/said" </dev/null || true
[[ $(cat "$folder/said") == bound ]] || { cat "$folder/said"; echo "the binding does not do as it must"; exit 1; }
echo "the binding keeps what it needs, and says what is wrong"

command -v Xvfb >/dev/null && command -v xauth >/dev/null ||
    { echo "skipped: the picture; there is no Xvfb (Debian: xvfb, xauth)"; exit 77; }
timeout 120 xvfb-run -a -s "-screen 0 1280x800x24" love "$folder/game" --screenshot 0.2 >"$folder/log" 2>&1 ||
    { cat "$folder/log"; echo "the game ended badly"; exit 1; }
file=$folder/data/love/waymark/screenshot.png
[[ $(head -c 8 "$file" | od -An -tx1) == " 89 50 4e 47 0d 0a 1a 0a" ]] || { echo "there is no picture"; exit 1; }
# An empty window of that size packs into a few kilobytes.
[[ $(stat -c %s "$file") -gt 50000 ]] || { echo "the picture is empty"; exit 1; }
echo "and a picture of it"
