#!/usr/bin/python3
# One training step of each network as one would write it in PyTorch, batched. SPDX-License-Identifier: Apache-2.0
#
# usage: network_torch.py D TRIALS BATCH THREADS STEPS    (Debian: python3-torch, libopenblas-dev)
#
# Prints "MODEL plain|same MILLISECONDS" lines, medians. `plain` is the paper's loop; `same` saves what can be saved
# without leaving PyTorch: constant logarithms, one affine congruence for the stack, no log after an exp.
import statistics
import sys
import time

import torch

D, TRIALS, BATCH, THREADS, STEPS = map(int, sys.argv[1:6])
CLASSES, SUBJECTS, JITTER, FLOOR = 4, 8, 1e-4, 1e-5
torch.set_num_threads(THREADS)
torch.set_default_dtype(torch.float64)
torch.manual_seed(1)


class Spectral(torch.autograd.Function):
    """V f(w) V' of symmetric matrices, with the divided differences of f for its derivative."""

    @staticmethod
    def forward(ctx, a, kind, parameter):
        w, v = torch.linalg.eigh(a)
        f = torch.log((w + parameter).clamp_min(FLOOR)) if kind == "log" else torch.exp(parameter * w)
        ctx.save_for_backward(w, v, f)
        ctx.how = kind, parameter
        return (v * f.unsqueeze(-2)) @ v.mT

    @staticmethod
    def backward(ctx, g):
        w, v, f = ctx.saved_tensors
        kind, parameter = ctx.how
        gap = w.unsqueeze(-1) - w.unsqueeze(-2)
        slope = 1 / (w + parameter) if kind == "log" else parameter * f
        near = gap.abs() < 1e-9
        k = torch.where(near, slope.unsqueeze(-1).expand_as(gap),
                        (f.unsqueeze(-1) - f.unsqueeze(-2)) / torch.where(near, torch.ones_like(gap), gap))
        return v @ (k * (v.mT @ ((g + g.mT) / 2) @ v)) @ v.mT, None, None


def log(a, jitter=0.0):
    return Spectral.apply(a, "log", jitter)


def exp(a, scale=1.0):
    return Spectral.apply(a, "exp", scale)


def layer(w, c):
    return w.T @ c @ w + JITTER * torch.eye(w.shape[1])


def scatters(x, group, groups):
    x = x.flatten(1)
    n = torch.bincount(group, minlength=groups).to(x.dtype)
    mean = torch.zeros(groups, x.shape[1]).index_add(0, group, x) / n.clamp_min(1).unsqueeze(1)
    return ((x - mean[group]) ** 2).sum() / len(x), (n.unsqueeze(1) * (mean - x.mean(0)) ** 2).sum() / len(x)


class Step:
    def __init__(self, model, end, same, c, y, s):
        self.model, self.end, self.same, self.c, self.y, self.s = model, end, same, c, y, s
        d = c.shape[-1]
        half, quarter = (16, 12) if d == 22 else (max(2, -(-d // 2)), max(2, -(-d // 4)))
        widths = {"dct": [], "dldct": [d, 2 * d, 2 * d, d], "ddct-unet": [d, half, quarter, half, d]}[model]
        self.w = [torch.nn.Parameter(torch.eye(max(a, b))[:a, :b] + 0.02 * torch.randn(a, b))
                  for a, b in zip(widths, widths[1:])]
        self.a, self.g = torch.nn.Parameter(0.01 * torch.randn(d, d)), torch.nn.Parameter(torch.zeros(()))
        self.i, self.j = torch.triu_indices(d, d)
        self.root = torch.where(self.i == self.j, 1.0, 2.0 ** 0.5)
        self.head = torch.nn.Linear(len(self.i), CLASSES)
        self.parameters = ([self.a, self.g] if model == "dct" else self.w) + (list(self.head.parameters()) if end else [])
        self.adam = torch.optim.Adam(self.parameters, lr=1e-3)
        value, self.vector = torch.linalg.eigh(c)
        self.value = value.log()
        self.start = (self.vector * self.value.unsqueeze(-2)) @ self.vector.mT

    def backbone(self, c, start, value, vector):
        """The output and its logarithm; the output only where the head needs it."""
        if self.model == "dct":
            r, gamma = torch.matrix_exp(self.a - self.a.T), self.g.exp()
            turned = r.T @ (gamma * start) @ r
            self.penalty = 1e-2 * (gamma - 1) ** 2 + 4e-4 * ((r - torch.eye(len(r))) ** 2).sum()
            if not self.end:
                return None, turned
            if self.same:
                u = r.T @ vector
                return (u * torch.exp(gamma * value).unsqueeze(-2)) @ u.mT, turned
            out = exp(turned)
            return out, log(out)
        if self.model == "dldct":
            if self.same:
                t, k = self.w[0], JITTER * torch.eye(self.w[0].shape[1])
                for w in self.w[1:]:
                    t, k = t @ w, layer(w, k)
                out = t.T @ c @ t + k
            else:
                out = c
                for w in self.w:
                    out = layer(w, out)
            return out, log(out)
        first = layer(self.w[0], c)
        third = exp((log(layer(self.w[2], layer(self.w[1], first))) + log(first)) / 2)
        middle = (log(layer(self.w[3], third)) + (start if self.same else log(c))) / 2
        if self.same:
            return exp(middle) if self.end else None, middle
        out = exp(middle)
        return out, log(out)

    def __call__(self):
        index = torch.randint(len(self.c), (BATCH,))
        c, y, s = self.c[index], self.y[index], self.s[index]
        start = self.start[index] if self.same or self.model == "dct" else log(c)
        out, logarithm = self.backbone(c, start, self.value[index], self.vector[index])
        within, between = scatters(logarithm, y, CLASSES)
        if self.model == "dct":
            loss = 1.5 * within / (between + 1e-6) + self.penalty
        else:
            other_within, other_between = scatters(logarithm, s, SUBJECTS)
            loss = within - between + 0.05 * (other_between - other_within)
            loss = loss / len(self.i) + 1e-3 * ((logarithm - start) ** 2).sum((1, 2)).mean()
        if self.end:
            p = exp((logarithm if self.same else log(out, JITTER)).mean(0), -0.5)
            z = log(p @ out @ p, JITTER)[:, self.i, self.j] * self.root
            loss = loss + torch.nn.functional.cross_entropy(self.head(z), y)
        self.adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 5.0)
        self.adam.step()
        return float(loss)


def main():
    x = torch.randn(TRIALS, D, 6 * D)
    y, s = torch.arange(TRIALS) % CLASSES, torch.arange(TRIALS) * SUBJECTS // TRIALS
    x[:, 0] *= (1 + 0.3 * y).unsqueeze(1)
    c = x @ x.mT / (6 * D)
    for model in ("dct", "dldct", "ddct-unet"):
        for end in (False, True):
            for same in (False, True):
                step = Step(model, end, same, c, y, s)
                times = []
                for k in range(STEPS + 2):
                    before = time.perf_counter()
                    step()
                    times.append(time.perf_counter() - before)
                name = model + ("-e2e" if end else "")
                print(name, "same" if same else "plain", f"{statistics.median(times[2:]) * 1e3:.4f}", flush=True)


main()
