"""All checks of stage 12. Run: python stages/12-agent-workspace-sandbox/code/checks.py

The checks need neither a model nor a container engine.
"""

import signal
import sys
import unittest

from check_support import Beside
from demo_checks import *  # noqa: F403
from path_checks import *  # noqa: F403
from report_checks import *  # noqa: F403
from runner_checks import *  # noqa: F403
from sandbox_checks import *  # noqa: F403
from workspace_checks import *  # noqa: F403


def setUpModule() -> None:
    """Before all checks, as pytest calls it: what mostly waits begins."""
    Beside.start_all()


def tearDownModule() -> None:
    """After the last check, or Ctrl-C: what has not begun never does."""
    Beside.stop()


if __name__ == "__main__":
    # A shell that starts us in the background has Ctrl-C ignored, in our children too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if len(sys.argv) == 1:
        setUpModule()
    try:
        unittest.main()
    finally:
        tearDownModule()
