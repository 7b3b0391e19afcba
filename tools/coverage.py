#!/usr/bin/env python3
"""Which lines of the library and the command no test reaches, and whether each has a reason. SPDX-License-Identifier: Apache-2.0

usage: tools/coverage.py BUILD TABLE PAGE

BUILD is configured with -Db_coverage=true and its tests have run. TABLE gives the reasons; its first lines say how. PAGE
is written: the percentages, and every range of lines that was not reached with its function and its reason. TAP comes
out, a point per file; it fails when it has lines that were not reached and for which TABLE gives no reason.
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict

# Kernels are compiled once per instruction set, under names that end with it; what one of them reaches is reached.
WIDTHS = re.compile(r"_(base|avx2|avx512|neon|emulated)$")


def measure(build):
    """{file: {line: [count, function]}}, counts summed over all objects made of a file."""
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
    notes = [os.path.join(folder, name) for folder, _, names in os.walk(build) for name in names if name.endswith(".gcno")]
    lines = defaultdict(dict)
    for first in range(0, len(notes), 32):
        answer = subprocess.run(["gcov", "--json-format", "--stdout", *(os.path.relpath(n, build) for n in notes[first : first + 32])],
                                cwd=build, capture_output=True, text=True, check=True).stdout
        for document in answer.splitlines():
            if not document.startswith("{"):
                continue
            for file in json.loads(document)["files"]:
                path = os.path.relpath(os.path.realpath(os.path.join(build, file["file"])), root)
                if path.split("/")[0] not in ("src", "cli", "include"):
                    continue
                for line in file["lines"]:
                    entry = lines[path].setdefault(line["line_number"], [0, line.get("function_name", "")])
                    entry[0] += line["count"]
    return lines


def read_table(path):
    """The reasons' sentences, {(file, function): reason}, and [(pattern of a statement, reason)]."""
    reasons, table, patterns = {}, {}, []
    for number, text in enumerate(open(path, encoding="utf-8"), 1):
        text = text.strip()
        if not text or text.startswith("#"):
            continue
        heading = re.match(r"([a-z-]+): (.*)", text)
        pattern = re.match(r"/(.*)/ ([a-z-]+)$", text)
        words = text.split()
        if heading:
            reasons[heading[1]] = heading[2]
        elif pattern and pattern[2] in reasons:
            patterns.append((re.compile(pattern[1]), pattern[2]))
        elif len(words) == 3 and words[2] in reasons:
            table[words[0], words[1]] = words[2]
        else:
            sys.exit(f"{path}:{number}: expected 'file function reason' or '/pattern/ reason', with a reason that has a heading above")
    return reasons, table, patterns


def statement(source, line):
    """(first line, indentation, text) of the statement that a line is part of."""
    begin = line
    while begin > 1 and not re.search(r"([;{}:]|\*/)\s*$|^\s*(//.*|#.*)?$", source[begin - 2]):
        begin -= 1
    end = line
    while end < len(source) and not re.search(r"[;{}]\s*$", source[end - 1]):
        end += 1
    first = source[begin - 1]
    return begin, len(first) - len(first.lstrip()), " ".join(text.strip() for text in source[begin - 1 : end])


def reasons_of_patterns(source, lines, patterns):
    """{line: reason} of lines not reached in functions that are: of the statements that a pattern fits, and, below the
    outermost block, of those beside them in theirs."""
    found = {}
    reached = {function for count, function in lines.values() if count > 0}
    numbers = sorted(lines)
    for at, number in enumerate(numbers):
        if lines[number][0] > 0 or lines[number][1] not in reached:
            continue
        _, indent, text = statement(source, number)
        reason = next((reason for pattern, reason in patterns if pattern.search(text)), None)
        if reason is None:
            continue
        found[number] = reason
        for step in (-1, 1) if indent > 4 else ():
            place = at + step
            while 0 <= place < len(numbers) and lines[numbers[place]][0] == 0:
                beside = numbers[place]
                gap = source[min(beside, number) : max(beside, number) - 1]
                leaves = any(line.strip() and len(line) - len(line.lstrip()) < indent for line in gap)
                if leaves or statement(source, beside)[1] < indent:
                    break
                found.setdefault(beside, reason)
                place += step
    return found


def given(table, path, name):
    """The reason that the table gives for a function."""
    return table.get((path, name)) or table.get((path, "*")) or table.get(("*", name))


def missed_of(path, lines, table, patterns):
    """[(function, reason or None, lines)] in the order of the file."""
    source = open(path, encoding="utf-8").read().splitlines()
    general = reasons_of_patterns(source, lines, patterns)
    groups = defaultdict(list)
    for number in sorted(lines):
        count, function = lines[number]
        if count > 0:
            continue
        name = WIDTHS.sub("", function)
        groups[name, given(table, path, name) or general.get(number)].append(number)
    return [(name, reason, numbers) for (name, reason), numbers in groups.items()]


def spans(numbers):
    """[1, 2, 3, 7] -> "1-3, 7"."""
    found = []
    for n in numbers:
        if found and n == found[-1][1] + 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def percent(reached, all_lines):
    return f"{100 * reached / all_lines:.1f} %" if all_lines else "-"


def write_page(page, measured, missed, reasons):
    folders = defaultdict(lambda: [0, 0])
    for path, lines in measured.items():
        folder = "/".join(path.split("/")[:2]) if path.startswith("src/") else path.split("/")[0]
        for key in (folder, "all"):
            folders[key][0] += sum(count > 0 for count, _ in lines.values())
            folders[key][1] += len(lines)
    with open(page, "w", encoding="utf-8") as out:
        out.write("# Lines no test reaches\n\n`make coverage` counts which lines the tests reach, writes this page, and fails when "
                  "a line that none\nreaches has no reason in [tools/coverage.txt](../tools/coverage.txt), which goes by functions "
                  "and by patterns of\nstatements. The tests of faults and those in a browser are left out of the count.\n\n"
                  "| folder | lines | reached | |\n| --- | ---: | ---: | ---: |\n")
        for folder in sorted(folders, key=lambda f: (f == "all", f)):
            reached, count = folders[folder]
            out.write(f"| {folder} | {count} | {reached} | {percent(reached, count)} |\n")
        out.write("\n| reason | lines | |\n| --- | ---: | --- |\n")
        for reason, sentence in [*reasons.items(), (None, "no reason is given yet: not tested, or not looked at")]:
            count = sum(len(numbers) for groups in missed.values() for _, r, numbers in groups if r == reason)
            if count:
                out.write(f"| {reason or 'NONE'} | {count} | {sentence} |\n")
        for path in sorted(missed):
            out.write(f"\n{path}\n\n")
            for reason in dict.fromkeys(reason for _, reason, _ in missed[path]):
                places = "; ".join(f"`{name}` {spans(numbers)}" for name, r, numbers in missed[path] if r == reason)
                out.write(f"- {reason or 'NONE'}: {places}\n")


def main():
    build, table_path, page = sys.argv[1:]
    reasons, table, patterns = read_table(table_path)
    measured = measure(build)
    missed = {path: groups for path, lines in measured.items() if (groups := missed_of(path, lines, table, patterns))}
    write_page(page, measured, missed, reasons)

    used = {(path, name) for path, groups in missed.items() for name, _, _ in groups}
    for path, name in table:
        if path in measured and (path, name) not in used and not (name == "*" and path in missed):
            print(f"# {table_path}: {path} {name} is reached now; its line can go")
    for path in sorted(measured):
        bad = [(name, numbers) for name, reason, numbers in missed.get(path, []) if reason is None]
        for name, numbers in bad:
            print(f"# {path}: {name}: lines {spans(numbers)} are reached by no test")
        print(f"{'not ' if bad else ''}ok - {path}")
    print(f"1..{len(measured)}")
    reached = sum(count > 0 for lines in measured.values() for count, _ in lines.values())
    print(f"# {percent(reached, sum(map(len, measured.values())))} of the lines are reached; the others are in {page}")


if __name__ == "__main__":
    main()
