"""Random numbers of congru, for oracles whose inputs tests make themselves.

SPDX-License-Identifier: Apache-2.0
"""
import numpy as np
import torch


def uniform(count, a, b, c, seed):
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
