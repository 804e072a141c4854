"""Fetch the Python that runs in exercise pages: Pyodide, 14 MB, from npm.

    python3 docs/theme/get_pyodide.py

It goes to .pyodide/, which Git ignores and `mkdocs build` copies into the site.
Without it the site is complete, but its exercises are checked at a terminal only.
The package's digest is fixed here, so what npm delivers is this version or nothing.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / ".pyodide"
VERSION = "314.0.7"
SHA512 = (
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7"
    "y2q+SNvi/6V5JEsOlD2R1A=="
)
# package.json names the licence, MPL 2.0, and where the source is.
FILES = (
    "package.json",
    "pyodide-lock.json",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide.mjs",
    "python_stdlib.zip",
)


def main() -> int:
    """Return 0 when .pyodide/ holds this version, else 1, with the reason printed."""
    mark = TARGET / "version.txt"
    if mark.is_file() and mark.read_text("utf-8").strip() == VERSION:
        print(f".pyodide/ holds Pyodide {VERSION} already")
        return 0
    npm = shutil.which("npm")
    if npm is None:
        return refuse("this needs npm; on Debian: apt-get install npm")
    with tempfile.TemporaryDirectory() as scratch:
        packed = subprocess.run(
            [npm, "pack", "--loglevel=error", f"pyodide@{VERSION}"],
            cwd=scratch,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        archive = Path(scratch, f"pyodide-{VERSION}.tgz")
        if packed.returncode or not archive.is_file():
            return refuse(f"npm did not deliver pyodide {VERSION}")
        found = hashlib.sha512(archive.read_bytes()).digest()
        if base64.b64encode(found).decode() != SHA512:
            return refuse("npm delivered something else: its SHA-512 is another")
        shutil.rmtree(TARGET, ignore_errors=True)
        TARGET.mkdir()
        with tarfile.open(archive) as package:
            for name in FILES:
                content = package.extractfile(f"package/{name}").read()
                (TARGET / name).write_bytes(content)
    # Last: a folder without it is half a transfer, and no build takes it.
    mark.write_text(f"{VERSION}\n", "utf-8")
    print(f".pyodide/ holds Pyodide {VERSION}; the next build puts it into the site")
    return 0


def refuse(why: str) -> int:
    print(f"get_pyodide.py: {why}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
