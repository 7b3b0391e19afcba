#!/bin/bash
# Every command line that README.md and docs/ print is one that the command takes. SPDX-License-Identifier: Apache-2.0
#
# Each is run in an empty folder: options and names of pipelines are looked at before files are, so what is right ends
# with 1 for the file that is not there, or goes on, and is ended after five seconds; what is wrong ends with 2.
source "$SOURCE/tests/support/cli_session.sh"

# check FILE: the lines that begin with four blanks and "congru ", with the assignments between them.
check()
{
    local problems="" line lines=0 code
    mkdir "$scratch/work/${1##*/}" && cd "$scratch/work/${1##*/}" || exit 1
    local given=""
    while IFS= read -r line; do
        line=${line#    }
        if [[ $line =~ ^[A-Z]+= ]]; then
            given+="$line; "
            continue
        fi
        lines=$((lines + 1))
        timeout 5 bash -c "$given${line%%|*}" >/dev/null 2>said </dev/null
        code=$?
        if [ $code = 2 ] || [ $code = 127 ]; then
            problems+="$line: $(head -1 said)"$'\n'
        fi
    done < <(grep -E '^    (congru |[A-Z]+=[^ ]+$|[A-Z]+="[^"]+"$)' "$1" | grep -v '\\$')
    local page=${1#"$SOURCE"/}
    result "${page#"$scratch"/}: its commands are ones ($lines)" "$problems"
    cd "$scratch" || exit 1
}

for page in "$SOURCE"/README.md "$SOURCE"/docs/*.md; do
    grep -q '^    congru ' "$page" && check "$page"
done

# The lines of tools/results.sh, from a stand-in that writes them down.
mkdir -p "$scratch/stand-in" "$scratch/data"
cat >"$scratch/stand-in/congru" <<END
#!/bin/bash
echo "    congru \$*" >>"$scratch/stand-in/results.sh"
[ \$1 != report ] || touch "\${@: -1}"
END
chmod +x "$scratch/stand-in/congru"
"$SOURCE/tools/results.sh" "$scratch/stand-in/congru" "$scratch/data" "$scratch/printed" >/dev/null
check "$scratch/stand-in/results.sh"

# What stands in docs/results is what that prints and draws, but for the ablation of 2a, which is in parts until it is run whole.
said=$(comm -23 <(cd "$SOURCE/docs/results" && ls) <(cd "$scratch/printed" && ls) | grep -v '^2a-ablation-')
result "tools/results.sh makes every file of docs/results" "$said"
said=$(grep -n -- '--C ' "$scratch/stand-in/results.sh")
result "tools/results.sh has C chosen everywhere" "$said"

# The check is one: it finds a word that is no option, and a pipeline that is none.
mkdir "$scratch/pages"
printf '    congru loso 2a.npz --no-such-option\n' >"$scratch/pages/option.md"
printf '    congru loso 2a.npz -p ra+nothing\n' >"$scratch/pages/pipeline.md"
for page in option pipeline; do
    said=$(check "$scratch/pages/$page.md")
    result "a wrong $page is found" "$(found '^not ok' <<<"$said" || echo "$said")"
done
echo "1..$count"
exit $((failed > 0))
