#!/usr/bin/env bash
# Installs into an empty prefix, and uses what is there as a stranger would: examples/ through CMake and pkg-config,
# shared and static, C and C++; the header alone; the manual pages; the completion.
#
#   tests/check_install.sh PROJECT_DIR BUILD_DIR
set -euo pipefail
cd "$1"
build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix="$folder/a prefix" # programs that do not quote fail on this
cc=${CC:-cc}
cxx=${CXX:-c++}
checks=0

die() { echo "$*"; exit 1; }
# expect <what> <command...>: fails with the command's output.
expect() {
    local what=$1
    shift
    "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; die "failed: $what"; }
    checks=$((checks + 1))
}

# What examples must do: hello walks exactly as waymark-run does, crowd plays a few frames.
runs() { # <example> <program>
    local said
    if [[ $1 == crowd ]]; then
        "$2" data/grotto.map "$folder/grotto.wmdb" 100000 3
        return
    fi
    said=$("$2" data/grotto.map "$folder/grotto.wmdb" 4,4 90,90)
    [[ $said == "arrived"$'\n'"$cost" ]] || { echo "said '$said', not 'arrived' and $cost"; return 1; }
}
# For programs that were linked without a path to the shared library.
with_library() { LD_LIBRARY_PATH=$prefix/$lib "$@"; }

check_files() {
    local file
    for file in include/waymark.h "$lib"/libwaymark.a "$lib"/libwaymark.so "$lib"/libwaymark.so.1 \
        "$lib"/pkgconfig/waymark.pc "$lib"/cmake/waymark/waymark-config.cmake bin/waymark-build bin/waymark-run \
        share/man/man1/waymark-build.1 share/man/man1/waymark-run.1 \
        share/bash-completion/completions/waymark-build share/bash-completion/completions/waymark-run; do
        expect "$file is installed" test -e "$prefix/$file"
    done
    [[ $(find "$prefix" -name '*.h') == "$prefix/include/waymark.h" ]] || die "more headers than waymark.h are installed"
    [[ $(find "$prefix" -name 'lib*.a') == "$prefix/$lib/libwaymark.a" ]] || die "more archives than libwaymark.a are installed"
}

check_symbols() {
    local soname
    soname=$(readelf -d "$prefix/$lib/libwaymark.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    [[ $soname == libwaymark.so.1 ]] || die "the soname is $soname, not libwaymark.so.1"
    nm -D --defined-only "$prefix/$lib/libwaymark.so" | awk '{ print $3 }' | grep -v '^__' | sort >"$folder/exported"
    grep -o '\bwm_[a-z_]*(' <(grep -vE '^ *//' "$prefix/include/waymark.h") | tr -d '(' | sort -u >"$folder/declared"
    expect "the shared library exports what the header declares" diff "$folder/declared" "$folder/exported"
}

check_cmake() { # <on or off>
    local example out=$folder/cmake-$1
    expect "examples configure, static $1" cmake -S examples -B "$out" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$prefix" -DWAYMARK_EXAMPLES_STATIC="$1" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="-Wall -Werror"
    expect "examples build, static $1" cmake --build "$out"
    for example in hello crowd; do
        expect "$example runs, static $1" runs $example "$out/$example"
    done
    grep -q 'libwaymark\.so' <(readelf -d "$out/hello") && linked=OFF || linked=ON
    [[ $linked == "$1" ]] || die "with WAYMARK_EXAMPLES_STATIC=$1 the wrong form was linked"
}

# In a game's own tree there is the library alone. The folder stays, so that it is not compiled each time.
check_embedded() {
    local game=$build/embedded/game out=$build/embedded/build
    mkdir -p "$game"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(game LANGUAGES C)' "add_subdirectory([[$PWD]] waymark)" \
        "add_executable(hello [[$PWD/examples/hello.c]])" 'target_link_libraries(hello PRIVATE waymark::waymark)' >"$game/CMakeLists.txt"
    expect "a game with Waymark in its tree configures" cmake -S "$game" -B "$out" -DCMAKE_C_COMPILER="$cc"
    ! grep -iE '^[^/#]*(argtable3|cmocka)' "$out/CMakeCache.txt" || die "a game is asked for what only programs and tests need"
    expect "and builds" cmake --build "$out"
    [[ -z $(find "$out" -name 'waymark-*' -type f -perm -u+x) ]] || die "a game builds our programs"
    expect "and walks" runs hello "$out/hello"
}

check_pkg_config() {
    local example
    local -a shared static
    export PKG_CONFIG_PATH=$prefix/$lib/pkgconfig
    # The quotes that pkg-config puts around a path with spaces are for a shell.
    eval "shared=($(pkg-config --cflags --libs waymark))"
    eval "static=($(pkg-config --cflags --libs --static waymark))"
    for example in hello crowd; do
        expect "$example, pkg-config, shared" "$cc" examples/$example.c -o "$folder/pc-shared" "${shared[@]}"
        expect "$example runs, pkg-config, shared" with_library runs $example "$folder/pc-shared"
        expect "$example, pkg-config, static" "$cc" -static examples/$example.c -o "$folder/pc-static" "${static[@]}"
        expect "$example runs, pkg-config, static" runs $example "$folder/pc-static"
    done
    [[ $(pkg-config --modversion waymark) == "$("$prefix/bin/waymark-run" --version | awk '{ print $NF }')" ]] ||
        die "pkg-config and waymark-run tell different versions"
}

check_cxx() {
    local example
    local -a flags
    command -v "$cxx" >/dev/null || { echo "skipped: there is no C++ compiler"; return; }
    eval "flags=($(pkg-config --cflags --libs waymark))"
    for example in hello crowd; do
        expect "$example as C++" "$cxx" -x c++ -std=c++17 -fno-exceptions -fno-rtti -Wall -Wextra -Wpedantic -Wconversion \
            -Werror examples/$example.c -o "$folder/cxx" "${flags[@]}"
        expect "$example runs, C++" with_library runs $example "$folder/cxx"
    done
}

check_header() {
    local standard
    local -a strict=(-fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I "$prefix/include")
    for standard in c11 c17; do
        expect "the header as $standard" "$cc" -std=$standard -Wmissing-prototypes -Wstrict-prototypes "${strict[@]}" tests/header_alone.c
    done
    command -v "$cxx" >/dev/null || return 0
    expect "the header as c++17" "$cxx" -x c++ -std=c++17 "${strict[@]}" tests/header_alone.c
}

# A prefix may be moved, and a package that is not there is reported by name.
check_messages() {
    mv "$prefix" "$folder/moved"
    expect "examples configure after a move" cmake -S examples -B "$folder/moved-build" -DCMAKE_PREFIX_PATH="$folder/moved"
    mv "$folder/moved" "$prefix"
    mkdir "$folder/wrong"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(wrong LANGUAGES C)' \
        'find_package(waymark REQUIRED COMPONENTS nonsense)' >"$folder/wrong/CMakeLists.txt"
    ! cmake -S "$folder/wrong" -B "$folder/wrong/b" -DCMAKE_PREFIX_PATH="$prefix" >"$folder/log" 2>&1 ||
        die "find_package accepts a component that there is not"
    grep -q nonsense "$folder/log" || die "find_package does not name the component that there is not"
}

# The options, sorted, in what matches the pattern; a command may have none.
options_of() { { grep -oE -- "$1" || true; } | { grep -oE -- '-{1,2}[a-z-]+' || true; } | sort; }

# Every option that --help prints has its place in the section of its command, and the other way round.
check_man() { # <program>
    local command page=$folder/$1.txt
    sed 's/\\-/-/g; s/\\f[A-Z]//g' "$prefix/share/man/man1/$1.1" >"$page"
    if command -v groff >/dev/null; then
        expect "$1(1) is clean" test -z "$(groff -man -Tutf8 -ww "$prefix/share/man/man1/$1.1" 2>&1 >/dev/null)"
    fi
    "$prefix/bin/$1" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' >"$folder/commands"
    expect "$1(1) has the commands" diff "$folder/commands" <(sed -n 's/^\.SS \([a-z]*\).*/\1/p' "$page")
    while read -r command; do
        "$prefix/bin/$1" "$command" --help | options_of '^  (-., )?--[a-z-]+' | sed '/^--help$/d' >"$folder/offered"
        awk -v command="$command" '/^\.S[HS]/ { on = $1 == ".SS" && $2 == command; next }
            /^\.TP/ { if (on) { getline; print } }' "$page" | options_of '(^|[ "])-{1,2}[a-z-]+' >"$folder/described"
        expect "$1(1) has the options of $command" diff "$folder/offered" "$folder/described"
    done <"$folder/commands"
}

# completions <words...>: what Tab gives at the end of the last one.
completions() {
    (
        cd "$folder/complete"
        PATH=$prefix/bin:$PATH
        # shellcheck disable=SC1090
        source "$prefix/share/bash-completion/completions/$1"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _waymark "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s ' "${COMPREPLY[@]}"
    )
}

completes() { # <expected> <words...>
    local expected=$1 got
    shift
    got=$(completions "$@")
    [[ $got == "$expected " ]] || { echo "$*: '$got' instead of '$expected '"; return 1; }
}

check_completion() {
    mkdir -p "$folder/complete/maps"
    touch "$folder/complete/"{a.map,b.wmdb,maps.txt}
    expect "a command" completes "verify" waymark-build ver
    expect "an option" completes "--max-bytes= --max-suboptimality=" waymark-build build --ma
    expect "an option without a value" completes "--json" waymark-build info --j
    expect "a choice after =" completes "random coverage" waymark-build build --pairs =
    expect "a choice begun" completes "squeeze" waymark-run path --diagonal = sq
    expect "a map" completes "a.map" waymark-build build a
    expect "a folder, and no other file" completes "maps" waymark-build build ma
    expect "a file for an option" completes "b.wmdb" waymark-run path a.map --db = b
    expect "a file for a letter" completes "b.wmdb" waymark-build build a.map -o b
    expect "an algorithm" completes "knn-lrta" waymark-run path a.map --algorithm = kn
    expect "the second of a list" completes "prta,knn-lrta" waymark-run compare a.map --algorithms = prta,kn
    expect "an experiment" completes "knn-table1" waymark-run experiment kn
    local program command option
    for program in waymark-build waymark-run; do
        for command in $("$prefix/bin/$program" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
            for option in $("$prefix/bin/$program" "$command" --help | grep -oE '^  (-., )?--[a-z-]+=?' | grep -oE -- '--[a-z-]+=?'); do
                [[ " $(completions "$program" "$command" "$option")" == *" $option "* ]] || die "$program $command: no completion of $option"
                checks=$((checks + 1))
            done
        done
    done
}

expect "installation" cmake --install "$build" --prefix "$prefix"
lib=$(cd "$prefix" && find . -name 'libwaymark.a' -printf '%P\n')
lib=${lib%/*}
expect "a database" "$prefix/bin/waymark-build" build data/grotto.map -o "$folder/grotto.wmdb" --method regions --quiet
cost=$("$prefix/bin/waymark-run" path data/grotto.map --db "$folder/grotto.wmdb" --from 4,4 --to 90,90 | sed -n 's/^cost: //p')
check_files
check_symbols
check_cmake OFF
check_cmake ON
check_embedded
if command -v pkg-config >/dev/null; then
    check_pkg_config
    check_cxx
else
    echo "skipped: there is no pkg-config"
fi
check_header
check_messages
check_man waymark-build
check_man waymark-run
check_completion
echo "$checks checks of what is installed"
