#!/bin/sh
# Builds the page of congru report into one file, or an empty one where it cannot. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/build-page.sh needed|wanted|plain WEB FOLDER PAGE
#
# WEB is copied to FOLDER, so that nothing is written among the sources. An empty PAGE makes the command write plain
# tables; with "needed" it is an error instead.
set -eu

mode=$1
web=$2
folder=$3
page=$4

# without WHY: goes on without the page.
without()
{
    echo "congru report will write tables only: $1."
    echo "To build it again later: touch $web/package.json. To do without: meson configure -Dpage=disabled."
    if [ "$mode" = needed ]; then
        exit 1
    fi
    : >"$page"
    exit 0
}

if [ "$mode" = plain ]; then
    : >"$page"
    exit 0
fi
command -v npm >/dev/null 2>&1 || without 'npm is not installed'

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cp -R "$web/." "$folder/"
rm -rf "$folder/dist"

# What the lock file asks for is fetched once.
if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/.locked"; then
    (cd "$folder" && npm ci --no-progress --prefer-offline >npm.log 2>&1) ||
        without "npm could not fetch its libraries ($(grep -m 1 -E 'npm (error|ERR!)' "$folder/npm.log" || echo "see $folder/npm.log"))"
    cp "$folder/package-lock.json" "$folder/node_modules/.locked"
fi
(cd "$folder" && npm run --silent build >vite.log 2>&1) || without "Vite failed, see $folder/vite.log"
cp "$folder/dist/index.html" "$page"
