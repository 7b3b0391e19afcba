"""Models and the live decoder. SPDX-License-Identifier: Apache-2.0"""
import pickle

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


def test_references_move(live, recorded):
    moving, fixed = congru.Decoder(live), congru.Decoder(live, adaptation="never")
    before = moving.reference
    moving.push(frames_of(recorded)), fixed.push(frames_of(recorded))
    assert congru.distance(before, moving.reference) > 0.01
    np.testing.assert_array_equal(fixed.reference, before)
