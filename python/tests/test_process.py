"""Threads, forks, signals and memory. SPDX-License-Identifier: Apache-2.0"""
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import spd

import congru

LONG = {"pipelines": "ddct-unet-e2e", "steps": 1000000}


def run_until(event, data):
    """loso in another thread, which goes on until the event is set."""
    ended = []

    def work():
        try:
            congru.loso(data, LONG["pipelines"], steps=LONG["steps"], threads=1, progress=lambda *_: not event.is_set())
        except congru.CancelledError as error:
            ended.append(error)
    thread = threading.Thread(target=work)
    thread.start()
    return thread, ended


def test_a_run_does_not_block_other_threads(small):
    stop = threading.Event()
    thread, ended = run_until(stop, small)
    try:
        time.sleep(0.3)
        c = spd(20, 6)
        expected = congru.logm(c)
        begun, calls, longest = time.perf_counter(), 0, 0.0
        while time.perf_counter() - begun < 1.0:
            one = time.perf_counter()
            np.testing.assert_array_equal(congru.logm(c), expected)
            longest = max(longest, time.perf_counter() - one)
            calls += 1
        # A fold of this run takes minutes: a call that waited for one would not have ended.
        assert thread.is_alive() and calls > 10 and longest < 5
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive() and len(ended) == 1


def test_many_threads_at_once(small):
    c = spd(50, 8)
    expected = congru.mean(c), congru.loso(small, ["ra+mdm", "ra+tslr"]).means()
    model = congru.train(small, "ra+tslr")
    probability = model.predict_proba(small)
    wrong = []

    def work():
        for _ in range(5):
            if not np.array_equal(congru.mean(c), expected[0]):
                wrong.append("mean")
            if congru.loso(small, ["ra+mdm", "ra+tslr"]).means() != expected[1]:
                wrong.append("loso")
            if not np.array_equal(model.predict_proba(small), probability):
                wrong.append("predict")
            try:
                congru.logm(-np.eye(3))
                wrong.append("no error")
            except ValueError as error:
                if "matrix 1 of 1" not in str(error):
                    wrong.append(str(error))
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_change_nothing(small):
    c = spd(100, 9)
    found = []
    for threads in (1, 2, 3):
        congru.set_threads(threads)
        found.append((congru.mean(c), congru.train(small, "dct-e2e", steps=5).predict_proba(small)))
    congru.set_threads(0)
    for mean, probability in found[1:]:
        np.testing.assert_array_equal(mean, found[0][0])
        np.testing.assert_array_equal(probability, found[0][1])
    with pytest.raises(ValueError, match="threads"):
        congru.set_threads(-1)


def test_a_forked_process_works(small):
    expected = congru.mean(spd(200, 10))
    child = os.fork()
    if child == 0:
        try:
            same = np.array_equal(congru.mean(spd(200, 10)), expected)
            os._exit(0 if same and congru.loso(small, "ra+mdm").pipelines == ["ra+mdm"] else 1)
        except BaseException:
            os._exit(2)
    deadline = time.time() + 60
    while time.time() < deadline:
        done, state = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.WEXITSTATUS(state) == 0 and not os.WIFSIGNALED(state)
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the forked process hangs")


INTERRUPTED = """
    import os, sys, congru
    s = congru.synth("distortion", subjects=4, trials=8, channels=5)
    try:
        r = congru.loso(s, ["ra+mdm", "dldct-e2e"], steps=int(sys.argv[2]), folder=sys.argv[1], threads=1)
        print("done", r.resumed, r.means(), flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(7)
"""


def test_interrupt_stops_a_run_that_is_then_resumed(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent(INTERRUPTED))
    command = [sys.executable, str(script), str(tmp_path / "r"), "4000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # No Python runs in the meantime: the library's own progress looks for the signal.
        deadline = time.time() + 60
        while time.time() < deadline and len(list(tmp_path.glob("r/folds/*"))) < 1:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 7 and "interrupted" in out and err == ""
    partly = congru.read_results(tmp_path / "r")
    assert partly.missing > 0 and len(partly.folds) >= 1
    # Fewer steps are another run, which is refused; what was made by the first is there.
    refused = subprocess.run(command[:-1] + ["30"], capture_output=True, text=True)
    assert refused.returncode == 1 and " steps 4000 there, steps 30 here" in refused.stderr


def test_a_resumed_run_ends_with_the_same_bits(tmp_path, small):
    whole = congru.loso(small, ["ra+mdm", "dldct-e2e"], steps=1500, folder=tmp_path / "whole", threads=1)
    with pytest.raises(congru.CancelledError):
        congru.loso(small, ["ra+mdm", "dldct-e2e"], steps=1500, folder=tmp_path / "parts", threads=1,
                    progress=lambda done, *_: done < 1)
    resumed = congru.loso(small, ["ra+mdm", "dldct-e2e"], steps=1500, folder=tmp_path / "parts", threads=1)
    assert 0 < resumed.resumed < 8
    a, b = ((tmp_path / name / "predictions.csv").read_bytes() for name in ("whole", "parts"))
    assert a == b and whole.means() == resumed.means()


# ---- Memory --------------------------------------------------------------------------------------------

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def wrong_calls(c):
    for call in (lambda: congru.logm(-c), lambda: congru.logm(c[0, 0]), lambda: congru.distance(c, c[:, :2, :2])):
        with pytest.raises(ValueError):
            call()


def test_nothing_leaks_over_ten_thousand_calls(small):
    c = spd(4, 3)
    weights = np.ones(4)
    part = small[:16]
    model = congru.train(small, "ra+mdm")
    live = congru.synth(subjects=2, trials=2, channels=4, samples=300)
    stream = congru.train(live.preprocess(band=(8, 30), causal=True, notch=None), "ra+mdm")

    def geometry():
        congru.logm(c), congru.mean(c, sample_weight=weights), congru.distance(c, c[0]), congru.pairwise_distance(c)
        congru.tangent_space(c, c[0]), congru.geodesic(c, c[0], 0.5), congru.covariances(c)

    def objects():
        s = congru.Set(c, ["a", "b", "a", "b"], [1, 1, 2, 2], channels=["x", "y", "z"])
        s.X, s.y, s.labels, s.subject, s.preprocessing
        model.tensors, congru.Model.from_bytes(model.to_bytes()).predict(part, aligned=True)
        congru.Decoder(stream, rate=100).push(live.signals[0].T[:280])

    def loops(count_geometry, count_objects):
        for _ in range(count_geometry):
            geometry()
        for _ in range(count_objects):
            objects()
        for _ in range(count_objects // 4):
            wrong_calls(c)
        gc.collect()

    loops(200, 100)
    held, before = sys.getrefcount(c), resident()
    loops(1250, 250)  # 7 calls of geometry, 8 of objects, 3 wrong ones: more than 10,000
    grown = resident() - before
    assert sys.getrefcount(c) == held
    assert grown < 2 << 20, f"{grown} bytes more after 10,000 calls"
    assert len([o for o in gc.get_objects() if type(o) is congru.Set]) < 20


def test_overhead_of_a_call():
    """The least of many: a busy machine makes them longer, never shorter."""
    one = spd(1, 3)[0]
    best = {}
    for name, call in (("logm", lambda: congru.logm(one)), ("distance", lambda: congru.distance(one, one)),
                       ("tangent_space", lambda: congru.tangent_space(one, one))):
        best[name] = min(_time(call) for _ in range(2000))
    print({name: f"{1e6 * value:.1f} us" for name, value in best.items()})
    assert max(best.values()) < 20e-6


def _time(call):
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def test_geometry_needs_numpy_alone():
    script = """
        import sys
        for name in ("sklearn", "scipy", "pandas", "mne"):
            sys.modules[name] = None
        import congru, numpy as np
        assert congru.distance(np.eye(2), np.e * np.eye(2)) > 1
        assert congru.loso(congru.synth(subjects=3, trials=4, channels=4), "ra+mdm").means()["ra+mdm"] > 0
        try:
            congru.MDM
        except AttributeError as error:
            assert "scikit-learn" in str(error)
        else:
            raise SystemExit("MDM without scikit-learn")
        assert "loso" in dir(congru)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


def test_each_interpreter_has_its_own_exceptions():
    """NumPy is of one interpreter, and so is all of the package that needs it: the extension and its errors are not."""
    pytest.importorskip("_xxsubinterpreters")
    code = textwrap.dedent("""
        import sys, types, warnings
        warnings.simplefilter("ignore")
        package = types.ModuleType("congru")
        package.__path__ = [PLACE]
        sys.modules["congru"] = package
        from congru import _native, errors
        def refused():
            try:
                _native.results_read("/nowhere")
            except errors.FileError:
                return
            raise SystemError("no exception")
        refused()
        """).replace("PLACE", repr(os.path.dirname(congru.__file__)))
    both = code + f"import _xxsubinterpreters as run\nrun.run_string(run.create(), {code!r})\nrefused()\n"
    done = subprocess.run([sys.executable, "-c", both], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
