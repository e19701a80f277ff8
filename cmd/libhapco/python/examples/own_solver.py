"""An own contact solver against ours: projected Gauss-Seidel in a few lines of NumPy, on a problem of random springs or a file.

    python3 own_solver.py [FILE.fc3d.gz] [--out FILE.png]
"""

import argparse
import json
import time

import numpy as np

import hapco

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("file", nargs="?")
options.add_argument("--out", default="own_solver.png")
options.add_argument("--quick", action="store_true")
o = options.parse_args()

if o.file:
    p = hapco.read_fc3d(o.file)
    W, q, mu = p.W, p.q, p.mu
else:
    random = np.random.default_rng(1)
    n = 12
    A = random.normal(size=(3 * n, 4 * n))
    W, mu = 1e-3 * A @ A.T / (4 * n), np.full(n, 0.4)
    q = 1e-3 * random.normal(size=3 * n)
    q[::3] -= 1e-3


def project(mu, t):
    """The nearest point of Coulomb's cone."""
    tangential = np.hypot(t[1], t[2])
    if mu * tangential <= -t[0]:
        return np.zeros(3)
    if tangential <= mu * t[0]:
        return t
    n = (t[0] + mu * tangential) / (1 + mu**2)
    return np.array([n, *(mu * n * t[1:] / tangential)])


exact = hapco.solve(W, q, mu, tol=1e-13)
r, rho, errors = np.zeros(q.size), 1 / W.diagonal().max(), []
begun = time.perf_counter()
for sweep in range(60 if o.quick else 400):
    for c in range(mu.size):
        k = slice(3 * c, 3 * c + 3)
        x = W[k] @ r + q[k]
        x[0] += mu[c] * np.hypot(x[1], x[2])
        r[k] = project(mu[c], r[k] - rho * x)
    errors.append(np.linalg.norm(r - exact.r.ravel()) / np.linalg.norm(exact.r))
own = time.perf_counter() - begun

table = {}
for name in hapco.solvers():
    s = hapco.solve(W, q, mu, tol=1e-8, solver=name, max_iterations=5000)
    table[name] = {"ms": 1e3 * s.elapsed, "iterations": s.iterations, "converged": s.converged, "error": s.natural_error}
for form in ("krylov", "jacobi", "gauss-seidel"):
    s = hapco.solve(lambda R: W @ R, q, mu, tol=1e-6, form=form, max_iterations=20000)
    table["asked: " + form] = {"calls": s.calls, "columns": s.columns, "converged": s.converged, "ms": 1e3 * s.elapsed}

import matplotlib.pyplot as plt

plt.figure(figsize=(6, 4))
plt.semilogy(errors)
plt.xlabel("sweep of the own solver")
plt.ylabel("distance from the forces of auto, a share")
plt.grid(alpha=0.3)
plt.savefig(o.out, dpi=120)
print(json.dumps({"own_ms": 1e3 * own, "own_error": errors[-1], "solvers": table}))
