"""Builds the wheel of the module, with nothing but Python: with ../../../bin/libhapco.so.0 in it where `make lib` has made it."""

import base64
import hashlib
import re
import sysconfig
import zipfile
from pathlib import Path

here = Path(__file__).resolve().parent
version = re.search(r'Version = "v([^"]*)"', (here.parents[2] / "assets" / "version.go").read_text()).group(1)
METADATA = f"""Metadata-Version: 2.1
Name: hapco
Version: {version}
Summary: Frictional contact and simulated worlds: HapCo from Python
Requires-Python: >=3.10
Requires-Dist: numpy
Provides-Extra: palpation
Requires-Dist: gymnasium; extra == "palpation"
"""


def _wheel(folder, files):
    library = here.parents[2] / "bin" / "libhapco.so.0"
    tag = "py3-none-any"
    if library.exists():
        tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
        files["hapco/libhapco.so.0"] = library.read_bytes()
    info = f"hapco-{version}.dist-info"
    files[f"{info}/METADATA"] = METADATA.encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: hapco\nRoot-Is-Purelib: {str(tag.endswith('any')).lower()}\nTag: {tag}\n".encode()
    record = ""
    name = f"hapco-{version}-{tag}.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in files.items():
            z.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
        z.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    return _wheel(wheel_directory, {f"hapco/{f.name}": f.read_bytes() for f in sorted((here / "hapco").iterdir()) if f.suffix in (".py", ".typed")})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: the module stays in the checkout."""
    return _wheel(wheel_directory, {"hapco.pth": f"{here}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: there is none, since the library is made from the whole checkout."""
    raise RuntimeError("the module is installed from the checkout (cure: pip install cmd/libhapco/python)")
