"""A Gymnasium environment: find the hard lump in a soft slab by pressing. The package gymnasium is optional."""

from __future__ import annotations

import numpy as np

from .world import World

try:
    import gymnasium
    from gymnasium.spaces import Box

    _Base = gymnasium.Env
except ImportError:
    _Base = object

    class Box:  # type: ignore[no-redef]
        """Of gymnasium.spaces, as much as the environment itself needs."""

        def __init__(self, low, high, shape, dtype):
            self.low, self.high, self.shape, self.dtype = low, high, shape, np.dtype(dtype)

        def contains(self, x) -> bool:
            """Whether x is one of it."""
            return np.shape(x) == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))


SCENE = """
title = "Palpation"
friction = 0.2
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "probe"
role = "driven"
position = [0, 46, 0]
tool = { kind = "probe", radius = 5, length = 100 }
[[body]]
name = "slab"
role = "fixed"
E = 8
nu = 0.45
clamp = "bottom"
box = { origin = [-60, 0, -40], size = [120, 34, 80], elements = [15, 5, 10] }
[[body]]
name = "lump"
role = "fixed"
E = 500
nu = 0.3
clamp = "bottom"
box = { origin = [%.6g, 16, %.6g], size = [15, 13, 15], elements = [2, 2, 2] }
[[pair]]
bodies = ["slab", "lump"]
contact = "none"
[contact]
ddc_tolerance = 2
normals = "smooth"
anchored = true
"""


class PalpationEnv(_Base):
    """Press a probe into a soft slab and say where the hard lump is, which lies 5 mm under its surface.

    - **Action**, 3 numbers in -1..1: a place on the slab (x, z) and whether it is pressed (below 0) or named as the answer.
    - **Observation**, 5 numbers: the last place (-1..1, twice), the force there over that of the softest press so far, less 1, whether
      there was a press, and the share of presses used.
    - **Reward**: -0.05 a press; at the answer 1 less the distance from the lump's middle over the slab's half-width, no less than -1.

    The lump lies somewhere else in each episode. ``info`` has the force (N), and at the end the distance (m).
    """

    metadata = {"render_modes": []}
    half = np.array([0.050, 0.030])  # of where the probe may press, m
    width = 0.015  # of the lump, m

    def __init__(self, presses: int = 20, depth: float = 0.014):
        """presses: of an episode. depth: of a press, from 7 mm above the slab, m."""
        self.presses, self.depth = presses, depth
        self.action_space = Box(-1.0, 1.0, (3,), np.float32)
        self.observation_space = Box(-np.inf, np.inf, (5,), np.float32)
        self._world: World | None = None
        self._random = np.random.default_rng()

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        """A new lump; options may have its middle, "lump": (x, z), m."""
        if _Base is not object:
            super().reset(seed=seed)
        if seed is not None:
            self._random = np.random.default_rng(seed)
        at = (options or {}).get("lump")
        self._at = np.array(at, float) if at is not None else self._random.uniform(-0.8, 0.8, 2) * self.half
        self.close()
        self._world = World("palpation.toml", text=SCENE % tuple(1e3 * (self._at - self.width / 2)))
        self._rest = self._world.snapshot()
        self._used, self._softest, self._last = 0, None, np.zeros(5, np.float32)
        return self._last, {}

    def press(self, x: float, z: float) -> float:
        """Force of a press at a place, N."""
        w = self._world
        w.restore(self._rest)
        w.reach(w.start[:3] + (x, 0.0, z))
        force = 0.0
        for y in np.arange(0.001, self.depth + 5e-4, 0.001):
            force = w.reach(w.start[:3] + (x, -y, z)).force[1]
        return float(force)

    def step(self, action):
        """Presses, or answers."""
        action = np.clip(np.asarray(action, float), -1, 1)
        place = action[:2] * self.half
        self._used += 1
        if action[2] >= 0:
            distance = float(np.linalg.norm(place - self._at))
            return self._last, max(-1.0, 1 - distance / self.half[0]), True, False, {"distance": distance}
        force = self.press(*place)
        self._softest = force if self._softest is None else min(self._softest, force)
        self._last = np.array([*action[:2], force / max(self._softest, 1e-9) - 1, 1.0, self._used / self.presses], np.float32)
        return self._last, -0.05, False, self._used >= self.presses, {"force": force}

    def close(self) -> None:
        """Closes the world."""
        if self._world is not None:
            self._rest = None
            self._world.close()
            self._world = None
