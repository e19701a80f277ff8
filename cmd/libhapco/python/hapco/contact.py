"""Frictional contact problems: x = W r + q with Signorini's and Coulomb's laws at each contact."""

from __future__ import annotations

import ctypes as c
import os
import threading
from dataclasses import dataclass
from typing import Any, Callable, Union

import numpy as np

from . import _library as _l

STATUS = np.array(["open", "stick", "slip"])
_CRITERIA = {"relative": 0, "physical": 1, "natural": 2, "scaled": 3, "status": 4}
_FORMS = {"krylov": 0, "jacobi": 1, "gauss-seidel": 2}

Operator = Union[np.ndarray, Callable[[np.ndarray], np.ndarray], Any]


@dataclass
class Solution:
    """What came of a solve.

    ``r``: (N, 3) forces on the impactor, N, in the order n, t1, t2. ``status``: (N,) words "open", "stick", "slip".
    ``natural_error`` and ``scaled_error`` measure how far r is from obeying the laws; ``converged`` says that both
    agree with the tolerance. ``calls`` and ``columns`` count the calls of a function W and their columns together.
    """

    r: np.ndarray
    status: np.ndarray
    converged: bool
    iterations: int
    natural_error: float
    scaled_error: float
    relative_change: float
    rho_min: float
    elapsed: float
    calls: int
    columns: int


@dataclass
class Problem:
    """A contact problem: ``W`` (3N, 3N) in m/N, ``q`` (3N,) in m, ``mu`` (N,), and a file's solution ``r`` (N, 3) or None."""

    W: np.ndarray
    q: np.ndarray
    mu: np.ndarray
    r: np.ndarray | None = None


_own = threading.local()


def _solver(name: str) -> _l.Handle:
    """This thread's solver of a name, which keeps its memory from problem to problem."""
    kept = _own.__dict__.setdefault("solvers", {})
    if name not in kept:
        kept[name] = _l.opened(_l.lib.hapco_solver_close, _l.lib.hapco_solver_open, name.encode())
    return kept[name]


def _array(x, n: int, name: str) -> np.ndarray:
    a = np.ascontiguousarray(x, dtype=np.float64).reshape(-1)
    if np.ndim(x) == 0 and name == "mu":
        a = np.full(n, a[0])
    if a.size != n:
        raise _l.InvalidError(f"{name} has {a.size} numbers, not {n} (cure: {n} of them, in the order n, t1, t2)")
    return a


def _word(words: dict, word: str, what: str) -> int:
    if word not in words:
        raise _l.UnknownError(f"{what} {word!r} is unknown (cure: one of {', '.join(words)})")
    return words[word]


def solvers() -> list[str]:
    """Names of the solvers."""
    names, name = [], c.c_char_p()
    while _l.lib.hapco_solver_name(len(names), c.byref(name)) == 0:
        names.append(name.value.decode())
    return names


def solve(W: Operator, q, mu, tol: float = 1e-8, solver: str = "auto", *, r0=None, criterion: str = "natural",
          max_iterations: int = 100000, deadline: float = 0.0, rho: float = 0.0, form: str = "krylov", columns: int = 8) -> Solution:
    """Solves for the contact forces.

    W is the Delassus operator in m/N: an array (3N, 3N), a SciPy sparse matrix of that shape, or a function that
    answers the displacements W R of forces R, both (3N, k), with at most ``columns`` columns a call: a deformation model of
    which nothing else is known. ``form`` says how it is asked. q: 3N free displacements, m. mu: N friction
    coefficients, or one for all. r0: a starting guess. deadline: s, 0 for none: the best admissible forces by then.
    That the solution has not converged is no exception: see Solution.converged.
    """
    q = np.ascontiguousarray(q, dtype=np.float64).reshape(-1)
    if q.size % 3:
        raise _l.InvalidError(f"q has {q.size} numbers (cure: 3 a contact, in the order n, t1, t2)")
    n = q.size // 3
    mu = _array(mu, n, "mu")
    r = np.zeros(3 * n) if r0 is None else _array(r0, 3 * n, "r0").copy()
    status, result = np.zeros(n, dtype=np.int32), _l.Result()
    options = _l.Options(tol, deadline, rho, 1.0, max_iterations, _word(_CRITERIA, criterion, "criterion"), r0 is not None, _word(_FORMS, form, "form"), columns, 0)
    rest = (q.ctypes.data, mu.ctypes.data, c.byref(options), r.ctypes.data, status.ctypes.data, c.byref(result))
    handle = _solver(solver).number
    if callable(W) and not hasattr(W, "shape"):
        failed: list[BaseException] = []

        def model(_user, size, k, forces, answer):
            try:
                R = np.frombuffer((c.c_double * (3 * size * k)).from_address(forces)).reshape(k, 3 * size)
                X = np.asarray(W(R.T), dtype=np.float64)
                if X.shape != (3 * size, k):
                    raise _l.InvalidError(f"W answered with an array of shape {X.shape}, not {(3 * size, k)} (cure: one column for each column of R)")
                np.frombuffer((c.c_double * (3 * size * k)).from_address(answer)).reshape(k, 3 * size)[:] = X.T
                return 0
            except BaseException as e:  # it goes on beyond the C code
                failed.append(e)
                return 1

        code = _l.lib.hapco_solver_model(handle, n, _l.Model(model), None, *rest)
        if failed:
            raise failed[0]
        _l.check(code)
    elif hasattr(W, "tobsr"):
        b = W.tobsr(blocksize=(3, 3))
        if b.shape != (3 * n, 3 * n):
            raise _l.InvalidError(f"W is {b.shape}, not {(3 * n, 3 * n)} for {n} contacts")
        row = np.repeat(np.arange(n, dtype=np.int32), np.diff(b.indptr))
        column, values = np.ascontiguousarray(b.indices, dtype=np.int32), np.ascontiguousarray(b.data, dtype=np.float64)
        _l.check(_l.lib.hapco_solver_blocks(handle, n, row.size, row.ctypes.data, column.ctypes.data, values.ctypes.data, *rest))
    else:
        w = np.ascontiguousarray(W, dtype=np.float64)
        if w.shape != (3 * n, 3 * n):
            raise _l.InvalidError(f"W is {w.shape}, not {(3 * n, 3 * n)} for {n} contacts")
        _l.check(_l.lib.hapco_solver_dense(handle, n, w.ctypes.data, *rest))
    return Solution(r.reshape(n, 3), STATUS[status], bool(result.converged), result.iterations, result.natural_error, result.scaled_error,
                    result.relative_change, result.rho_min, result.elapsed, result.calls, result.columns)


def read_fc3d(file: str | os.PathLike) -> Problem:
    """Reads a problem of a .fc3d file, plain or gzipped."""
    handle, n = _solver("auto").number, c.c_int64()
    _l.check(_l.lib.hapco_solver_read(handle, os.fsencode(file), c.byref(n)))
    size = 3 * n.value
    p = Problem(np.empty((size, size)), np.empty(size), np.empty(n.value), np.empty((n.value, 3)))
    _l.check(_l.lib.hapco_solver_problem(handle, n.value, p.W.ctypes.data, p.q.ctypes.data, p.mu.ctypes.data, p.r.ctypes.data))
    if np.isnan(p.r).any():
        p.r = None
    return p
