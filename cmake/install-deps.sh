#!/usr/bin/env bash
# Installs what building Waymark needs and is not there yet. Run again, it finds everything and does nothing.
#
#   cmake/install-deps.sh [--ci]
#
# --ci adds what .ci/run uses besides: clang with libFuzzer, clang-format, clang-tidy, abidiff; for the bindings mono, LOEVE and an X server
# without a screen; for a big-endian machine a cross compiler, qemu and libraries. Some 70 MB to download.
#
# Debian packages come through apt-get. argtable3 has no package there, so it is taken from the first of:
#   git         upstream's repository at a fixed commit
#   blupimania  the copy inside that Debian source package
#   debian2     libargtable2-dev behind a one-line argtable3.h
# WAYMARK_ARGTABLE_FROM=git|blupimania|debian2 tries that source only, even if argtable3 is already installed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=$root/build/deps      # what we install ourselves; cmake/dependencies.cmake looks here
scratch=$root/build/deps-tmp # removed at the end
log=$scratch/log             # so kept only when something failed

argtable_url=https://github.com/argtable/argtable3
argtable_tag=v3.3.1
argtable_commit=b50c6c81f25eef8af51141678b333c55b661414d

say() { printf 'deps: %s\n' "$*"; }
die() {
    printf 'deps: %s\n' "$*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
# Most failures here only lead to the next attempt: nobody needs to see them.
quietly() { "$@" >>"$log" 2>&1 </dev/null; }

# --- packages -------------------------------------------------------------------------------------

# Prints the Debian package of everything that is missing.
missing_packages() {
    have cmake || echo cmake
    have ninja || echo ninja-build
    have pkg-config || echo pkg-config
    has_library sqlite3 || echo libsqlite3-dev
    has_library libzstd || echo libzstd-dev
    has_library cmocka || echo libcmocka-dev
    if [[ $for_ci == yes ]]; then
        have clang || echo clang
        have clang-format || echo clang-format
        have clang-tidy || echo clang-tidy
        has_fuzzer || echo libclang-rt-14-dev
        have abidiff || echo abigail-tools
        have python3 || echo python3
        have mcs || echo mono-mcs
        have love || echo love
        have Xvfb || echo xvfb
        have xauth || echo xauth
        have s390x-linux-gnu-gcc || echo gcc-s390x-linux-gnu
        [[ -e /usr/s390x-linux-gnu/include/stdio.h ]] || echo libc6-dev-s390x-cross
        have qemu-s390x || echo qemu-user
    fi
}

# Where clang is not there yet, nor is its libFuzzer.
has_fuzzer() {
    have clang && [[ -n $(find "$(clang -print-resource-dir)/" -name 'libclang_rt.fuzzer-*.a') ]]
}

has_library() { have pkg-config && pkg-config --exists "$1"; }

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    else
        sudo "$@"
    fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" >>"$log" 2>&1
}

# Package lists may be absent or old; updating them is worth its time only then.
apt_install_updating() {
    apt_install "$@" && return
    as_root apt-get update >>"$log" 2>&1 || return
    apt_install "$@"
}

install_packages() {
    local -a missing
    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} -gt 0 ]] || return 0
    have apt-get || die "please install (named as in Debian): ${missing[*]}, and argtable3"
    [[ $(id -u) -eq 0 ]] || have sudo || die "not root and no sudo: ask an administrator to install ${missing[*]}"
    say "installing ${missing[*]}"
    apt_install_updating "${missing[@]}" || {
        tail -n 15 "$log" >&2
        die "apt-get could not install ${missing[*]}; the whole log is $log"
    }
}

require_cmake_version() {
    local version
    version=$(cmake --version | sed -n '1s/[^0-9]*//p')
    printf '3.22\n%s\n' "$version" | sort -CV || die "CMake 3.22 or later is needed, this is $version"
}

# Experiments draw their plots with it, and do without where it is not to be had.
install_gnuplot() {
    have gnuplot && return
    have apt-get && { [[ $(id -u) -eq 0 ]] || have sudo; } || return 0
    say "installing gnuplot-nox"
    apt_install_updating gnuplot-nox || say "gnuplot could not be installed: experiments will have no plots"
}

# --- argtable3 ------------------------------------------------------------------------------------

# In our prefix or in the system, as a pkg-config module or as a CMake package.
argtable_is_there() {
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig:${PKG_CONFIG_PATH:-} has_library argtable3 || argtable_cmake_package
}

argtable_cmake_package() {
    local probe=$scratch/probe
    mkdir -p "$probe"
    cat >"$probe/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.22)
project(probe LANGUAGES C)
find_package(Argtable3 CONFIG REQUIRED)
if(NOT TARGET argtable3::argtable3)
    message(FATAL_ERROR "no target argtable3::argtable3")
endif()
EOF
    quietly cmake -S "$probe" -B "$probe/build" -DCMAKE_PREFIX_PATH="$prefix"
}

argtable_from_git() {
    local source=$scratch/argtable3
    # No prompt for a name or password, and no wait for a network that is not there.
    quietly env GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true timeout 60 \
        git -c advice.detachedHead=false clone --depth 1 --branch "$argtable_tag" "$argtable_url" "$source" || return
    if [[ $(git -C "$source" rev-parse HEAD) != "$argtable_commit" ]]; then
        say "tag $argtable_tag of $argtable_url is not commit $argtable_commit: not used"
        return 1
    fi
    quietly cmake -S "$source" -B "$source/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
        -DARGTABLE3_ENABLE_TESTS=OFF -DARGTABLE3_ENABLE_EXAMPLES=OFF || return
    quietly cmake --build "$source/build" || return
    quietly cmake --install "$source/build" || return
    argtable_is_there
}

# The source index and the tarball come through apt, so mirror, proxy and keys are the machine's own.
argtable_from_blupimania() {
    local mirror
    have apt-get || return
    while read -r mirror; do
        fetch_blupimania "$mirror" && install_argtable_sources && return
    done < <(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>>"$log" | awk '!seen[$0]++')
    return 1
}

# Leaves argtable3.c and argtable3.h in the scratch directory.
fetch_blupimania() {
    local apt=$scratch/apt uri name hash
    rm -rf "$apt"
    write_private_apt "$apt" "$1"
    quietly apt-get -c "$apt/apt.conf" update || return
    # A line reads: 'URI' file size SHA256:hash, and apt has checked the index it comes from.
    read -r uri name _ hash < <(apt-get -c "$apt/apt.conf" -qq --print-uris source blupimania 2>>"$log" |
        grep -F .orig.tar) || return
    [[ $hash == SHA256:* ]] || return
    quietly /usr/lib/apt/apt-helper -c "$apt/apt.conf" download-file "${uri//\'/}" "$apt/$name" || return
    sha256sum --check <<<"${hash#SHA256:}  $apt/$name" >>"$log" 2>&1 || return
    quietly tar -xf "$apt/$name" -C "$scratch" --strip-components=3 --wildcards '*/src/argtable3/argtable3.[ch]'
}

# An apt of its own: only the sources of trixie, and no state shared with the machine's.
write_private_apt() {
    local dir=$1 mirror=$2 keyring=/usr/share/keyrings/debian-archive-keyring.gpg options=
    mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
    [[ -r $keyring ]] && options="[signed-by=$keyring] "
    echo "deb-src $options$mirror trixie main" >"$dir/sources.list"
    cat >"$dir/apt.conf" <<EOF
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$dir/lists";
Dir::Cache "$dir/cache";
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
APT::Update::Error-Mode "any";
Acquire::http::Timeout "20";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
EOF
}

install_argtable_sources() {
    mkdir -p "$prefix/include" "$prefix/lib"
    quietly "${CC:-cc}" -std=gnu99 -O2 -fPIC -w -c "$scratch/argtable3.c" -o "$scratch/argtable3.o" || return
    quietly ar rcs "$prefix/lib/libargtable3.a" "$scratch/argtable3.o" || return
    cp "$scratch/argtable3.h" "$prefix/include/"
    write_argtable_pc -largtable3
}

argtable_from_debian2() {
    have apt-get || return
    apt_install_updating libargtable2-dev || return
    mkdir -p "$prefix/include"
    echo '#include <argtable2.h>' >"$prefix/include/argtable3.h"
    write_argtable_pc -largtable2
    say "warning: argtable3 was not to be had; its predecessor libargtable2-dev stands in for it"
}

write_argtable_pc() {
    mkdir -p "$prefix/lib/pkgconfig"
    cat >"$prefix/lib/pkgconfig/argtable3.pc" <<EOF
prefix=\${pcfiledir}/../..
Name: argtable3
Description: Command lines
Version: 3
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib $1
EOF
}

install_argtable() {
    local source
    local -a sources=(git blupimania debian2)
    if [[ -n ${WAYMARK_ARGTABLE_FROM:-} ]]; then
        sources=("$WAYMARK_ARGTABLE_FROM")
    elif argtable_is_there; then
        return
    fi
    for source in "${sources[@]}"; do
        declare -F "argtable_from_$source" >/dev/null || die "WAYMARK_ARGTABLE_FROM: no source named $source"
        rm -rf "$prefix"
        if "argtable_from_$source"; then
            say "argtable3 installed under build/deps (from $source)"
            return
        fi
    done
    have apt-get || die "please install argtable3 (a CMake package Argtable3 or a pkg-config module argtable3)"
    tail -n 15 "$log" >&2
    die "argtable3 could not be installed (tried: ${sources[*]}); the whole log is $log"
}

# --- s390x ----------------------------------------------------------------------------------------

# Debian's libraries for that machine, unpacked where only cmake/s390x.cmake looks: the system's own packages stay as
# they are, no architecture is added.
install_s390x_libraries() {
    local target=$root/build/deps-s390x
    [[ -e $target/usr/include/zstd.h ]] && return
    have apt-get || return 0
    say "fetching libraries for s390x"
    fetch_s390x_libraries "$target" && return
    rm -rf "$target"
    say "libraries for s390x could not be fetched: tests/check_s390x.sh will be skipped"
}

fetch_s390x_libraries() {
    local target=$1 apt=$scratch/s390x package
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
    touch "$apt/status"
    cat >"$apt/apt.conf" <<EOF
APT::Architecture "s390x";
APT::Architectures { "s390x"; };
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
EOF
    quietly apt-get -c "$apt/apt.conf" update || return
    (cd "$apt/debs" && quietly apt-get -c "$apt/apt.conf" download libzstd-dev libzstd1 libsqlite3-dev libsqlite3-0 \
        libcmocka-dev libcmocka0 libargtable2-dev libargtable2-0) || return
    rm -rf "$target"
    mkdir -p "$target"
    for package in "$apt"/debs/*.deb; do quietly dpkg-deb -x "$package" "$target" || return; done
    # As in argtable_from_debian2.
    ln -s libargtable2.so "$target/usr/lib/s390x-linux-gnu/libargtable3.so"
    echo '#include <argtable2.h>' >"$target/usr/include/argtable3.h"
}

main() {
    for_ci=no
    case ${1:-} in
    '') ;;
    --ci) for_ci=yes ;;
    *) die "usage: cmake/install-deps.sh [--ci]" ;;
    esac
    rm -rf "$scratch"
    mkdir -p "$scratch"
    install_packages
    install_gnuplot
    require_cmake_version
    install_argtable
    [[ $for_ci == no ]] || install_s390x_libraries
    rm -rf "$scratch"
}

main "$@"
