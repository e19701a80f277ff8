"""libhapco through ctypes: where it is, its structures, and its errors as exceptions."""

from __future__ import annotations

import ctypes as c
import ctypes.util
import os
from pathlib import Path


class Error(Exception):
    """What the library could not do: one line with the cure."""

    code = 5


class InvalidError(Error, ValueError):
    """An argument is missing, not finite, out of range or of the wrong size."""

    code = 1


class ClosedError(Error):
    """The world or solver has been closed."""

    code = 2


class BusyError(Error):
    """Another thread is inside a call with this world or solver."""

    code = 3


class UnknownError(Error, LookupError):
    """There is no key, solver or word of this name."""

    code = 4


class CallbackError(Error):
    """The caller's own function failed."""

    code = 6


class ForkedError(Error):
    """The process is a fork of the one that loaded the library: start processes with "spawn"."""

    code = 7


class InternalError(Error):
    """A fault of the library: please report it."""

    code = 8


_ERRORS = {e.code: e for e in (InvalidError, ClosedError, BusyError, UnknownError, Error, CallbackError, ForkedError, InternalError)}

_f, _i32, _i64, _p = c.c_double, c.c_int32, c.c_int64, c.c_void_p


def _structure(name: str, /, **fields) -> type:
    return type(name, (c.Structure,), {"_fields_": list(fields.items()), "__slots__": ()})


Options = _structure("Options", tolerance=_f, deadline=_f, rho=_f, rho_factor=_f, max_iterations=_i32, criterion=_i32,
                     warm=_i32, form=_i32, columns=_i32, reserved=_i32)
Result = _structure("Result", natural_error=_f, natural_normal=_f, natural_tangential=_f, scaled_error=_f,
                    scaled_normal=_f, scaled_tangential=_f, relative_change=_f, rho_min=_f, elapsed=_f, calls=_i64,
                    columns=_i64, converged=_i32, iterations=_i32, open=_i32, stick=_i32, slip=_i32, reserved=_i32)
Pose = _structure("Pose", position=_f * 3, rotation=_f * 4)
Report = _structure("Report", force=_f * 3, torque=_f * 3, stylus=Pose, advanced=_f, time=_f, steps=_i64, reached=_i32, reserved=_i32)
Description = _structure("Description", kind=c.c_char_p, title=c.c_char_p, notes=c.c_char_p, start=Pose, own_step=_f,
                         surfaces=_i64, solids=_i64, shapes=_i64, keys=_i64, numbers=_i64)
Surface = _structure("Surface", name=c.c_char_p, points=_i64, triangles=_i64, position=_p, index=_p, driven=_i32, rigid=_i32)
Solid = _structure("Solid", nodes=_i64, elements=_i64, position=_p, displacement=_p, force=_p, strain=_p, stress=_p, element=_p)
Key = _structure("Key", name=c.c_char_p, label=c.c_char_p, unit=c.c_char_p, help=c.c_char_p, value=_f, least=_f, most=_f,
                 usual=_f, words=_i64, view=_i32, reserved=_i32)
Model = c.CFUNCTYPE(c.c_int, _p, _i64, _i64, _p, _p)


def _load() -> c.CDLL:
    """The library of HAPCO_LIBRARY, beside the module, of the checkout, or of the system."""
    here = Path(__file__).resolve().parent
    named = os.environ.get("HAPCO_LIBRARY")
    places = [named] if named else [here / "libhapco.so.0", *(p / "bin" / "libhapco.so.0" for p in here.parents if (p / "go.mod").exists())]
    for place in places:
        if named or Path(place).exists():
            return c.CDLL(os.fspath(place))
    try:
        return c.CDLL("libhapco.so.0")
    except OSError as e:
        raise ImportError(f"libhapco.so.0 is not there: {e} (cure: make lib in the checkout, the package libhapco0, or HAPCO_LIBRARY=FILE)") from None


lib = _load()
lib.hapco_error.restype = lib.hapco_version.restype = c.c_char_p

_ARGUMENTS = {
    "default_options": [_p], "solver_name": [_i64, _p], "solver_open": [c.c_char_p, _p], "solver_close": [_p],
    "solver_dense": [_p, _i64, _p, _p, _p, _p, _p, _p, _p], "solver_blocks": [_p, _i64, _i64] + [_p] * 9,
    "solver_model": [_p, _i64, Model] + [_p] * 7, "solver_read": [_p, c.c_char_p, _p], "solver_problem": [_p, _i64, _p, _p, _p, _p],
    "world_open": [c.c_char_p, _p, _i64, _p], "world_open_text": [c.c_char_p, c.c_char_p, _p, _i64, _p],
    "world_close": [_p], "world_describe": [_p, _p], "world_step": [_p, _p, _f, _p], "world_reach": [_p, _p, _p], "world_reset": [_p],
    "world_contacts": [_p, _p, _p], "world_surface": [_p, _i64, _p], "world_solid": [_p, _i64, _p], "world_field": [_p, _i64, _p, _p],
    "world_surface_field": [_p, _i64, _i64, _p, _p], "world_bodies": [_p, _p, _p],
    "world_shape": [_p, _i64, _p], "world_points": [_p, _p, _p], "world_number": [_p, _i64, _p, _p, _p], "world_key": [_p, _i64, _p],
    "world_word": [_p, c.c_char_p, _i64, _p], "world_get": [_p, c.c_char_p, _p], "world_set": [_p, c.c_char_p, _f],
    "world_set_word": [_p, c.c_char_p, c.c_char_p], "world_record": [_p, c.c_char_p], "world_record_end": [_p],
    "world_snapshot": [_p, _p], "world_restore": [_p, _p], "snapshot_close": [_p], "recording_read": [c.c_char_p, _p, _p],
}
for _name, _types in _ARGUMENTS.items():
    _function = getattr(lib, "hapco_" + _name)
    _function.argtypes, _function.restype = _types, c.c_int


def error(code: int, text: str) -> Error:
    """The exception of a hapco_code."""
    return _ERRORS.get(code, Error)(text)


def check(code: int) -> None:
    """Raises what a function of the library has returned."""
    if code:
        raise error(code, lib.hapco_error().decode("utf-8", "replace"))


class Handle:
    """A handle of the library, closed when nobody has it any more."""

    __slots__ = ("number", "_close")

    def __init__(self, close, number: int):
        self.number, self._close = number, close

    def close(self) -> None:
        """Closes it now."""
        number, self.number = self.number, 0
        if number:
            check(self._close(number))

    def __del__(self):
        try:
            if self.number:
                self._close(self.number)
        except (AttributeError, TypeError):  # the interpreter ends
            pass


def opened(close, function, *arguments) -> Handle:
    """The handle that a function of the library opens."""
    number = c.c_void_p()
    check(function(*arguments, c.byref(number)))
    return Handle(close, number.value)


def texts(lines) -> c.Array:
    """Lines for the library."""
    lines = [str(t).encode() for t in lines]
    return (c.c_char_p * len(lines))(*lines)
