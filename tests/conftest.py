"""What the test modules share: the site, built once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# A shell that starts us in the background has Ctrl-C ignored, and nohup a closed
# terminal; children inherit both, and some of them are asked what they make of it.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--live`: tests that ask a real service, with your key and for money."""
    parser.addoption("--live", action="store_true", help="ask the real service too")


@dataclass(frozen=True)
class Build:
    """One run of MkDocs: its exit code, all it said, and the folder it wrote."""

    returncode: int
    log: str
    site: Path


@pytest.fixture(scope="session")
def build() -> Callable[..., Build]:
    """Return a function that builds a copy of the course's site as CI does."""

    def build_site(target: Path, root: Path = ROOT, **variables: str) -> Build:
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(target)],
            cwd=root,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Build(done.returncode, done.stdout, target)

    return build_site


@pytest.fixture(scope="session")
def built(build, tmp_path_factory) -> Build:
    """Build the site once for the whole session."""
    return build(tmp_path_factory.mktemp("built") / "site")


@pytest.fixture(scope="session")
def site(built) -> Path:
    """Return the folder of the built site."""
    assert built.returncode == 0, built.log
    return built.site
