"""A world of another program, `hapco serve SCENE`, through its Unix socket."""

from __future__ import annotations

import json
import math
import os
import socket
import struct
import threading
from typing import Any

import numpy as np

from . import _library as _l
from .world import _REPORT, BODY, CONTACT, POINT, KeyInfo, Keys, Report, Solid, Surface, World, _place

_VERSION = 1
_TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "i8": "<i8", "u1": "u1", "report": _REPORT, "contact": CONTACT, "body": BODY, "point": POINT}
_MOST = (1 << 22, 1 << 31)  # bytes of an answer: its object, and its arrays
_CHUNK = 1 << 20


class _Line:
    """The connection: an object there, an object and arrays back."""

    def __init__(self, path: str | os.PathLike, timeout: float | None):
        self._lock = threading.Lock()
        self.gone: list[int] = []  # snapshots that nobody has any more
        self._socket: socket.socket | None = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(os.fspath(path))
        except OSError as e:
            self.close()
            raise _l.ClosedError(f"{os.fspath(path)}: {e.strerror or e} (cure: hapco serve SCENE --socket PATH)") from None

    def close(self) -> None:
        s, self._socket = self._socket, None
        if s:
            s.close()

    def _read(self, n: int) -> bytearray:
        data = bytearray(n)
        view = memoryview(data)
        while n:
            k = self._socket.recv_into(view[-n:])
            if not k:
                raise ConnectionError("it has hung up")
            n -= k
        return data

    def ask(self, op: str, **more) -> tuple[Any, list[np.ndarray]]:
        """Asks, and waits for the answer. One thread at a time."""
        text = json.dumps({"op": op, **{k: v for k, v in more.items() if v is not None}}, allow_nan=True).encode()
        if not self._lock.acquire(blocking=False):
            raise _l.BusyError("another thread is inside a call with this world (cure: one thread at a time, or a world each)")
        try:
            if self._socket is None:
                raise _l.ClosedError("the world has been closed (cure: hapco.connect)")
            try:
                self._socket.sendall(struct.pack("<II", len(text), 0) + text)
            except ConnectionError:
                pass  # it may have said why
            sizes = struct.unpack("<II", self._read(8))
            if sizes[0] > _MOST[0] or sizes[1] > _MOST[1]:
                raise ConnectionError(f"an answer of {sizes} bytes")
            answer = json.loads(self._read(sizes[0]))
            data = self._read(sizes[1])
        except OSError as e:
            self.close()
            raise _l.ClosedError(f"hapco serve does not answer any more: {e} (cure: connect again)") from None
        except BaseException:  # an interrupt: what is still to come is not known
            self.close()
            raise
        finally:
            self._lock.release()
        if answer["code"]:
            raise _l.error(answer["code"], answer["text"])
        arrays, at = [], 0
        for a in answer["arrays"]:
            dtype, shape = np.dtype(_TYPES[a["type"]]), a["shape"]
            arrays.append(np.frombuffer(data, dtype, math.prod(shape), at).reshape(shape))
            at += dtype.itemsize * math.prod(shape)
        return answer.get("data"), arrays


class _Keys(Keys):
    """The live parameters, over there."""

    def __init__(self, world: "RemoteWorld", keys: list[dict], ends: np.ndarray):
        self._world, self._info = world, {}
        for k, (least, most, usual) in zip(keys, ends):
            self._info.setdefault(k["name"], KeyInfo(k["name"], k["label"], k["unit"], k["help"], float(least), float(most), float(usual), tuple(k["words"])))

    def __getitem__(self, name: str) -> float | str:
        value = float(self._world._line.ask("get", key=name)[1][0][0])
        words = self._info[name].words
        return words[int(value)] if words and 0 <= value < len(words) else value

    def __setitem__(self, name: str, value: float | str | bool) -> None:
        self._world._line.ask("set", key=name, **({"word": value} if isinstance(value, str) else {"value": float(value)}))


class _Surface(Surface):
    """A surface, over there: each read fetches it."""

    def __init__(self, world: "RemoteWorld", i: int, op: str, name: str = "", driven: bool = False, rigid: bool = True):
        self._world, self._i, self._op = world, i, op
        self.name, self.driven, self.rigid = name, driven, rigid

    @property
    def points(self) -> np.ndarray:
        """(points, 3) positions after the last step, m."""
        return self._world._line.ask(self._op, index=self._i)[1][0]

    @property
    def triangles(self) -> np.ndarray:
        """(triangles, 3) indices of points, counter-clockwise from outside."""
        return self._world._line.ask(self._op, index=self._i)[1][1]

    def field(self, name: str) -> np.ndarray | None:
        """As of World.surfaces. In real time it is there some frames after it was asked for first."""
        values = self._world._line.ask("field", index=self._i, field=_place(self._world.fields, name))[1][0]
        return values if len(values) else None


class RemoteWorld:
    """A world of `hapco serve`, used as hapco.World. Arrays are copies.

    ``live``: it runs in real time, and ``step`` moves the hand of its haptic loop: its ``force`` is what a device would be
    given, after the safety chain. ``reach``, ``solid``, snapshots and recordings are of worlds that are not live.
    """

    def __init__(self, path: str | os.PathLike, *, hold: bool = True, timeout: float | None = None):
        self._line = _Line(path, timeout)
        try:
            about, arrays = self._line.ask("hello", version=_VERSION, hold=hold)
        except BaseException:
            self._line.close()
            raise
        self.live: bool = about["live"]
        self.kind, self.title, self.notes = about["kind"], about["title"], about["notes"]
        self.start = np.array(about["start"], float)
        self.fields: dict[str, str] = dict(about["fields"])
        self._numbers, self._timed = about["numbers"], about["timed"]
        self.keys = _Keys(self, about["keys"], arrays[0])
        self.surfaces = [_Surface(self, i, "surface", **s) for i, s in enumerate(about["surfaces"])]
        self.shapes = [_Surface(self, i, "shape") for i in range(about["shapes"])]
        self._file: str | os.PathLike | None = None

    @property
    def own_step(self) -> float:
        """How long the next step is at most, s; 0 of a world without time."""
        return float(self._line.ask("own_step")[1][0][0])

    def _pose(self, pose) -> list[float] | None:
        if pose is None:
            return None
        p = [float(x) for x in pose]
        if len(p) == 3:
            p += self.start[3:].tolist()
        if len(p) != 7:
            raise _l.InvalidError(f"a pose of {len(p)} numbers (cure: 3 of a position, or 7 with a quaternion x, y, z, w)")
        if not all(map(math.isfinite, p)):
            raise _l.InvalidError(f"{p} is no pose (cure: finite numbers)")
        return p

    def step(self, pose=None, dt: float | None = None) -> Report:
        """As World.step. Of a live world: moves the hand, and returns when dt (s; None: 1 ms) has passed since the last step."""
        if dt is not None and not math.isfinite(dt):
            raise _l.InvalidError(f"dt = {dt} (cure: seconds, 0 or more)")
        return Report(self._line.ask("step", pose=self._pose(pose), dt=dt)[1][0][0])

    def reach(self, pose) -> Report:
        """As World.reach."""
        return Report(self._line.ask("reach", pose=self._pose(pose))[1][0][0])

    def reset(self) -> None:
        """Puts it back to its start. Parameters stay."""
        self._line.ask("reset")

    @property
    def report(self) -> Report:
        """What came of the last step, whoever has made it."""
        return Report(self._line.ask("report")[1][0][0])

    @property
    def message(self) -> str:
        """Why there is no full force, of a live world: "lift the stylus off the tissue ..."; "" when all is well."""
        return self._line.ask("message")[0] or ""

    contacts = property(lambda self: self._line.ask("contacts")[1][0], doc=World.contacts.__doc__)
    bodies = property(lambda self: self._line.ask("bodies")[1][0], doc=World.bodies.__doc__)
    points = property(lambda self: self._line.ask("points")[1][0], doc=World.points.__doc__)

    @property
    def numbers(self) -> dict[str, float]:
        """The named numbers of the state, in SI units; nan where there is none now."""
        return dict(zip(self._numbers, self._line.ask("numbers")[1][0].tolist()))

    def solid(self, i: int) -> Solid:
        """Body i, as in surfaces, with its inside: stresses take a solve."""
        points, *fields, tetrahedra = self._line.ask("solid", index=i)[1]
        return Solid(points, *(f if len(f) else None for f in fields), tetrahedra)

    def record(self, file: str | os.PathLike) -> None:
        """As World.record: hapco serve keeps it, and end_record writes the file here."""
        if os.path.lexists(file):
            raise _l.Error(f"{os.fspath(file)} is there already (cure: another name)")
        self._line.ask("record")
        self._file = file

    def end_record(self) -> None:
        """Ends the recording: the file is whole then."""
        if self._file is None:
            return
        file, self._file = self._file, None
        self._line.ask("end_record")
        with open(file, "xb") as out:
            while True:
                part = self._line.ask("fetch", **{"from": out.tell()})[1][0]
                out.write(part)
                if len(part) < _CHUNK:
                    return

    def snapshot(self) -> "_Snapshot":
        """Keeps the state, over there."""
        while self._line.gone:
            self._line.ask("forget", index=self._line.gone.pop())
        return _Snapshot(self._line, self._line.ask("snapshot")[0])

    def restore(self, snapshot: "_Snapshot") -> None:
        """Puts a state back, bit for bit."""
        if not isinstance(snapshot, _Snapshot) or snapshot._line is not self._line:
            raise _l.InvalidError("the snapshot is of another world (cure: one that this world has given)")
        self._line.ask("restore", index=snapshot._number)

    def close(self) -> None:
        """Ends a recording, and the connection. The world goes on."""
        try:
            self.end_record()
        finally:
            self._line.close()

    def __enter__(self) -> "RemoteWorld":
        return self

    def __exit__(self, *_) -> None:
        self.close()


class _Snapshot:
    """A kept state, forgotten when nobody has it any more."""

    def __init__(self, line: _Line, number: int):
        self._line, self._number = line, number

    def __del__(self):
        self._line.gone.append(self._number)


def connect(path: str | os.PathLike, *, hold: bool = True, timeout: float | None = None) -> RemoteWorld:
    """Opens the world of `hapco serve SCENE --socket PATH`. hold: takes the stylus, which one client may have, and with it
    the right to change the world; else it only looks. timeout: s that an answer may take; None: as long as it likes."""
    return RemoteWorld(path, hold=hold, timeout=timeout)
