#!/usr/bin/python3
"""Writes small EEGLAB, FIF and XDF files into tests/data/readers, and what they hold. SPDX-License-Identifier: Apache-2.0

    oracle_readers.py tests/data/readers [fuzz/corpus]

Needs Debian's python3-mne. FIF files are MNE's own; EEGLAB files are the structs of EEGLAB, saved by SciPy; what both
hold is what MNE reads in them. XDF files are put together as the format's specification says, and what they hold
is found here as pyxdf documents it, with SciPy's robust fit in place of its own: see xdf_expected. The numbers are
synthetic. One text file beside each has its expectation:

    recording RATE CHANNELS SAMPLES EVENTS      or      epochs RATE START COUNT CHANNELS SAMPLES CLASSES
    channel TYPE NAME
    row VALUE...                                (microvolts of one channel [of one trial], nan where missing)
    event ONSET DURATION TEXT
    label CLASS                                 (of one trial)
"""
import pathlib
import struct
import sys

import mne
import numpy as np
import scipy.io
import scipy.optimize
import scipy.sparse

mne.set_log_level("ERROR")


def signals(channels, samples, seed):
    return np.round(np.random.default_rng(seed).normal(0, 20, (channels, samples)) * 8) / 8  # microvolts


def print_rows(file, data):
    for row in data.reshape(-1, data.shape[-1]):
        print("row", *(f"{value:.17g}" for value in row), file=file)


def write_recording(path, rate, types, names, data, events):
    with open(path.with_suffix(".txt"), "w") as file:
        print("recording", f"{rate:.17g}", len(names), data.shape[1], len(events), file=file)
        for kind, name in zip(types, names):
            print("channel", kind, name, file=file)
        print_rows(file, data)
        for onset, duration, text in events:
            print("event", onset, duration, text, file=file)


def write_epochs(path, rate, start, names, data, labels):
    with open(path.with_suffix(".txt"), "w") as file:
        print("epochs", f"{rate:.17g}", f"{start:.17g}", *data.shape, len(set(labels)), file=file)
        for name in names:
            print("channel", "eeg", name, file=file)
        print_rows(file, data)
        for label in labels:
            print("label", label, file=file)


def annotation_events(raw):
    rate = raw.info["sfreq"]
    for note in raw.annotations:
        onset = int(np.floor(note["onset"] * rate + 0.5)) - raw.first_samp
        yield onset, int(np.floor((note["onset"] + note["duration"]) * rate + 0.5)) - raw.first_samp - onset, \
            note["description"]


# ---- FIF -------------------------------------------------------------------------------------------


def expect_raw(path, raw):
    """What MNE reads, with NaN where it says that samples are bad, or at the edge of joined recordings."""
    types = [kind if kind in ("eeg", "eog", "stim") else "other" for kind in raw.get_channel_types()]
    data = raw.get_data()
    for k, kind in enumerate(types):
        if kind in ("eeg", "eog"):
            data[k] *= 1e6
    events = list(dict.fromkeys(annotation_events(raw)))  # MNE adds what it sees itself to what the file says
    for onset, duration, text in events:
        if text.lower().startswith(("bad", "edge")):
            data[:, max(onset, 0):onset + max(duration, 1)] = np.nan
    write_recording(path, raw.info["sfreq"], types, raw.ch_names, data, events)


def make_raw(seed, first_samp=0, long_name=False):
    names = ["C3", "Cz", "a name of a channel that is long" if long_name else "C4", "EOG", "STI 014"]
    info = mne.create_info(names, 64.0, ["eeg", "eeg", "eeg", "eog", "stim"])
    data = signals(5, 160, seed)
    data[:4] *= 1e-6
    data[4] = np.arange(160) // 40
    with info._unlock():
        for k, ch in enumerate(info["chs"][:4]):
            ch["cal"], ch["range"] = 2.0 ** -(22 + k), 2.0 ** -3
    return mne.io.RawArray(data, info, first_samp=first_samp)


def write_fif(folder):
    for fmt in ("single", "double", "int", "short"):
        raw = make_raw(1, first_samp=37, long_name=fmt == "double")
        raw.set_meas_date(1000000000 if fmt != "double" else None)
        raw.set_annotations(mne.Annotations([0.5, 1.0, 1.5, 1.25], [0.25, 0, 0.25, 0],
                                            ["left", "a:b", "BAD_move", "769"],
                                            orig_time=None))
        path = folder / f"{fmt}_raw.fif"
        raw.save(path, fmt=fmt, buffer_size_sec=0.5, overwrite=True)
        expect_raw(path, mne.io.read_raw_fif(path, preload=True))
    raw = make_raw(2)
    raw.append(make_raw(3))  # marks the edge
    path = folder / "joined_raw.fif"
    raw.save(path, overwrite=True)
    expect_raw(path, mne.io.read_raw_fif(path, preload=True))
    path = folder / "skip_raw.fif"
    raw = make_raw(4)
    raw.set_annotations(mne.Annotations([1.0], [0.5], ["BAD_ACQ_SKIP"]))
    raw.save(path, buffer_size_sec=0.25, overwrite=True)
    expect_raw(path, mne.io.read_raw_fif(path, preload=True))

    for fmt in ("single", "double"):
        info = mne.create_info(["C3", "Cz", "C4", "EOG"], 64.0, ["eeg", "eeg", "eeg", "eog"])
        data = signals(7 * 4, 48, 5).reshape(7, 4, 48) * 1e-6
        events = np.c_[np.arange(7) * 64, np.zeros(7, int), [1, 2, 1, 2, 2, 7, 1]]
        epochs = mne.EpochsArray(data, info, events, tmin=-0.25,
                                 event_id={"left/hand": 1, "right:hand": 2, "feet": 7})
        path = folder / f"{fmt}-epo.fif"
        epochs.save(path, fmt=fmt, overwrite=True)
        epochs = mne.read_epochs(path)
        names = {number: name for name, number in epochs.event_id.items()}
        write_epochs(path, epochs.info["sfreq"], epochs.tmin, ["C3", "Cz", "C4"],
                     epochs.get_data(picks="eeg") * 1e6, [names[k] for k in epochs.events[:, 2]])
    info = mne.create_info(["C3"], 64.0, "eeg")
    data = data[:, :1]
    mne.EpochsArray(data * (1 + 1j), info, events, tmin=-0.25).save(folder / "complex-epo.fif", overwrite=True)
    evoked = epochs.average(picks="all")
    evoked.save(folder / "evoked-ave.fif", overwrite=True)


# ---- EEGLAB ----------------------------------------------------------------------------------------


def make_set(data, rate, xmin, names, types, events, data_field):
    """The struct of EEGLAB; data is (channels, samples[, trials]), events are (type, latency from 1, epoch, length)."""
    chanlocs = np.zeros((1, len(names)), dtype=[("labels", "O"), ("type", "O"), ("theta", "O")])
    for i, (name, kind) in enumerate(zip(names, types)):
        chanlocs[0, i] = (name, kind, float(i))
    fields = [("type", "O"), ("latency", "O"), ("duration", "O"), ("urevent", "O")]
    trials = data.shape[2] if data.ndim == 3 else 1
    if trials > 1:
        fields.append(("epoch", "O"))
    event = np.zeros((1, len(events)), dtype=fields)
    for i, (kind, latency, epoch, length) in enumerate(events):
        event[0, i] = (kind, float(latency), float(length), float(i + 1)) + ((float(epoch),) if trials > 1 else ())
    epoch = np.zeros((0, 0))
    if trials > 1:
        epoch = np.zeros((1, trials), dtype=[("event", "O"), ("eventlatency", "O"), ("eventtype", "O")])
        for k in range(trials):
            mine = [i for i, one in enumerate(events) if one[2] == k + 1]
            epoch[0, k] = (np.array([i + 1.0 for i in mine]), np.array([0.0 for i in mine]),
                           np.array([events[i][0] for i in mine], dtype=object))
    return {"setname": "synthetic", "filename": "", "filepath": "", "nbchan": float(len(names)),
            "trials": float(trials), "pnts": float(data.shape[1]), "srate": float(rate), "xmin": float(xmin),
            "xmax": xmin + (data.shape[1] - 1) / rate, "times": np.arange(data.shape[1]) * 1000 / rate,
            "data": data_field, "icaact": np.zeros((0, 0)), "icawinv": np.zeros((0, 0)),
            "icasphere": np.zeros((0, 0)), "icaweights": np.zeros((0, 0)), "icachansind": np.zeros((0, 0)),
            "chanlocs": chanlocs, "urchanlocs": np.zeros((0, 0)), "chaninfo": {"nosedir": "+X"}, "ref": "common",
            "event": event, "urevent": np.zeros((0, 0)), "eventdescription": np.zeros((0, 0)), "epoch": epoch,
            "reject": {"manual": np.zeros((0, 0))}, "comments": "", "etc": {"eeglabvers": "2022.0", "sparse": scipy.sparse.csc_matrix(np.eye(2)),
                                               "spectrum": np.array([1 + 2j, 3])}}


def save_set(path, variables, compressed):
    """As SciPy saves it, but for the date."""
    scipy.io.savemat(path, variables, appendmat=False, do_compression=compressed)
    file = path.read_bytes()
    path.write_bytes(b"MATLAB 5.0 MAT-file, synthetic".ljust(116) + file[116:])


def write_eeglab(folder):
    names, types = ["Fz", "C3", "C4", "HEOG"], ["EEG", "", "EEG", "EOG"]
    data = signals(4, 120, 6).astype(np.float32)
    events = [("boundary", 0.5, 1, 0), ("left", 11, 1, 4), ("boundary", 40.5, 1, 33), ("right", 61, 1, 0),
              ("769", 80.25, 1, 0), ("left", 101, 1, 0)]
    expected = data.astype(float)
    expected[:, 40] = np.nan  # behind the boundary inside
    for name, beside in (("inside", False), ("beside", True)):
        path = folder / f"{name}.set"
        eeg = make_set(data, 50, 0, names, types, events, f"{name}.fdt" if beside else data)
        if beside:
            data.T.astype("<f4").tofile(path.with_suffix(".fdt"))
        # EEGLAB saves a struct, and since 2021 its fields by themselves.
        save_set(path, eeg if beside else {"EEG": eeg}, beside)
        raw = mne.io.read_raw_eeglab(path, preload=True)
        assert raw.ch_names == names and np.abs(raw.get_data() * 1e6 - data).max() < 1e-9
        read = [(int(np.floor(note["onset"] * 50 + 0.5)), note["description"]) for note in raw.annotations]
        ours = [(int(np.floor(latency - 1 + 0.5)), kind) for kind, latency, _, _ in events]
        assert read == ours[1:], (read, ours)  # MNE leaves out what is before the first sample
        write_recording(path, 50, ["eeg", "eeg", "eeg", "eog"], names, expected,
                        [(onset, length if kind != "boundary" else 0, kind)
                         for (onset, kind), (_, _, _, length) in zip(ours, events)])

    # Before 2004 a .dat had the samples of each channel together; MNE does not know it.
    path = folder / "legacy.set"
    save_set(path, {"EEG": make_set(data, 50, 0, names, types, events[1:2], "C:\\data\\legacy.dat")}, False)
    data.astype("<f4").tofile(path.with_suffix(".dat"))
    write_recording(path, 50, ["eeg", "eeg", "eeg", "eog"], names, data.astype(float), [(10, 4, "left")])

    data = signals(4, 40 * 5, 7).reshape(4, 40, 5).astype(np.float32)
    labels = ["left", "right", "right", "left", "right"]
    events = [(label, k * 40 + 11, k + 1, 0) for k, label in enumerate(labels)]
    for name, beside in (("epochs_inside", False), ("epochs_beside", True)):
        path = folder / f"{name}.set"
        eeg = make_set(data, 50, -0.2, names, types, events, f"{name}.fdt" if beside else data)
        if beside:
            data.transpose(2, 1, 0).astype("<f4").tofile(path.with_suffix(".fdt"))
        save_set(path, {"EEG": eeg}, not beside)
        epochs = mne.io.read_epochs_eeglab(path)
        kinds = {number: kind for kind, number in epochs.event_id.items()}
        assert epochs.ch_names == names and [kinds[k] for k in epochs.events[:, 2]] == labels
        assert abs(epochs.tmin + 0.2) < 1e-12
        read = epochs.get_data() * 1e6
        assert np.abs(read - data.transpose(2, 0, 1)).max() < 1e-9
        write_epochs(path, 50, -0.2, names[:3], data.transpose(2, 0, 1)[:, :3].astype(float), labels)
    events[3] = ("left", 3 * 40 + 15, 4, 0)  # not where the trial was cut
    save_set(folder / "epochs_unlabelled.set", {"EEG": make_set(data, 50, -0.2, names, types, events, data)}, True)


# ---- XDF -------------------------------------------------------------------------------------------


def xdf_length(number):
    return struct.pack("<BB", 1, number) if number < 256 else struct.pack("<BI", 4, number)


def xdf_chunk(tag, content):
    return xdf_length(len(content) + 2) + struct.pack("<H", tag) + content


def xdf_header(stream, name, kind, form, channels, rate, labels=(), unit="microvolts"):
    described = "".join(f"<channel><label>{label}</label><unit>{unit}</unit><type>{kind}</type></channel>"
                        for label, kind in labels)
    xml = (f"<?xml version=\"1.0\"?><info><name>{name}</name><type>{kind}</type>"
           f"<channel_count>{channels}</channel_count><nominal_srate>{rate}</nominal_srate>"
           f"<channel_format>{form}</channel_format><desc><channels>{described}</channels></desc></info>")
    return xdf_chunk(2, struct.pack("<I", stream) + xml.encode())


def xdf_samples(stream, form, times, rows):
    """Chunks of samples; a time that is None is left out."""
    code = {"float32": "<f4", "double64": "<f8", "int16": "<i2", "int32": "<i4"}.get(form)
    out = struct.pack("<I", stream) + xdf_length(len(rows))
    for time, row in zip(times, rows):
        out += b"\x00" if time is None else struct.pack("<Bd", 8, time)
        if code is None:
            for text in row:
                out += xdf_length(len(text.encode())) + text.encode()
        else:
            out += np.asarray(row).astype(code).tobytes()
    return xdf_chunk(3, out)


def xdf_offset(stream, time, value):
    return xdf_chunk(4, struct.pack("<Idd", stream, time, value))


def xdf_clock(times, offsets):
    """pyxdf: a line through the offsets that minimises Huber's loss with a threshold of 0.1 ms."""
    at, value = np.array(offsets).T
    origin = at[0]

    def residuals(x):
        return x[0] + x[1] * (at - origin) - value

    start = np.polyfit(at - origin, value, 1)[::-1]
    fit = scipy.optimize.least_squares(residuals, start, loss="huber", f_scale=1e-4, xtol=1e-15, ftol=1e-15,
                                       gtol=1e-15, x_scale=[1, 1e-3], max_nfev=10000).x
    return times + fit[0] + fit[1] * (times - origin)


def xdf_segments(times, rate):
    """pyxdf: divided at jumps of more than a second and 500 samples, and a line through each part."""
    breaks = np.flatnonzero(np.abs(np.diff(times)) > max(1, 500 / rate)) + 1
    for first, last in zip([0, *breaks], [*breaks, len(times)]):
        index = np.arange(first, last)
        yield first, last, np.polyval(np.polyfit(index - first, times[first:last] - times[first], 1),
                                      index - first) + times[first]


def xdf_expected(data, times, rate, markers):
    """The recording: the parts, with as many missing samples between as time has passed; markers at the nearest."""
    columns, fitted, last = [], [], None
    for first, end, line in xdf_segments(times, rate):
        if last is not None:
            missing = max(int(np.floor((line[0] - last) * rate + 0.5)) - 1, 1)
            columns.append(np.full((len(data), missing), np.nan))
            fitted += list(last + np.arange(1, missing + 1) / rate)
        columns.append(data[:, first:end])
        fitted += list(line)
        last = line[-1]
    fitted = np.array(fitted)
    events = [(int(np.argmin(np.abs(fitted - time))), 0, text) for time, text in markers
              if fitted[0] - 0.5 / rate <= time <= fitted[-1] + 0.5 / rate]
    return np.concatenate(columns, axis=1), sorted(events, key=lambda event: event[0])


def make_xdf(path, rate, form, gap, unit):
    """A stream of EEG on a clock of its own that drifts, with jitter; markers on another; a stream of another kind."""
    random = np.random.default_rng(8)
    count, labels = 60 if not gap else 400, [("C3", "EEG"), ("Cz &amp; co", "EEG"), ("VEOG", "EOG")]
    factor = {"microvolts": 1, "V": 1e6}[unit]
    data = (signals(3, count, 9) / factor).astype({"float32": "f4", "int16": "i2", "double64": "f8"}[form])
    if form == "int16":
        data = np.round(signals(3, count, 9)).astype("i2")
    own = 100 + np.arange(count) / (rate * 1.0003) + random.normal(0, 2e-4, count)
    if gap:
        own[count // 2:] += 3.0
    eeg_offsets = [(95 + 5 * k, 1000 + 2e-5 * k + random.normal(0, 3e-5) + (0.02 if k == 2 else 0))
                   for k in range(8)]
    marker_offsets = [(500 + 5 * k, 600.25 + random.normal(0, 3e-5)) for k in range(8)]
    span = own[-1] - own[0]
    marker_own = 499.75 + np.array([-0.5, 0.1 * span, 0.4 * span, 0.45 * span, 0.93 * span, span + 9])
    texts = ["early", "left", "right", "769", "left", "late"]
    file = b"XDF:" + xdf_chunk(1, b"<?xml version=\"1.0\"?><info><version>1.0</version></info>")
    file += xdf_header(1, "amplifier", "EEG", form, 3, rate, labels, unit)
    file += xdf_header(2, "cues", "Markers", "string", 1, 0)
    file += xdf_header(3, "keys", "Markers", "int32", 1, 0)
    file += xdf_header(4, "wrist", "Accelerometer", "float32", 2, 10)
    for k in range(0, count, 20):
        times = list(own[k:k + 20])
        file += xdf_samples(1, form, times, data.T[k:k + 20])
        file += xdf_chunk(5, bytes(16))
    file += xdf_samples(4, "float32", [100.0, None, None], [[1, 2], [3, 4], [5, 6]])
    for (own_time, value), (marker_time, marker_value) in zip(eeg_offsets, marker_offsets):
        file += xdf_offset(1, own_time, value) + xdf_offset(2, marker_time, marker_value)
    file += xdf_samples(2, "string", marker_own[:4], [[text] for text in texts[:4]])
    file += xdf_samples(2, "string", marker_own[4:], [[text] for text in texts[4:]])
    keys = [1100 + 0.3 * span, 1100 + 0.7 * span]  # by the recorder's own clock: no offsets
    file += xdf_samples(3, "int32", keys, [[7], [12]])
    file += xdf_chunk(6, struct.pack("<I", 1) + b"<?xml version=\"1.0\"?><info></info>")
    path.write_bytes(file)
    times = xdf_clock(own, eeg_offsets)
    markers = list(zip(xdf_clock(marker_own, marker_offsets), texts)) + list(zip(keys, ["7", "12"]))
    expected, events = xdf_expected(data.astype(float) * factor, times, rate, markers)
    write_recording(path, rate, ["eeg", "eeg", "eog"], ["C3", "Cz & co", "VEOG"], expected, events)


def make_reset_xdf(path):
    """The clock of the EEG is reset between its halves: each has a line of its own. No marker has an offset."""
    rate, count, labels = 50, 80, [("C3", "EEG"), ("C4", "EEG")]
    random = np.random.default_rng(10)
    data = signals(2, count, 11).astype("f4")
    own = np.r_[100 + np.arange(40) / rate, 20 + np.arange(40) / rate] + random.normal(0, 2e-4, count)
    first = [(90 + 5 * k, 1000 + random.normal(0, 3e-5)) for k in range(6)]
    second = [(10 + 5 * k, 1100 + random.normal(0, 3e-5)) for k in range(6)]
    file = b"XDF:" + xdf_header(1, "amplifier", "EEG", "float32", 2, rate, labels)
    file += xdf_header(2, "cues", "Markers", "string", 1, 0)
    for offsets, part in ((first, slice(0, 40)), (second, slice(40, 80))):
        file += b"".join(xdf_offset(1, time, value) for time, value in offsets)
        file += xdf_samples(1, "float32", list(own[part]), data.T[part])
    cues = [1100.3, 1110.2, 1120.25]
    file += xdf_samples(2, "string", cues, [["left"], ["in the gap"], ["right"]])
    path.write_bytes(file)
    times = np.r_[xdf_clock(own[:40], first), xdf_clock(own[40:], second)]
    expected, events = xdf_expected(data.astype(float), times, rate, zip(cues, ["left", "in the gap", "right"]))
    write_recording(path, rate, ["eeg", "eeg"], ["C3", "C4"], expected, events)


def write_xdf(folder):
    make_reset_xdf(folder / "reset.xdf")
    make_xdf(folder / "even.xdf", 50, "float32", False, "microvolts")
    make_xdf(folder / "gap.xdf", 500, "double64", True, "V")
    make_xdf(folder / "integers.xdf", 50, "int16", False, "microvolts")
    file = b"XDF:" + xdf_header(1, "left cap", "EEG", "float32", 1, 10, [("C3", "EEG")])
    file += xdf_header(2, "right cap", "EEG", "float32", 1, 10, [("C4", "EEG")])
    for stream in (1, 2):
        file += xdf_samples(stream, "float32", [1.0 * stream, None, None], [[stream], [stream], [stream]])
    (folder / "two.xdf").write_bytes(file)
    file = b"XDF:" + xdf_header(1, "slow", "EEG", "int16", 1, 100, [("C3", "EEG")])
    file += xdf_samples(1, "int16", list(5 + np.arange(60) / 50), [[k] for k in range(60)])
    (folder / "slow.xdf").write_bytes(file)


def write_corpus(folder, corpus):
    """Small inputs for fuzzing: the files themselves, a .set with its .fdt behind it."""
    for kind in ("eeglab", "fif", "xdf"):
        (corpus / kind).mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.fif")) + sorted(folder.glob("*.xdf")):
        (corpus / path.suffix[1:] / path.stem).write_bytes(path.read_bytes())
    for path in folder.glob("*.set"):
        beside = [path.with_suffix(end) for end in (".fdt", ".dat") if path.with_suffix(end).exists()]
        tail = beside[0].read_bytes() if beside else b""
        (corpus / "eeglab" / path.stem).write_bytes(struct.pack(">H", len(tail)) + path.read_bytes() + tail)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_fif(folder)
    write_eeglab(folder)
    write_xdf(folder)
    if len(sys.argv) > 2:
        write_corpus(folder, pathlib.Path(sys.argv[2]))


main()
