#!/bin/sh
# Prints a C table of the lines of preset files. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/embed-presets.sh PRESET.txt...
set -eu

LC_ALL=C
export LC_ALL

echo '/* Made from share/presets. */'
echo '#include "import/import_internal.h"'
number=0
for file in "$@"; do
    echo "static const char *const lines_${number}[] = {"
    # \? is left whole: two question marks and a third character would be a trigraph.
    sed 's/[\\"?]/\\&/g; s/^/    "/; s/$/",/' "$file"
    echo '    NULL,'
    echo '};'
    number=$((number + 1))
done
echo 'const preset congru_presets[] = {'
number=0
for file in "$@"; do
    echo "    {\"$(basename "$file" .txt)\", lines_$number},"
    number=$((number + 1))
done
echo '    {NULL, NULL},'
echo '};'
