"""A fit of a material: Young's modulus and friction from a measured force, here one that was made with known values and noise.

    python3 fit_material.py [--out FILE.png]
"""

import argparse
import json

import numpy as np
from scipy.optimize import least_squares

import hapco

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--scene", default="bench-a-16")
options.add_argument("--key", default="obstacle.E")
options.add_argument("--out", default="fit_material.png")
options.add_argument("--quick", action="store_true")
o = options.parse_args()

steps = 6 if o.quick else 20
way = [(0, -y, 0) for y in np.linspace(0, 2e-3, steps)] + [(x, -2e-3, 0) for x in np.linspace(0, 4e-3, steps)]

with hapco.World(o.scene) as world:
    start, usual = world.snapshot(), world.keys[o.key]

    def forces(share, mu):
        """The forces along the way, N: with so many times the scene's modulus."""
        world.restore(start)
        world.keys[o.key], world.keys["friction"] = share * usual, mu
        return np.array([world.reach(world.start[:3] + d).force for d in way])

    true = (1.4, 0.25)
    clean = forces(*true)
    measured = clean + 0.01 * np.abs(clean).max() * np.random.default_rng(1).normal(size=clean.shape)
    fit = least_squares(lambda p: (forces(*p) - measured).ravel(), (1.0, 0.4), bounds=([0.1, 0], [10, 1]), diff_step=1e-3)
    found = forces(*fit.x)

import matplotlib.pyplot as plt

plt.figure(figsize=(6, 4))
for k, axis in enumerate("xyz"):
    plt.plot(measured[:, k], ".", color=f"C{k}")
    plt.plot(found[:, k], color=f"C{k}", label=f"force {axis}")
plt.xlabel("step of the way: press, then drag")
plt.ylabel("N")
plt.legend()
plt.grid(alpha=0.3)
plt.savefig(o.out, dpi=120)
print(json.dumps({"key": o.key, "E_Pa": fit.x[0] * usual, "E_true_Pa": true[0] * usual, "mu": fit.x[1], "mu_true": true[1]}))
