#!/bin/bash
# The shape of the tree and of the library that comes of it. SPDX-License-Identifier: Apache-2.0
#
# Each test is a function that prints what is wrong, one line each, and prints nothing when all is well.
# It reads SOURCE, BUILD, PREFIX, LIBDIR, CC and SANITIZE; see tests/meson.build.
set -u -o pipefail

# found ...: grep that reads to the end. With -q it leaves at the first match, and what writes to it may then fail.
found()
{
    grep "$@" >/dev/null
}

cd "$SOURCE" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0

run()
{
    local problems
    count=$((count + 1))
    problems=$("$1" 2>&1) || problems="$problems
$1 ended with exit code $?"
    if [ -z "$problems" ]; then
        echo "ok $count - $1"
    else
        echo "$problems" | sed '/^$/d; s/^/# /'
        echo "not ok $count - $1"
        failed=$((failed + 1))
    fi
}

skip()
{
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

# The table of docs/architecture.md: "folder: its public headers: folders that it may use".
dependency_table()
{
    awk '/^```/ { inside = $0 == "```dependencies"; next } inside' docs/architecture.md
}

# Lines "file:header" for every #include "header" below the given folders.
quoted_includes()
{
    grep -rHoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"' --include='*.[ch]' "$@" |
        sed -E 's/^([^:]+):.*"([^"]+)"/\1:\2/'
}

# What an awk program begins with whose first file is the table: may[from, to], owner[header], and folder_of(file), "" of
# none. Fields of the lines behind it are divided as -F says.
table_in_awk='
    function folder_of(file, part)
    {
        if (file ~ /^include\//)
            sub(/^include\//, "", file)
        else
            sub(/^src\//, "", file)
        split(file, part, "/")
        return part[1] == "congru" ? owner[part[2]] : part[1]
    }
    NR == FNR {
        split($0, column, ":")
        may[column[1], column[1]] = 1
        for (i = split(column[2], word, " "); i > 0; i--) owner[word[i]] = column[1]
        for (i = split(column[3], word, " "); i > 0; i--) may[column[1], word[i]] = 1
        next
    }'

# What one folder includes of another: "from to file header".
includes_by_folder()
{
    quoted_includes src include | grep -v '^include/congru/congru.h:' |
        awk -F: "$table_in_awk"'
            $2 !~ /\// { print folder_of($1), folder_of($1), $1, $2; next }
            { to = folder_of($2); print folder_of($1), to == "" ? "nothing" : to, $1, $2 }' <(dependency_table) -
}

# ---- Includes ------------------------------------------------------------------------------------------

table_names_every_folder()
{
    dependency_table | cut -d: -f1 | sort >"$scratch/named"
    find src -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort >"$scratch/existing"
    comm -23 "$scratch/named" "$scratch/existing" | sed 's/$/ is in the table but not in src/'
    comm -13 "$scratch/named" "$scratch/existing" | sed 's/$/ is in src but not in the table/'
}

# Each belongs to one folder, but congru.h, which is all of them.
table_names_every_public_header_once()
{
    dependency_table | cut -d: -f2 | tr ' ' '\n' | sed '/^$/d' | sort >"$scratch/named"
    uniq -d "$scratch/named" | sed 's/$/ belongs to several folders/'
    find include/congru -name '*.h' ! -name congru.h -printf '%f\n' | sort >"$scratch/existing"
    comm -23 <(uniq "$scratch/named") "$scratch/existing" | sed 's/$/ is in the table but not in include\/congru/'
    comm -13 <(uniq "$scratch/named") "$scratch/existing" | sed 's/$/ is in include\/congru but not in the table/'
}

# Public headers are those of the folders they belong to, for those who include them and for what they include.
headers_are_included_along_the_table()
{
    includes_by_folder >"$scratch/includes"
    found . "$scratch/includes" || echo "no #include found"
    awk -F'[: ]' "$table_in_awk"'
        !(($1, $2) in may) { print $3 " includes " $4 ": " $1 " may not see " $2 }' \
        <(dependency_table) "$scratch/includes"
    quoted_includes src | while IFS=: read -r file header; do
        local from=${file#src/}
        from=${from%%/*}
        [[ $header == */* ]] || [ -f "src/$from/$header" ] || [ -f "src/$from/$header.in" ] ||
            echo "$file includes $header: not in src/$from; write folder/name.h"
    done
}

command_includes_public_headers_only()
{
    quoted_includes cli | while IFS=: read -r file header; do
        case $header in
        congru/*) ;;
        *) [ -n "$(find cli -name "$header")" ] || echo "$file includes $header" ;;
        esac
    done
}

python_extension_includes_public_headers_only()
{
    quoted_includes python/native | while IFS=: read -r file header; do
        case $header in
        congru/*) ;;
        *) [ -f "python/native/$header" ] || echo "$file includes $header" ;;
        esac
    done
}

public_headers_include_public_headers_only()
{
    quoted_includes include | grep -v ':congru/'
    true
}

# ---- Public headers ------------------------------------------------------------------------------------

# compile_headers COMPILER...: each header by itself.
compile_headers()
{
    local header
    for header in include/congru/*.h; do
        echo "#include \"${header#include/}\"" |
            "$@" -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only - ||
            echo "$header does not compile alone"
    done
}

# By the compiler of the build, and by clang where it is installed.
headers_compile_alone_as_c11()
{
    compile_headers $CC -std=c11 -x c
    if command -v clang >/dev/null; then
        compile_headers clang -std=c11 -x c
    fi
}

headers_compile_alone_as_cxx17()
{
    compile_headers g++ -std=c++17 -x c++
    if command -v clang++ >/dev/null; then
        compile_headers clang++ -std=c++17 -x c++
    fi
}

umbrella_includes_every_header()
{
    local header
    for header in include/congru/*.h; do
        header=${header#include/}
        [ "$header" = congru/congru.h ] || found -F "#include \"$header\"" include/congru/congru.h ||
            echo "congru/congru.h does not include $header"
    done
}

# ---- Symbols -------------------------------------------------------------------------------------------

# The symbols of each folder's archive: "define folder name" and "use folder file name".
symbols_by_folder()
{
    local folder
    for folder in $(dependency_table | cut -d: -f1); do
        nm -g "$BUILD/src/$folder/lib$folder.a" | awk -v folder="$folder" '
            /:$/ { file = $0; sub(/.*\//, "", file); sub(/(\.o)?:$/, "", file) }
            NF == 3 && $2 !~ /[UVvWw]/ { print "define", folder, $3 }
            NF == 2 && $1 == "U" { print "use", folder, file, $2 }'
    done
}

# What one folder uses of another: "from to file symbol".
uses_by_folder()
{
    symbols_by_folder >"$scratch/symbols"
    awk '$1 == "define" { at[$3] = $2 } NR != FNR && $1 == "use" && $4 in at { print $2, at[$4], $3, $4 }' \
        "$scratch/symbols" "$scratch/symbols"
}

symbols_are_used_along_the_table()
{
    uses_by_folder >"$scratch/uses"
    found . "$scratch/uses" || echo "no use of a symbol found"
    awk -F'[: ]' "$table_in_awk"'
        !(($1, $2) in may) { print "src/" $1 "/" $3 " uses " $4 ": " $1 " may not see " $2 }' \
        <(dependency_table) "$scratch/uses"
}

# The table says what is, not what might be.
table_allows_what_is_used()
{
    { includes_by_folder; uses_by_folder; } | awk '{ print $1 ": " $2 }' | sort -u >"$scratch/used"
    dependency_table | awk -F: '{ for (i = split($3, word, " "); i > 0; i--) print $1 ": " word[i] }' | sort -u |
        comm -23 - "$scratch/used" | sed 's/$/ is in the table, and nothing makes use of it/'
}

# declared HEADER...: the functions and data that headers declare, "header name". Declarations begin in the first column; bodies
# and members do not.
declared()
{
    local header
    for header in "$@"; do
        tr '\n' '\f' <"$header" | sed -E 's:/\*([^*]|\*+[^*/])*\*+/::g' | tr '\f' '\n' | awk -v header="$header" '
            /^[A-Za-z]/ { statement = "" }
            { statement = statement " " $0 }
            /[;{] *$/ {
                if (statement !~ /^ *(static|typedef|enum|extern "C"|[#}])/)
                    while (match(statement, statement ~ /[(]/ ? "congru_[a-z0-9_]+[(]" : "congru_[a-z0-9_]+[[,;]")) {
                        name = substr(statement, RSTART, RLENGTH - 1)
                        print header, name
                        statement = statement ~ /[(]/ ? "" : substr(statement, RSTART + RLENGTH)
                    }
                statement = ""
            }'
    done
}

# The declaration is where the definition is, or those who include the one do not see that they need the other.
headers_declare_what_their_folder_defines()
{
    declared $(find src include -name '*.h') | sort -u >"$scratch/declared"
    symbols_by_folder | awk '$1 == "define"' >"$scratch/defined"
    awk "$table_in_awk"'
        $1 == "define" { at[$3] = $2; next }
        $2 in at { seen++ }
        $2 in at && at[$2] != folder_of($1) {
            print $1 " declares " $2 ": it belongs to " folder_of($1) ", which does not define it, but " at[$2]
        }
        END { if (!seen) print "no declaration found" }' <(dependency_table) "$scratch/defined" "$scratch/declared"
}

# What a folder is linked with repeats its line, for meson's order.
link_with_repeats_the_table()
{
    local folder headers allowed
    dependency_table | while IFS=: read -r folder headers allowed; do
        sed -nE '/_lib = static_library/,/^\)/s/^ *link_with: \[?([a-z_, ]*)\]?,$/\1/p' "src/$folder/meson.build" |
            tr -d ' ' | tr ',' '\n' | sed 's/_lib$//' | sort | cmp -s - <(tr ' ' '\n' <<<"$allowed" | sed '/^$/d' | sort) ||
            echo "src/$folder/meson.build does not link with:$allowed"
    done
}

# What nm prints of a library, less the names that carry the prefix; a library without any is a problem too.
without_prefix()
{
    awk 'NF >= 3 { seen++ } NF >= 3 && $3 !~ /^congru_/ { print $3 " lacks the prefix congru_" }
         END { if (!seen) print "no symbol found" }'
}

static_library_symbols_carry_the_prefix()
{
    nm -g --defined-only "$BUILD/src/libcongru.a" | without_prefix
}

shared_library_symbols_carry_the_prefix()
{
    nm -D --defined-only "$BUILD/src/libcongru.so" | without_prefix
}

# Exported and declared are the same set: nothing internal leaks, nothing declared is missing.
shared_library_exports_what_headers_declare()
{
    nm -D --defined-only "$BUILD/src/libcongru.so" | awk '{ print $3 }' | sort -u >"$scratch/exported"
    cat include/congru/*.h | tr '\n' ' ' | grep -oE 'CONGRU_API [^(;]*\(' | grep -oE 'congru_[a-z0-9_]+\($' |
        tr -d '(' >"$scratch/functions"
    cat include/congru/*.h | grep -oE 'CONGRU_API extern [^;[]*' | grep -oE 'congru_[a-z0-9_]+$' |
        sort -u - "$scratch/functions" >"$scratch/declared"
    comm -23 "$scratch/exported" "$scratch/declared" | sed 's/$/ is exported but in no header/'
    comm -13 "$scratch/exported" "$scratch/declared" | sed 's/$/ is declared but not exported/'
}

# ---- Files ---------------------------------------------------------------------------------------------

file_names_are_unique()
{
    local tree
    for tree in src cli; do
        find $tree -type f ! -name meson.build -printf '%f\n' | sort | uniq -d |
            sed "s/$/ is the name of several files in $tree/"
    done
}

# The command is thin: options in, a call of the library, its result printed.
command_is_thin()
{
    find cli -name '*.[ch]' -exec cat {} + | wc -l | awk '$1 >= 8000 { print "cli has " $1 " lines" }'
}

# In a script the line after #! counts as the first.
files_begin_with_purpose_and_licence()
{
    find src cli include python tests examples bench tools \( -name '*.[ch]' -o -name '*.sh' -o -name meson.build \) |
        while read -r file; do
            head -n 2 "$file" | sed '/^#!/d' | head -n 1 | found 'SPDX-License-Identifier: Apache-2.0' ||
                echo "$file does not begin with its purpose and licence"
        done
}

no_flag_lets_the_compiler_change_numbers()
{
    local flags='-ffast-math|-Ofast|-funsafe-math|-fassociative-math|contract[= ](fast|on)|FP_CONTRACT ON'
    find . \( -type d \( -name .git -o -name 'build*' \) \) -prune -o \
        \( -name meson.build -o -name meson_options.txt -o -name Makefile -o -name '*.[ch]' \) \
        -exec grep -nHE -e "$flags" {} +
    true
}

# statements: the C sources named on standard input, comments gone, one statement to a line, "FILE: statement".
statements()
{
    while read -r file; do
        sed -E 's://.*$::; s:/\*[^*]*\*/::g' "$file" | tr '\n' ' ' |
            sed -E 's/[;{}]/&\n/g' | sed -E "s|^ *|$file: |"
    done
}

# What the C library writes and reads by the locale of the host program is asked of src/base/number_text.h instead.
numbers_do_not_depend_on_the_locale()
{
    local reads='strtod|strtof|strtold|atof|v?[fs]?scanf|strcoll|strxfrm|strftime|strn?casecmp|setlocale|localeconv'
    local letters='to(upper|lower)|is(alpha|alnum|space|blank|print|cntrl|punct|upper|lower|graph)'
    local conversion='%[-+ #0]*([0-9]+|\*)?(\.([0-9]+|\*)?)?L?[aAeEfFgG]'
    find src -name '*.[ch]' ! -name 'number_text.[ch]' -exec \
        grep -nHE "(^|[^a-z_])($reads|$letters|newlocale|uselocale|v(sn?|f|d)?printf) *\(" {} +
    find src -name '*.[ch]' ! -name 'number_text.[ch]' | statements |
        grep -E "[^a-z_](sn?|f|d)?printf *\(.*\".*$conversion"
    # The command stays in the locale "C", in which every program starts.
    grep -nHE '(^|[^a-z_])(setlocale|uselocale) *\(' cli/*.c cli/*/*.c
    true
}

# Who wants to know something of a method asks its table (congru_pipeline_describe, congru_pipeline_among). The rows of the
# paper's tables are named after methods, and src/paper looks them up; "none" is a word of many things.
method_names_are_not_compared()
{
    local names
    names=$("$BUILD/congru" help loso | sed -n '/^Aligners and classifiers:/,/^$/s/^  \([a-z][a-z0-9-]*\).*/\1/p' |
        grep -vx none | paste -sd'|')
    [[ $names == *'|tslr|'* ]] || echo "no names of methods in the help of loso"
    find src cli -name '*.[ch]' ! -name 'reproduce*' | statements |
        grep -E "[^a-z_](str(n?cmp|str|ncasecmp|casecmp)|memcmp) *\\(([^()]|\\([^()]*\\))*\"[+]?(($names)([+][a-z0-9-]*)?|-e2e)\""
    true
}

# An option of methods is one row: its name stands nowhere else. Names with a hyphen are told from other words;
# model_file.c reads two names of older models, and a recipe is a list of options by name with values for them.
an_option_is_one_row()
{
    local name
    "$BUILD/tests/option_names" | grep -e - >"$scratch/options" || echo "no names of options"
    while read -r name; do
        grep -rlF "\"$name\"" src cli share/completion | grep -vxF src/decoder/model_file.c |
            grep -vxF -e src/model/method_option_table.c -e src/model/recipe.c |
            sed "s/$/ names --$name beside its row/"
    done <"$scratch/options"
    true
}

# Options of the command are read by their names: the parser alone knows places, rows have none, and a name that is read is that
# of a row of some command, so that a slip of the fingers is not an option that nobody can give.
options_are_read_by_name()
{
    local command name
    grep -rnE '(->|\.)values\b|const option [a-z_]+\[[A-Z]' cli --include='*.[ch]' | grep -v '^cli/options/options\.c:'
    for command in $("$BUILD/congru" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        "$BUILD/congru" help "$command" | sed -nE 's/^  (-., )?--([A-Za-z0-9-]+).*/\2/p'
    done | sort -u >"$scratch/rows"
    grep -qx pipelines "$scratch/rows" || echo "no names of options in help"
    find cli -name '*.c' | statements | grep -oE 'options_(value|given|set|number|integer|choice|words)\([^,()]*, "[^"]*"' |
        sed 's/.*"\(.*\)"/\1/' | sort -u >"$scratch/read"
    grep -qx pipelines "$scratch/read" || echo "no names of options in cli"
    comm -13 "$scratch/rows" "$scratch/read" | sed 's/$/ is read in cli and is no option of any command/'
    true
}

# ---- Installing ----------------------------------------------------------------------------------------

write_program()
{
    cat >"$scratch/program.c" <<'END'
#include <congru/congru.h>
#include <stdio.h>
int main(void)
{
    return printf("%s\n", congru_version()) > 0 ? 0 : 1;
}
END
}

# The installed tree is in scratch/root; pkg-config is told so, and then gives paths inside it.
installed_pkg_config()
{
    PKG_CONFIG_SYSROOT_DIR=$scratch/root PKG_CONFIG_PATH=$scratch/root$LIBDIR/pkgconfig \
        PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$@" congru
}

install_puts_everything_in_place()
{
    local file
    meson install -C "$BUILD" --no-rebuild --quiet --destdir "$scratch/root" >/dev/null || return
    for file in "$PREFIX"/{bin/congru,include/congru/congru.h,share/man/man1/congru.1} \
        "$LIBDIR"/{libcongru.a,libcongru.so,libcongru.so.0,pkgconfig/congru.pc}; do
        [ -e "$scratch/root$file" ] || echo "$file is not installed"
    done
    readelf -d "$scratch/root$LIBDIR/libcongru.so" | found 'soname: \[libcongru.so.0\]' ||
        echo "the shared library's soname is not libcongru.so.0"
}

# Whether the program in $1 runs and names the version pkg-config names.
runs_and_agrees()
{
    local said
    said=$(LD_LIBRARY_PATH=$scratch/root$LIBDIR "$1") || echo "the program failed"
    [ "$said" = "$(installed_pkg_config --modversion)" ] || echo "the program says $said"
}

program_uses_installed_shared_library()
{
    write_program
    $CC -std=c11 "$scratch/program.c" -o "$scratch/shared" $(installed_pkg_config --cflags --libs) || return
    readelf -d "$scratch/shared" | found 'NEEDED.*libcongru.so.0' || echo "libcongru.so.0 is not needed by it"
    runs_and_agrees "$scratch/shared"
}

program_uses_installed_static_library()
{
    write_program
    # Debian has no static libzip, so libcongru alone is linked statically.
    $CC -std=c11 "$scratch/program.c" -o "$scratch/static" \
        $(installed_pkg_config --static --cflags --libs | sed 's/-lcongru\b/-l:libcongru.a/') || return
    runs_and_agrees "$scratch/static"
}

run table_names_every_folder
run table_names_every_public_header_once
run headers_are_included_along_the_table
run command_includes_public_headers_only
run python_extension_includes_public_headers_only
run public_headers_include_public_headers_only
run headers_compile_alone_as_c11
if command -v g++ >/dev/null; then
    run headers_compile_alone_as_cxx17
else
    skip headers_compile_alone_as_cxx17 "no g++ on this machine"
fi
run umbrella_includes_every_header
run file_names_are_unique
run command_is_thin
run files_begin_with_purpose_and_licence
run no_flag_lets_the_compiler_change_numbers
run numbers_do_not_depend_on_the_locale
run method_names_are_not_compared
run an_option_is_one_row
run options_are_read_by_name
run symbols_are_used_along_the_table
run table_allows_what_is_used
run headers_declare_what_their_folder_defines
run link_with_repeats_the_table
for test in static_library_symbols_carry_the_prefix shared_library_symbols_carry_the_prefix \
    shared_library_exports_what_headers_declare install_puts_everything_in_place \
    program_uses_installed_shared_library program_uses_installed_static_library; do
    if [ "$SANITIZE" = none ]; then
        run $test
    else
        skip $test "the build is instrumented with $SANITIZE"
    fi
done
echo "1..$count"
[ "$failed" = 0 ]
