#!/bin/bash
# congru compare, ablate and reproduce: sessions. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"

ln -s "$BUILD/tests/make_set" "$scratch/bin/make_set"

run_sessions "$SOURCE"/tests/cli/experiments/*.txt

# Two seeds with few trials: the table has the numbers of its folders, and the claims are judged by the table.
synthetic_table_is_of_its_folders()
{
    local said
    mkdir "$scratch/work/synthetic" && cd "$scratch/work/synthetic" || exit 1
    congru reproduce synthetic --seeds 50..51 --trials 1 --steps 1 --no-record >table.txt 2>/dev/null || exit 1
    result "the table of 'reproduce synthetic' has the numbers of its folders" "$(python3 - "$SOURCE" <<'END'
import csv, statistics, sys
MARK = {"": [], "bold": ["b"]}
paper = {(r["stage"], r["pipeline"]): r for r in csv.DictReader(open(sys.argv[1] + "/share/paper/synthetic.csv"))}
lines = open("table.txt", encoding="utf-8").read().splitlines()
if not lines[0].startswith("Table 2, again table 6: ") or \
        lines[2] != "Accuracy in %, 9 subjects with 1 trials of each class; seeds 50 to 51; 1 training steps; C chosen on source subjects":
    print(lines[:3])
ours, stage, rows = {}, None, 0
for line in lines[5 : next(i for i, line in enumerate(lines) if line.startswith("How the paper sets"))]:
    stage = line.split()[0] if line[0] != " " else stage
    words = line[13:].replace("(C 1)", "").split()
    plain, pipeline = "(C 1)" in line, words[0]
    means, scores = [], []
    for seed in (50, 51):
        folder = f"reproduced/synthetic/{stage}-{seed}{'-plain' if plain else ''}/results.csv"
        own = [100 * float(r["score"]) for r in csv.DictReader(open(folder)) if r["pipeline"] == pipeline]
        if len(own) != 9:
            print(folder, pipeline, len(own))
        means.append(statistics.fmean(own))
        scores += own
    row = None if plain else paper[stage, pipeline]
    mean, printed = statistics.fmean(scores), None if plain else float(row["accuracy"])
    ours[stage, "plain" if plain else pipeline] = mean
    expected = [f"{printed:.2f}" if printed else "-", *(MARK[row["mark"]] if row else []), f"{mean:.2f}", "±",
                f"{statistics.stdev(scores):.2f}", f"{statistics.stdev(means):.2f}",
                f"{mean - printed:+.2f}" if printed else "-"]
    if words[1:] != expected:
        print(stage, words, expected)
    rows += 1
if rows != 30:
    print(rows, "rows")
verdicts = " ".join(line.strip() for line in lines[lines.index("Claims of the paper:") + 1 :])
nets = ("dct-e2e", "dldct-e2e", "ddct-unet-e2e")
best = all(ours["shift", "ra+tslr"] >= ours["shift", p] for p in ("none+tslr", *nets))
falls = ours["shift", "ra+tslr"] > ours["dispersion", "ra+tslr"] > ours["orientation", "ra+tslr"] <= \
    ours["shift", "ra+tslr"] - 10
for text, holds in (("RA is optimal under mean shift: ", best),
                    ("RA degrades sharply with dispersion and then orientation (sharply: ", falls)):
    said = [word for word in ("reproduced: ", "not reproduced: ", "reproduced, within chance: ", "not reproduced, within chance: ")
            if " " + word + text in " " + verdicts]
    if not said or said[-1].startswith("not") == holds:
        print(text, holds, said)
if "]1 of 40 trials" in verdicts or "], 1 of 40 trials" not in verdicts:
    print("a change stands against what is before it")
END
    )"
    said=$(congru reproduce synthetic --seeds 50..51 --trials 2 --steps 1 --no-record 2>&1)
    matches "$said" "congru: reproduced/synthetic/shift-50: holds results of another run: ..." && said=
    result "results of other trials are not taken" "$said"
}

# Every format has the same blocks: all of them in JSON, the tables and the claims as a table in the others.
formats_have_every_block()
{
    local problems= format
    mkdir "$scratch/work/formats" && cd "$scratch/work/formats" || exit 1
    congru synth --stage shift --subjects 3 --trials 4 --channels 4 -o 2a.npz >/dev/null || exit 1
    for experiment in statistics 'table-e2e 2a.npz --steps 1'; do
        for format in text json csv latex html markdown; do
            congru reproduce $experiment --format $format >"${experiment%% *}.$format" 2>err.txt || problems+="$experiment, $format: $(cat err.txt)"$'\n'
        done
        congru reproduce $experiment >plain.txt 2>/dev/null
        cmp -s plain.txt "${experiment%% *}.text" || problems+="$experiment: --format text is not the default"$'\n'
    done
    congru ablate 2a.npz -p dct-e2e --steps 1 --format json >ablate.json 2>/dev/null && python3 -m json.tool ablate.json >/dev/null || problems+="ablate"$'\n'
    ! congru reproduce statistics --format word >out.txt 2>&1 && found -F 'not' out.txt || problems+=$(cat out.txt)
    problems+=$(
        python3 - <<'END'
import csv, html.parser, io, json, re
for name in ("statistics", "table-e2e"):
    blocks = json.load(open(name + ".json", encoding="utf-8"))["blocks"]
    text = " ".join(open(name + ".text", encoding="utf-8").read().split())
    tables = [b["table"] for b in blocks if b["kind"] == "table"]
    claims = [b for b in blocks if b["kind"] == "claim"]
    for b in blocks:
        if b["kind"] != "table" and " ".join(b["text"].split()) not in text:
            print(name, "text lacks", b["text"])
        if b["kind"] == "table":
            for cell in (str(v) for row in b["table"]["rows"] for v in row.values()):
                if name == "table-e2e" and " ".join(cell.split()) not in text and cell != "None":
                    print(name, "text lacks the cell", cell)
    if not tables or (name == "table-e2e") != bool(claims) or not any(b["kind"] == "line" for b in blocks):
        print(name, [b["kind"] for b in blocks])
    if any(c["verdict"] not in ("holds", "does not hold", "not judged") or c["claim"] not in c["text"] for c in claims):
        print(name, claims)
    expected = [[list(map(str, row.values())) for row in t["rows"]] for t in tables]
    parts = [list(csv.reader(io.StringIO(p))) for p in open(name + ".csv", encoding="utf-8", newline="").read().split("\n\n")]
    if len(parts) != len(tables) + bool(claims):
        print(name, "csv has", len(parts), "tables")
    for part, table in zip(parts, tables):
        if part[0] != list(table["rows"][0]) or len(part) - 1 != len(table["rows"]):
            print(name, "csv:", part[0], len(part))
    if claims and [r[:4] for r in parts[-1][1:]] != [[c["id"], c["place"], c["claim"], c["verdict"]] for c in claims]:
        print(name, "csv has other claims")
    for ending, begin in (("latex", r"\\begin\{tabular\}"), ("html", "<table"), ("markdown", r"(?m)^\|[ :-]*-")):
        count = len(re.findall(begin, open(f"{name}.{ending}", encoding="utf-8").read()))
        if count != len(tables) + bool(claims):
            print(name, ending, "has", count, "tables of", len(tables) + bool(claims))
END
    )
    result "every format of 'reproduce' has the same tables and claims" "$problems"
}

# interrupt WHEN WORD...: SIGTERM as soon as `WHEN` holds; what the command said is in said.txt, and it ends within 5 s.
interrupt()
{
    local when=$1 pid moment
    shift
    congru "$@" >out.txt 2>said.txt &
    pid=$!
    for ((moment = 0; moment < 1200; moment++)); do
        kill -0 $pid 2>/dev/null || break
        eval "$when" && break
        sleep 0.05
    done
    kill -TERM $pid 2>/dev/null || echo "$*: ended before"
    for ((moment = 0; moment < 100; moment++)); do
        kill -0 $pid 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL $pid 2>/dev/null && echo "$*: goes on after SIGTERM"
    wait $pid
    [ $? = 143 ] || echo "$*: another exit code than 143"
}

# The signal is taken by the command, and not by the shell that is to become it: bit 15 of the mask.
takes_signals='[[ $(readlink "/proc/$pid/exe") == */congru ]] && (( 0x$(sed -n "s/^SigCgt:[[:space:]]*//p" /proc/$pid/status 2>/dev/null || echo 0) & 0x4000 ))'

# Between evaluations too, where the library trains again, loads sets or measures.
interrupted_experiments_say_so()
{
    local problems=
    mkdir "$scratch/work/interrupted" && cd "$scratch/work/interrupted" || exit 1
    make_set 2a.npz --subjects 3 --trials 24 --d 3 --effect 6 --classes 4
    congru synth --stage shift --signals 500 --channels 16 --trials 30 -o signals.npz >/dev/null
    problems+=$(interrupt '[ -e made/2a-geometry/dct/results.csv ]' reproduce geometry 2a.npz --steps 4000 -o made)
    # The network behind dct may have begun where the signal comes late.
    [[ $(without_progress <said.txt) == "congru: interrupted; what is done is in made/2a-geometry/d"*" fold"*"), and the same command goes on from there" ]] ||
        problems+=$(cat said.txt)
    problems+=$(interrupt '[ -e one/results.csv ]' loso 2a.npz -p dct-e2e --steps 4000 --diagnostics -o one)
    [[ $(without_progress <said.txt) == "congru: interrupted; what is done is in one (3 of 3 folds), and the same command goes on from there" ]] ||
        problems+=$(cat said.txt)
    problems+=$(interrupt "$takes_signals" reproduce silhouette signals.npz --band 8:30 --steps 100000 -o made)
    [[ $(without_progress <said.txt) == "congru: interrupted" ]] || problems+=$(cat said.txt)
    result "interrupted experiments say so" "$problems"
}

synthetic_table_is_of_its_folders
formats_have_every_block
interrupted_experiments_say_so
for name in ablate compare reproduce; do
    manual_has_options $name
done
help_fits ablate compare reproduce
echo "1..$count"
exit $((failed > 0))
