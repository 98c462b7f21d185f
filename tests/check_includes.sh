#!/usr/bin/env bash
# Checks who includes whom, so that the layers stay layers: `shared/` knows neither side, the runtime does not know
# the builder, and each third-party library has one place. Prints every breach, exits 1 if there is one.
#
#   tests/check_includes.sh [PROJECT_DIR]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

c_headers=' assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype '
c_headers=${c_headers//$'\n'/ }
# The libraries keep to the C standard; these of their files speak to the operating system for them, or
# to the processor.
system_files=' shared/alloc.c shared/routes.c shared/files.c shared/parallel.c '

# The layer of a file, by its folder.
layer_of() {
    case $1 in
    runtime/include/*) echo api ;;
    runtime/cli/* | runtime/experiments/* | bench/*) echo race ;; # they look into the runtime
    */cli/*) echo program ;;
    */*) echo "${1%%/*}" ;;
    esac
}

# Whether layer $1 may include a project header of layer $2.
may_include_layer() {
    case "$1 $2" in
    "shared shared" | "shared api") ;;
    "runtime shared" | "runtime runtime" | "runtime api") ;;
    "builder shared" | "builder builder" | "builder api") ;;
    "program shared" | "program program" | "program api" | "program builder" | "program race") ;;
    "race shared" | "race program" | "race api" | "race runtime" | "race race" | "race builder") ;;
    "examples api") ;;
    "tests "*) ;;
    *) return 1 ;;
    esac
}

# Whether file $1 of layer $2 may include header $3, which is not the project's.
may_include_foreign() {
    case $3 in
    sqlite3.h) [[ $1 == shared/store.c || $2 == tests ]] ;;
    zstd*.h) [[ $1 == shared/pack.c || $2 == tests ]] ;;
    argtable*.h) [[ $1 == */cli/* || $1 == bench/* ]] ;;
    cmocka.h) [[ $2 == tests ]] ;;
    *)
        case $2 in
        api | shared | runtime | examples) [[ $c_headers == *" ${3%.h} "* || $system_files == *" $1 "* ]] ;;
        esac
        ;;
    esac
}

# The project file that `#include` of $2 in file $1 means, or nothing.
project_header() {
    local dir
    for dir in "${1%/*}" shared runtime/include runtime builder tests/support; do
        if [[ -f $dir/$2 ]]; then
            realpath --relative-to=. "$dir/$2"
            return
        fi
    done
}

includes() {
    find shared runtime builder bench examples tests -name '*.[ch]' -exec \
        grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"][^>"]+' {} + 2>/dev/null |
        sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]/ /'
}

checked=0
breaches=0
while read -r file header; do
    checked=$((checked + 1))
    layer=$(layer_of "$file")
    target=$(project_header "$file" "$header")
    if [[ -n $target ]]; then
        may_include_layer "$layer" "$(layer_of "$target")" && continue
    else
        may_include_foreign "$file" "$layer" "$header" && continue
    fi
    echo "$file may not include $header"
    breaches=$((breaches + 1))
done < <(includes)

echo "$checked includes checked, $breaches breaches"
[[ $checked -gt 0 && $breaches -eq 0 ]]
