"""A bar pressed on a block, with a finite element model of one's own, in SciPy: the contact solver asks it for displacements
and needs nothing else. The forces are those of HapCo's own model."""

import argparse
import itertools
import json

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.linalg import splu

import hapco

BAR = dict(origin=(0.032, 0.025, 0.0125), size=(0.016, 0.040, 0.010), elements=(4, 8, 3), E=1e6, nu=0.3, clamp="top")
BLOCK = dict(origin=(0, 0, 0), size=(0.080, 0.025, 0.035), elements=(10, 5, 7), E=2e4, nu=0.45, clamp="bottom")


def scene(mu):
    """The same for HapCo."""
    text = f'title = "Bar on block"\nfriction = {mu}\n[contact]\ntolerance = 1e-12\nddc_tolerance = inf\nstrain_limit = 0\nanchored = false\nnormals = "face"\n'
    for name, role, side, b in (("bar", "driven", "bottom", BAR), ("block", "fixed", "top", BLOCK)):
        text += (f'[[body]]\nname = "{name}"\nrole = "{role}"\nE = {b["E"]}\nnu = {b["nu"]}\nclamp = "{b["clamp"]}"\ncontact_surface = "{side}"\n'
                 f'[body.box]\norigin = {list(b["origin"])}\nsize = {list(b["size"])}\nelements = {list(b["elements"])}\n')
    return text + '[units]\nlength = "m"\npressure = "Pa"\n[[pair]]\nbodies = ["bar", "block"]\ncontact = "one"\n'


class Box:
    """A box of trilinear hexahedra, linear elastic, held at one side: ``at`` are its nodes, ``solve`` its compliance."""

    def __init__(self, origin, size, elements, E, nu, clamp):
        counts = np.array(elements) + 1
        grid = np.array([(x, y, z) for z in range(counts[2]) for y in range(counts[1]) for x in range(counts[0])])
        h = np.array(size) / elements
        self.at = origin + grid * h
        corners = np.array(list(itertools.product((0, 1), repeat=3)))
        first = grid[(grid < counts - 1).all(axis=1)]
        nodes = ((first[:, None] + corners) * (1, counts[0], counts[0] * counts[1])).sum(axis=2)
        dofs = (3 * nodes[:, :, None] + np.arange(3)).reshape(len(nodes), 24)
        K = self.stiffness(corners, h, E, nu)
        K = coo_matrix((np.tile(K.ravel(), len(dofs)), (np.repeat(dofs, 24), np.tile(dofs, 24).ravel()))).tocsc()
        held = self.at[:, 1] == (self.at[:, 1].max() if clamp == "top" else self.at[:, 1].min())
        self.free = np.flatnonzero(np.repeat(~held, 3))
        self.factor = splu(K[self.free][:, self.free])

    @staticmethod
    def stiffness(corners, h, E, nu):
        """24 x 24, by 2 x 2 x 2 points of Gauss."""
        D = np.diag([1.0, 1, 1, 0, 0, 0]) * E / (1 + nu) + np.diag([0, 0, 0, 1.0, 1, 1]) * E / (2 * (1 + nu))
        D[:3, :3] += E * nu / ((1 + nu) * (1 - 2 * nu))
        s, K = 2 * corners - 1, np.zeros((24, 24))
        for g in itertools.product((-3**-0.5, 3**-0.5), repeat=3):
            f = 1 + s * g
            d = s / 4 / h * np.stack([f[:, 1] * f[:, 2], f[:, 0] * f[:, 2], f[:, 0] * f[:, 1]], axis=1)
            B = np.zeros((6, 8, 3))
            for i in range(3):
                B[i, :, i] = d[:, i]
                j = (i + 1) % 3
                B[3 + i, :, i], B[3 + i, :, j] = d[:, j], d[:, i]
            B = B.reshape(6, 24)
            K += B.T @ D @ B * np.prod(h) / 8
        return K

    def solve(self, loads):
        """Displacements, m, under loads at all nodes, N: (3 nodes, k) both."""
        u = np.zeros_like(loads)
        u[self.free] = self.factor.solve(loads[self.free])
        return u

    def interpolation(self, points, weights, axes):
        """(3N, 3 nodes): along the axes n, t1, t2 of N contacts, from nodes near points (N, k, 3) with weights (N, k)."""
        N, k = weights.shape
        node = np.linalg.norm(points[:, :, None] - self.at, axis=3).argmin(axis=2)
        rows, columns = np.broadcast_arrays(3 * np.arange(N)[:, None, None, None] + np.arange(3)[:, None], 3 * node[:, :, None, None] + np.arange(3))
        values = weights[:, :, None, None] * axes[:, None]
        return csr_matrix((values.ravel(), (rows.ravel(), columns.ravel())), shape=(3 * N, 3 * len(self.at)))


def over(points, triangles, x):
    """The triangle above or below each x, and its weights there: (N, 3, 3), (N, 3)."""
    t = points[triangles][:, :, (0, 2)]
    T = np.stack([t[:, 0] - t[:, 2], t[:, 1] - t[:, 2]], axis=2)
    w = np.einsum("tij,ntj->nti", np.linalg.inv(T), x[:, None, (0, 2)] - t[:, 2])
    w = np.concatenate([w, 1 - w.sum(axis=2, keepdims=True)], axis=2)
    best = w.min(axis=2).argmax(axis=1)
    return points[triangles][best], w[np.arange(len(x)), best]


def pressed(mu, depth):
    """The bar, its N nodes that touch, the corners of the block's triangles beneath and their weights, the contacts' axes, what
    carries forces there to the bar's nodes, and of HapCo's own contacts which of the N each is, and its force."""
    bar = Box(**BAR)
    touching = bar.at[bar.at[:, 1] == 0.025]
    with hapco.World("bar-on-block.toml", text=scene(mu)) as w:
        upper = w.surfaces[1].triangles
        upper = upper[(w.surfaces[1].points[upper][:, :, 1] == 0.025).all(axis=1)]
        corners, weights = over(w.surfaces[1].points, upper, touching)
        rest = w.surfaces[0].points.copy()
        w.step(w.start[:3] - (0, depth, 0))
        c = w.contacts
    axes = np.tile([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]], (len(touching), 1, 1))
    own = bar.interpolation(touching[:, None], np.ones((len(touching), 1)), axes)
    match = np.linalg.norm(rest[c["node"]][:, None] - touching, axis=2).argmin(axis=1)
    return bar, touching, corners, weights, axes, own, match, c["r"]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--friction", type=float, default=0.12)
    p.add_argument("--depth", type=float, default=1e-3, help="m")
    p.add_argument("--out", help="picture")
    p.add_argument("--quick", action="store_true")
    a = p.parse_args()

    block = Box(**BLOCK)
    bar, touching, corners, weights, axes, own, match, theirs = pressed(a.friction, a.depth)
    N = len(touching)
    other = block.interpolation(corners, weights, axes)

    def model(R):
        return own @ bar.solve(own.T @ R) + other @ block.solve(other.T @ R)

    q = np.tile([-a.depth, 0.0, 0.0], N)
    s = hapco.solve(model, q, a.friction, tol=1e-13)
    difference = np.abs(s.r[match] - theirs).max() / np.abs(theirs).max()
    print(json.dumps({"contacts": N, "slip": int((s.status == "slip").sum()), "stick": int((s.status == "stick").sum()), "calls": s.calls, "columns": s.columns,
                      "force_N": s.r[:, 0].sum(), "difference": difference}))
    assert difference < 1e-8, difference
    if a.out:
        import matplotlib.pyplot as plt

        plt.figure(figsize=(6, 4))
        plt.scatter(1e3 * touching[:, 0], 1e3 * touching[:, 2], s=4e3 * s.r[:, 0], c=s.status == "slip", cmap="coolwarm", alpha=0.6)
        plt.quiver(1e3 * touching[:, 0], 1e3 * touching[:, 2], s.r[:, 1], -s.r[:, 2])
        plt.xlabel("x [mm]"), plt.ylabel("z [mm]"), plt.title("pressure (area), friction (arrows), slip (red)")
        plt.savefig(a.out, dpi=110)


if __name__ == "__main__":
    main()
