#!/usr/bin/env python3
"""Counts the TAP points in Meson's test log and shows what failed. SPDX-License-Identifier: Apache-2.0

usage: tools/count_tests.py BUILD/meson-logs/testlog.json

The last line is "N passed, N failed" or "N passed, N failed, N skipped"; the exit code is 1 when anything
failed. A program that crashes, is stopped, or whose plan is missing or wrong counts as one more failure, so a
test that ends early cannot pass for one that succeeded.
"""

import json
import os
import re
import sys

POINT = re.compile(r"(?P<failed>not )?ok\b(?: \d+)?(?: -)? ?(?P<name>.*?)(?: # SKIP ?(?P<skip>.*))?$")
PLAN = re.compile(r"1\.\.(?P<count>\d+)(?: # SKIP ?(?P<skip>.*))?$")


class Program:
    """One test program's points, and what is wrong with the program itself."""

    def __init__(self, record):
        self.name = record["name"]
        self.passed = self.failed = 0
        self.skipped = []  # (point, reason)
        self.output = record.get("stdout", "") + record.get("stderr", "")
        self.plan = None
        self.bailed_out = False
        for line in record.get("stdout", "").splitlines():
            self.read(line)
        self.trouble = self.find_trouble(record)

    def read(self, line):
        point, plan = POINT.match(line), PLAN.match(line)
        if point and point["failed"]:
            self.failed += 1
        elif point and point["skip"] is not None:
            self.skipped.append((point["name"], point["skip"]))
        elif point:
            self.passed += 1
        elif plan:
            self.plan = int(plan["count"])
            if plan["skip"] is not None and self.plan == 0:
                self.skipped.append(("all of it", plan["skip"]))
                self.plan = 1
        elif line.startswith("Bail out!"):
            self.bailed_out = True

    def find_trouble(self, record):
        code = record.get("returncode", 0)
        points = self.passed + self.failed + len(self.skipped)
        if record["result"] in ("TIMEOUT", "INTERRUPT"):
            return "was stopped: " + record["result"].lower()
        if code < 0 or code > 128:
            return f"crashed: signal {-code if code < 0 else code - 128}"
        if self.bailed_out:
            return "bailed out"
        if self.plan is None:
            return "printed no plan"
        if self.plan != points or points == 0:
            return f"planned {self.plan} tests and ran {points}"
        if code != 0 and self.failed == 0:
            return f"ended with exit code {code} though no test failed"
        return None

    def show_failures(self):
        print(f"\n{self.name}:")
        for line in self.output.splitlines():
            if line and not re.match(r"ok\b|1\.\.", line):
                print("  " + line)
        if self.trouble:
            print(f"  not ok - {self.name} {self.trouble}")


def main():
    if not os.path.exists(sys.argv[1]):
        print("the tests did not run\n0 passed, 1 failed")
        return 1
    with open(sys.argv[1], encoding="utf-8") as log:
        programs = [Program(json.loads(line)) for line in log]

    for program in programs:
        for point, reason in program.skipped:
            print(f"skipped: {program.name}: {point}: {reason}")
    for program in programs:
        if program.failed or program.trouble:
            program.show_failures()

    passed = sum(p.passed for p in programs)
    failed = sum(p.failed + (p.trouble is not None) for p in programs)
    skipped = sum(len(p.skipped) for p in programs)
    if not programs:
        failed = 1
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
