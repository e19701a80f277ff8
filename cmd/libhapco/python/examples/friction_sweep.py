"""A sweep of friction: the same press and drag with other coefficients, the ratio of drag to pressure over mu.

    python3 friction_sweep.py [SCENE] [--out FILE.png]
"""

import argparse
import json

import numpy as np

import hapco

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("scene", nargs="?", default="bench-a-16")
options.add_argument("--press-mm", type=float, default=2)
options.add_argument("--drag-mm", type=float, default=4)
options.add_argument("--out", default="friction_sweep.png")
options.add_argument("--quick", action="store_true")
o = options.parse_args()

coefficients = np.linspace(0, 0.6, 4 if o.quick else 13)
ratio, sliding = [], []
with hapco.World(o.scene) as world:
    start = world.snapshot()
    for mu in coefficients:
        world.restore(start)
        world.keys["friction"] = mu
        world.reach(world.start[:3] - (0, 1e-3 * o.press_mm, 0))
        for x in np.linspace(0, 1e-3 * o.drag_mm, 9)[1:]:
            r = world.reach(world.start[:3] + (x, -1e-3 * o.press_mm, 0))
        ratio.append(float(np.hypot(r.force[0], r.force[2]) / r.force[1]))
        c = world.contacts
        loaded = c[c["r"][:, 0] > 0]
        sliding.append(float(np.mean(hapco.STATUS[loaded["status"]] == "slip")) if len(loaded) else 0.0)

import matplotlib.pyplot as plt

plt.figure(figsize=(6, 4))
plt.plot(coefficients, ratio, ".-", label="drag / pressure")
plt.plot(coefficients, sliding, ".--", label="share of contacts that slide")
plt.plot(coefficients, coefficients, ":", color="gray", label="mu")
plt.xlabel("friction coefficient mu")
plt.legend()
plt.grid(alpha=0.3)
plt.title(o.scene)
plt.savefig(o.out, dpi=120)
print(json.dumps({"scene": o.scene, "mu": coefficients.tolist(), "ratio": ratio, "sliding": sliding}))
