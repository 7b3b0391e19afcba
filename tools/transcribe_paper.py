#!/usr/bin/python3
# Makes share/paper/*.csv from the paper's LaTeX. SPDX-License-Identifier: Apache-2.0
#
# usage: tools/transcribe_paper.py PAPER.tex share/paper
#
# Every table is found by its caption or label, every row must have the number of cells its table says, and per-subject
# columns are compared with the means and deviations printed under them: differences go to standard error.
import csv
import re
import statistics
import sys

text = open(sys.argv[1], encoding="utf-8").read()
folder = sys.argv[2]
text = re.sub(r"(?<!\\)%.*", "", text)


def table(mark):
    """The body of the tabular nearest to a mark: after it within the table, or before it."""
    at = text.index(mark)
    begin = text.rfind(r"\begin{table", 0, at)
    end = text.index(r"\end{table", at)
    body = text[begin:end]
    body = body[body.index(r"\begin{tabular}"):body.index(r"\end{tabular}")]
    return body[body.index(r"\midrule") + len(r"\midrule"):]


def rows(body):
    for line in body.split(r"\\"):
        line = re.sub(r"\\(midrule|bottomrule|toprule|cmidrule\([^)]*\)\{[^}]*\})", "", line).strip()
        if line:
            yield [clean(cell) for cell in line.split("&")]


def clean(cell):
    cell = re.sub(r"\\multirow\{\d+\}\{\*\}", "", cell)
    cell = re.sub(r"\{\\scriptsize\s*\$[^$]*\$\}", "", cell)
    cell = cell.replace(r"\pm", "±").replace(r"\%", "%").replace("--", "-")
    cell = re.sub(r"\\(textbf|textit|underline|mathbf|emph)", "", cell)
    cell = re.sub(r"[{}$]", "", cell)
    return re.sub(r"\s+", " ", cell.replace("\\ ", " ").rstrip("\\")).strip()


def number(cell):
    assert re.fullmatch(r"[-+]?\d+(\.\d+)?%?", cell), cell
    return cell.rstrip("%").lstrip("+")


def pair(cell):
    mean, deviation = (part.strip() for part in cell.split("±"))
    return number(mean), number(deviation)


def write(name, header, lines):
    with open(f"{folder}/{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)
    print(f"{name}.csv: {len(lines)} rows")


ALIGNERS = ["ra", "dct", "dldct", "ddct-unet"]
CLASSIFIERS = {"MDM": "mdm", "TSLR": "tslr", "TSA-LDA": "tsa-lda", "TSA": "tsa-lda"}
DATASETS = {"BCI-IV-2a": "bnci2014-001", "BCI-IV-2b": "bnci2014-004", "BNCI2014": "bnci2014-002",
            "BNCI2015": "bnci2015-004", "Ofner2017": "ofner2017"}
END_TO_END = ["dct-e2e", "dldct-e2e", "ddct-unet-e2e"]

# ---- Tables of the main text ----------------------------------------------------------------------------

stages = ["shift", "dispersion", "orientation", "distortion", "fusion"]
lines = []
for stage, row in zip(stages, rows(table(r"\label{tab:synthetic-main}")), strict=True):
    for pipeline, cell in zip(["none+tslr", "ra+tslr"] + END_TO_END, row[1:], strict=True):
        lines.append([stage, pipeline, number(cell)])
write("synthetic", ["stage", "pipeline", "accuracy"], lines)

lines, overall, dataset = [], [], None
for row in rows(table(r"\label{tab:preproc_ablation_main}")):
    dataset = DATASETS.get(row[0], dataset)
    if row[0] == "Overall (z)":
        overall += [["prealigners", a, number(c)] for a, c in zip(ALIGNERS, row[2:], strict=True)]
        continue
    for aligner, cell in zip(ALIGNERS, row[2:], strict=True):
        lines.append([dataset, f"{aligner}+{CLASSIFIERS[row[1]]}", *pair(cell)])
write("prealigners", ["dataset", "pipeline", "mean", "deviation"], lines)
prealigner_means = {tuple(line[:2]): line[2:] for line in lines}

pipelines = ["ra+mdm", "ra+tslr", "ra+tsa-lda", "ts-spd-cnn"] + END_TO_END
lines = []
for row in rows(table(r"\label{tab:overall_normalized_performance_main}")):
    if row[0] == "Overall (z)":
        overall += [["classifiers", p, number(c)] for p, c in zip(pipelines, row[1:], strict=True)]
        continue
    lines += [[DATASETS[row[0]], p, *pair(c)] for p, c in zip(pipelines, row[1:], strict=True)]
write("classifiers", ["dataset", "pipeline", "mean", "deviation"], lines)
classifier_means = {tuple(line[:2]): line[2:] for line in lines}
write("overall", ["table", "method", "z"], overall)

models = ["dct", "dldct", "ddct-unet", None, "dct-e2e", "dldct-e2e", "ddct-unet-e2e"]
lines = []
for row in rows(table(r"\label{tab:within_dataset_ablation_bci2a_main}")):
    if row[0] == "Ablation" or row[1].startswith("Pre-aligners") or not row[0]:
        continue
    for model, cell in zip(models, row[1:], strict=True):
        if model is not None and cell.strip("-"):
            lines.append([row[0].lower(), model, *pair(cell)])
write("ablation", ["ablation", "model", "mean", "deviation"], lines)

# ---- Runtime --------------------------------------------------------------------------------------------

RUNTIME_DATASETS = {"BCI-IV-2a (9)": "bnci2014-001", "BCI-IV-2b (9)": "bnci2014-004",
                    "BNCI2014-002 (14)": "bnci2014-002", "BNCI2015-004 (9)": "bnci2015-004",
                    "Ofner2017 (15)": "ofner2017"}
lines = []
for mark, methods in ((r"\label{tab:runtime_preproc_ablation}", ALIGNERS),
                      (r"\label{tab:runtime_classifier_ablation}", ["ra+mdm", "ra+tslr", "ra+tsa-lda", "csp-lda"] + END_TO_END)):
    for row in rows(table(mark)):
        lines += [[RUNTIME_DATASETS[row[0]], m, number(c)] for m, c in zip(methods, row[1:], strict=True)]
write("runtime", ["dataset", "method", "seconds"], lines)

# ---- Statistics, silhouettes, gap, comparison -----------------------------------------------------------

COMPARISONS = {  # as printed -> method, baseline
    "MDM+DDCT-UNet vs MDM+RA": ("ddct-unet+mdm", "ra+mdm"), "TSLR+DDCT-UNet vs TSLR+RA": ("ddct-unet+tslr", "ra+tslr"),
    "TSA+DDCT-UNet vs TSA+RA": ("ddct-unet+tsa-lda", "ra+tsa-lda"), "DDCT-UNet (E2E) vs MDM": ("ddct-unet-e2e", "ra+mdm"),
    "DDCT-UNet (E2E) vs TSLR": ("ddct-unet-e2e", "ra+tslr"), "DDCT-UNet (E2E) vs TSA-LDA": ("ddct-unet-e2e", "ra+tsa-lda"),
    "MDM+DDCT vs RA": ("ddct-unet+mdm", "ra+mdm"), "TSLR+DDCT vs RA": ("ddct-unet+tslr", "ra+tslr"),
    "TSA+DDCT vs RA": ("ddct-unet+tsa-lda", "ra+tsa-lda"), "E2E vs MDM": ("ddct-unet-e2e", "ra+mdm"),
    "E2E vs TSLR": ("ddct-unet-e2e", "ra+tslr"), "E2E vs TSA-LDA": ("ddct-unet-e2e", "ra+tsa-lda")}
lines = []
for name, mark in (("across", r"\label{tab:across_subject}"), ("dataset", r"\label{tab:dataset_wise}"),
                   ("2a", r"\label{tab:bci2a_detail}")):
    dataset = {"across": "all", "2a": "bnci2014-001"}.get(name)
    for row in rows(table(mark)):
        if name != "across":
            dataset = DATASETS.get(row[0], dataset)
            row = row[1:]
        low, high = (number(part.strip()) for part in row[5].strip("[]").split(","))
        lines.append([name, dataset, *COMPARISONS[row[0]], *(number(c) for c in row[1:5]), low, high])
write("statistics", ["table", "dataset", "method", "baseline", "gain", "effect", "p", "improved", "low", "high"], lines)

METHODS = {"Raw": "none", "RA": "ra", "DCT (E2E)": "dct-e2e", "DLDCT (E2E)": "dldct-e2e", "DDCT-UNet (E2E)": "ddct-unet-e2e"}
write("silhouette", ["method", "subject", "subject_deviation", "class", "class_deviation"],
      [[METHODS[row[0]], *pair(row[1]), *pair(row[2])] for row in rows(table(r"\label{tab:silhouette_scores}"))])
write("gap", ["method", "within", "cross", "gap"],
      [[row[0].lower(), *map(number, row[1:])] for row in rows(table(r"\label{tab:alignment_gap}"))])

# The pipelines that are these methods; what adapts a network's weights to the target's signals has none.
COMPARED = {
    "Euclidean (Covariance)": {"MDM": "none+mdm", "TSLR": "none+tslr", "TSA-LDA": "none+tsa-lda"},
    "Euclidean (Signal)": {"CSP-LDA": "none+csp-lda"},
    "Deep Euclidean (Signal)": {"ShallowConvNet": "shallow", "EEGNet": "eegnet", "DeepConvNet": "deep",
                                "EEGConformer": "conformer", "EEGInception": "inception"},
    "Riemannian (RA Covariance)": {"MDM": "ra+mdm", "TSLR": "ra+tslr", "TSA-LDA": "ra+tsa-lda"},
    "Deep Riemannian": {"SPD-CNN": "spd-cnn", "TS-SPD-CNN": "ts-spd-cnn"},
    "Transfer Learning (Covariance)": {"RPA": "rpa+mdm"},
    "Transfer Learning (Signal)": {"DDAF-CORAL": "", "SDDA": "", "DAMSDAF": "", "ADFR": ""},
    "Ours (RA Covariance)": {"TSLR + DDCT-UNet": "ddct-unet+tslr", "DDCT-UNet (E2E)": "ddct-unet-e2e"}}
lines, group = [], None
for row in rows(table(r"\label{tab:deep_baseline_comparison}")):
    group = row[0] or group
    cells = []
    for cell in row[2:]:
        cells += pair(cell) if "±" in cell else ["", ""] if not cell.strip("-") else [number(cell), ""]
    lines.append([group, row[1], COMPARED[group][row[1]], *cells])
write("comparison", ["group", "method", "pipeline", "cross", "cross_deviation", "within", "within_deviation"], lines)

# ---- Subjects -------------------------------------------------------------------------------------------


def check(where, column, printed):
    mean, deviation = pair(printed)
    for what, value, said in (("mean", statistics.mean(column), mean), ("deviation", statistics.stdev(column), deviation)):
        if abs(value - float(said)) > 0.5 * 10 ** -len(said.partition(".")[2]) + 0.011:
            print(f"{where}: the {what} printed is {said}, the column's is {value:.3f}", file=sys.stderr)


def subjects(mark, pipelines, name):
    lines, dataset, columns = [], None, None
    for row in rows(table(mark)):
        if row[0] in DATASETS:
            dataset, columns = DATASETS[row[0]], [[] for _ in pipelines]
        if row[1]:
            cells = [number(c) for c in row[2:]]
            assert len(cells) == len(pipelines), row
            lines += [[dataset, row[1], p, c] for p, c in zip(pipelines, cells)]
            for column, cell in zip(columns, cells):
                column.append(float(cell))
        elif dataset is not None:
            for p, column, cell in zip(pipelines, columns, row[2:], strict=True):
                check(f"{name} {dataset} {p}", column, cell)
    write(name, ["dataset", "subject", "pipeline", "accuracy"], lines)


SUBJECT_TABLE = "Per-subject LOSO accuracy (\\%) across datasets."
text = text.replace(r"& MDM & TSLR & TSA", "", 4)  # the heading's second line
text = text.replace("\\cmidrule(lr){3-5} \\cmidrule(lr){6-8} \\cmidrule(lr){9-11} \\cmidrule(lr){12-14}\n& \n", "")
subjects(SUBJECT_TABLE, [f"{a}+{c}" for a in ALIGNERS for c in ("mdm", "tslr", "tsa-lda")], "subjects-prealigners")
subjects("Subject-wise LOSO accuracy (\\%) across all evaluated MI datasets.", pipelines, "subjects-classifiers")

# ---- Datasets -------------------------------------------------------------------------------------------

# Trials of a subject, fewest and most: the numbers of which the subjects' accuracies are whole parts. The table's own
# "trials / session" are of other numbers of sessions, or roughly.
TRIALS = {"bnci2014-001": (288, 288), "bnci2014-004": (400, 440), "bnci2014-002": (100, 100),
          "bnci2015-004": (300, 320), "ofner2017": (360, 360)}


def check_trials():
    for name in ("subjects-prealigners", "subjects-classifiers"):
        with open(f"{folder}/{name}.csv", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                least, most = TRIALS[row["dataset"]]
                half = 0.5 * 10 ** -len(row["accuracy"].partition(".")[2]) + 1e-9
                value = float(row["accuracy"])
                if not any(abs(100 * round(value * n / 100) / n - value) <= half for n in range(least, most + 1, 20)):
                    print(f"{name} {row['dataset']} {row['subject']} {row['pipeline']}: {value} is no part of "
                          f"{least} to {most} trials", file=sys.stderr)


check_trials()
features = {row[0]: row[1:] for row in rows(table(r"\label{tab:dataset_summary}"))}
write("datasets", ["dataset", "subjects", "classes", "channels", "trials_least", "trials_most"],
      [[name, features["Subjects"][i], features["MI classes"][i],
        re.match(r"\d+", features["EEG channels"][i]).group(), *TRIALS[name]]
       for i, name in enumerate(TRIALS)])

lines, ablation, columns = [], None, None
models = ["dct", "dldct", "ddct-unet"] + END_TO_END
for row in rows(table(r"\label{tab:subjectwise_component_ablation_bci2a}")):
    if row[0] == "Baseline":
        continue
    if row[0]:
        ablation, columns = row[0].lower(), [[] for _ in models]
    if row[1]:
        for model, column, cell in zip(models, columns, row[2:], strict=True):
            if cell.strip("-"):
                lines.append([ablation, row[1], model, number(cell)])
                column.append(float(cell))
    else:
        for model, column, cell in zip(models, columns, row[2:], strict=True):
            if cell.strip("-") and column:
                check(f"subjects-ablation {ablation} {model}", column, cell)
write("subjects-ablation", ["ablation", "subject", "model", "accuracy"], lines)

# ---- Items: what docs/paper.md has a row for -------------------------------------------------------------


def argument(at):
    """The text between the braces that open at or after a place, cleaned."""
    begin = text.index("{", at)
    depth, end = 1, begin + 1
    while depth > 0:
        depth += {"{": 1, "}": -1}.get(text[end], 0) if text[end - 1] != "\\" else 0
        end += 1
    title = re.sub(r"\\(label|cite)\{[^}]*\}|\\(textbf|emph|textit|centering)|[{}$]|\\[,;]", "", text[begin + 1:end - 1])
    title = title.replace(",", ";").replace("--", "-").replace(r"\%", "%").replace(r"\mathcal", "")
    title = title.replace(r"\Leftrightarrow", "iff").replace(r"\rightarrow", "->")
    return re.sub(r"\s+", " ", title).strip().split(". ")[0].rstrip(".")[:110]


def items():
    lines, counts = [], {"section": 0, "subsection": 0, "subsubsection": 0}
    totals = {"equation": 0, "table": 0, "figure": 0, "algorithm": 0}
    appendix, part = False, None  # part: letter inside subequations
    pattern = (r"\\appendix\b|\\(?:sub)*section\{|\\begin\{(?:subequations|equation|align|table\*?|figure\*?|algorithm)\}|"
               r"\\end\{(?:subequations|align)\}|\\(?:textbf|paragraph)\{(?:Lemma \d+|Corollary)")
    for match in re.finditer(pattern, text):
        at, what = match.start(), match.group()
        if what == r"\appendix":
            appendix, counts = True, dict.fromkeys(counts, 0)
        elif "section" in what:
            kind = what.strip("\\{")
            counts[kind] += 1
            for inner in list(counts)[list(counts).index(kind) + 1:]:
                counts[inner] = 0
            first = chr(ord("A") + counts["section"] - 1) if appendix else str(counts["section"])
            number = ".".join([first] + [str(counts[c]) for c in ("subsection", "subsubsection") if counts[c]])
            label = re.match(r"\s*\\label\{([^}]*)\}", text[text.index("}\n", at) + 1:])
            lines.append(["section", number, label.group(1) if label else "", argument(at)])
        elif "Lemma" in what or "Corollary" in what:
            title = argument(at)
            number = re.match(r"Lemma (\d+)", title)
            label = re.match(r"\s*\\label\{([^}]*)\}", text[text.index("}", at + 12) + 1:])
            lines.append(["lemma", number.group(1) if number else "corollary", label.group(1) if label else "", title])
        elif "subequations" in what:
            part = ord("a") if "begin" in what else None
            totals["equation"] += "begin" in what
        elif "begin{equation" in what or "begin{align" in what:
            name = "equation" if "equation" in what else "align"
            body = text[at:text.index(rf"\end{{{name}}}", at)]
            rows_of = re.split(r"\\\\(?!\w)", body) if name == "align" else [body]
            for row in rows_of:
                if "nonumber" in row or "notag" in row or not re.sub(r"\\begin\{\w+\}|\\label\{[^}]*\}|\s", "", row):
                    continue
                if part is None:
                    totals["equation"] += 1
                number = f"{totals['equation']}{chr(part) if part else ''}"
                part = part + 1 if part else None
                label = re.search(r"\\label\{([^}]*)\}", row)
                lines.append(["equation", number, label.group(1) if label else "", ""])
        elif "begin" in what:
            name = re.search(r"\{(\w+)", what).group(1)
            body = text[at:text.index(rf"\end{{{name}", at)]
            totals[name] += 1
            label = re.search(r"\\label\{([^}]*)\}", body)
            lines.append([name, str(totals[name]), label.group(1) if label else "",
                          argument(at + body.index(r"\caption"))])
    return lines


text = re.sub(r"(?<!\\)%.*", "", open(sys.argv[1], encoding="utf-8").read())
write("items", ["kind", "number", "label", "title"], items())
