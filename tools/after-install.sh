#!/bin/sh
# Takes debugging symbols out of the archive that was installed, and lets programs find the library, or says how. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/after-install.sh PREFIX [DESTDIR]
set -eu

prefix=$1
destination=${2:-}
PATH=$PATH:/usr/sbin:/sbin

library=$(find "$destination$prefix" -name 'libcongru.so' | head -n 1)
description=$(find "$destination$prefix" -name 'congru.pc' | head -n 1)
[ -n "$library" ] && [ -n "$description" ] || { echo "install: no libcongru.so or congru.pc below $destination$prefix" >&2; exit 1; }
folder=$(dirname "$library")
! command -v strip >/dev/null || strip --strip-debug "$folder/libcongru.a" # what meson install --strip leaves as it is
if [ -n "$destination" ]; then
    echo "Staged in $destination: run ldconfig where it is unpacked to ${folder#"$destination"}"
    exit 0
fi

# As root the cache is made anew; folders it does not look into are not root's to add here.
known()
{
    ldconfig -p 2>/dev/null | grep -F "=> $folder/libcongru.so" >/dev/null
}
[ "$(id -u)" != 0 ] || ldconfig || true
if ! known; then
    if [ "$(id -u)" = 0 ] || ! ldconfig -v -N 2>/dev/null | grep -F "$folder:" >/dev/null; then
        echo "The loader does not look into $folder. For this shell:"
        echo "    export LD_LIBRARY_PATH=$folder"
    else
        echo "The loader does not know of it yet; as root:"
        echo "    ldconfig"
    fi
fi
if ! command -v pkg-config >/dev/null || ! pkg-config --exists congru; then
    echo "pkg-config does not look into $(dirname "$description"). For this shell:"
    echo "    export PKG_CONFIG_PATH=$(dirname "$description")"
fi
