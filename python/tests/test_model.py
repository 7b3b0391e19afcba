"""Models and the live decoder. SPDX-License-Identifier: Apache-2.0"""
import pickle
import re

import numpy as np
import pytest

import congru


def test_a_model_is_the_fold_of_loso(small):
    model = congru.train(small, "ra+tslr", without="S02", C=0.1)
    found = model.predict(small, subjects=["S02"])
    fold = congru.loso(small, "ra+tslr", subjects="S02", C=0.1).folds[0]
    np.testing.assert_array_equal(found.trial, fold["trial"])
    np.testing.assert_array_equal(found.probability, fold["probability"])
    np.testing.assert_array_equal(found.label, fold["prediction"])
    assert model.pipeline == "ra+tslr" and model.classes == small.classes and model.settings["C"] == 0.1


def test_saved_loaded_pickled(tmp_path, small):
    model = congru.train(small, "dldct-e2e", steps=5)
    congru.save(model, tmp_path / "model.safetensors")
    assert (tmp_path / "model.safetensors").read_bytes() == model.to_bytes()
    expected = model.predict_proba(small)
    for again in (congru.load(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(model)),
                  congru.Model.from_bytes(model.to_bytes())):
        np.testing.assert_array_equal(again.predict_proba(small), expected)
    assert all(tensor.dtype == np.float64 for tensor in model.tensors.values())
    with pytest.raises(congru.FormatError, match="model: "):
        congru.Model.from_bytes(b"nothing of the kind")
    with pytest.raises(OSError, match="nowhere"):
        congru.load(tmp_path / "nowhere.safetensors")


def test_aligned_trials(small):
    model = congru.train(small, "ra+mdm", without="S04")
    aligned = model.predict(small, subjects=["S04"], aligned=True).aligned
    np.testing.assert_allclose(congru.mean(aligned), np.eye(5), atol=1e-8)


def test_what_is_wrong_is_told(small):
    with pytest.raises(ValueError, match="tslr"):
        congru.train(small, "ra+tslrr")
    with pytest.raises(ValueError, match="C is -1"):
        congru.train(small, "ra+tslr", C=-1)
    with pytest.raises(TypeError, match="'steps' is one"):
        congru.train(small, "ra+tslr", step=3)
    with pytest.raises(ValueError, match="no subject 'S9'"):
        congru.train(small, "ra+tslr", without="S9")
    with pytest.raises(ValueError, match="signals"):
        congru.train(small, "motor")
    with pytest.raises(ValueError, match="congru.Set"):
        congru.train(small.X)
    model = congru.train(small, "ra+mdm")
    with pytest.raises(ValueError, match="channels"):
        model.predict(congru.synth(subjects=2, trials=3, channels=4))
    with pytest.raises(ValueError, match="target"):
        model.predict(small, target="some")


def test_raw_signals_are_prepared_as_the_models(recorded):
    model = congru.train(recorded, "ra+mdm", band=(8, 30), window=(0.5, 3.5), notch=None)
    probability = model.predict_proba(model.prepare(recorded))
    ready = recorded.preprocess(band=(8, 30), window=(0.5, 3.5), notch=None)
    np.testing.assert_array_equal(probability, model.predict_proba(ready))


#: Values of the options that apply to trials; those that say what is true of one set alone are not among them.
PREPARATIONS = {
    "channels": ["X05", "C3", "C4"], "reference": "average", "band": (8, 30), "order": 3, "filter": "fir", "causal": True,
    "notch": 50, "harmonics": True, "resample": 125, "window": (0.5, 3.5), "estimator": "oas", "trace_normalise": "on",
    "shrinkage": 0.1, "baseline": (-0.5, 0)}
DECLARATIONS = {"unit", "filtered"}


def test_every_option_of_trials_is_tried():
    from congru import _options
    assert set(PREPARATIONS) | DECLARATIONS == {name for name, row in _options.PREPROCESSING.items() if row[3]}


@pytest.mark.parametrize("before", [{}, dict(band=(1, 45)), dict(window=(-0.5, 4)), dict(band=(1, 45), window=(-0.5, 4))],
                         ids=["raw", "filtered", "cut", "both"])
@pytest.mark.parametrize("name", sorted(PREPARATIONS))
def test_a_model_takes_the_set_it_was_trained_on(name, before, recorded):
    """Whatever its covariances are made by: its own set, as it was given to train, is predicted as if prepared by hand."""
    options = {name: PREPARATIONS[name]}
    if name in ("order", "filter", "causal"):
        options["band"] = (8, 30)
    if name == "harmonics":
        options["notch"] = 50
    if name == "reference":
        options["estimator"] = "oas"
    wide = recorded.preprocess(**before)
    model = congru.train(wide, "ra+mdm", **options)
    expected = model.predict(wide.preprocess(**options))
    for given in (wide, wide.estimate(band=(9, 20)), recorded) if not before else (wide, wide.estimate(band=(9, 20))):
        found = model.predict(given)
        np.testing.assert_array_equal(found.probability, expected.probability)
        np.testing.assert_array_equal(found.label, expected.label)
    part = congru.train(wide, "ra+mdm", without="S04", **options)
    fold = congru.loso(wide, "ra+mdm", subjects="S04", **options).folds[0]
    np.testing.assert_array_equal(part.predict(wide, subjects=["S04"]).probability, fold["probability"])


def test_branches_take_the_set_they_were_trained_on(recorded):
    model = congru.train(recorded, "motor", without="S04")
    fold = congru.loso(recorded, "motor", subjects="S04").folds[0]
    for given in (recorded, recorded.estimate(band=(8, 30))):
        np.testing.assert_array_equal(model.predict(given, subjects=["S04"]).probability, fold["probability"])
    filtered = congru.train(recorded.preprocess(band=(1, 40)), "motor", without="S04")
    expected = filtered.predict(recorded.preprocess(band=(1, 40)), subjects=["S04"])
    np.testing.assert_array_equal(filtered.predict(recorded, subjects=["S04"]).probability, expected.probability)


@pytest.mark.parametrize("given, words", [
    (dict(band=(8, 35)), "band 8 to 35 Hz where the model has 8 to 30 Hz"),
    (dict(notch=50), "notch 50 Hz where the model has none"),
    (dict(window=(1, 4)), "window 1 to 4 s where the model has 0.5 to 3.5 s"),
    (dict(channels=["X01", "X02"]), "channel"),
    (dict(reference="average"), "reference average where the model has none"),
])
def test_signals_that_cannot_be_prepared_say_what_differs(given, words, recorded):
    model = congru.train(recorded, "ra+mdm", band=(8, 30), window=(0.5, 3.5))
    with pytest.raises(ValueError, match=words) as caught:
        model.predict(recorded.preprocess(**given))
    assert "\n" not in str(caught.value)
    for other, said in ((dict(fs=None), "rate|'fs'"), (dict(tmin=None), "cue|tmin"), (dict(tmin=1.0), "leaves its trials")):
        bare = congru.Set(signals=recorded.signals, **{**dict(fs=250.0, tmin=-0.5, channels=recorded.channels), **other})
        with pytest.raises(ValueError, match=said) as caught:
            model.predict(bare)
        assert "\n" not in str(caught.value)


def test_real_epochs_are_prepared_as_the_models(data_folder, tmp_path):
    """Wide epochs of six people, as the command imports them."""
    files = [data_folder / "eegmmidb" / "epochs22" / f"S00{k}.npz" for k in range(1, 7)]
    wide = congru.read(files, window="all", band=None, notch=None, keep_signals=True)
    model = congru.train(wide, "ra+tslr", band=(8, 30), window=(0.5, 3.5), without="S006")
    expected = model.predict(congru.read(files, window=(0.5, 3.5), band=(8, 30), notch=None), subjects=["S006"])
    np.testing.assert_array_equal(model.predict(wide, subjects=["S006"]).probability, expected.probability)
    np.testing.assert_array_equal(model.predict(wide.preprocess(band=(8, 30), window=(0.5, 3.5)), subjects=["S006"]).probability,
                                  expected.probability)


# ---- Streams -------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def live(recorded):
    return congru.train(recorded, "ra+mdm", band=(8, 30), causal=True, notch=None, window=(0.5, 3.5))


def frames_of(recorded):
    return np.ascontiguousarray(recorded.signals[:12].transpose(0, 2, 1).reshape(-1, 6))


def test_decisions_do_not_depend_on_the_pushes(live, recorded):
    frames = frames_of(recorded)
    whole = congru.Decoder(live).push(frames)
    decoder = congru.Decoder(live)
    parts = [d for first in range(0, len(frames), 77) for d in decoder.push(frames[first:first + 77])]
    assert len(whole) == len(parts) > 100 and decoder.position == len(frames)
    for a, b in zip(whole, parts):
        assert a[:3] == b[:3]
        np.testing.assert_array_equal(a.probability, b.probability)
    assert whole[0].label in live.classes and whole[0].sample == decoder.window == 750
    np.testing.assert_allclose(whole[0].probability.sum(), 1)
    decoder.reset()
    assert decoder.position == 0
    np.testing.assert_array_equal(decoder.push(frames[:800])[0].probability, whole[0].probability)


def test_frames_of_every_kind(live, recorded):
    frames = frames_of(recorded)[:900]
    expected = congru.Decoder(live).push(frames)[0].probability
    for kind in (np.asfortranarray(frames), frames.astype(">f8"), np.repeat(frames, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(congru.Decoder(live).push(kind)[0].probability, expected)
    single = congru.Decoder(live).push(frames.astype(np.float32))[0].probability
    np.testing.assert_allclose(single, expected, atol=1e-4)
    volts = congru.Decoder(live, scale=1e6).push(frames * 1e-6)[0].probability
    np.testing.assert_allclose(volts, expected, atol=1e-9)
    order = [3, 1, 5, 0, 2, 4]
    named = congru.Decoder(live, channels=[live.channels[i] for i in order] + ["EOG"])
    found = named.push(np.column_stack([frames[:, order], np.ones(len(frames))]))
    np.testing.assert_allclose(found[0].probability, expected, atol=1e-12)


def test_what_is_wrong_with_a_stream(live, recorded):
    decoder = congru.Decoder(live)
    with pytest.raises(ValueError, match="6 channels"):
        decoder.push(np.zeros((10, 5)))
    with pytest.raises(ValueError, match="real numbers"):
        decoder.push([["a"] * 6])
    assert decoder.push(np.zeros((0, 6))) == [] and decoder.decide() is None
    frames = frames_of(recorded)[:900].copy()
    frames[10, 2] = np.nan
    first = decoder.push(frames)[0]
    assert first.label is None and first.status == "CONGRU_ERROR_NOT_FINITE" and first.reason
    frames[:, 1] = 0
    flat = congru.Decoder(live).push(np.nan_to_num(frames))[0]
    assert flat.label is None and flat.flat == live.channels[1]
    with pytest.raises(ValueError, match="channels|channel"):
        congru.Decoder(live, channels=["A", "B"])
    with pytest.raises(ValueError, match="adaptation"):
        congru.Decoder(live, adaptation="always")
    with pytest.raises(ValueError, match="congru.Model"):
        congru.Decoder("model")


def test_states_come_back(live, recorded, tmp_path):
    frames = frames_of(recorded)
    first, second = congru.Decoder(live), congru.Decoder(live)
    first.push(frames[:3000])
    first.save_state(tmp_path / "anna.state")
    second.load_state(str(tmp_path / "anna.state"))
    first.rewind()
    assert first.position == second.position == 0
    np.testing.assert_array_equal(first.reference, second.reference)
    for a, b in zip(first.push(frames[3000:]), second.push(frames[3000:])):
        assert a[:3] == b[:3]
        np.testing.assert_array_equal(a.probability, b.probability)
    other = congru.Decoder(congru.train(recorded, "ra+tslr", band=(8, 30), causal=True, notch=None, window=(0.5, 3.5)))
    before = other.reference
    with pytest.raises(ValueError, match="another model"):
        other.load_state(tmp_path / "anna.state")
    (tmp_path / "no.state").write_bytes(b"no")
    with pytest.raises(congru.FormatError, match="no.state"):
        other.load_state(tmp_path / "no.state")
    with pytest.raises(congru.FileError):
        other.load_state(tmp_path / "nowhere")
    np.testing.assert_array_equal(other.reference, before)


def test_rest_comes_first(live, recorded):
    decoder = congru.Decoder(live, adaptation="never")
    before = decoder.reference
    assert decoder.rest(frames_of(recorded)[:100]) == 0
    assert decoder.rest(frames_of(recorded)) > 5 and decoder.position == 0
    assert congru.distance(before, decoder.reference) > 0.01
    with pytest.raises(ValueError, match="channels"):
        decoder.rest(np.zeros((10, 5)))


def test_a_loose_electrode_is_no_decision(live, recorded):
    frames = frames_of(recorded).copy()
    frames[4000:5000, 2] += 500 * np.random.default_rng(1).normal(size=1000) * np.median(np.abs(frames)) / 10
    decisions = congru.Decoder(live).push(frames)
    told = [d for d in decisions if d.status == "CONGRU_ERROR_ARTEFACT"]
    assert told and all(d.label is None and "artefact" in d.reason and 4000 < d.sample < 5000 + 900 for d in told)


def test_references_move(live, recorded):
    moving, fixed = congru.Decoder(live), congru.Decoder(live, adaptation="never")
    before = moving.reference
    moving.push(frames_of(recorded)), fixed.push(frames_of(recorded))
    assert congru.distance(before, moving.reference) > 0.01
    np.testing.assert_array_equal(fixed.reference, before)


def test_a_model_is_asked_about_what_mne_has(tmp_path):
    mne = pytest.importorskip("mne")
    rng = np.random.default_rng(3)
    info = mne.create_info(["C3", "Cz", "C4"], 250, "eeg")
    kinds = ["left", "right"] * 6

    def recorded(gain):
        data = rng.standard_normal((3, 250 * 100)) * 2e-5
        for i, kind in enumerate(kinds):
            data[0 if kind == "left" else 2, 250 * (5 + 7 * i):250 * (9 + 7 * i)] *= gain
        raw = mne.io.RawArray(data, info, verbose="error")
        return raw.set_annotations(mne.Annotations(5 + 7 * np.arange(len(kinds)), 1, kinds))

    paths = []
    raws = [recorded(gain) for gain in (2, 3, 2.5)]
    for k, raw in enumerate(raws):
        paths.append(tmp_path / f"S{k}_raw.fif")
        raw.save(paths[-1], fmt="double", verbose="error")
    events = {"left": "left", "right": "right"}
    model = congru.train(congru.read(paths[:2], events=events, band=(8, 30)), "ra+mdm")
    of_file = model.predict(congru.read(paths[2], like=model))
    of_raw = model.predict(raws[2])
    np.testing.assert_array_equal(of_raw.probability, of_file.probability)
    assert len(of_raw.label) == 12
    assert len(model.predict(raws[2], events={"left": "left"}).label) == 6
    slow = congru.train(congru.read(paths[:2], events=events, band=None, notch=None, window=(-0.5, 4), keep_signals=True), "slow")
    assert slow.predict(raws[2]).probability.shape == (12, 2)

    def epochs(raw):
        found, _ = mne.events_from_annotations(raw, {"left": 7, "right": 9}, verbose="error")
        return mne.Epochs(raw, found, {"left": 7, "right": 9}, -0.5, 4, baseline=None, preload=True, verbose="error")

    wide = congru.Set.from_epochs({"a": epochs(raws[0]), "b": epochs(raws[1])})
    model = congru.train(wide, "ra+tslr", band=(8, 30), window=(0.5, 3.5))
    cut = epochs(raws[2])
    expected = model.predict(congru.Set.from_epochs(cut)).probability
    np.testing.assert_array_equal(model.predict(cut).probability, expected)
    np.testing.assert_array_equal(model.predict({"c": cut}).probability, expected)
    np.testing.assert_array_equal(model.predict_proba(cut.get_data() * 1e6, fs=250, tmin=-0.5, channels=["C3", "Cz", "C4"]),
                                  expected)
    for data, words, said in ((cut, dict(fs=250), "fs: mne.Epochs needs no such word"),
                              (wide, dict(tmin=0), "tmin: a Set needs no such word"),
                              (cut.get_data() * 1e6, dict(events={"a": "b"}), "events: an array needs no such word"),
                              (cut.get_data() * 1e6, {}, "rate|fs"), ("S01.edf", {}, "congru.read reads files")):
        with pytest.raises((ValueError, TypeError), match=said):
            model.predict(data, **words)


def test_a_recording_of_mne_has_the_run_of_its_file(tmp_path):
    mne = pytest.importorskip("mne")
    rng = np.random.default_rng(4)

    def record(name):
        info = mne.create_info(["C3", "Cz", "C4"], 100.0, "eeg")
        raw = mne.io.RawArray(rng.standard_normal((3, 3000)) * 1e-5, info, verbose="error")
        raw.set_annotations(mne.Annotations(2 + 5 * np.arange(5), 1, ["T1", "T2", "T1", "T2", "T1"]))
        raw.save(tmp_path / name, fmt="double", verbose="error")
        return tmp_path / name

    files = [record(f"S00{k}R04.fif") for k in (1, 2)]
    model = congru.train(congru.read(files, preset="eegmmidb", channels=["C3", "Cz", "C4"]), "ra+mdm")
    raw = mne.io.read_raw_fif(files[0], verbose="error")
    of_file = model.predict(congru.read(files[0], like=model))
    np.testing.assert_array_equal(model.predict(raw).probability, of_file.probability)
    bare = mne.io.RawArray(raw.get_data(), raw.info, verbose="error").set_annotations(raw.annotations)
    with pytest.raises(congru.FormatError, match="the model needs the number of the run in the file's name .give events"):
        model.predict(bare)
    assert len(model.predict(bare, events={"T1": "left_fist", "T2": "right_fist"}).label) == 4


def test_files_of_another_kind_are_told_for_what_they_are(tmp_path, small):
    small.save(tmp_path / "set.npz")
    congru.train(small, "ra+mdm").save(tmp_path / "model.safetensors")
    with pytest.raises(congru.FormatError, match="set.npz: a set of trials, where a model is needed .congru.load_set reads"):
        congru.load(tmp_path / "set.npz")
    with pytest.raises(congru.FormatError, match="model.safetensors: a model, where a set is needed .congru.load reads it"):
        congru.load_set(tmp_path / "model.safetensors")
    (tmp_path / "S01.csv").write_text("time,C3,Cz\n0,1,2\n0.01,3,1\n")
    with pytest.raises(congru.FormatError, match="S01.csv: a file of EEG, where a model is needed .congru.read makes a set"):
        congru.load(tmp_path / "S01.csv")
    (tmp_path / "odd").write_bytes(b"\0" * 100)
    with pytest.raises(congru.FormatError, match="safetensors"):
        congru.load(tmp_path / "odd")


def test_a_list_of_one_pipeline_is_that_pipeline(small):
    assert congru.train(small, ["ra+mdm"]).pipeline == congru.train(small, "ra+mdm").pipeline == "ra+mdm"
    with pytest.raises(congru.ArgumentError, match="a model has one pipeline, not 2; congru.loso compares several"):
        congru.train(small, ["ra+mdm", "ra+tslr"])


def test_texts_speak_of_arguments():
    from congru import _native

    assert _native.spoken("(import it anew with --keep-signals)") == "(read it with keep_signals=True)"
    assert _native.spoken("(import it with --rate, or save it as 'fs')") == "(give fs, or rate to congru.read)"
    assert _native.spoken("unknown preset 'x' ('congru presets' lists them)") == "unknown preset 'x' (congru.presets() lists them)"
    assert _native.spoken("(give --rpa-labels 0)") == "(give rpa_labels 0)"
    assert _native.spoken("--C is 0; see 'congru loso' or 'congru info'") == "C is 0; see 'congru.loso' or 'congru info'"
    assert _native.spoken("a--b.edf, -- and /x/--y stay") == "a--b.edf, -- and /x/--y stay"
    with pytest.raises(congru.ArgumentError) as caught:
        congru.within(congru.synth(subjects=2, trials=2, channels=4), ["ra+mdm"], folds=100)
    assert "has 8 trials for 100 folds; folds takes 2 to 8" in str(caught.value)
    with pytest.raises(congru.ArgumentError, match="labelled trials of the target subject .calibration. need 'congru.loso' with"):
        congru.loso(congru.synth(subjects=3, trials=8, channels=4), ["ra+mdm"], calibration=1, target="none")
    option = re.compile(r"(?<![\w-])--[a-z]")
    assert [name for name in congru.__all__ if isinstance(getattr(congru, name), type) and option.search(getattr(congru, name).__doc__ or "")] == []
