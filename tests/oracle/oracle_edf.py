#!/usr/bin/python3
# What MNE reads from the EDF+ files of the shared data. SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/edf_mne.txt: python3 tests/oracle/oracle_edf.py DATA > tests/data/edf_mne.txt

DATA holds eegmmidb/original. A file is its name, rate, channels, samples, a hash of all samples and the
number of annotations; then the names of its channels, then the annotations: onset and duration in samples,
text. All samples of these files are whole microvolts (checked here to 1e-9), so that a hash of the integers,
channel after channel, stands for every one of them: FNV-1a over 64-bit words.
"""
import glob
import os
import sys

import mne
import numpy as np

mne.set_log_level("ERROR")


def hash_of(integers):
    value = 0xCBF29CE484222325
    for word in integers.tolist():
        value = ((value ^ (word & 0xFFFFFFFFFFFFFFFF)) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def main():
    folder = os.path.join(sys.argv[1], "eegmmidb", "original")
    print("# tests/oracle/oracle_edf.py with MNE", mne.__version__)
    for path in sorted(glob.glob(os.path.join(folder, "S*", "S*.edf"))):
        raw = mne.io.read_raw_edf(path, preload=True)
        microvolts = raw.get_data() * 1e6
        whole = np.rint(microvolts)
        assert np.abs(microvolts - whole).max() <= 1e-9
        rate, notes = raw.info["sfreq"], raw.annotations
        print("file", os.path.relpath(path, sys.argv[1]), "%g" % rate, *microvolts.shape,
              "%016x" % hash_of(whole.astype(np.int64).ravel()), len(notes))
        for name in raw.ch_names:
            print("channel", name)
        for note in notes:
            print("event", round(note["onset"] * rate), round(note["duration"] * rate), note["description"])


main()
