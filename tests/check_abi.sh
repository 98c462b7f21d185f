#!/usr/bin/env bash
# Whether programs linked with the libwaymark of tests/abi/ would run with this one: functions and enumerators
# may be added, and nothing else may change (docs/integrating.md, "Versions"). After a change that is meant:
#
#   tests/check_abi.sh . build/checked/runtime/libwaymark.so.1 --print > tests/abi/libwaymark.so.1.abi
#
#   tests/check_abi.sh PROJECT_DIR LIBRARY [--print]        the library with debug information
set -euo pipefail
cd "$1"
library=$2
described=tests/abi/$(basename "$library").abi

command -v abidiff >/dev/null || { echo "skipped: there is no abidiff (Debian: abigail-tools)"; exit 77; }

# Only what the header declares: the objects are opaque. And no folder of this machine.
describe() {
    abidw --headers-dir runtime/include --drop-private-types --drop-undefined-syms --exported-interfaces-only \
        --no-corpus-path --no-comp-dir-path --no-show-locs --no-parameter-names --type-id-style hash "$library" |
        sed "s# path='[^']*/\(runtime\|shared\)/# path='\1/#"
}

if [[ ${3:-} == --print ]]; then
    describe
    exit
fi

readelf -S "$library" | grep '\.debug_info' >/dev/null || { echo "skipped: $library has no debug information"; exit 77; }
[[ -e $described ]] || { echo "there is no $described: write it as the head of this script says"; exit 1; }
now=$(mktemp)
trap 'rm -f "$now"' EXIT
describe >"$now"

# Status 4: changed, 8: in an incompatible way. New functions are as compatible as can be, but belong into the description.
if report=$(abidiff "$described" "$now"); then
    echo "the ABI is that of $described"
    exit
fi
status=$?
printf '%s\n' "$report"
if ((status & 8)) || ! grep -q 'Functions changes summary: 0 Removed, 0 Changed' <<<"$report"; then
    echo "this breaks programs linked with the described library: undo it, or raise WAYMARK_SOVERSION"
else
    echo "compatible, but not described: renew $described as the head of this script says"
fi
exit 1
