#!/usr/bin/env python3
"""Losses and gradients of the networks that decide by themselves, by PyTorch, for tests/network_twins.c.

usage: oracle_twins.py tests/data/networks.txt > tests/data/twins.txt

The file given holds trials, labels and batches. Networks are modules as their papers describe them, in double precision.
First weights are drawn by the library's generator, here as there. Of every tensor its norm is stored and its products with
16 random vectors, at the first weights and after 20 steps of Adam, in the library's layout: channels last.

SPDX-License-Identifier: Apache-2.0
"""
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_default_dtype(torch.float64)
STEPS, BATCH, PROJECTIONS, SEED, RATE, STREAM = 20, 24, 16, 50, 1e-3, 0x6205


def uniform(count, a, b=0, c=0, seed=SEED):
    """`count` numbers of congru_random_uniform from the stream (seed, a, b, c)."""
    blocks, mask = (count + 1) // 2, np.uint64(0xFFFFFFFF)
    x = [np.arange(blocks, dtype=np.uint64)] + [np.full(blocks, v, dtype=np.uint64) for v in (a, b, c)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        x = [(q >> np.uint64(32)) ^ x[1] ^ np.uint64(key[0]), q & mask,
             (p >> np.uint64(32)) ^ x[3] ^ np.uint64(key[1]), p & mask]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    bits = np.stack([x[1] << np.uint64(32) | x[0], x[3] << np.uint64(32) | x[2]], 1).reshape(-1)[:count]
    return torch.from_numpy((bits >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def load(file):
    words, stored = open(file).read().split(), {}
    while words:
        name, count = words[0], int(words[1])
        stored[name] = torch.tensor([float(w) for w in words[2:2 + count]])
        words = words[2 + count:]
    d = round((len(stored["covariance"]) / len(stored["label"])) ** 0.5)
    return (stored["covariance"].view(-1, d, d), stored["label"].long(),
            stored["batches"].long().view(-1, BATCH))


# ---- parts: each parameter knows its shape in the library's layout ------------------------------------------------

class Weights(nn.Module):
    """Parameters in the order, shapes and first values of the library's segments."""

    def __init__(self):
        super().__init__()
        self.list, self.kinds = nn.ParameterList(), []

    def add(self, rows, cols, spread, centre=0.0, kind=""):
        first = centre + spread * (2 * uniform(rows * cols, STREAM, len(self.list)) - 1)
        first = first.view(rows, cols)
        self.list.append(nn.Parameter(orthonormal(first) if kind == "stiefel" else shorten(first, kind)))
        self.kinds.append(kind)
        return len(self.list) - 1


def orthonormal(w):
    q, r = torch.linalg.qr(w)
    return q * torch.sign(torch.diagonal(r))


def shorten(w, kind):
    return torch.renorm(w, 2, 0, float(kind[5:])) if kind.startswith("norm ") else w


class MatrixFunction(torch.autograd.Function):
    """f of symmetric matrices; backward by the divided differences of f."""

    @staticmethod
    def forward(ctx, x, f, slope):
        values, vectors = torch.linalg.eigh(x)
        image = f(values)
        gap = values[..., :, None] - values[..., None, :]
        close = gap.abs() <= 1e-9
        rise = image[..., :, None] - image[..., None, :]
        ctx.save_for_backward(vectors, torch.where(close, slope(values)[..., None, :] + 0 * gap,
                                                   rise / gap.masked_fill(close, 1)))
        return (vectors * image[..., None, :]) @ vectors.mT

    @staticmethod
    def backward(ctx, grad):
        vectors, quotient = ctx.saved_tensors
        return vectors @ (quotient * (vectors.mT @ ((grad + grad.mT) / 2) @ vectors)) @ vectors.mT, None, None


def log(x):
    return MatrixFunction.apply(x, torch.log, torch.reciprocal)


def rectify(x, least=1e-4):
    return MatrixFunction.apply(x, lambda v: v.clamp(min=least), lambda v: (v > least).to(v.dtype))


def triangle(x):
    i, j = torch.triu_indices(x.shape[-1], x.shape[-1])
    return x[..., i, j] * torch.where(i == j, 1.0, 2 ** 0.5)


# ---- networks -----------------------------------------------------------------------------------------------------

class SpdCnn(Weights):
    def __init__(self, d, classes, tangent, mean):
        super().__init__()
        self.tangent, self.mean = tangent, mean
        for before, after in ((1, 32), (32, 64)):
            self.add(9 * before, after, 1 / math.sqrt(9 * before))
            self.add(1, after, 1 / math.sqrt(9 * before))
        features = 64 if mean else 64 * d * d
        self.add(classes, features, 1 / math.sqrt(features))
        self.add(1, classes, 1 / math.sqrt(features))

    def forward(self, c):
        x = (log(c) if self.tangent else c)[:, None]
        for k in (0, 2):
            kernel = self.list[k].view(3, 3, -1, self.list[k].shape[1]).permute(3, 2, 0, 1)
            x = F.relu(F.conv2d(x, kernel, self.list[k + 1][0], padding=1))
        x = x.mean((2, 3)) if self.mean else x.permute(0, 2, 3, 1).flatten(1)
        return x @ self.list[4].T + self.list[5]


class SpdNet(Weights):
    def __init__(self, d, classes):
        super().__init__()
        widths = [d, max(d // 2, 2), max(d // 4, 2)]
        for a, b in zip(widths, widths[1:]):
            self.add(a, b, 1.0, kind="stiefel")
        features = widths[2] * (widths[2] + 1) // 2
        self.add(classes, features, 1 / math.sqrt(features))
        self.add(1, classes, 1 / math.sqrt(features))

    def forward(self, c):
        for w in (self.list[0], self.list[1]):
            c = rectify(w.T @ c @ w)
        return triangle(log(c)) @ self.list[2].T + self.list[3]


# ---- twenty steps -------------------------------------------------------------------------------------------------

def show(name, values):
    print(name, len(values))
    for start in range(0, len(values), 6):
        print(" ".join("%.17g" % float(v) for v in values[start:start + 6]))


def show_tensors(name, tensors):
    numbers = []
    for k, tensor in enumerate(tensors):
        flat = tensor.reshape(-1)
        numbers += [len(flat), flat.norm()]
        numbers += [(uniform(len(flat), 5, k, p) - 0.5) @ flat for p in range(PROJECTIONS)]
    show(name, numbers)


def gradient(network, c, y):
    loss = F.cross_entropy(network(c), y)
    network.zero_grad()
    loss.backward()
    for w, kind in zip(network.list, network.kinds):
        if w.grad is None:
            w.grad = torch.zeros_like(w)
        if kind == "stiefel":
            product = w.data.T @ w.grad
            w.grad -= w.data @ (product + product.T) / 2
    return loss


def follow(name, network, c, y, batches):
    adam = torch.optim.Adam(network.parameters(), lr=RATE)
    for step in range(STEPS + 1):
        loss = gradient(network, c[batches[step]], y[batches[step]])
        if step in (0, STEPS):
            show("%s.%d.loss" % (name, step), [loss.item()])
            show_tensors("%s.%d.gradient" % (name, step), [w.grad for w in network.list])
        if step < STEPS:
            adam.step()
            with torch.no_grad():
                for w, kind in zip(network.list, network.kinds):
                    w.copy_(orthonormal(w) if kind == "stiefel" else shorten(w, kind))
    show_tensors(name + ".parameters", [w.data for w in network.list])


def main():
    c, y, batches = load(sys.argv[1])
    d, classes = c.shape[1], int(y.max()) + 1
    follow("spd-cnn", SpdCnn(d, classes, False, False), c, y, batches)
    follow("spd-cnn-mean", SpdCnn(d, classes, False, True), c, y, batches)
    follow("ts-spd-cnn", SpdCnn(d, classes, True, False), c, y, batches)
    follow("spdnet", SpdNet(d, classes), c, y, batches)


main()
