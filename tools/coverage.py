#!/usr/bin/env python3
"""Which lines of the library and the command no test reaches, and whether each has a reason. SPDX-License-Identifier: Apache-2.0

usage: tools/coverage.py BUILD TABLE PAGE

BUILD is configured with -Db_coverage=true and its tests have run. TABLE gives reasons, "file function reason" to a line,
by functions rather than by lines so that it survives edits; a reason is one of its headings "reason: sentence". PAGE is
written: the percentages, and every range of lines that was not reached with its reason. TAP comes out, a point per
file; it fails when it has lines that were not reached in a function that TABLE does not name.
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict

# What a failed allocation does is tried by failing each in turn, not by these tests.
MEMORY = re.compile(r"CONGRU_ERROR_MEMORY|[Nn]ot enough memory|no memory|out of memory")
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
            about = json.loads(document)
            for file in about["files"]:
                path = os.path.relpath(os.path.realpath(os.path.join(build, file["file"])), root)
                if path.split("/")[0] not in ("src", "cli", "include"):
                    continue
                for line in file["lines"]:
                    entry = lines[path].setdefault(line["line_number"], [0, line.get("function_name", "")])
                    entry[0] += line["count"]
    return lines


def read_table(path):
    """The reasons' sentences, and {(file, function): reason}."""
    reasons, table = {"memory": None}, {}
    for number, text in enumerate(open(path, encoding="utf-8"), 1):
        text = text.split("#")[0].strip()
        if not text:
            continue
        heading = re.match(r"([a-z-]+): (.*)", text)
        if heading:
            reasons[heading[1]] = heading[2]
            continue
        words = text.split()
        if len(words) != 3 or words[2] not in reasons:
            sys.exit(f"{path}:{number}: expected 'file function reason' with a reason that has a heading above")
        table[words[0], words[1]] = words[2]
    return reasons, table


def is_memory(source, line):
    """Whether a line belongs to a statement about memory, or is the cleaning up right beside it."""
    begin = line
    while begin > 1 and not re.search(r"[;{}]\s*$", source[begin - 2]):
        begin -= 1
    end = line
    while end < len(source) and not re.search(r"[;{}]\s*$", source[end - 1]):
        end += 1
    return bool(MEMORY.search(" ".join(source[begin - 1 : end])))


def spans(numbers):
    """[1, 2, 3, 7] -> "1-3, 7"."""
    found = []
    for n in numbers:
        if found and n == found[-1][1] + 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def missed_of(path, lines, table):
    """[(function, reason or None, lines)] in the order of the file."""
    source = open(path, encoding="utf-8").read().splitlines()
    groups = defaultdict(list)
    for number in sorted(lines):
        count, function = lines[number]
        if count > 0:
            continue
        name = WIDTHS.sub("", function)
        reason = table.get((path, name)) or table.get((path, "*"))
        if is_memory(source, number):
            reason = "memory"
        groups[name, reason].append(number)
    return [(name, reason, numbers) for (name, reason), numbers in groups.items()]


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
        out.write("# Lines no test reaches\n\n`make coverage` writes this page and fails when a line is missed without a reason "
                  "(`tools/coverage.txt`).\n\n| folder | lines | reached | |\n| --- | ---: | ---: | ---: |\n")
        for folder in sorted(folders, key=lambda f: (f == "all", f)):
            reached, count = folders[folder]
            out.write(f"| {folder} | {count} | {reached} | {percent(reached, count)} |\n")
        out.write("\n| reason | lines | |\n| --- | ---: | --- |\n")
        for reason, sentence in reasons.items():
            count = sum(len(numbers) for groups in missed.values() for _, r, numbers in groups if r == reason)
            if count:
                out.write(f"| {reason} | {count} | {sentence} |\n")
        out.write("\n| file | function | lines | reason |\n| --- | --- | --- | --- |\n")
        for path in sorted(missed):
            for name, reason, numbers in missed[path]:
                out.write(f"| {path} | {name} | {spans(numbers)} | {reason or 'NONE'} |\n")


def main():
    build, table_path, page = sys.argv[1:]
    reasons, table = read_table(table_path)
    measured = measure(build)
    missed = {path: groups for path, lines in measured.items() if (groups := missed_of(path, lines, table))}
    write_page(page, measured, missed, reasons)

    used = {(path, name) for path, groups in missed.items() for name, _, _ in groups}
    for path, name in table:
        if (path, name) not in used and not (name == "*" and path in missed):
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
