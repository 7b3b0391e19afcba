#!/bin/sh
# Prints a C table of the lines of the paper's figures. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/embed-paper.sh FILE.csv...
set -eu

LC_ALL=C
export LC_ALL

echo '/* Made from share/paper. */'
echo '#include "paper/paper_tables.h"'
for file in "$@"; do
    echo "static const char *const lines_$(basename "$file" .csv | tr - _)[] = {"
    sed 's/[\\"?]/\\&/g; s/^/    "/; s/$/",/' "$file"
    echo '    NULL,'
    echo '};'
done
echo 'const congru_paper_file congru_paper_files[] = {'
for file in "$@"; do
    name=$(basename "$file" .csv)
    echo "    {\"$name\", lines_$(echo "$name" | tr - _)},"
done
echo '    {NULL, NULL},'
echo '};'
