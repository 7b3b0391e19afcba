#!/usr/bin/python3
# One training step of each network of other authors in PyTorch, on demand. SPDX-License-Identifier: Apache-2.0
#
# usage: networks_torch.py BATCH CHANNELS SAMPLES RATE TURN [NETWORKS.PY]    (Debian: python3-torch, libopenblas-dev)
#
# Prints a line "NETWORK published|joined" for each way to run a network, then "ready". Then takes lines "WAY THREADS", WAY
# being a number of these lines from 0 on, runs a step to warm up and TURN more, and prints the milliseconds of each.
#
# The modules are those of tests/oracle/oracle_twins.py, in single precision, without dropout: `published` has the layers in
# the order of the papers, `joined` one convolution instead of two with nothing between them. NETWORKS.PY, where it is given, is
# an independent program of the same networks (classes in NETWORKS, prepare(), constrain()), which adds ways of its own.
import importlib.util
import os
import pathlib
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more are slower on matrices of this size
import torch
import torch.nn.functional as F

BATCH, CHANNELS, SAMPLES, RATE, TURN = map(int, sys.argv[1:6])
CLASSES, SUBJECTS = 4, 4


def load(name, path):
    sys.path.insert(0, str(pathlib.Path(path).parent))  # what it imports stands beside it
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def step(network, x, y, more, constrain, dtype):
    adam = torch.optim.Adam(network.parameters(), lr=1e-3)

    def run():
        torch.set_default_dtype(dtype)
        loss = F.cross_entropy(network(x, *more), y)
        adam.zero_grad()
        loss.backward()
        adam.step()
        with torch.no_grad():
            constrain()
        return loss.item()

    return run


def join(self, x, place):
    """The two convolutions as one."""
    time_, space = self.list[place], self.list[place + 1]
    filters = time_.shape[1]
    return F.conv1d(x, torch.einsum("fco,kf->ock", space.view(filters, CHANNELS, -1), time_))


def of_twins(twins, x, y, subjects):
    twins.CHANNELS, twins.SAMPLES, twins.FREQUENCY = CHANNELS, SAMPLES, RATE
    joined = [type(make.__name__, (make,), {"apply_time_space": join})
              for make in (twins.Shallow, twins.Deep, twins.Conformer)]
    c = x @ x.mT / SAMPLES
    makes = {"spd-cnn": lambda: twins.SpdCnn(CHANNELS, CLASSES, False, False),
             "ts-spd-cnn": lambda: twins.SpdCnn(CHANNELS, CLASSES, True, False),
             "spdnet": lambda: twins.SpdNet(CHANNELS, CLASSES), "tsmnet": lambda: twins.TsmNet(CLASSES),
             "shallow": lambda: twins.Shallow(CLASSES), "deep": lambda: twins.Deep(CLASSES),
             "eegnet": lambda: twins.EegNet(CLASSES), "conformer": lambda: twins.Conformer(CLASSES),
             "inception": lambda: twins.Inception(CLASSES)}
    for name, make in makes.items():
        for how, build in [("published", make)] + [("joined", lambda k=k: joined[k](CLASSES)) for k in range(3)
                                                   if ("shallow", "deep", "conformer")[k] == name]:
            network = build()
            spectral = name in ("spdnet", "tsmnet")
            network = network if spectral else network.float()
            data = (c if "spd" in name else x) if spectral else (c if "spd" in name else x).float()

            def constrain(network=network):
                for w, kind in zip(network.list, network.kinds):
                    w.copy_(twins.orthonormal(w) if kind == "stiefel" else twins.shorten(w, kind))

            yield name, how, step(network, data, y, [subjects] if getattr(network, "by_subject", False) else [], constrain,
                                  torch.float64)


def of_others(others, x, y, subjects):
    for name, make in others.NETWORKS.items():
        network = make(CHANNELS, SAMPLES, CLASSES, RATE)
        network.train()
        data = others.inputs(x.numpy(), network.kind)
        ways = [("joined", [subjects] if network.by_subject else [])]
        prepared = [*network.prepare(data)]
        for how, more in ways + ([("joined", prepared)] if prepared else []):
            yield name.replace("_", "-"), how, step(network, data, y, more, network.constrain, torch.float32)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    torch.manual_seed(1)
    twins = load("twins", root / "tests/oracle/oracle_twins.py")
    x = torch.randn(BATCH, CHANNELS, SAMPLES, dtype=torch.float64)
    y, subjects = torch.arange(BATCH) % CLASSES, torch.arange(BATCH) * SUBJECTS // BATCH
    ways = [*of_twins(twins, x, y, subjects)]
    torch.set_default_dtype(torch.float32)
    if len(sys.argv) > 6:
        ways += [*of_others(load("others", sys.argv[6]), x, y, subjects)]
    for name, how, _ in ways:
        print(name, how, flush=True)
    print("ready .", flush=True)
    for line in sys.stdin:
        way, threads = map(int, line.split())
        torch.set_num_threads(threads)
        for k in range(1 + TURN):
            before = time.perf_counter()
            ways[way][2]()
            if k > 0:
                print(f"{(time.perf_counter() - before) * 1e3:.4f}", flush=True)


main()
