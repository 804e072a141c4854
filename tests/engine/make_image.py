"""Write this very Python as the root file system of a container, a tar on stdout.

    python make_image.py | docker import - NAME

The archive holds the interpreter, its standard library without tests and
toolkits, and the shared libraries that `ldd` names, at the paths they have
here, with `/usr/local/bin/python` as a link. Nothing is downloaded, and
the same interpreter gives the same bytes. Linux with glibc only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from pathlib import Path

LEFT_OUT_FOLDERS = {
    "__pycache__",
    "dist-packages",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "site-packages",
    "test",
    "tests",
    "tkinter",
    "turtledemo",
}
# Extensions whose libraries are large and which no checker needs. `_ctypes`
# stays: the probe asks the kernel through it.
LEFT_OUT_EXTENSIONS = re.compile(
    r"_tkinter|_test|_ctypes_test|_curses|readline|_g?dbm|_sqlite3|_crypt\b|nis\."
)


def standard_library() -> Iterator[Path]:
    """Every file of the standard library that goes into the image."""
    for folder, folders, names in os.walk(sysconfig.get_path("stdlib")):
        folders[:] = [
            name
            for name in folders
            if name not in LEFT_OUT_FOLDERS and not name.startswith("config-")
        ]
        for name in names:
            if not name.endswith((".pyc", ".a")) and not LEFT_OUT_EXTENSIONS.match(
                name
            ):
                yield Path(folder, name)


def shared_libraries(binary: Path) -> set[Path]:
    """What the dynamic loader would map for `binary`, the loader included."""
    listing = subprocess.run(
        ["ldd", str(binary)], capture_output=True, encoding="utf-8"
    ).stdout
    return {Path(name) for name in re.findall(r"(/\S+) \(0x", listing)}


def entry(
    name: str, kind: bytes = tarfile.REGTYPE, **fields: object
) -> tarfile.TarInfo:
    """An archive member that everybody may read, without owner or time."""
    member = tarfile.TarInfo(name.lstrip("/"))
    member.type = kind
    member.mode = 0o755
    for field, value in fields.items():
        setattr(member, field, value)
    return member


def main() -> None:
    interpreter = Path(sys.executable).resolve()
    files = {interpreter, *standard_library()}
    for binary in [interpreter, *(f for f in files if f.suffix == ".so")]:
        files |= shared_libraries(binary)
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as tar:
        for folder in ("dev", "etc", "proc", "sys"):
            tar.addfile(entry(folder, tarfile.DIRTYPE))
        tar.addfile(entry("tmp", tarfile.DIRTYPE, mode=0o1777))
        link = entry("usr/local/bin/python", tarfile.SYMTYPE, linkname=str(interpreter))
        tar.addfile(link)
        for path in sorted(files):
            with path.open("rb") as source:
                tar.addfile(entry(str(path), size=path.stat().st_size), source)


if __name__ == "__main__":
    main()
