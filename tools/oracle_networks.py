#!/usr/bin/env python3
"""Losses and gradients of the networks by an independent PyTorch reading, for tests/network_oracle.c.

usage: oracle_networks.py FOLDER > tests/data/networks.txt

FOLDER holds that reading, torch_models.py, which is no part of this project. Its open choices are set to ours:
scatters divided by d(d+1)/2, the head from zero, beta falling as half a cosine, DCT by Frobenius scatters. These give
DCT's rotation no gradient at the identity, where Adam would follow rounding errors: DCT starts beside it.

SPDX-License-Identifier: Apache-2.0
"""
import math
import sys

sys.path.insert(0, sys.argv[1])
import torch
import torch_models as T

D, N, K, S, BATCH, STEPS = 6, 40, 3, 4, 24, 20
FEATURES = D * (D + 1) // 2
RUN = 1000  # steps the schedule of beta is made for


def show(name, values):
    values = [float(v) for v in values]
    print(name, len(values))
    for start in range(0, len(values), 6):
        print(" ".join("%.17g" % v for v in values[start : start + 6]))


def trials():
    g = torch.Generator().manual_seed(11)
    y, s = torch.arange(N) % K, torch.arange(N) * S // N
    X = torch.randn(N, D, 5 * D, dtype=T.DT, generator=g)
    for k in range(K):
        X[y == k, k] *= 1.5
    mix = torch.eye(D, dtype=T.DT) + 0.3 * torch.randn(S, D, D, dtype=T.DT, generator=g)
    X = mix[s] @ X
    return T.riemann_align(X @ X.transpose(1, 2) / (5 * D), s), y, s


def hyper():
    return T.Hyper(delta=1.5, alpha=1e-2, beta=4e-4, fisher_eps=1e-6 * FEATURES, l_act=1.0 / FEATURES,
                   l_sub=0.05 / FEATURES, l_rec=1e-3, l_ce=1.0, lr=1e-2, wd=1e-2, batch=BATCH, clip=0.5)


def report(name, net, C, L, E, y, s, index):
    loss = net.loss(C[index], L[index], (E[0][index], E[1][index]), y[index], s[index], K, S)
    gradient = torch.autograd.grad(loss, net.params)
    show(name + ".loss", [loss])
    show(name + ".gradient", torch.cat([v.reshape(-1) for v in gradient]))


def main():
    torch.set_num_threads(1)
    C, y, s = trials()
    g = torch.Generator().manual_seed(12)
    batches = torch.randint(N, (STEPS + 1, BATCH), generator=g)
    show("covariance", C.reshape(-1))
    show("label", y)
    show("subject", s)
    show("batches", batches.reshape(-1))
    for kind, dims in (("dct", None), ("dldct", (6, 12, 12, 6)), ("unet", (6, 3, 2, 3, 6))):
        for e2e in (False, True):
            name = kind + ("-e2e" if e2e else "")
            net = T.Net(kind, e2e, hyper(), dims=dims)
            net.build(C, K)
            if e2e:
                with torch.no_grad():
                    net.head.lin.weight.zero_()
                    net.head.lin.bias.zero_()
            if kind == "dct":
                with torch.no_grad():
                    net.net.A.copy_(0.2 * torch.randn(D, D, dtype=T.DT, generator=g))
                    net.net.g.fill_(0.2)
            show(name + ".start", torch.cat([p.detach().reshape(-1) for p in net.params]))
            L, E = net.prepare(C)
            beta = net.h.beta
            for step in range(STEPS):
                net.h.beta = beta * 0.5 * (1 + math.cos(math.pi * step / RUN))
                if step == 0:
                    report(name + ".0", net, C, L, E, y, s, batches[0])
                net.step(C, L, E, y, s, K, S, batches[step])
                net.opt.step()
            net.h.beta = beta * 0.5 * (1 + math.cos(math.pi * STEPS / RUN))
            show(name + ".parameters", torch.cat([p.detach().reshape(-1) for p in net.params]))
            report(f"{name}.{STEPS}", net, C, L, E, y, s, batches[STEPS])


main()
