#!/bin/sh
# Installs what building or testing needs and this machine lacks. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/install-dependencies.sh build|check|bench|clang|cppcheck|python|tidy|valgrind FOLDER
#
# FOLDER is the build folder: one configured before something was installed is configured again to use it.
#
# Silent and quick when nothing is missing: it looks for the files themselves, so that a tool that did not come
# from a package counts too, and apt is not asked.
set -eu

folder=$2
packages=
reasons=

# need PACKAGE WHY TEST...: the package is missing when the test fails.
need()
{
    package=$1
    why=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        packages="$packages $package"
        reasons="$reasons  $package: $why
"
    fi
}

has_file()
{
    for path in "$@"; do
        if [ -e "$path" ]; then
            return 0
        fi
    done
    return 1
}

need libc6-dev 'headers of the C library' has_file /usr/include/stdio.h
need meson 'configures the build' command -v meson
need ninja-build 'runs the build' command -v ninja
need pkg-config 'finds libraries' command -v pkg-config
need libzip-dev 'reads and writes .npz files' has_file /usr/include/zip.h /usr/local/include/zip.h
need zlib1g-dev 'inflates compressed .mat files' has_file /usr/include/zlib.h /usr/local/include/zlib.h

# Not needed to build: without them congru report draws no PNG and writes plain tables, as it says.
need libcairo2-dev 'draws figures as PNG' has_file /usr/include/cairo/cairo.h /usr/local/include/cairo/cairo.h

case $1 in
clang) need clang 'the other compiler' command -v clang ;;
cppcheck) need cppcheck 'looks for mistakes in the sources' command -v cppcheck ;;
tidy) need clang-tidy 'looks for mistakes in the sources' command -v clang-tidy ;;
valgrind) need valgrind 'watches every access to memory' command -v valgrind ;;
python)
    need python3-dev 'the Python package is an extension' has_file /usr/include/python3*/Python.h
    need python3-numpy 'whose arrays it takes' has_file /usr/lib/python3/dist-packages/numpy
    ;;
esac

# The tests run Debian's own Python, whatever other python3 is first on the path.
case $1 in
check | bench | clang | valgrind)
    need liblapacke-dev 'LAPACK, which eigenvalues are compared with' \
        has_file /usr/include/lapacke.h /usr/local/include/lapacke.h
    need libopenblas-dev 'the BLAS under LAPACK' \
        has_file /usr/lib/*/libopenblas.so /usr/lib/libopenblas.so /usr/lib64/libopenblas.so
    need libsimde-dev 'runs the AVX-512 code on a machine without it' has_file /usr/include/simde/x86/avx512.h
    need python3-numpy 'reads what congru writes' has_file /usr/lib/python3/dist-packages/numpy
    need python3-scipy 'computes what congru is compared with' has_file /usr/lib/python3/dist-packages/scipy
    need libopenmpi-dev 'lets processes share work' has_file /usr/lib/*/openmpi/include/mpi.h /usr/include/mpi.h
    need openmpi-bin 'starts them' command -v mpirun
    need npm 'fetches what drives the browser' command -v npm
    need chromium 'shows the page of congru report' command -v chromium
    need locales 'the locales of programs with decimal commas' has_file /usr/share/i18n/locales/de_DE
    need g++ 'compiles the public headers as C++' command -v g++
    need python3-dev 'the Python package is an extension' has_file /usr/include/python3*/Python.h
    need python3-pytest 'runs the tests of the Python package' has_file /usr/lib/python3/dist-packages/pytest
    need python3-sklearn 'what its estimators are' has_file /usr/lib/python3/dist-packages/sklearn
    need python3-pandas 'what its tables are' has_file /usr/lib/python3/dist-packages/pandas
    need python3-mne 'whose epochs it reads' has_file /usr/lib/python3/dist-packages/mne
    ;;
esac
if [ "$1" = bench ]; then
    need python3-torch 'what training is raced against' has_file /usr/lib/python3/dist-packages/torch
fi

if [ -z "$packages" ]; then
    exit 0
fi

printf 'Missing on this machine:\n%s' "$reasons"
# Word splitting is meant below: $packages and $as_root are lists of words.
as_root=
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "There is no apt-get here: install these as this system does it, then run make again." >&2
    exit 1
fi
if [ -n "$as_root" ] && ! command -v sudo >/dev/null 2>&1; then
    echo "Installing takes root, and there is no sudo here. As root, run this, then make again:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends$packages" >&2
    exit 1
fi
echo "Installing:$packages"
$as_root apt-get update
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
# Meson remembers that a header was not there.
if [ -f "$folder/build.ninja" ]; then
    meson configure "$folder" --clearcache
    meson setup --reconfigure "$folder"
fi
