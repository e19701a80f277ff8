"""HapCo from Python: frictional contact problems and simulated worlds.

    import hapco
    s = hapco.solve(W, q, mu, tol=1e-8)        # s.r: (N, 3) in the order n, t1, t2
    with hapco.World("liver") as world:
        world.keys["friction"] = 0.4
        force = world.reach(world.start[:3] - (0, 0.02, 0)).force

Arrays are NumPy's, units SI. The module is ctypes over libhapco: no compiler is needed.
"""

from ._library import BusyError, CallbackError, ClosedError, Error, ForkedError, InternalError, InvalidError, UnknownError, lib as _lib
from .calculix import Stiffness, read_calculix
from .contact import STATUS, Problem, Solution, read_fc3d, solve, solvers
from .door import RemoteWorld, connect
from .world import BODY, CONTACT, POINT, STEP, KeyInfo, Keys, Report, Snapshot, Solid, Surface, World, read_recording

__version__: str = _lib.hapco_version().decode().removeprefix("v")


def __getattr__(name: str):
    if name == "PalpationEnv":
        from .palpation import PalpationEnv

        return PalpationEnv
    raise AttributeError(name)


__all__ = ["BODY", "CONTACT", "POINT", "STATUS", "STEP", "BusyError", "CallbackError", "ClosedError", "Error", "ForkedError", "InternalError",
           "InvalidError", "KeyInfo", "Keys", "PalpationEnv", "Problem", "RemoteWorld", "Report", "Snapshot", "Solid", "Solution", "Stiffness", "Surface", "UnknownError",
           "World", "connect", "read_calculix", "read_fc3d", "read_recording", "solve", "solvers"]
