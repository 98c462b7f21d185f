#!/usr/bin/env bash
# Whether a big-endian machine sees the same: everything is cross-compiled for s390x and run by qemu-user. There the
# steps of all algorithms must hash as committed, databases must have the content that they have here, and a file made
# on either side must lead the same way on the other. `cmake/install-deps.sh --ci` installs what this needs.
#
#   tests/check_s390x.sh PROJECT_DIR BIN_DIR
set -euo pipefail
cd "$1"
here=$2
out=build/s390x
for tool in s390x-linux-gnu-gcc qemu-s390x cmake ninja; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool; run cmake/install-deps.sh --ci"; exit 77; }
done
[[ -e build/deps-s390x/usr/include/zstd.h ]] ||
    { echo "skipped: there are no libraries for s390x; run cmake/install-deps.sh --ci"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; echo "failed: $*"; exit 1; }; }
quietly env -u CC -u CXX cmake -S . -B $out -G Ninja --toolchain "$PWD/cmake/s390x.cmake" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -DWAYMARK_BUILD_BENCH=OFF -DWAYMARK_WARNINGS_AS_ERRORS=ON
quietly cmake --build $out
readelf -h $out/runtime/libwaymark.so | grep 'big endian' >/dev/null ||
    { echo "the compiler does not make big-endian code"; exit 1; }

# The programs of that machine as commands of this one.
there=$folder/bin
mkdir "$there"
for program in waymark-build waymark-run; do
    printf '#!/bin/sh\nexec qemu-s390x -L /usr/s390x-linux-gnu -E LD_LIBRARY_PATH=%q %q "$@"\n' \
        "$PWD/build/deps-s390x/usr/lib/s390x-linux-gnu" "$PWD/$out/bin/$program" >"$there/$program"
    chmod +x "$there/$program"
done

# Tests that read and write bytes, and the steps of every algorithm; most others take minutes under qemu.
quietly ctest --test-dir $out --output-on-failure --no-tests=error -R '^(bytes|format|single|choice|steps)$'
grep -E 'tests passed' "$folder/log"
echo "steps.csv: the steps of $(($(wc -l < tests/golden/steps.csv) - 1)) algorithms are those of tests/golden"

# Of small maps: building is slow there.
"$there/waymark-build" build data/grotto.map -o "$folder/content.wmdb" -n 1000 --method knn --quiet
content=$("$there/waymark-build" info "$folder/content.wmdb" | sed -n 's/.*content //p')
grep -x "grotto,knn,--method knn -n 1000,$content" tests/golden/content.csv ||
    { echo "content made there is not that of tests/golden/content.csv"; exit 1; }

# Files cross over, both ways.
"$here/waymark-build" build data/grotto.map -o "$folder/here.wmdb" -n 1000 --quiet
"$there/waymark-build" build data/grotto.map -o "$folder/there.wmdb" -n 1000 --quiet
for side in here there; do
    "${!side}/waymark-build" export "$folder/$side.wmdb" --map grotto -o "$folder/$side.wmb" --quiet
    for file in "$folder/$side.wmdb" "$folder/$side.wmb"; do
        for reader in "$here" "$there"; do
            "$reader/waymark-build" info "$file"
            for algorithm in regions knn-lrta; do
                "$reader/waymark-run" path data/grotto.map --db "$file" --from 4,4 --to 90,90 --algorithm $algorithm
            done
        done >"$folder/$side-${file##*.}"
    done
done
for side in here there; do
    for kind in wmdb wmb; do
        lines=$(($(wc -l <"$folder/$side-$kind") / 2))
        head -n $lines "$folder/$side-$kind" | diff - <(tail -n $lines "$folder/$side-$kind") ||
            { echo "a .$kind from $side is read differently on the two sides"; exit 1; }
    done
done
diff "$folder/here-wmdb" "$folder/there-wmdb" || { echo "the databases of the two sides differ"; exit 1; }
echo "files of either side lead the same way on both"
