"""Unit vectors on a grid of 8-bit steps: a quarter of the size, ranks kept.

Both the table and the cache hold grid points: a vector is the same whether it was just made or cached.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.models import Vectors

Steps: TypeAlias = NDArray[np.int8]

_MAX_STEP = 127


def to_steps(vectors: Vectors) -> Steps:
    """Return each row scaled so that its largest component is 127 steps; shape kept, zero rows stay zero."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0.0)
    return np.rint(vectors * (_MAX_STEP / np.where(largest > 0, largest, 1.0))).astype(np.int8)


def from_steps(steps: Steps) -> Vectors:
    """Return the unit vectors; the length that scaling lost is known to be one."""
    return normalize(steps.astype(np.float32))


def normalize(vectors: Vectors) -> Vectors:
    """Return each row with length one; zero rows stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(length > 0, length, 1.0)).astype(np.float32)
