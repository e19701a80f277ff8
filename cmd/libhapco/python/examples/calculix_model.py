"""The bar on the block of fem_model.py, with the block of CalculiX (ccx): its stiffness matrix is read and used as compliance."""

import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

import hapco
from fem_model import BLOCK, Box, pressed


def job(folder, box, held):
    """Has CalculiX write the stiffness of a box: C3D8 are the hexahedra of Box."""
    n = np.array(BLOCK["elements"]) + 1
    number = 1 + np.arange(n.prod()).reshape(n[::-1]).transpose(2, 1, 0)
    lines = ["*NODE", *(f"{i},{x:.16g},{y:.16g},{z:.16g}" for i, (x, y, z) in enumerate(box.at, 1)), "*ELEMENT, TYPE=C3D8, ELSET=ALL"]
    corners = [number[a:n[0] - 1 + a, b:n[1] - 1 + b, c:n[2] - 1 + c].ravel() for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    lines += [",".join(map(str, (e, *nodes))) for e, nodes in enumerate(zip(*corners), 1)]
    lines += ["*BOUNDARY", *(f"{i},1,3" for i in np.flatnonzero(held) + 1), "*MATERIAL, NAME=M", "*ELASTIC", f"{BLOCK['E']},{BLOCK['nu']}", "*DENSITY", "1000",
              "*SOLID SECTION, ELSET=ALL, MATERIAL=M", "*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "*END STEP", ""]
    open(os.path.join(folder, "block.inp"), "w").write("\n".join(lines))
    subprocess.run(["ccx", "block"], cwd=folder, check=True, capture_output=True)
    return os.path.join(folder, "block")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--friction", type=float, default=0.12)
    p.add_argument("--depth", type=float, default=1e-3, help="m")
    p.add_argument("--out", help="picture")
    p.add_argument("--quick", action="store_true")
    a = p.parse_args()

    block = Box(**BLOCK)
    with tempfile.TemporaryDirectory() as folder:
        K = hapco.read_calculix(job(folder, block, block.at[:, 1] == 0))
    bar, touching, corners, weights, axes, own, match, theirs = pressed(a.friction, a.depth)
    nodes = 1 + np.linalg.norm(corners[:, :, None] - block.at, axis=3).argmin(axis=2)
    other = K.interpolation(nodes, weights, axes)

    s = hapco.solve(lambda R: own @ bar.solve(own.T @ R) + other @ K.solve(other.T @ R), np.tile([-a.depth, 0.0, 0.0], len(touching)), a.friction, tol=1e-13)
    difference = np.abs(s.r[match] - theirs).max() / np.abs(theirs).max()
    print(json.dumps({"rows": len(K.node), "calls": s.calls, "columns": s.columns, "force_N": s.r[:, 0].sum(), "difference": difference}))
    assert difference < 1e-8, difference
    if a.out:
        import matplotlib.pyplot as plt

        plt.figure(figsize=(5, 5))
        plt.spy(K.K, markersize=0.5)
        plt.title("stiffness of the block, by CalculiX")
        plt.savefig(a.out, dpi=110)


if __name__ == "__main__":
    main()
