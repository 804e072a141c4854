"""Let pytest load the checks of every stage, each with its own folder first."""

import sys
from pathlib import Path

# An exercise's checks want a learner's answer beside them: its runner and
# tests/test_exercises.py give them one.
collect_ignore_glob = ["*/exercises/*"]


def pytest_collectstart(collector):
    """Put a stage's `code/` first on the path before its checks are imported."""
    path = Path(getattr(collector, "path", ""))
    if path.name == "checks.py" and path.parent.name == "code":
        code = str(path.parent)
        if code in sys.path:
            sys.path.remove(code)
        sys.path.insert(0, code)
