#!/bin/bash
# docs/paper.md: a row for every item of the paper, and nothing named that is not there. SPDX-License-Identifier: Apache-2.0
source "$SOURCE/tests/support/cli_session.sh"
export scratch

check()
{
    result "$1" "$(/usr/bin/python3 - "$SOURCE" "$2" 2>&1 <<'END'
import csv, os, re, subprocess, sys, tempfile

source, what = sys.argv[1:]
text = open(source + "/docs/paper.md", encoding="utf-8").read()
sections = {part.split("\n", 1)[0].strip(): part for part in text.split("\n## ")[1:]}
items = list(csv.DictReader(open(source + "/share/paper/items.csv", encoding="utf-8")))
KINDS = {"section": "Sections", "equation": "Equations", "algorithm": "Algorithms", "table": "Tables", "figure": "Figures",
         "lemma": "Lemmas"}


def rows(section):
    for line in sections[section].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and not set(line) <= set("|-: "):
            yield cells


def covered(kind):
    """The items that rows of a kind are about: "3", "4, 11", "14 - 18", "F.1.1 - F.1.6"."""
    known = [item["number"] for item in items if item["kind"] == kind]
    found = []
    for cells in list(rows(KINDS[kind]))[1:]:
        for part in cells[0].split(", "):
            ends = part.split(" - ")
            if any(end not in known for end in ends):
                print(f"{KINDS[kind]}: there is no {part} in the paper")
                continue
            found += known[known.index(ends[0]):known.index(ends[-1]) + 1]
    return known, found


def each_item_once():
    for kind in KINDS:
        known, found = covered(kind)
        for number in dict.fromkeys(known):
            if found.count(number) != known.count(number) and not (kind == "lemma" and number == "corollary" and number in found):
                print(f"{kind} {number}: {found.count(number)} rows")
    decided = [cells[0] for cells in list(rows("Decisions"))[1:]]
    if decided != [f"D{i + 1}" for i in range(len(decided))]:
        print(decided)
    for number in re.findall(r"\bD\d+\b", text):
        if number not in decided:
            print(number)


def columns():
    for name in sections:
        table = list(rows(name))
        for cells in table:
            if len(cells) != len(table[0]):
                print(f"{name}: {cells[0]} has {len(cells)} cells where the heading has {len(table[0])}")


def quoted():
    return sorted(set(re.findall(r"`([^`]+)`", text)))


def files():
    for name in quoted():
        if re.match(r"(src|cli|tests|share|include|tools|docs)/", name) and not os.path.exists(f"{source}/{name}"):
            print(name)
    for name in re.findall(r"\]\(([^)]+)\)", text):
        if not os.path.exists(f"{source}/docs/{name.split('#')[0]}"):
            print(name)


def functions():
    sources = ""
    for folder in ("include", "src"):
        for base, _, names in os.walk(f"{source}/{folder}"):
            for name in names:
                if name.endswith((".h", ".c")):
                    sources += open(f"{base}/{name}", encoding="utf-8").read()
    for name in quoted():
        if re.fullmatch(r"congru_\w+", name) and not re.search(rf"\b{name}\(", sources):
            print(name)


def commands():
    help_of = {}
    known = set(re.findall(r"^  (\w+)  ", subprocess.run(["congru", "help"], capture_output=True, text=True).stdout, re.M))
    for name in quoted():
        words = name.split()
        if words[0] != "congru":
            continue
        if len(words) < 2 or words[1] not in known and words[1] != "help":
            print(f"{name}: no such command")
            continue
        if words[1] not in help_of:
            help_of[words[1]] = subprocess.run(["congru", "help", words[1]], capture_output=True, text=True).stdout
        said = help_of[words[1]]
        for word in words[2:]:
            if word.startswith("--") and not re.search(rf"^  (-., )?{word}\b", said, re.M):
                print(f"{name}: no option {word}")
        if words[1] == "reproduce" and not re.search(rf"^  {words[2]}\b", said, re.M):
            print(f"{name}: no such experiment")
        if "--figure" in words and words[words.index("--figure") + 1] not in subprocess.run(
                ["congru", "help", "report"], capture_output=True, text=True).stdout:
            print(f"{name}: no such figure")
        if "--pipelines" in words:
            for pipeline in words[words.index("--pipelines") + 1].split(","):
                if pipeline != "classical" and "pipeline '" in subprocess.run(
                        ["congru", "loso", "missing.npz", "-p", pipeline], capture_output=True, text=True).stderr:
                    print(f"{name}: no pipeline {pipeline}")
    everything = subprocess.run(["congru", "help", "loso"], capture_output=True, text=True).stdout
    for name in quoted():
        if name.startswith("--") and not re.search(rf"^  (-., )?{name.split()[0]}\b", everything, re.M):
            print(f"{name}: no such option of loso")


def methods():
    """Each method of the consolidated table is in the table of baselines or, the paper's own, in that of algorithms."""
    table = sections["Baselines"]
    for row in csv.DictReader(open(source + "/share/paper/comparison.csv", encoding="utf-8")):
        own = row["group"].startswith("Ours")
        if not own and row["pipeline"] and f"`{row['pipeline']}`" not in table:
            print(f"{row['method']}: no pipeline {row['pipeline']}")
        if not own and not row["pipeline"] and row["method"] not in table:
            print(row["method"])
    for cells in list(rows("Baselines"))[1:]:
        for name in re.findall(r"`([^`]+)`", cells[1]):
            if "pipeline '" in subprocess.run(["congru", "loso", "missing.npz", "-p", name], capture_output=True,
                                              text=True).stderr:
                print(f"{name}: no such pipeline")


def datasets():
    for row in csv.DictReader(open(source + "/share/paper/datasets.csv", encoding="utf-8")):
        if f"`share/presets/{row['dataset']}.txt`" not in sections["Datasets"]:
            print(row["dataset"])


def grid():
    """docs/numerics.md begins and ends the grid of C as the code does."""
    code = open(source + "/src/classifier/logistic.c", encoding="utf-8").read()
    values = [float(v) for v in re.search(r"grid\[\] = \{([^}]*)\}", code).group(1).split(",")]
    said = re.search(r"C is chosen, when asked for, from (.*?) by leaving", open(
        source + "/docs/numerics.md", encoding="utf-8").read().replace("\n", " "))
    first, last = (said.group(1) if said else "").split("...") if said and "..." in said.group(1) else ("0", "0")
    found = [[float(v) for v in part.split(",") if v.strip()] for part in (first, last)]
    if found[0] != values[:len(found[0])] or found[1] != values[-len(found[1]):]:
        print(f"docs {found}, code {values}")


CITED = re.compile(r"\b(Eqs?\.|[Ee]quations?|Algorithms?|[Tt]ables?(?= \d+\b)) \(?(\d+[ab]?\b\)?(?:(?: ?- ?|, | to | and | or )\(?\d+[ab]?\b\)?)*)")
KIND = {"e": "equation", "a": "algorithm", "t": "table"}
NEAR = 150


def wrong_citations(where, written):
    """Each item that a text cites is one of the paper's, and one of its words (items.csv) stands within NEAR characters: as it
    is written where it is in capitals or short, else in any case. "Eq. 7" beside first weights is told so."""
    about = {(item["kind"], item["number"]): item["words"].split("|") for item in items}
    written = re.sub(r'\s*"?\n\s*(?:[*#/"]+\s*)?', " ", written)
    for cited in CITED.finditer(written):
        kind = KIND[cited.group(1)[0].lower()]
        around = written[max(0, cited.start() - NEAR):cited.end() + NEAR]
        for number in re.findall(r"\d+[ab]?", cited.group(2)):
            words = about.get((kind, number))
            if words is None:
                yield f"{where}: there is no {kind} {number} in the paper"
            elif not any(re.search(rf"\b{re.escape(w)}", around) if w != w.lower() or len(w) < 4 else w in around.lower() for w in words):
                yield f"{where}: {kind} {number} is not what '{cited.group()}' is cited for: none of {words} near it"


def citations():
    wrong = list(wrong_citations("", "first weights (the paper's Eq. 7), 'lifted' or CP of Algorithm 7; Eq. 125")) + \
        list(wrong_citations("", "The paper's Algorithm 5, step by step: tangent vectors, Fisher's directions"))
    if len(wrong) != 4 or list(wrong_citations("", "the penalties on gamma and R, Eq. (7), and first weights, Eqs. 9 and 10")):
        print("the check of citations finds", wrong)
    found = 0
    for top in ("README.md", "CONTRIBUTING.md", "include", "src", "cli", "python", "docs", "tests", "tools", "examples", "web/src", "share"):
        for base, _, names in os.walk(f"{source}/{top}") if os.path.isdir(f"{source}/{top}") else [(source, [], [top])]:
            for name in names:
                path = f"{base}/{name}"
                if name == "paper_map.sh" or not name.endswith((".c", ".h", ".md", ".py", ".sh", ".txt", ".ts", ".js", ".html", ".csv")):
                    continue
                written = open(path, encoding="utf-8", errors="replace").read()
                found += len(CITED.findall(written))
                for line in wrong_citations(path[len(source) + 1:], written):
                    if name != "claims.csv" or "there is no" in line:  # whose places are a column of their own
                        print(line)
    if found < 20:
        print(f"{found} citations")


def tables():
    """Each command of the tables prints its table, with a small made-up set and without any, and its title."""
    titles = {item["number"]: item["title"].replace(";", ",") for item in items if item["kind"] == "table"}
    quick = ["--steps", "1", "--no-record"]
    one = ["--subjects", "S01"]
    scratch = tempfile.mkdtemp(dir=os.environ["scratch"])
    subprocess.run(["congru", "synth", "--stage", "shift", "--subjects", "3", "--trials", "5", "--channels", "4", "-o", "2a.npz"],
                   cwd=scratch, check=True, capture_output=True)
    printed = {}

    def run(words):
        done = subprocess.run(words, cwd=scratch, capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else "", done.stderr

    for cells in list(rows("Tables"))[1:]:
        commands = re.findall(r"`(congru reproduce [^`]+)`", cells[3])
        if not commands:
            print(f"table {cells[0]}: no command")
        for command in commands:
            words = command.split()
            if command not in printed:
                made = ["--seeds", "50..50", "--trials", "1"] if words[2] == "synthetic" else []
                printed[command] = [run(words + made + quick)]
                with_set = run(words + ["2a.npz"] + quick + one)
                if "it needs no set" not in with_set[1]:
                    printed[command].append(with_set)
            for number in map(str, covered_numbers(cells[0])):
                for text, error in printed[command]:
                    if not re.search(rf"^Table (\d+, again table )?{number}\b", text, re.M) or \
                            not any(titles[str(n)] in text for n in covered_numbers(cells[0])):
                        print(f"{command}: no table {number} in {text[:200]!r} {error[:200]!r}")


def covered_numbers(cell):
    for part in cell.split(", "):
        ends = [int(end) for end in part.split(" - ")]
        yield from range(ends[0], ends[-1] + 1)


def properties():
    """What is found of each cell of tables 1, 7 and 8 stands in the order of the cells, and the test that is named is there."""
    printed, found = (list(csv.DictReader(open(f"{source}/share/paper/{name}.csv", encoding="utf-8")))
                      for name in ("properties", "properties-found"))
    if [(r["table"], r["method"], r["property"]) for r in printed] != [(r["table"], r["method"], r["property"]) for r in found]:
        print("rows differ")
    for row in found:
        if row["found"] not in ("yes", "no") or not row["words"] or not os.path.exists(f"{source}/tests/paper/{row['test']}.c"):
            print(row)


{"items": each_item_once, "tables": tables, "properties": properties, "citations": citations, "methods": methods, "datasets": datasets, "grid": grid, "columns": columns, "files": files, "functions": functions, "commands": commands}[what]()
END
)"
}

check "every item of the paper has one row" items
check "every method of the paper's comparison has a row, and its pipeline exists" methods
check "every dataset of the paper has a row" datasets
check "the grid of C in docs/numerics.md is the code's" grid
check "equations, algorithms and tables are cited for what they are" citations
check "each command of the tables prints its table" tables
check "each cell of the tables of properties has what is found of it, and a test" properties
check "rows have as many cells as their heading" columns
check "files that are named exist" files
check "functions that are named exist" functions
check "commands, options, pipelines and figures that are named exist" commands
echo "1..$count"
exit $((failed > 0))
