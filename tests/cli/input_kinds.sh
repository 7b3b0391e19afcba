#!/bin/bash
# Every command on every kind of input, with arrays in memory and in files. SPDX-License-Identifier: Apache-2.0
#
# It reads SOURCE, BUILD and SANITIZE; see tests/meson.build.
exec python3 "$SOURCE/tests/cli/input_kinds.py"
