"""Stiffness matrices that CalculiX has written, as compliance for contact."""

from __future__ import annotations

import os

import numpy as np

from . import _library as _l


class Stiffness:
    """``K``, SciPy sparse, symmetric, in the job's units, without what its supports hold; ``node`` and ``direction`` (0, 1, 2) of each row."""

    def __init__(self, K, node: np.ndarray, direction: np.ndarray):
        from scipy.sparse.linalg import splu

        self.K, self.node, self.direction = K, node, direction
        self._factor = splu(K)

    def solve(self, loads: np.ndarray) -> np.ndarray:
        """Displacements (rows, k) under loads (rows, k)."""
        return self._factor.solve(loads)

    def interpolation(self, nodes: np.ndarray, weights: np.ndarray, axes: np.ndarray):
        """H (3N, rows), sparse: displacements of N contacts along axes (N, 3, 3; rows n, t1, t2) from those of nodes (N, k),
        by CalculiX's numbers, with weights (N, k). W = H solve(H'), and a held node gives nothing."""
        from scipy.sparse import csr_matrix

        row = np.full((self.node.max() + 1, 3), -1)
        row[self.node, self.direction] = np.arange(len(self.node))
        nodes = np.asarray(nodes)
        known = np.where(nodes < len(row), nodes, 0)
        column = np.where(nodes[:, :, None] == known[:, :, None], row[known], -1)[:, :, None]
        at, column = np.broadcast_arrays(3 * np.arange(len(nodes))[:, None, None, None] + np.arange(3)[:, None], column)
        values = np.broadcast_to(np.asarray(weights)[:, :, None, None] * np.asarray(axes)[:, None], at.shape)
        moves = column >= 0
        return csr_matrix((values[moves], (at[moves], column[moves])), shape=(3 * len(nodes), len(self.node)))


def read_calculix(job: str | os.PathLike) -> Stiffness:
    """Reads JOB.sti and JOB.dof, which CalculiX (ccx) writes in a step `*FREQUENCY, SOLVER=MATRIXSTORAGE`. Needs SciPy."""
    from scipy.sparse import coo_matrix

    try:
        dof = [line.split(".") for line in open(os.fspath(job) + ".dof").read().split()]
        node, direction = np.array(dof, int).reshape(-1, 2).T
        i, j, k = np.loadtxt(os.fspath(job) + ".sti", unpack=True, ndmin=2)
        i, j, n = i.astype(int) - 1, j.astype(int) - 1, len(node)
        if not n or min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= n or not np.isfinite(k).all() or direction.min() < 1 or direction.max() > 3:
            raise ValueError("its rows are not those of the .dof file")
    except (OSError, ValueError) as e:
        raise _l.Error(f"{os.fspath(job)}: {e} (cure: the job's name, as ccx has it, after *FREQUENCY, SOLVER=MATRIXSTORAGE)") from None
    off = i != j
    K = coo_matrix((np.r_[k, k[off]], (np.r_[i, j[off]], np.r_[j, i[off]])), shape=(n, n)).tocsc()
    return Stiffness(K, node, direction - 1)
