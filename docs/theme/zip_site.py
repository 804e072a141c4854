"""Build the site as a zip that opens from disk, for a room without a network.

    python docs/theme/zip_site.py [FILE.zip]

The default file is site/host-first-offline.zip. Readers unpack it and open index.html;
search works and nothing is requested from any server.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    target = Path(arguments[0] if arguments else ROOT / "site/host-first-offline.zip")
    target = target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "host-first"
        built = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(site)],
            cwd=ROOT,
            env={**os.environ, "DIRECTORY_URLS": "false"},
            check=False,
        )
        if built.returncode:
            return built.returncode
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(site.rglob("*")):
                if path.suffix not in (".map", ".gz") and path.name != "404.html":
                    archive.write(path, path.relative_to(site.parent))
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
