#!/usr/bin/python3
"""Writes tests/data/recordings_gdf.txt: what MNE reads in real GDF files. SPDX-License-Identifier: Apache-2.0

    oracle_recordings.py DATA >tests/data/recordings_gdf.txt

DATA is the folder with gdf_samples and eegmmidb. Needs Debian's python3-mne.

MNE reads the GDF 1.25 file, but does not know its unit, "\\xb5V", and takes the microvolts for volts; it makes
a duration of 0 into 1, which no event there has. It does not read GDF 2.51; that file was converted from an EDF
file and equals it, so what MNE reads there is what it must hold.
"""
import pathlib
import sys

import mne
import numpy as np

mne.set_log_level("ERROR")


def print_recording(name, form, rate, names, microvolts, events):
    samples = microvolts.shape[1]
    weight = np.arange(samples) * 7919 % 1009
    print(f"file {name} {form} {rate:.17g} {len(names)} {samples} {len(events)}")
    for label, x in zip(names, microvolts):
        values = [np.sum(x), np.sum(x * weight), x[0], x[samples // 3], x[-1]]
        print("channel", *(f"{value:.17g}" for value in values), label)
    for onset, duration, code, text in events:
        print("event", onset, duration, code, text)


def annotations(raw):
    rate = raw.info["sfreq"]
    for note in raw.annotations:
        yield round(note["onset"] * rate), round(note["duration"] * rate), note["description"]


def main(data):
    name = "biosig_erds_sample.gdf"
    raw = mne.io.read_raw_gdf(data / "gdf_samples" / name, preload=True)
    events = [(onset, duration * (duration > 1), int(text), "-") for onset, duration, text in annotations(raw)]
    events.sort(key=lambda event: event[0])
    print_recording(name, "1.25", raw.info["sfreq"], raw.ch_names, raw.get_data(), events)

    name = "S007R04_converted_gdf2.51.gdf"
    raw = mne.io.read_raw_edf(data / "eegmmidb" / "original" / "S007" / "S007R04.edf", preload=True)
    events = [(onset, duration, int(text[1]) + 1, text) for onset, duration, text in annotations(raw)]
    print_recording(name, "2.51", raw.info["sfreq"], raw.ch_names, raw.get_data() * 1e6, events)


main(pathlib.Path(sys.argv[1]))
