#!/bin/bash
# congru report on the command line: sessions, help, the manual, formats. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"
make_results=$SOURCE/tests/browser/make_results.py
mkdir "$scratch/work/formats" && cd "$scratch/work/formats" || exit 1
/usr/bin/python3 "$make_results" full --subjects 6 --pipelines 6 --classes 2 --trials 20 --steps 30 || exit 1
/usr/bin/python3 "$make_results" free --subjects 6 --pipelines 6 --classes 2 --trials 20 --steps 30 --unconstrained || exit 1
/usr/bin/python3 "$make_results" bare --subjects 3 --pipelines 2 --only-results || exit 1
/usr/bin/python3 "$make_results" hostile --hostile --subjects 9 --pipelines 3 --classes 2 --trials 10 --steps 20 || exit 1
export MADE=$scratch/work/formats

every_figure_and_table()
{
    local name problems=
    cd "$scratch/work/formats" || exit 1
    for name in accuracy paired forest confusion speed training evolution ellipses patterns ablation; do
        congru report full --figure $name -o $name.svg 2>&1 && [ -s $name.svg ] || problems+="$name is not drawn"$'\n'
        /usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $name.svg || problems+="$name.svg is not XML"$'\n'
    done
    for name in accuracy subjects metrics classes pairs confusion speed ablation statistics; do
        congru report full --table $name >$name.csv || problems+="$name is not written"$'\n'
        congru report full --format latex --table $name >$name.tex || problems+="$name is not LaTeX"$'\n'
    done
    result "every figure as SVG, every table as CSV and LaTeX" "${problems%$'\n'}"
}

csv_equals_results()
{
    cd "$scratch/work/formats" || exit 1
    result "the tables have the numbers of results.csv" "$(/usr/bin/python3 - <<'END'
import csv, statistics
rows = list(csv.DictReader(open("full/results.csv", encoding="utf-8")))
for line in csv.DictReader(open("accuracy.csv", encoding="utf-8")):
    own = [float(r["score"]) for r in rows if r["pipeline"] == line["pipeline"]]
    if abs(float(line["accuracy"]) - statistics.fmean(own)) > 1e-15 or abs(float(line["deviation"]) - statistics.stdev(own)) > 1e-15:
        print(line["pipeline"], line["accuracy"], line["deviation"])
for line in csv.DictReader(open("subjects.csv", encoding="utf-8")):
    for r in rows:
        if r["subject"] == line["subject"] and float(r["score"]) != float(line[r["pipeline"]]):
            print(r["subject"], r["pipeline"], r["score"], line[r["pipeline"]])
END
    )"
}

# AUC is one-vs-rest, averaged; a subject's level of chance by its number of trials.
metrics_equal_sklearn()
{
    local name="metrics and classes are those of scikit-learn, the level of chance that of scipy"
    cd "$scratch/work/formats" || exit 1
    if ! /usr/bin/python3 -c 'import scipy, sklearn' 2>/dev/null; then
        skip "$name" "no scipy or scikit-learn"
        return
    fi
    result "$name" "$(/usr/bin/python3 - <<'END'
import csv, statistics
import sklearn.metrics as m
from scipy.stats import binom
rows = list(csv.DictReader(open("full/predictions.csv")))
classes = [c[2:] for c in rows[0] if c.startswith("p_")]
subjects = sorted({r["subject"] for r in rows})

def measure(own):
    t, p = [r["y_true"] for r in own], [r["y_pred"] for r in own]
    auc = m.roc_auc_score([x == classes[1] for x in t], [float(r["p_" + classes[1]]) for r in own])
    precision, recall, f1, _ = m.precision_recall_fscore_support(t, p, average="macro", zero_division=0)
    return {"accuracy": m.accuracy_score(t, p), "balanced": m.balanced_accuracy_score(t, p), "kappa": m.cohen_kappa_score(t, p),
            "auc": auc, "precision": precision, "recall": recall, "f1": f1,
            "above_chance": m.accuracy_score(t, p) > binom.ppf(0.95, len(t), 1 / len(classes)) / len(t)}

lines = list(csv.DictReader(open("metrics.csv")))
if len(lines) != 6:
    print(len(lines), "pipelines")
for line in lines:
    all = [measure([r for r in rows if r["pipeline"] == line["pipeline"] and r["subject"] == s]) for s in subjects]
    for key in all[0]:
        expected = (sum if key == "above_chance" else statistics.fmean)(one[key] for one in all)
        # results.csv holds the kappa, which these made results have by another rule.
        if abs(float(line[key]) - expected) > 1e-12 and key != "kappa":
            print(line["pipeline"], key, line[key], expected)
own = [r for r in rows if r["pipeline"] == lines[0]["pipeline"]]
for line in csv.DictReader(open("classes.csv")):
    t, p = [r["y_true"] == line["class"] for r in own], [r["y_pred"] == line["class"] for r in own]
    for key, value in (("trials", sum(t)), ("predicted", sum(p)), ("precision", m.precision_score(t, p)), ("recall", m.recall_score(t, p)),
                       ("f1", m.f1_score(t, p)), ("auc", m.roc_auc_score(t, [float(r["p_" + line["class"]]) for r in own]))):
        if abs(float(line[key]) - value) > 1e-12:
            print(line["class"], key, line[key], value)
END
    )"
}

learning_curve()
{
    local number problems=
    cd "$scratch/work/formats" || exit 1
    for number in 0 2 10; do
        /usr/bin/python3 "$make_results" curve/calibration-$number --subjects 4 --pipelines 2 --classes 2 --trials 20 --seed $((number + 1)) --steps 5 || exit 1
    done
    congru report curve --table curve -o curve.csv && congru report curve --figure curve -o curve.svg || problems+="not made "
    problems+=$(/usr/bin/python3 - <<'END'
import csv, statistics, xml.dom.minidom
xml.dom.minidom.parse("curve.svg")
lines = list(csv.DictReader(open("curve.csv")))
if [line["calibration"] for line in lines] != ["0", "2", "10"] * 2:
    print([line["calibration"] for line in lines])
for line in lines:
    own = [float(r["score"]) for r in csv.DictReader(open(f"curve/calibration-{line['calibration']}/results.csv")) if r["pipeline"] == line["pipeline"]]
    mean, deviation = statistics.fmean(own), statistics.stdev(own)
    reach = 3.18244630528371 * deviation / 2  # Student's t with 3 degrees of freedom
    for key, value in (("subjects", 4), ("accuracy", mean), ("deviation", deviation), ("low", mean - reach), ("high", mean + reach)):
        if abs(float(line[key]) - value) > 1e-12:
            print(line["pipeline"], key, line[key], value)
END
    )
    result "a folder of a learning curve is a report, a table and a figure" "$problems"
    rm -r curve/calibration-2/results.csv curve/calibration-2/predictions.csv
    matches "$(congru report curve -o curve.html 2>&1)" "congru: curve/calibration-2: holds no results.csv ..." && problems= || problems="no such line"
    result "a curve with a run that was not finished is refused" "$problems"
}

# Two folders, one of fewer subjects and pipelines: means, differences and Wilcoxon's test by scipy.
comparison_equals_scipy()
{
    local name="the comparison of folders has the numbers of results.csv and of scipy"
    cd "$scratch/work/formats" || exit 1
    if ! /usr/bin/python3 -c 'import scipy' 2>/dev/null; then
        skip "$name" "no scipy"
        return
    fi
    awk -F, 'NR == 1 || ($4 != "A03" && $9 != "dct-e2e")' free/results.csv >few.csv
    mkdir -p few && mv few.csv few/results.csv
    congru report full few --table comparison >comparison.csv && congru report full few --format latex --table comparison >comparison.tex
    result "$name" "$(/usr/bin/python3 - <<'END'
import csv, itertools, statistics
from scipy.stats import rankdata

def wilcoxon(a, b):  # exact, ties and all: over every choice of signs
    gains = [round(x - y, 9) for x, y in zip(a, b) if round(x - y, 9) != 0]
    ranks = rankdata([abs(g) for g in gains]) if gains else []
    smaller = lambda up: min(sum(r for r, u in zip(ranks, up) if u), sum(r for r, u in zip(ranks, up) if not u))
    all_signs = [smaller(up) for up in itertools.product((False, True), repeat=len(gains))]
    return sum(s <= smaller([g > 0 for g in gains]) for s in all_signs) / len(all_signs)

read = lambda name: {(r["pipeline"], r["subject"]): float(r["score"]) for r in csv.DictReader(open(f"{name}/results.csv"))}
full, few = read("full"), read("few")
lines = list(csv.DictReader(open("comparison.csv")))
names = {p for p, _ in few}
subjects = sorted({s for _, s in few})
if {line["pipeline"] for line in lines} != names or len(lines) != len(names) or len(subjects) != 5 or len(names) != 5:
    print("pipelines", lines, names, subjects)
ps = sorted(float(line["p"]) for line in lines)
for line in lines:
    a, b = ([run[line["pipeline"], s] for s in subjects] for run in (few, full))
    gains = [x - y for x, y in zip(a, b)]
    expected = {"subjects": len(subjects), "accuracy": statistics.fmean(a), "deviation": statistics.stdev(a),
                "first_accuracy": statistics.fmean(b), "first_deviation": statistics.stdev(b),
                "gain": statistics.fmean(gains), "wins": sum(g > 0 for g in gains), "losses": sum(g < 0 for g in gains),
                "p": wilcoxon(a, b),
                "p_holm": min(1, max(ps[i] * (len(ps) - i) for i in range(len(ps)) if ps[i] <= float(line["p"])))}
    for key, value in expected.items():
        if abs(float(line[key]) - value) > 1e-12:
            print(line["pipeline"], key, line[key], "not", value)
END
    )"
}

names_are_escaped()
{
    local problems=
    cd "$scratch/work/formats" || exit 1
    congru report hostile -o hostile.html >/dev/null && congru report hostile --figure confusion -o hostile.svg &&
        congru report hostile --table subjects >hostile.csv && congru report hostile --format latex --table subjects >hostile.tex
    problems+=$(/usr/bin/python3 - <<'END'
import csv, xml.dom.minidom
xml.dom.minidom.parse("hostile.svg")
names = {r["subject"] for r in csv.DictReader(open("hostile/results.csv", encoding="utf-8", newline=""))}
kept = {r["subject"] for r in csv.DictReader(open("hostile.csv", encoding="utf-8", newline=""))}
if names != kept:
    print("CSV", names ^ kept)
text = open("hostile.html", encoding="utf-8").read()
for bad in ("<script>alert", "<script>document", "<b>left", "<b>bold", "<img src=x"):
    if bad in text:
        print(bad)
END
    )
    grep -q '\\textless{}script\\textgreater{}' hostile.tex || problems+="LaTeX is not escaped"
    result "hostile names are escaped everywhere" "$problems"
}

# A figure of a thousand pipelines is larger than a PNG of cairo's can be; a terminal gets none.
refused_pngs()
{
    local said pipeline
    mkdir wide
    (echo score,time,samples,subject,session,dataset,pipeline
        for pipeline in {1..1000}; do
            printf '0.5,1,10,%s,all,k,p%d\n' a $pipeline b $pipeline
        done) >wide/results.csv
    said=$(congru report wide --format png --figure accuracy -o wide.png 2>&1)
    matches "$said" "congru: report: cannot make the PNG: ...size..." && said=
    [ ! -e wide.png ] || said+=" a file was left"
    result "a PNG that would be too large is refused" "$said"
    if command -v script >/dev/null; then
        said=$(script -qec "congru report full --format png --figure forest" /dev/null </dev/null | tr -d '\r')
        matches "$said" "congru: report: a PNG does not go to a terminal (name a file with -o)" && said=
        result "a PNG does not go to a terminal" "$said"
    else
        skip "a PNG does not go to a terminal" "no script"
    fi
}

png_or_a_reason()
{
    local said
    cd "$scratch/work/formats" || exit 1
    if [ -e "$BUILD/congru.p/cli_report_report_image.c.o" ]; then
        congru report full --figure forest -o forest.png 2>"$scratch/said"
        result "PNG" "$(/usr/bin/python3 -c 'import sys; d = open(sys.argv[1], "rb").read(); print("" if d[:8] == b"\x89PNG\r\n\x1a\n" and len(d) > 5000 else "no PNG", end="")' forest.png 2>&1)"
        congru report full --figure forest -o forest.pdf 2>&1 && congru report full --figure forest -o again.pdf
        result "PDF, the same bytes again" "$([ "$(head -c 5 forest.pdf)" = %PDF- ] && cmp forest.pdf again.pdf 2>&1 || echo "no PDF")"
        result "a PNG is white to its edges" "$(/usr/bin/python3 "$SOURCE/tests/support/png_edges.py" forest.png 2>&1)"
        refused_pngs
    else
        skip "PNG" "built without cairo"
        skip "PDF, the same bytes again" "built without cairo"
        skip "a PNG is white to its edges" "built without cairo"
    fi
    said=$("$BUILD/tests/congru_plain" report full --format png -o none.png 2>&1)
    matches "$said" "congru: report: this congru was built without cairo, so --format png is not there (use --format svg, or install libcairo2-dev and build again)" && said=
    [ ! -e none.png ] || said+=" a file was left"
    result "without cairo, PNG is refused with a reason" "$said"
}

# Every figure of the page is one that --figure draws, and the page is whole without a browser's help.
page_is_whole()
{
    local said=
    cd "$scratch/work/formats" || exit 1
    congru report full free -o whole.html >/dev/null || said="no page"
    [ "$(grep -c '<svg ' whole.html)" -gt 100 ] || said+=" few figures"
    [ "$(grep -c '<table>' whole.html)" -gt 19 ] || said+=" few tables"
    grep -q '<h2>Comparison</h2>' whole.html || said+=" no comparison"
    grep -qE '(src|href)="(https?:)?//' whole.html && said+=" it asks for something"
    result "the page has its figures and tables, and asks for nothing" "$said"
}

manual_has_names()
{
    result "the manual has the figures of help" "$(diff \
        <(congru help report | sed -n 's/^  figure \([a-z]*\).*/\1/p') \
        <(congru help --man report | sed -n 's/^\.It Cm figure \([a-z]*\)$/\1/p'))"
}

# What the name of -o says is what is written.
names_are_formats()
{
    local problems=
    cd "$scratch/work/formats" || exit 1
    congru report full --table accuracy -o named.csv && head -1 named.csv | grep -q , || problems+="no CSV "
    congru report full --table accuracy -o named.tex && grep -q 'begin{tabular}' named.tex || problems+="no LaTeX "
    congru report full --table accuracy -o named.html && grep -q '<table' named.html && ! grep -q '<body' named.html ||
        problems+="no HTML table "
    congru report full --figure forest -o named.svg && grep -q '<svg' named.svg || problems+="no SVG "
    congru report full --table accuracy -o table.json && /usr/bin/python3 -c 'import json; assert json.load(open("table.json"))["rows"]' ||
        problems+="no JSON table "
    congru report full -o named.json && /usr/bin/python3 -m json.tool named.json >/dev/null || problems+="no JSON "
    result "the ending of the name is the format" "$problems"
}
names_are_formats

run_sessions "$SOURCE/tests/cli/report/report.txt"
every_figure_and_table
csv_equals_results
metrics_equal_sklearn
learning_curve
comparison_equals_scipy
names_are_escaped
png_or_a_reason
page_is_whole
manual_has_options report
manual_has_names
help_fits report
echo "1..$count"
exit $((failed > 0))
