#!/usr/bin/env python3
"""Losses and gradients of the networks by an independent PyTorch reading, for tests/network/network_oracle.c.

usage: oracle_networks.py FOLDER 6 > tests/data/networks.txt
       oracle_networks.py FOLDER 22 > tests/data/networks_22.txt

FOLDER holds that reading, torch_models.py, which is no part of this project. Its open choices are set to ours:
the scatters of DLDCT and DDCT-UNet divided by d(d+1)/2, the head from zero, beta falling as half a cosine, DCT by Frobenius scatters. These give
DCT's rotation no gradient at the identity, where Adam would follow rounding errors: DCT starts beside it.

Six channels are stored as they are. Of 22 everything random is drawn by the library's generator, here as in the test,
and of every tensor its norm is stored and its products with 16 random vectors: of an error e they see |e|, for the
square of a product with a vector of independent numbers of variance 1/12 is |e|^2 / 12 on average. Of 22 channels gamma
is stored too, every 100 steps of a whole training of DCT as printed: from the identity, on batches from the same generator.

SPDX-License-Identifier: Apache-2.0
"""
import math
import sys

sys.path.insert(0, sys.argv[1])
import congru_random
import numpy as np
import torch
import torch_models as T

SMALL = sys.argv[2] == "6"
D, N, K, S, BATCH, STEPS = (6, 40, 3, 4, 24, 20) if SMALL else (22, 160, 4, 4, 64, 20)
FEATURES = D * (D + 1) // 2
RUN = 1000  # steps the schedule of beta is made for
DIMS = {"dct": None, "dldct": (D, 2 * D, 2 * D, D), "unet": (6, 3, 2, 3, 6) if SMALL else (22, 16, 12, 16, 22)}
TIMES, PROJECTIONS = 5 * D, 16


def uniform(count, a, b=0, c=0):
    return congru_random.uniform(count, a, b, c, 22)


def centred(count, a, b=0, c=0):
    return uniform(count, a, b, c) - 0.5


def show(name, values):
    values = [float(v) for v in values]
    print(name, len(values))
    for start in range(0, len(values), 6):
        print(" ".join("%.17g" % v for v in values[start : start + 6]))


def show_tensors(name, tensors):
    if SMALL:
        show(name, torch.cat([v.detach().reshape(-1) for v in tensors]))
        return
    numbers = []
    for t, tensor in enumerate(tensors):
        v = tensor.detach().reshape(-1)
        numbers += [v.numel(), v.norm()] + [centred(v.numel(), 5, t, p) @ v for p in range(PROJECTIONS)]
    show(name, numbers)


def trials():
    y, s = torch.arange(N) % K, torch.arange(N) * S // N
    if SMALL:
        g = torch.Generator().manual_seed(11)
        X = torch.randn(N, D, TIMES, dtype=T.DT, generator=g)
    else:
        X = torch.stack([centred(D * TIMES, 1, i) for i in range(N)]).reshape(N, D, TIMES)
    for k in range(K):
        X[y == k, k] *= 1.5
    if SMALL:
        mix = 0.3 * torch.randn(S, D, D, dtype=T.DT, generator=g)
    else:
        mix = 0.5 * torch.stack([centred(D * D, 2, i) for i in range(S)]).reshape(S, D, D)
    X = (torch.eye(D, dtype=T.DT) + mix)[s] @ X
    return T.riemann_align(X @ X.transpose(1, 2) / TIMES, s, tol=1e-9 if SMALL else 1e-12), y, s


def hyper():
    return T.Hyper(delta=1.5, alpha=1e-2, beta=4e-4, fisher_eps=1e-6, l_act=1.0 / FEATURES,
                   l_sub=0.05 / FEATURES, l_rec=1e-3, l_ce=1.0, lr=1e-2, wd=1e-2, batch=BATCH, clip=0.5)


def report(name, net, C, L, E, y, s, index):
    loss = net.loss(C[index], L[index], (E[0][index], E[1][index]), y[index], s[index], K, S)
    show(name + ".loss", [loss])
    show_tensors(name + ".gradient", torch.autograd.grad(loss, net.params))


def gamma_of_training(C, y, s):
    """Gamma of DCT as printed, from the identity, every 100 of RUN steps."""
    net = T.Net("dct", False, T.Hyper(delta=1.5, alpha=1e-2, beta=4e-4, fisher_eps=1e-6, lr=1e-3, clip=5.0))
    net.build(C, K)
    L, E = net.prepare(C)
    batches = (uniform(RUN * BATCH, 6) * N).long().reshape(RUN, BATCH)
    gamma = []
    for step in range(RUN):
        net.h.beta = 4e-4 * 0.5 * (1 + math.cos(math.pi * step / RUN))
        net.step(C, L, E, y, s, K, S, batches[step])
        net.opt.step()
        if (step + 1) % 100 == 0:
            gamma.append(net.net.g.exp())
    show("dct.gamma", gamma)


def main():
    torch.set_num_threads(1)
    C, y, s = trials()
    if SMALL:
        g = torch.Generator().manual_seed(12)
        batches = torch.randint(N, (STEPS + 1, BATCH), generator=g)
        show("covariance", C.reshape(-1))
        show("label", y)
        show("subject", s)
        show("batches", batches.reshape(-1))
    else:
        batches = (uniform((STEPS + 1) * BATCH, 3) * N).long().reshape(STEPS + 1, BATCH)
    for kind, dims in DIMS.items():
        for e2e in (False, True):
            name = kind + ("-e2e" if e2e else "")
            net = T.Net(kind, e2e, hyper(), dims=dims)
            net.build(C, K)
            with torch.no_grad():
                if e2e:
                    net.head.lin.weight.zero_()
                    net.head.lin.bias.zero_()
                if kind == "dct":
                    net.net.A.copy_(0.2 * torch.randn(D, D, dtype=T.DT, generator=g) if SMALL
                                    else 0.4 * centred(D * D, 4).reshape(D, D))
                    net.net.g.fill_(0.2)
            show_tensors(name + ".start", net.params)
            L, E = net.prepare(C)
            beta = net.h.beta
            for step in range(STEPS):
                net.h.beta = beta * 0.5 * (1 + math.cos(math.pi * step / RUN))
                if step == 0:
                    report(name + ".0", net, C, L, E, y, s, batches[0])
                net.step(C, L, E, y, s, K, S, batches[step])
                net.opt.step()
            net.h.beta = beta * 0.5 * (1 + math.cos(math.pi * STEPS / RUN))
            show_tensors(name + ".parameters", net.params)
            report(f"{name}.{STEPS}", net, C, L, E, y, s, batches[STEPS])
    if not SMALL:
        gamma_of_training(C, y, s)


main()
