# Runs pytest and prints TAP. SPDX-License-Identifier: Apache-2.0
"""usage: python_tap.py FOLDER...: one point for each test of pytest, with the reason of what is skipped."""
import os
import sys

import pytest

# Points go to standard output, and what pytest itself prints to standard error.
points = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


class Tap:
    """A plugin of pytest that prints a point when a test has ended."""

    count = 0

    def point(self, good, name, more=""):
        self.count += 1
        print("%sok %d - %s%s" % ("" if good else "not ", self.count, name.replace("#", ""), more), file=points, flush=True)

    def pytest_runtest_logreport(self, report):
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "expected to fail"
            self.point(True, report.nodeid, " # SKIP " + reason.replace("Skipped: ", "").splitlines()[0])
        elif report.when == "call" or report.failed:
            for line in str(report.longrepr).splitlines() if report.failed else []:
                print("# " + line, file=points)
            self.point(report.passed, report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            for line in str(report.longrepr).splitlines():
                print("# " + line, file=points)
            self.point(False, report.nodeid or "collecting")
        elif report.skipped:
            self.point(True, report.nodeid, " # SKIP " + str(report.longrepr[2]).splitlines()[0])


tap = Tap()
code = pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[tap])
print("1..%d" % tap.count, file=points, flush=True)
sys.exit(0 if code == 0 else 1)
