"""A force-depth curve: the tool of a scene goes in and comes out again.

    python3 force_depth.py [SCENE] [--depth-mm D] [--out FILE.png]
"""

import argparse
import json

import numpy as np

import hapco

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("scene", nargs="?", default="block-linear")
options.add_argument("--depth-mm", type=float, default=6)
options.add_argument("--out", default="force_depth.png")
options.add_argument("--quick", action="store_true")
o = options.parse_args()

way = np.linspace(0, 1e-3 * o.depth_mm, 12 if o.quick else 60)
way = np.concatenate([way, way[-2::-1]])
with hapco.World(o.scene) as world:
    force = np.array([world.reach(world.start[:3] - (0, d, 0)).force[1] for d in way])

import matplotlib.pyplot as plt

plt.figure(figsize=(6, 4))
plt.plot(1e3 * way, force, ".-")
plt.xlabel("depth from the start, mm")
plt.ylabel("force on the tool, N")
plt.title(o.scene)
plt.grid(alpha=0.3)
plt.savefig(o.out, dpi=120)
print(json.dumps({"scene": o.scene, "largest_force_N": force.max(), "work_lost_J": float(np.sum((force[1:] + force[:-1]) / 2 * np.diff(way)))}))
