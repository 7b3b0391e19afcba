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


class Cell(str):
    """A cell's text, and how the paper marks it: "bold+underlined", "italic", an arrow, or ""."""

    mark = ""


def emphasis(cell):
    if "arrow" in cell:
        return "↓" if "downarrow" in cell else "↑"
    return "+".join(word for word, command in (("bold", r"bf\b"), ("italic", r"\\textit\b"), ("underlined", r"underline\b"))
                    if re.search(command, cell))


def clean(cell):
    marked = emphasis(cell)
    cell = re.sub(r"\\multirow\{\d+\}\{\*\}", "", cell)
    cell = re.sub(r"\{\\scriptsize\s*\$[^$]*\$\}", "", cell)
    cell = cell.replace(r"\pm", "±").replace(r"\%", "%").replace("--", "-")
    cell = re.sub(r"\\(textbf|textit|underline|mathbf|emph)", "", cell)
    cell = re.sub(r"[{}$]", "", cell)
    cell = Cell(re.sub(r"\s+", " ", cell.replace("\\ ", " ").rstrip("\\")).strip())
    cell.mark = marked
    return cell


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
        lines.append([stage, pipeline, number(cell), cell.mark])
write("synthetic", ["stage", "pipeline", "accuracy", "mark"], lines)

lines, overall, dataset = [], [], None
for row in rows(table(r"\label{tab:preproc_ablation_main}")):
    dataset = DATASETS.get(row[0], dataset)
    if row[0] == "Overall (z)":
        overall += [["prealigners", a, number(c), c.mark] for a, c in zip(ALIGNERS, row[2:], strict=True)]
        continue
    for aligner, cell in zip(ALIGNERS, row[2:], strict=True):
        lines.append([dataset, f"{aligner}+{CLASSIFIERS[row[1]]}", *pair(cell), cell.mark])
write("prealigners", ["dataset", "pipeline", "mean", "deviation", "mark"], lines)

pipelines = ["ra+mdm", "ra+tslr", "ra+tsa-lda", "ts-spd-cnn"] + END_TO_END
lines = []
for row in rows(table(r"\label{tab:overall_normalized_performance_main}")):
    if row[0] == "Overall (z)":
        overall += [["classifiers", p, number(c), c.mark] for p, c in zip(pipelines, row[1:], strict=True)]
        continue
    lines += [[DATASETS[row[0]], p, *pair(c), c.mark] for p, c in zip(pipelines, row[1:], strict=True)]
write("classifiers", ["dataset", "pipeline", "mean", "deviation", "mark"], lines)
write("overall", ["table", "method", "z", "mark"], overall)

models = ["dct", "dldct", "ddct-unet", None, "dct-e2e", "dldct-e2e", "ddct-unet-e2e"]
lines = []
for row in rows(table(r"\label{tab:within_dataset_ablation_bci2a_main}")):
    if row[0] == "Ablation" or row[1].startswith("Pre-aligners") or not row[0]:
        continue
    for model, cell in zip(models, row[1:], strict=True):
        if model is not None and cell.strip("-"):
            lines.append([row[0].lower(), model, *pair(cell), cell.mark])
write("ablation", ["ablation", "model", "mean", "deviation", "mark"], lines)

# What is printed twice is the same, but for how cells are set.
for once, again in ((r"\label{tab:preproc_ablation_main}", r"\label{tab:preproc_ablation}"),
                    (r"\label{tab:overall_normalized_performance_main}", r"\label{tab:overall_normalized_performance}"),
                    (r"\label{tab:within_dataset_ablation_bci2a_main}", r"\label{tab:within_dataset_ablation_bci2a}"),
                    (r"\label{tab:synthetic-main}", r"\label{tab:synthetic}")):
    for one, other in zip(rows(table(once)), rows(table(again)), strict=True):
        for a, b in zip(one, other, strict=True):
            if a != b or "synthetic" not in once and a.mark != b.mark:  # table 6 has no marks
                print(f"{again}: {b} {b.mark} where {once} has {a} {a.mark}", file=sys.stderr)

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
write("silhouette", ["method", "subject", "subject_deviation", "subject_mark", "class", "class_deviation", "class_mark"],
      [[METHODS[row[0]], *pair(row[1]), row[1].mark, *pair(row[2]), row[2].mark] for row in rows(table(r"\label{tab:silhouette_scores}"))])
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
    lines.append([group, row[1], COMPARED[group][row[1]], *cells, row[2].mark])
write("comparison", ["group", "method", "pipeline", "cross", "cross_deviation", "within", "within_deviation", "mark"], lines)

# ---- Subjects -------------------------------------------------------------------------------------------


def check(where, column, printed):
    mean, deviation = pair(printed)
    for what, value, said in (("mean", statistics.mean(column), mean), ("deviation", statistics.stdev(column), deviation)):
        if abs(value - float(said)) > 0.5 * 10 ** -len(said.partition(".")[2]) + 0.011:
            print(f"{where}: the {what} printed is {said}, the column's is {value:.3f}", file=sys.stderr)


means = []  # printed under the columns of subjects


def subjects(place, pipelines, name):
    lines, dataset, columns = [], None, None
    for row in rows(table(place)):
        if row[0] in DATASETS:
            dataset, columns = DATASETS[row[0]], [[] for _ in pipelines]
        if row[1]:
            lines += [[dataset, row[1], p, number(c), c.mark] for p, c in zip(pipelines, row[2:], strict=True)]
            for column, cell in zip(columns, row[2:]):
                column.append(float(cell))
        elif dataset is not None:
            for p, column, cell in zip(pipelines, columns, row[2:], strict=True):
                check(f"{name} {dataset} {p}", column, cell)
                means.append([name, dataset, p, *pair(cell), cell.mark])
    write(name, ["dataset", "subject", "pipeline", "accuracy", "mark"], lines)


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
heading = re.sub(r"\\(top|mid|bottom)rule", "", text[text.rfind(r"\begin{tabular}", 0, text.index(r"\label{tab:dataset_summary}")):])
challenges = heading[heading.index(r"\textbf{Challenges}"):heading.index(r"\end{tabular}")].split("&")[1:]
features["Challenges"] = [", ".join(re.findall(r"\\textbf\{([^}]*)\}", cell)) for cell in challenges]
write("datasets-printed", ["dataset", "feature", "printed"],
      [[name, feature, features[feature][i].replace(",", ";").replace(r"\sim", "~")]
       for i, name in enumerate(TRIALS) for feature in features if len(features[feature]) == len(TRIALS)])

lines, ablation, columns = [], None, None
models = ["dct", "dldct", "ddct-unet"] + END_TO_END
for row in rows(table(r"\label{tab:subjectwise_component_ablation_bci2a}")):
    if row[0] == "Baseline":
        means += [["subjects-ablation", "baseline", m, *pair(c), c.mark] for m, c in zip(models, row[2:], strict=True)]
        continue
    if row[0]:
        ablation, columns = row[0].lower(), [[] for _ in models]
    if row[1]:
        for model, column, cell in zip(models, columns, row[2:], strict=True):
            if cell.strip("-"):
                lines.append([ablation, row[1], model, number(cell), cell.mark])
                column.append(float(cell))
    else:
        for model, column, cell in zip(models, columns, row[2:], strict=True):
            if cell.strip("-") and column:
                check(f"subjects-ablation {ablation} {model}", column, cell)
            if cell.strip("-"):
                means.append(["subjects-ablation", ablation, model, *pair(cell), cell.mark])
write("subjects-ablation", ["ablation", "subject", "model", "accuracy", "mark"], lines)
write("subjects-means", ["table", "group", "pipeline", "mean", "deviation", "mark"], means)

# ---- Properties of methods ------------------------------------------------------------------------------

PROPERTIES = {
    "1": (r"\label{tab:novelty_congruence}", {"Vanilla Congruence": "none", "Vanilla RA": "ra", "DCT": "dct", "Deep DCTs": "ddct-unet"}),
    "7": (r"\label{tab:classical_summary}", {
        "Riemannian Alignment (RA)": "ra", "Riemannian Procrustes (RPA)": "rpa", "Common Spatial Patterns (CSP)": "csp-lda",
        "LDA Projection": "lda", "DCT (Ours)": "dct", "DLDCT (Ours)": "dldct", "DDCT-UNet (Ours)": "ddct-unet"}),
    "8": (r"\label{tab:classifier_summary}", {
        "MDM": "mdm", "TSLR": "tslr", r"CSP\_LDA": "csp-lda", r"TSA\_LDA": "tsa-lda", "DCT (E2E) (Ours)": "dct-e2e",
        "DLDCT (E2E) (Ours)": "dldct-e2e", "DDCT-UNet (E2E) (Ours)": "ddct-unet-e2e"})}
lines = []
for name, (place, methods) in PROPERTIES.items():
    body = text[text.rfind(r"\begin{table}", 0, text.index(place)):]
    body = body[body.index(r"\toprule"):body.index(r"\end{tabular}")]
    heading = [clean(cell) for cell in body[len(r"\toprule"):body.index(r"\\")].split("&")]
    for row in rows(body[body.index(r"\midrule"):]):
        cells = row[1:] + [""] * (len(heading) - len(row))
        for what, cell in zip(heading[1:], cells, strict=True):
            lines.append([name, methods[row[0]], what.lower(), {r"\checkmark": "yes", r"\times": "no", "": ""}[cell]])
write("properties", ["table", "method", "property", "printed"], lines)

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
    return re.sub(r"\s+", " ", title).strip().split(". ")[0].rstrip(".")[:140]


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


# What equations are, which have no titles, and words of which one stands near wherever the item is cited: tests/paper_map.sh
# holds the tree to them.
EQUATIONS = [
    ("1a", "log map at C", "log map|logarithm"), ("1b", "exp map at C", "exp map|exponential"),
    ("2a", "scatters W and B", "scatter"), ("3", "log at the identity", "logarithm|log map|Frobenius"),
    ("4", "dispersion gamma", "gamma|dispersion"), ("5", "rotation R", "rotation"),
    ("6", "Fisher ratio of DCT", "ratio|Fisher loss"), ("7", "penalties on gamma and R", "penalt"),
    ("8", "loss of DCT", "loss|objective|CP"), ("9", "U repeated to the width of a layer: first weights", "first weights|initial"),
    ("10", "first weights of a layer", "first weights|initial|W_l"), ("11", "Fisher terms of DLDCT", "Fisher"),
    ("12", "reconstruction", "reconstruction"), ("13", "loss of DLDCT and DDCT-UNet", "loss|objective"),
    *[(str(n), "recording and windows of trials and rest", "window|recording") for n in range(14, 19)],
    *[(str(n), "channels, band-pass and notch", "band|notch|channel") for n in range(19, 22)],
    ("22", "covariance of a trial", "covariance"), *[(str(n), "stages of the synthetic hierarchy", "stage|U_s") for n in range(23, 27)],
    *[(str(n), "SPD matrices and functions of them", "SPD|matrix function") for n in range(27, 29)],
    *[(str(n), "roots and their inverses", "root") for n in range(29, 38)], ("38", "congruence", "congruence"),
    *[(str(n), "inner product and distance", "inner product|distance") for n in range(39, 50)],
    *[(str(n), "log and exp maps, inverses of each other", "log map|exp map") for n in range(50, 55)],
    ("55", "log-Euclidean merge", "merge"), *[(str(n), "geodesic", "geodesic") for n in range(56, 58)],
    *[(str(n), "metric, distance and log map at the identity", "identity") for n in range(58, 64)],
    *[(str(n), "whitening by a reference", "whiten|reference") for n in range(64, 68)], ("68", "tangent scaling", "scaling"),
    *[(str(n), "RA", "RA|recentr|mean") for n in range(69, 73)], *[(str(n), "RPA", "RPA|Procrustes") for n in range(73, 78)],
    *[(str(n), "CSP", "CSP|filters|trace") for n in range(78, 87)], *[(str(n), "LDA projection", "LDA|Fisher") for n in range(87, 92)],
    ("92", "covariance of a trial", "covariance"), *[(str(n), "means of covariances", "mean") for n in range(93, 96)],
    *[(str(n), "reference of a subject, RA", "reference|RA|recentr") for n in range(96, 98)],
    *[(str(n), "tangent vectors at the mean of the sources", "tangent") for n in range(98, 101)],
    *[(str(n), "multinomial logistic regression", "logistic|softmax|ridge") for n in range(101, 103)],
    ("103", "covariance of a trial", "covariance"), *[(str(n), "MDM", "MDM|class mean") for n in range(104, 106)],
    *[(str(n), "LDA classifier", "LDA|pooled") for n in range(106, 118)], ("118", "congruence layer", "congruence"),
    ("119", "merge with clamped eigenvalues", "merge"), *[(str(n), "reference of the batch, whitening by it", "reference|head") for n in range(120, 122)],
    ("122", "loss of rank under congruence", "rank"), ("123", "merge of input and output", "merge"), ("124", "update of a layer", "update|gradient")]
WORDS = {
    "algorithm": {"1": "DCT", "2": "DLDCT|first weights", "3": "UNet|first weights", "4": "RPA|Procrustes", "5": "CSP",
                  "6": "LDA|Fisher's directions", "7": "TSLR|ridge|logistic", "8": "MDM", "9": "CP|unified|all models"},
    "table": {"1": "what each method corrects|progression|propert", "2": "synthetic|made-up", "3": "aligner|RA + TSLR|RA|pre-align",
              "4": "end to end|end-to-end|TS-SPD-CNN|TSLR|Dataset-wise", "5": "ablation|merges|depth|part left out", "6": "synthetic|made-up",
              "7": "preprocessing|propert|RPA", "8": "classifiers|propert", "9": "datasets|channels|trials", "10": "aligner|pre-align",
              "11": "end to end|end-to-end|Dataset-wise", "12": "ablation", "13": "second|runtime", "14": "second|runtime",
              "15": "interval|across subjects|paired|statistic", "16": "by dataset|by set|paired|statistic", "17": "2a|paired|statistic", "18": "silhouette",
              "19": "comparison|method|classifier|RPA|TS-SPD-CNN|TCN", "20": "gap", "21": "subject", "22": "subject|TS-SPD-CNN",
              "23": "ablation|subject"}}


def described(line):
    """An item with what it is and its words."""
    kind, number, label, title = line
    equations = {equation[0]: equation[1:] for equation in EQUATIONS}
    words = WORDS.get(kind, {}).get(number, "")
    if kind == "equation":
        title, words = equations[number]
        title = title.replace(",", ";")
    return [kind, number, label, title, words]


text = re.sub(r"(?<!\\)%.*", "", open(sys.argv[1], encoding="utf-8").read())
write("items", ["kind", "number", "label", "title", "words"], [described(line) for line in items()])
