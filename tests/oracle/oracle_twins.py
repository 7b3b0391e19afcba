#!/usr/bin/env python3
"""Losses and gradients of the networks that decide by themselves, by PyTorch, for tests/network/network_twins.c.

usage: oracle_twins.py tests/data/networks.txt > tests/data/twins.txt

The file given holds trials, labels and batches. Networks are modules as their papers describe them, in double precision.
First weights are drawn by the library's generator, here as there. Of every tensor its norm is stored and its products with
16 random vectors, at the first weights and after 20 steps of Adam, in the library's layout: channels last.

SPDX-License-Identifier: Apache-2.0
"""
import math
import sys

import congru_random
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_default_dtype(torch.float64)
STEPS, BATCH, PROJECTIONS, SEED, RATE, STREAM = 20, 24, 16, 50, 1e-3, 0x6205


def uniform(count, a, b=0, c=0):
    return congru_random.uniform(count, a, b, c, SEED)


def load(file):
    words, stored = open(file).read().split(), {}
    while words:
        name, count = words[0], int(words[1])
        stored[name] = torch.tensor([float(w) for w in words[2:2 + count]])
        words = words[2 + count:]
    d = round((len(stored["covariance"]) / len(stored["label"])) ** 0.5)
    return (stored["covariance"].view(-1, d, d), stored["label"].long(), stored["subject"].long(),
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


def floored_log(x, jitter, floor=1e-5):
    return MatrixFunction.apply(x, lambda v: (v + jitter).clamp(min=floor).log(),
                                lambda v: torch.where(v + jitter > floor, 1 / (v + jitter), torch.zeros_like(v)))


def exp(x):
    return MatrixFunction.apply(x, torch.exp, torch.exp)


def power(x, p):
    return MatrixFunction.apply(x, lambda v: v ** p, lambda v: p * v ** (p - 1))


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


# ---- networks on signals: (batch, samples, channels), as published, without dropout ------------------------------------

CHANNELS, SAMPLES, FREQUENCY = 3, 450, 20


def signals(y):
    """Noise, with a channel louder for each class."""
    x = torch.stack([(uniform(CHANNELS * SAMPLES, 9, n) - 0.5).view(CHANNELS, SAMPLES) for n in range(len(y))])
    x[torch.arange(len(y)), y % CHANNELS] *= 1.5
    return x


class OnSignals(Weights):
    def glorot(self, rows, cols, before, after, kind=""):
        return self.add(rows, cols, math.sqrt(6 / (before + after)), kind=kind)

    def normaliser(self, channels):
        """Gain, bias, and the mean and variance that prediction uses."""
        first = [self.add(1, channels, 0.0, 1.0), self.add(1, channels, 0.0), self.add(2, channels, 0.0)]
        with torch.no_grad():
            self.list[-1][1] = 1.0
        return first[0]

    def normalise(self, x, place, epsilon, share):
        """x (batch, channels, samples)."""
        gain, bias, kept = self.list[place][0], self.list[place + 1][0], self.list[place + 2]
        mean, variance = kept.data[0].clone(), kept.data[1].clone()
        y = F.batch_norm(x, mean, variance, gain, bias, True, share, epsilon)
        kept.data[0], kept.data[1] = mean, variance
        return y

    def time_space(self, filters, taps):
        self.glorot(taps, filters, taps, filters * taps)
        self.glorot(filters * CHANNELS, filters, filters * CHANNELS, filters * CHANNELS)

    def apply_time_space(self, x, place):
        time, space = self.list[place], self.list[place + 1]
        filters = time.shape[1]
        y = F.conv2d(x[:, None], time.T[:, None, None])
        return F.conv2d(y, space.view(filters, CHANNELS, filters).permute(2, 0, 1)[..., None])[:, :, 0]

    def convolve(self, x, place):
        w = self.list[place]
        return F.conv1d(x, w.view(-1, x.shape[1], w.shape[1]).permute(2, 1, 0))

    def scores(self, features, classes, kind=""):
        self.glorot(classes, features, features, classes, kind)
        self.add(1, classes, 0.0)

    def read(self, x):
        return x.mT.flatten(1) @ self.list[-2].T + self.list[-1]


class Shallow(OnSignals):
    def __init__(self, classes):
        super().__init__()
        self.time_space(40, 25)
        self.normaliser(40)
        self.scores(40 * ((SAMPLES - 24 - 75) // 15 + 1), classes)

    def forward(self, x):
        y = self.normalise(self.apply_time_space(x, 0), 2, 1e-5, 0.1)
        return self.read(F.avg_pool1d(y.square(), 75, 15).clamp(min=1e-6).log())


class Deep(OnSignals):
    def __init__(self, classes):
        super().__init__()
        self.time_space(25, 10)
        self.normaliser(25)
        left, width = (SAMPLES - 9) // 3, 25
        for wider in (50, 100, 200):
            self.glorot(10 * width, wider, 10 * width, 10 * wider)
            self.normaliser(wider)
            left, width = (left - 9) // 3, wider
        self.scores(width * left, classes)

    def forward(self, x):
        x, place = self.apply_time_space(x, 0), 2
        while True:
            x = F.max_pool1d(F.elu(self.normalise(x, place, 1e-5, 0.1)), 3)
            if place + 3 == len(self.list) - 2:
                return self.read(x)
            x, place = self.convolve(x, place + 3), place + 4


class EegNet(OnSignals):
    def __init__(self, classes):
        super().__init__()
        taps = FREQUENCY // 2
        self.glorot(taps, 8, taps, taps * 8)
        self.add(4, 8, 0.0)
        with torch.no_grad():
            self.list[1][0] = self.list[1][3] = 1.0
        self.glorot(16, CHANNELS, 2 * CHANNELS, 8 * CHANNELS, "norm 1")
        self.normaliser(16)
        self.glorot(16, 16, 16, 16 * 16)
        self.glorot(16, 16, 16, 16)
        self.normaliser(16)
        self.scores(16 * (SAMPLES // 4 // 8), classes, "norm 0.25")

    def forward(self, x):
        time, norm, space = self.list[0], self.list[1], self.list[2]
        taps = len(time)
        y = F.conv2d(F.pad(x[:, None], ((taps - 1) // 2, taps // 2)), time.T[:, None, None])
        mean, variance = norm.data[2].clone(), norm.data[3].clone()
        y = F.batch_norm(y, mean, variance, norm[0], norm[1], True, 0.01, 1e-3)
        norm.data[2], norm.data[3] = mean, variance
        y = F.conv2d(y, space.view(16, 1, CHANNELS, 1), groups=8)[:, :, 0]
        y = F.avg_pool1d(F.elu(self.normalise(y, 3, 1e-3, 0.01)), 4)
        y = F.conv1d(F.pad(y, (7, 8)), self.list[6].T[:, None], groups=16)
        y = self.normalise(self.convolve(y, 7), 8, 1e-3, 0.01)
        return self.read(F.avg_pool1d(F.elu(y), 8))


class Conformer(OnSignals):
    """Queries, keys and values of all heads are beside each other; scores are divided by the root of the token's length."""

    def __init__(self, classes, width=40, blocks=6, heads=10):
        super().__init__()
        self.heads, self.blocks = heads, blocks
        self.add(25, width, 1 / math.sqrt(25))
        self.add(width * CHANNELS, width, 1 / math.sqrt(width * CHANNELS))
        self.normaliser(width)
        self.dense(width, width)
        for _ in range(blocks):
            self.layer_norm(width)
            self.dense(width, 3 * width)
            self.dense(width, width)
            self.layer_norm(width)
            self.dense(width, 4 * width)
            self.dense(4 * width, width)
        self.dense(width * ((SAMPLES - 24 - 75) // 15 + 1), 256)
        self.dense(256, 32)
        self.add(classes, 32, 1 / math.sqrt(32))
        self.add(1, classes, 1 / math.sqrt(32))

    def dense(self, before, after):
        self.add(before, after, 1 / math.sqrt(before))
        self.add(1, after, 1 / math.sqrt(before))

    def layer_norm(self, width):
        self.add(1, width, 0.0, 1.0)
        self.add(1, width, 0.0)

    def forward(self, x):
        place = iter(range(5, len(self.list)))

        def dense(x):
            return x @ self.list[next(place)] + self.list[next(place)]

        def norm(x):
            return F.layer_norm(x, x.shape[-1:], self.list[next(place)][0], self.list[next(place)][0])

        y = F.elu(self.normalise(self.apply_time_space(x, 0), 2, 1e-5, 0.1))
        y = dense(F.avg_pool1d(y, 75, 15).mT)
        for _ in range(self.blocks):
            q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in dense(norm(y)).chunk(3, 2))
            weights = (q @ k.mT / y.shape[2] ** 0.5).softmax(3)
            y = y + dense((weights @ v).transpose(1, 2).flatten(2))
            y = y + dense(F.gelu(dense(norm(y))))
        return F.elu(dense(F.elu(dense(y.flatten(1))))) @ self.list[-2].T + self.list[-1]


class Inception(OnSignals):
    def __init__(self, classes):
        super().__init__()
        self.scales, self.units = [FREQUENCY // 2, FREQUENCY // 4, FREQUENCY // 8], []
        for taps in self.scales:
            time = self.glorot(taps, 8, taps, taps * 8)
            norm = self.add(4, 8, 0.0)
            with torch.no_grad():
                self.list[norm][0] = self.list[norm][3] = 1.0
            self.glorot(16, CHANNELS, 2 * CHANNELS, 8 * CHANNELS, "norm 1")
            self.normaliser(16)
            self.units.append(time)
        self.second = [self.unit(48, 8, max(taps // 4, 1)) for taps in self.scales]
        self.third, self.fourth = self.unit(24, 12, 8), self.unit(12, 6, 4)
        self.scores(6 * (SAMPLES // 4 // 2 // 2 // 2), classes)

    def unit(self, width, wider, taps):
        place = self.glorot(taps * width, wider, taps * width, taps * wider)
        self.normaliser(wider)
        return place

    def apply_unit(self, x, place):
        taps = len(self.list[place]) // x.shape[1]
        y = self.convolve(F.pad(x, ((taps - 1) // 2, taps // 2)), place)
        return F.elu(self.normalise(y, place + 1, 1e-3, 0.01))

    def branch(self, x, place):
        time, norm, space = self.list[place], self.list[place + 1], self.list[place + 2]
        y = F.conv2d(F.pad(x[:, None], ((len(time) - 1) // 2, len(time) // 2)), time.T[:, None, None])
        mean, variance = norm.data[2].clone(), norm.data[3].clone()
        y = F.elu(F.batch_norm(y, mean, variance, norm[0], norm[1], True, 0.01, 1e-3))
        norm.data[2], norm.data[3] = mean, variance
        y = F.conv2d(y, space.view(16, 1, CHANNELS, 1), groups=8)[:, :, 0]
        return F.elu(self.normalise(y, place + 3, 1e-3, 0.01))

    def forward(self, x):
        y = F.avg_pool1d(torch.cat([self.branch(x, place) for place in self.units], 1), 4)
        y = F.avg_pool1d(torch.cat([self.apply_unit(y, place) for place in self.second], 1), 2)
        y = F.avg_pool1d(self.apply_unit(y, self.third), 2)
        return self.read(F.avg_pool1d(self.apply_unit(y, self.fourth), 2))


class Covariances(OnSignals):
    """Filters in time, the ends mirrored, and in space; the covariance of what comes out."""

    def filters(self, filters, channels):
        self.glorot(25, filters, 25, filters * 25)
        self.glorot(filters * CHANNELS, channels, filters * CHANNELS, channels * CHANNELS)

    def covariance(self, x):
        time, space = self.list[0], self.list[1]
        y = F.conv2d(F.pad(x, (12, 12), mode="reflect")[:, None], time.T[:, None, None])
        y = F.conv2d(y, space.view(time.shape[1], CHANNELS, -1).permute(2, 0, 1)[..., None])[:, :, 0]
        y = y - y.mean(2, keepdim=True)
        return y @ y.mT / (y.shape[2] - 1)


class TsmNet(Covariances):
    """Every subject has a mean and a dispersion of its own, which move by a share that falls with the steps."""

    by_subject = True

    def __init__(self, classes, steps=660):
        super().__init__()
        self.filters(4, 40)
        self.add(40, 20, 1.0, kind="stiefel")
        self.add(1, 1, 0.0, 1.0)
        self.add(classes, 210, 1 / math.sqrt(210))
        self.add(1, classes, 1 / math.sqrt(210))
        self.step, self.last, self.means, self.variances = 0, steps * 5 // 6, {}, {}

    def forward(self, x, subjects):
        c = rectify(self.list[2].T @ self.covariance(x) @ self.list[2])
        left = max(self.last - 1 - self.step, 0) / (self.last - 1)
        share, self.step = 1 - 0.25 ** left + 0.25, self.step + 1
        tangent = torch.empty_like(c)
        for k in subjects.unique().tolist():
            tangent[subjects == k] = self.normalise(c[subjects == k], k, share)
        return triangle(tangent) @ self.list[4].T + self.list[5]

    def normalise(self, c, k, share):
        start = c.mean(0)
        root, inverse = power(start, 0.5), power(start, -0.5)
        mean = root @ exp(log(inverse @ c @ inverse).mean(0)) @ root
        old, variance = self.means.get(k, torch.eye(20)), self.variances.get(k, 1.0)
        root, inverse = power(old, 0.5), power(old, -0.5)
        mean = root @ power(inverse @ mean @ inverse, share) @ root
        inverse = power(mean, -0.5)
        tangent = log(inverse @ c @ inverse)
        variance = (1 - share) * variance + share * tangent.square().sum((1, 2)).mean()
        self.means[k], self.variances[k] = mean.detach(), variance.detach()
        return tangent * self.list[3] / (variance + 1e-5).sqrt()


class Congruences(Covariances):
    """conv-dldct, conv-ddct-unet: congruences, merged with their mirrors or not, and the head of the paper."""

    def __init__(self, classes, widths, merges):
        super().__init__()
        self.filters(4, CHANNELS)
        self.merges, self.layers = merges, len(widths) - 1
        for a, b in zip(widths, widths[1:]):
            self.add(a, b, math.sqrt(3 / a))
        self.add(classes, CHANNELS * (CHANNELS + 1) // 2, 0.0)
        self.add(1, classes, 0.0)

    def forward(self, x):
        c = [self.covariance(x)]
        for k in range(self.layers):
            w = self.list[2 + k]
            y = w.T @ c[-1] @ w + 1e-4 * torch.eye(w.shape[1])
            if self.merges and k + self.layers // 2 >= self.layers:
                y = exp((floored_log(y, 0) + floored_log(c[self.layers - 1 - k], 0)) / 2)
            c.append(y)
        inverse = exp(-floored_log(c[-1], 0).mean(0) / 2)
        return triangle(floored_log(inverse @ c[-1] @ inverse, 1e-4)) @ self.list[-2].T + self.list[-1]


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


def gradient(network, c, y, subjects):
    more = [subjects] if getattr(network, "by_subject", False) else []
    loss = F.cross_entropy(network(c, *more), y)
    network.zero_grad()
    loss.backward()
    for w, kind in zip(network.list, network.kinds):
        if w.grad is None:
            w.grad = torch.zeros_like(w)
        if kind == "stiefel":
            product = w.data.T @ w.grad
            w.grad -= w.data @ (product + product.T) / 2
    return loss


def follow(name, network, c, y, subjects, batches):
    adam = torch.optim.Adam(network.parameters(), lr=RATE)
    for step in range(STEPS + 1):
        if step == STEPS:
            show_tensors(name + ".parameters", [w.data for w in network.list])
        loss = gradient(network, *(t[batches[step]] for t in (c, y, subjects)))
        if step in (0, STEPS):
            show("%s.%d.loss" % (name, step), [loss.item()])
            show_tensors("%s.%d.gradient" % (name, step), [w.grad for w in network.list])
        if step < STEPS:
            adam.step()
            with torch.no_grad():
                for w, kind in zip(network.list, network.kinds):
                    w.copy_(orthonormal(w) if kind == "stiefel" else shorten(w, kind))


def main():
    c, y, subjects, batches = load(sys.argv[1])
    d, classes = c.shape[1], int(y.max()) + 1
    follow("spd-cnn", SpdCnn(d, classes, False, False), c, y, subjects, batches)
    follow("spd-cnn-mean", SpdCnn(d, classes, False, True), c, y, subjects, batches)
    follow("ts-spd-cnn", SpdCnn(d, classes, True, False), c, y, subjects, batches)
    follow("spdnet", SpdNet(d, classes), c, y, subjects, batches)
    x = signals(y)
    follow("shallow", Shallow(classes), x, y, subjects, batches)
    follow("deep", Deep(classes), x, y, subjects, batches)
    follow("eegnet", EegNet(classes), x, y, subjects, batches)
    follow("conformer", Conformer(classes), x, y, subjects, batches)
    follow("inception", Inception(classes), x, y, subjects, batches)
    follow("tsmnet", TsmNet(classes), x, y, subjects, batches)
    follow("conv-dldct", Congruences(classes, (3, 6, 6, 3), False), x, y, subjects, batches)
    follow("conv-ddct-unet", Congruences(classes, (3, 2, 2, 2, 3), True), x, y, subjects, batches)


if __name__ == "__main__":
    main()
