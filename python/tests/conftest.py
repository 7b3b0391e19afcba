"""What the tests of the package share. SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib

import numpy as np
import pytest

import congru

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("CONGRU_DATA", SOURCE.parent / "shared" / "data"))


def spd(count, d, seed=0):
    """SPD matrices that are well conditioned."""
    x = np.random.default_rng(seed).standard_normal((count, d, 4 * d + 20))
    return x @ x.transpose(0, 2, 1) / x.shape[2]


@pytest.fixture
def matrices():
    return spd(12, 5)


@pytest.fixture(scope="session")
def small():
    """Covariances of four subjects."""
    return congru.synth("distortion", subjects=4, trials=8, channels=5)


@pytest.fixture(scope="session")
def recorded():
    """Signals of four subjects, with slow potentials too."""
    return congru.synth("shift", subjects=4, trials=6, channels=6, samples=1250, rate=250.0, slow=1.0)


@pytest.fixture(scope="session")
def data_folder():
    if not DATA.is_dir():
        pytest.skip(f"no data in {DATA}")
    return DATA
