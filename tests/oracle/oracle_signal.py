#!/usr/bin/python3
"""Writes tests/data/signal.txt: what scipy makes of filters and signals. SPDX-License-Identifier: Apache-2.0

usage: tests/oracle/oracle_signal.py > tests/data/signal.txt

A record is a line "kind samples p1 p2 p3 p4 count" and `count` numbers, five to a line. The signal is the walk
of tests/support/signal_samples.h, which both sides compute to the bit. Needs Debian's python3-scipy.
"""
import numpy as np
from scipy import signal

MASK = (1 << 64) - 1


def walk(seed, samples):
    state, at, values = seed, 0.0, []
    for _ in range(samples):
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        at += (state >> 40) / 2.0**24 - 0.5
        values.append(8 * at + 30)
    return np.array(values)


def record(kind, samples, parameters, values):
    values = np.ravel(values)
    parameters = list(parameters) + [0] * (4 - len(parameters))
    print(kind, samples, *("%.17g" % p for p in parameters), values.size)
    for i in range(0, values.size, 5):
        print(*("%.17g" % v for v in values[i : i + 5]))


def butterworth(order, low, high, rate):
    if low == 0:
        return signal.butter(order, high, "lowpass", fs=rate, output="sos")
    if high == 0:
        return signal.butter(order, low, "highpass", fs=rate, output="sos")
    return signal.butter(order, [low, high], "bandpass", fs=rate, output="sos")


def notch(frequency, quality, harmonics, rate):
    multiples = np.arange(frequency, rate / 2, frequency) if harmonics else [frequency]
    return np.array([np.concatenate(signal.iirnotch(f, quality, rate)) for f in multiples])


def fir(x, low, high, rate, taps):
    weights = signal.firwin(taps, [low, high], window="hamming", pass_zero=False, fs=rate)
    half = taps // 2
    before = 2 * x[0] - x[half:0:-1]
    after = 2 * x[-1] - x[-2 : -half - 2 : -1]
    return np.convolve(np.concatenate([before, x, after]), weights, "valid")


print("# What scipy finds, by tests/oracle/oracle_signal.py. SPDX-License-Identifier: Apache-2.0")
BANDS = [(8, 35, 250), (0.5, 100, 512), (4, 38, 160), (0, 30, 250), (1, 0, 160), (0, 70, 160)]
for order in range(1, 11):
    for low, high, rate in BANDS:
        record("butterworth", 0, (order, low, high, rate), butterworth(order, low, high, rate))
for parameters in [(50, 30, 0, 250), (50, 30, 1, 1000), (60, 35, 1, 512), (20, 2, 0, 160)]:
    record("notch", 0, parameters, notch(*parameters))

SAMPLES = 240
x = walk(1, SAMPLES)
FILTERS = [
    (4, 8, 35, 250), (1, 8, 12, 250), (3, 0, 30, 250), (5, 1, 0, 160), (10, 8, 30, 250), (2, 0.5, 40, 512),
]
for parameters in FILTERS:
    record("zero_phase", SAMPLES, parameters, signal.sosfiltfilt(butterworth(*parameters), x))
record("zero_phase", 28, (4, 8, 35, 250), signal.sosfiltfilt(butterworth(4, 8, 35, 250), walk(1, 28)))
record("zero_notch", SAMPLES, (50, 30, 1, 512), signal.sosfiltfilt(notch(50, 30, 1, 512), x))
both = np.concatenate([butterworth(4, 8, 35, 250), notch(50, 30, 0, 250)])
record("zero_both", SAMPLES, (4, 8, 35, 250), signal.sosfiltfilt(both, x))
record("causal", SAMPLES, (4, 8, 35, 250), signal.sosfilt(butterworth(4, 8, 35, 250), x))
record("causal", SAMPLES, (7, 2, 30, 160), signal.sosfilt(butterworth(7, 2, 30, 160), x))
record("fir", SAMPLES, (8, 35, 250, 101), fir(x, 8, 35, 250, 101))
record("fir", 2 * SAMPLES, (8, 35, 250, 0), fir(walk(1, 2 * SAMPLES), 8, 35, 250, 413))
record("fir", SAMPLES, (1, 30, 160, 5), fir(x, 1, 30, 160, 5))
for up, down in [(250, 160), (160, 250), (1, 4), (3, 1), (125, 256)]:
    record("resample", SAMPLES, (up, down), signal.resample_poly(x, up, down))
channels = np.array([walk(seed, 40) for seed in range(1, 6)])
record("reference", 40, (5,), channels - channels.mean(axis=0))
