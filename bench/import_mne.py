"""The steps of congru import in MNE and NumPy: EDF files to covariances. SPDX-License-Identifier: Apache-2.0

usage: import_mne.py [--repeat N] OUT.npz FILE.edf...

Prints the seconds each repetition took, without the start of Python and its imports. The steps are those of
`congru import --preset eegmmidb`: 22 channels, Butterworth band-pass 8-35 Hz of order 4 and a 60 Hz notch, both
forward and backward, windows 0.5-3.5 s after T1 and T2 whose rest before lies inside, de-meaned sample covariances.
"""
import os
import re
import sys
import time

import mne
import numpy as np
from scipy.signal import butter, iirnotch, sosfiltfilt, tf2sos

CHANNELS = "Fz FC3 FC1 FCz FC2 FC4 C5 C3 C1 Cz C2 C4 C6 CP3 CP1 CPz CP2 CP4 P1 Pz P2 POz".split()
CLASSES = ["left_fist", "right_fist", "both_fists", "both_feet"]


def covariances(path):
    run = int(re.search(r"R(\d+)", os.path.basename(path)).group(1))
    raw = mne.io.read_raw_edf(path, preload=False, verbose="ERROR")
    names = {name.rstrip(".").upper(): name for name in raw.ch_names}
    raw.pick([names[name.upper()] for name in CHANNELS])
    raw.load_data(verbose="ERROR")
    rate = raw.info["sfreq"]
    sos = np.vstack([butter(4, [8, 35], "bandpass", fs=rate, output="sos"), tf2sos(*iirnotch(60, 30, fs=rate))])
    order = [raw.ch_names.index(names[name.upper()]) for name in CHANNELS]
    data = sosfiltfilt(sos, raw.get_data()[order] * 1e6, axis=1)
    first = {"T1": 0, "T2": 1} if run in (4, 8, 12) else {"T1": 2, "T2": 3}
    covs, labels = [], []
    for onset, text in zip(raw.annotations.onset, raw.annotations.description):
        if text not in first:
            continue
        cue = int(round(onset * rate))
        start, stop = cue + int(np.floor(0.5 * rate)), cue + int(np.floor(3.5 * rate))
        if cue + int(np.floor(-3.5 * rate)) < 0 or stop > data.shape[1]:
            continue
        covs.append(np.cov(data[:, start:stop]))
        labels.append(first[text])
    return covs, labels


def run_once(out, files):
    covs, labels, subjects = [], [], []
    for path in files:
        own, own_labels = covariances(path)
        covs += own
        labels += own_labels
        subjects += [re.search(r"S(\d+)R", os.path.basename(path)).group(1)] * len(own)
    np.savez(out, X=np.array(covs), y=np.array(labels), subject=np.array(subjects), classes=np.array(CLASSES))


def main():
    arguments = sys.argv[1:]
    repeat = 1
    if arguments[0] == "--repeat":
        repeat = int(arguments[1])
        arguments = arguments[2:]
    for _ in range(repeat):
        start = time.perf_counter()
        run_once(arguments[0], arguments[1:])
        print(f"{time.perf_counter() - start:.6f}", flush=True)


main()
