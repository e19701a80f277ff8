"""Simulated worlds: a scene that is stepped, read, changed, recorded, and put back."""

from __future__ import annotations

import ctypes as c
import os
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Iterator, Sequence

import numpy as np

from . import _library as _l
from .contact import STATUS

CONTACT = np.dtype([("id", "u8"), ("p", "f8", 3), ("q", "f8", 3), ("frame", "f8", (3, 3)), ("force", "f8", 3), ("r", "f8", 3),
                    ("x", "f8", 3), ("friction", "f8"), ("status", "i4"), ("node", "i4")])
BODY = np.dtype([("position", "f8", 3), ("rotation", "f8", 4), ("shape", "i8")])
POINT = np.dtype([("position", "f4", 3), ("radius", "f4"), ("color", "f4", 3), ("scalar", "f4")])
STEP = np.dtype([("dt", "f8"), ("target", "f8", 7), ("hand", "f8", 7), ("force", "f8", 3), ("torque", "f8", 3)])
_REPORT = np.dtype([("force", "f8", 3), ("torque", "f8", 3), ("stylus", "f8", 7), ("advanced", "f8"), ("time", "f8"), ("steps", "i8"),
                    ("reached", "i4"), ("reserved", "i4")])


class Report:
    """What came of a step: ``force`` on the stylus (3,), N; ``torque`` about its origin (3,), N m; ``stylus``, where it
    stands (7,): m, and a quaternion x, y, z, w; ``reached``, whether that is where it was sent; ``advanced`` and ``time``, s; ``steps``."""

    __slots__ = ("_row",)

    def __init__(self, row):
        self._row = row

    force = property(lambda self: self._row["force"])
    torque = property(lambda self: self._row["torque"])
    stylus = property(lambda self: self._row["stylus"])
    advanced = property(lambda self: float(self._row["advanced"]))
    time = property(lambda self: float(self._row["time"]))
    steps = property(lambda self: int(self._row["steps"]))
    reached = property(lambda self: bool(self._row["reached"]))

    def __repr__(self) -> str:
        return f"Report(force={self.force}, reached={self.reached}, time={self.time})"


@dataclass
class KeyInfo:
    """A live parameter: its value lies between ``least`` and ``most`` in ``unit`` (SI), or is one of ``words``."""

    name: str
    label: str
    unit: str
    help: str
    least: float
    most: float
    usual: float
    words: tuple[str, ...]


class Keys(MutableMapping):
    """The live parameters of a world by their names in scene files: ``world.keys["friction"] = 0.4``.

    Values are numbers in SI units, or words. They act at the next step.
    """

    def __init__(self, world: "World"):
        self._world = world
        self._info: dict[str, KeyInfo] = {}
        for i in range(world._about.keys):
            k = _l.Key()
            _l.check(_l.lib.hapco_world_key(world._number, i, c.byref(k)))
            name, word, words = k.name.decode(), c.c_char_p(), []
            if name in self._info:
                continue
            while len(words) < k.words and _l.lib.hapco_world_word(world._number, k.name, len(words), c.byref(word)) == 0:
                words.append(word.value.decode())
            self._info[name] = KeyInfo(name, k.label.decode(), k.unit.decode(), k.help.decode(), k.least, k.most, k.usual, tuple(words))

    def info(self, name: str) -> KeyInfo:
        """What a key is."""
        return self._info[name]

    def __getitem__(self, name: str) -> float | str:
        value = c.c_double()
        _l.check(_l.lib.hapco_world_get(self._world._number, name.encode(), c.byref(value)))
        words = self._info[name].words
        return words[int(value.value)] if words and 0 <= value.value < len(words) else value.value

    def __setitem__(self, name: str, value: float | str | bool) -> None:
        if isinstance(value, str):
            _l.check(_l.lib.hapco_world_set_word(self._world._number, name.encode(), value.encode()))
        else:
            _l.check(_l.lib.hapco_world_set(self._world._number, name.encode(), float(value)))

    def __delitem__(self, name: str) -> None:
        raise TypeError("a key cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._info)

    def __len__(self) -> int:
        return len(self._info)


def _view(owner: _l.Handle, address: int | None, dtype, *shape: int) -> np.ndarray:
    """Memory of the library as an array that keeps its world open, and cannot be written to."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    if not address or not size:
        return np.empty(shape, dtype)
    memory = (c.c_byte * size).from_address(address)
    memory._owner = owner
    a = np.frombuffer(memory, dtype).reshape(shape)
    a.flags.writeable = False
    return a


class Surface:
    """A surface of a world. Arrays show the library's own memory: a later read fills in the newest state; copy what is to stay."""

    def __init__(self, world: "World", i: int, function):
        self._world, self._i, self._function = world, i, function
        s = self._read()
        self.name: str = s.name.decode()
        self.driven, self.rigid = bool(s.driven), bool(s.rigid)

    def _read(self) -> _l.Surface:
        s = _l.Surface()
        _l.check(self._function(self._world._number, self._i, c.byref(s)))
        return s

    @property
    def points(self) -> np.ndarray:
        """(points, 3) positions after the last step, m."""
        s = self._read()
        return _view(self._world._handle, s.position, "f8", s.points, 3)

    @property
    def triangles(self) -> np.ndarray:
        """(triangles, 3) indices of points, counter-clockwise from outside."""
        s = self._read()
        return _view(self._world._handle, s.index, "i4", s.triangles, 3)

    def field(self, name: str) -> np.ndarray | None:
        """(points,) values of one of World.fields, such as "von Mises stress", in its unit; None where it is not known."""
        at, n = c.c_void_p(), c.c_int64()
        _l.check(_l.lib.hapco_world_surface_field(self._world._number, self._i, _place(self._world.fields, name), c.byref(at), c.byref(n)))
        return _view(self._world._handle, at.value, "f8", n.value).copy() if n.value else None


def _place(fields: dict[str, str], name: str) -> int:
    """The place of a field."""
    if name not in fields:
        raise _l.UnknownError(f"there is no field {name!r} (cure: one of {', '.join(fields)})")
    return list(fields).index(name)


@dataclass
class Solid:
    """A deformable body with its inside, copied: (nodes, 3) m and N, (nodes, 6) xx, yy, zz, xy, yz, zx; None where not known."""

    points: np.ndarray
    displacement: np.ndarray | None
    force: np.ndarray | None
    strain: np.ndarray | None
    stress: np.ndarray | None
    tetrahedra: np.ndarray

    @property
    def von_mises(self) -> np.ndarray | None:
        """(nodes,) von Mises stress, Pa."""
        if self.stress is None:
            return None
        s = self.stress
        d = s[:, :3] - s[:, :3].mean(axis=1, keepdims=True)
        return np.sqrt(1.5 * ((d**2).sum(axis=1) + 2 * (s[:, 3:] ** 2).sum(axis=1)))


class Snapshot:
    """The state of a world at one moment, for World.restore."""

    def __init__(self, handle: _l.Handle):
        self._handle = handle


class World:
    """A scene as a world: the name of an embedded one, a .toml file, or ``text=`` of one.

    ``set`` changes keys of the scene, as ``hapco trace --set``: {"friction": 0.5, "liver.E": "6 kPa"}. The same calls
    give the same bytes on every machine. One thread at a time; use it in a ``with``, or close it.
    """

    def __init__(self, scene: str | os.PathLike = "liver", *, set: dict | Sequence[str] = (), text: str | None = None):
        changes = _l.texts(f"{k}={v}" for k, v in set.items()) if isinstance(set, dict) else _l.texts(set)
        lib, name = _l.lib, os.fsencode(scene)
        if text is None:
            self._handle = _l.opened(lib.hapco_world_close, lib.hapco_world_open, name, changes, len(changes))
        else:
            self._handle = _l.opened(lib.hapco_world_close, lib.hapco_world_open_text, name, text.encode(), changes, len(changes))
        self._about = d = _l.Description()
        _l.check(lib.hapco_world_describe(self._number, c.byref(d)))
        self.kind, self.title, self.notes = d.kind.decode(), d.title.decode(), d.notes.decode()
        self.start = np.array([*d.start.position, *d.start.rotation])
        self._report = np.zeros((), _REPORT)
        self._report_at = self._report.ctypes.data
        self._pose = self.start.copy()
        self._pose_at = self._pose.ctypes.data
        self._step = lib.hapco_world_step
        self.keys = Keys(self)
        self.fields: dict[str, str] = {}  # units by name
        field, unit = c.c_char_p(), c.c_char_p()
        while lib.hapco_world_field(self._number, len(self.fields), c.byref(field), c.byref(unit)) == 0:
            self.fields[field.value.decode()] = unit.value.decode()
        self.surfaces = [Surface(self, i, lib.hapco_world_surface) for i in range(d.surfaces)]
        self.shapes = [Surface(self, i, lib.hapco_world_shape) for i in range(d.shapes)]

    @property
    def _number(self) -> int:
        h = self._handle
        return h.number if h else 0

    @property
    def own_step(self) -> float:
        """How long the next step is at most, s; 0 of a world without time."""
        _l.check(_l.lib.hapco_world_describe(self._number, c.byref(self._about)))
        return self._about.own_step

    def _send(self, pose) -> int | None:
        """Puts a pose where the library reads it."""
        if pose is None:
            return None
        n = len(pose)
        if n == 7:
            self._pose[:] = pose
        elif n == 3:
            self._pose[:3], self._pose[3:] = pose, self.start[3:]
        else:
            raise _l.InvalidError(f"a pose of {n} numbers (cure: 3 of a position, or 7 with a quaternion x, y, z, w)")
        return self._pose_at

    def step(self, pose=None, dt: float | None = None) -> Report:
        """Takes one step towards a pose: 3 numbers of a position (m), or 7 with a quaternion x, y, z, w; None: where it was
        sent last. A world in time advances by dt (s; None: its own step) in steps of its own, and owes what is less."""
        if dt is None:
            dt = self.own_step if self._about.own_step else 0.0
        code = self._step(self._number, self._send(pose), dt, self._report_at)
        if code:
            _l.check(code)
        return Report(self._report.copy())

    def reach(self, pose) -> Report:
        """Steps a world without time until the stylus stands at a pose, or is held: then ``reached`` is false."""
        _l.check(_l.lib.hapco_world_reach(self._number, self._send(pose), self._report_at))
        return Report(self._report.copy())

    def reset(self) -> None:
        """Puts it back to its start. Parameters stay."""
        _l.check(_l.lib.hapco_world_reset(self._number))

    def _rows(self, function, dtype) -> np.ndarray:
        at, n = c.c_void_p(), c.c_int64()
        _l.check(function(self._number, c.byref(at), c.byref(n)))
        return _view(self._handle, at.value, dtype, n.value).copy()

    @property
    def contacts(self) -> np.ndarray:
        """The contacts of the last step, as rows of CONTACT: id, p, q (m), frame (rows n, t1, t2), force (world, N), r, x, friction,
        status (see STATUS), node."""
        return self._rows(_l.lib.hapco_world_contacts, CONTACT)

    @property
    def bodies(self) -> np.ndarray:
        """The rigid bodies, as rows of BODY: position (m), rotation (x, y, z, w), shape (place in World.shapes)."""
        return self._rows(_l.lib.hapco_world_bodies, BODY)

    @property
    def points(self) -> np.ndarray:
        """The grains, as rows of POINT: position, radius (m), color, scalar."""
        return self._rows(_l.lib.hapco_world_points, POINT)

    @property
    def numbers(self) -> dict[str, float]:
        """The named numbers of the state, such as penetration_m, in SI units; nan where there is none now."""
        out, name, value = {}, c.c_char_p(), c.c_double()
        for i in range(self._about.numbers):
            _l.check(_l.lib.hapco_world_number(self._number, i, c.byref(name), None, c.byref(value)))
            out[name.value.decode()] = value.value
        return out

    def solid(self, i: int) -> Solid:
        """Body i, as in surfaces, with its inside: stresses take a solve."""
        s = _l.Solid()
        _l.check(_l.lib.hapco_world_solid(self._number, i, c.byref(s)))
        fields = [_view(self._handle, at, "f8", s.nodes, k).copy() if at else None
                  for at, k in ((s.position, 3), (s.displacement, 3), (s.force, 3), (s.strain, 6), (s.stress, 6))]
        return Solid(*fields, _view(self._handle, s.element, "i4", s.elements, 4).copy())

    def record(self, file: str | os.PathLike) -> None:
        """Records every step from now on, for ``hapco replay --exact``. A world that has made steps is put back to its start."""
        _l.check(_l.lib.hapco_world_record(self._number, os.fsencode(file)))

    def end_record(self) -> None:
        """Ends the recording: the file is whole then."""
        _l.check(_l.lib.hapco_world_record_end(self._number))

    def snapshot(self) -> Snapshot:
        """Keeps the state."""
        return Snapshot(_l.opened(_l.lib.hapco_snapshot_close, _l.lib.hapco_world_snapshot, self._number))

    def restore(self, snapshot: Snapshot) -> None:
        """Puts a state back, bit for bit."""
        _l.check(_l.lib.hapco_world_restore(self._number, snapshot._handle.number))

    def close(self) -> None:
        """Ends a recording, and the world, once no array of it is left."""
        if self._handle:
            try:
                self.end_record()
            finally:
                self._handle = None

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_) -> None:
        self.close()


def read_recording(file: str | os.PathLike) -> np.ndarray:
    """The physics steps of a recording, as rows of STEP: dt (s), target and hand (m, and a quaternion), force (N), torque (N m)."""
    n = c.c_int64()
    _l.check(_l.lib.hapco_recording_read(os.fsencode(file), None, c.byref(n)))
    rows = np.empty(n.value, STEP)
    _l.check(_l.lib.hapco_recording_read(os.fsencode(file), rows.ctypes.data, c.byref(n)))
    return rows


__all__ = ["BODY", "CONTACT", "POINT", "STATUS", "STEP", "KeyInfo", "Keys", "Report", "Snapshot", "Solid", "Surface", "World", "read_recording"]
