#!/bin/sh
# Prints a file as a C array of bytes, ended by a zero. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/embed-file.sh NAME FILE
set -eu

echo "/* Made from $(basename "$2"). */"
echo "extern const char $1[];"
echo "const char $1[] = {"
od -An -v -tu1 "$2" | sed 's/\([0-9][0-9]*\)/(char)\1,/g'
echo '0};'
