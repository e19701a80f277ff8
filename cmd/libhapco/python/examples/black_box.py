"""Calls and times of the contact solver over a model that only answers: a bar on the liver, whose finite elements are factorised
in SciPy. Beside it the thesis's times with and without the Delassus operator (its tables 4.13 and 4.14).

    python3 black_box.py [--out FILE.png]
"""

import argparse
import json
import time

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.linalg import splu

import hapco

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--out", default="black_box.png")
options.add_argument("--quick", action="store_true")
o = options.parse_args()

SCENE = """
title = "Bar on liver"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "bar"
role = "driven"
position = [-36, 57, 0]
tool = { kind = "box", size = [%g, 14, %g], spacing = %g }
[[body]]
name = "liver"
role = "fixed"
mesh = "asset:liver.msh"
E = 12
nu = 0.45
clamp = "support"
[contact]
tolerance = 1e-10
ddc_tolerance = 3
strain_limit = 0
"""
E, NU = 12e3, 0.45


def stiffness(points, tetrahedra):
    """K of linear tetrahedra, N/m."""
    D = np.diag([1.0] * 3 + [0.5] * 3) * E / (1 + NU)
    D[:3, :3] += E * NU / ((1 + NU) * (1 - 2 * NU))
    x = points[tetrahedra]
    M = np.concatenate([np.ones((len(x), 4, 1)), x], axis=2)
    g = np.linalg.inv(M)[:, 1:].transpose(0, 2, 1)  # gradients of the shapes
    B = np.zeros((len(x), 6, 4, 3))
    for i in range(3):
        j = (i + 1) % 3
        B[:, i, :, i] = g[:, :, i]
        B[:, 3 + i, :, i], B[:, 3 + i, :, j] = g[:, :, j], g[:, :, i]
    B = B.reshape(len(x), 6, 12)
    k = np.einsum("eai,ab,ebj,e->eij", B, D, B, np.abs(np.linalg.det(M)) / 6, optimize=True)
    dof = (3 * tetrahedra[:, :, None] + np.arange(3)).reshape(-1, 12)
    n = 3 * len(points)
    return coo_matrix((k.ravel(), (np.repeat(dof, 12), np.tile(dof, 12).ravel())), shape=(n, n)).tocsc()


def problem(w):
    """The model of the state of a world, its free displacements q, and the world's own forces."""
    s, c = w.solid(1), w.contacts
    rest = s.points - s.displacement
    free = np.flatnonzero(np.repeat((s.displacement != 0).any(axis=1), 3))
    factor = splu(stiffness(rest, s.tetrahedra)[free][:, free])
    place = np.full(3 * len(rest), -1)
    place[free] = np.arange(len(free))
    # where on the surface each contact is
    surface = w.surfaces[1]
    corners = surface.points[surface.triangles]
    node = {tuple(p): i for i, p in enumerate(np.round(s.points, 12))}
    e1, e2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(e1, e2)
    rows, columns, values = [], [], []
    for k, row in enumerate(c):
        d = row["q"] - corners[:, 0]
        b = np.einsum("ni,ni->n", np.cross(d, e2), normal) / (normal**2).sum(1)
        a = np.einsum("ni,ni->n", np.cross(e1, d), normal) / (normal**2).sum(1)
        weights = np.stack([1 - a - b, b, a], axis=1)
        off = np.linalg.norm(np.einsum("nk,nki->ni", np.clip(weights, 0, 1), corners) - row["q"], axis=1)
        t = off.argmin()
        for weight, corner in zip(weights[t], corners[t]):
            for axis in range(3):
                p = place[3 * node[tuple(np.round(corner, 12))] + axis]
                if p >= 0:
                    rows += [3 * k, 3 * k + 1, 3 * k + 2]
                    columns += [p] * 3
                    values += list(weight * row["frame"][:, axis])
    H = csr_matrix((values, (rows, columns)), shape=(3 * len(c), len(free)))
    HT = H.T.tocsr()
    r = c["r"].reshape(-1)

    def model(R):
        return H @ factor.solve(HT @ R)

    x = c["x"].copy()
    x[c["status"] == 1, 1:] = 0  # what sticks has not moved
    return model, x.reshape(-1) - model(r[:, None])[:, 0], r


table = []
for size, spacing, depth in ((9, 3.0, 17e-3),) if o.quick else ((5, 3.0, 17e-3), (9, 3.0, 20e-3), (15, 3.0, 21e-3)):
    with hapco.World("bar-on-liver.toml", text=SCENE % (size, size, spacing)) as w:
        report = w.reach(w.start[:3] - (0, depth, 0))
        model, q, r = problem(w)
        mu, n, nodes = 0.3, len(q) // 3, len(w.solid(1).points)
    begun = time.process_time()
    W = model(np.eye(3 * n))
    building = 1e3 * (time.process_time() - begun)
    for name, how in (("W written down", None), ("Krylov", "krylov"), ("Jacobi", "jacobi"), ("Gauss-Seidel", "gauss-seidel")):
        spent = [0.0]

        def asked(R):
            t = time.process_time()
            x = model(R)
            spent[0] += time.process_time() - t
            return x

        way = dict(tol=1e-4, criterion="scaled", max_iterations=100 if o.quick else 1000)
        begun = time.process_time()
        s = hapco.solve((W + W.T) / 2, q, mu, **way) if how is None else hapco.solve(asked, q, mu, form=how, **way)
        cpu = 1e3 * (time.process_time() - begun - spent[0])
        table.append({"contacts": n, "nodes": nodes, "form": name, "calls": s.calls if how else 1, "columns": s.columns if how else 3 * n,
                      "solver_ms": cpu, "model_ms": 1e3 * spent[0] if how else building,
                      "apart": float(np.abs(s.r.ravel() - r).max() / np.abs(r).max()), "converged": s.converged})

thesis = {16: (3.16, 9.88), 36: (28.8, 95.28)}
print(json.dumps({"table": table, "thesis_R_ms_with_and_without_W": thesis}))

import matplotlib.pyplot as plt

plt.figure(figsize=(6, 4))
for name in ("W written down", "Krylov", "Jacobi", "Gauss-Seidel"):
    rows = [t for t in table if t["form"] == name]
    plt.semilogy([t["contacts"] for t in rows], [max(t["columns"], 1) for t in rows], ".-", label=name)
plt.xlabel("contacts")
plt.ylabel("columns asked")
plt.legend()
plt.grid(alpha=0.3)
plt.savefig(o.out, dpi=120)
