"""All checks of stage 12. Run: python stages/12-agent-workspace-sandbox/code/checks.py

The checks need neither a model nor a container engine.
"""

import signal
import unittest

from demo_checks import *  # noqa: F403
from path_checks import *  # noqa: F403
from report_checks import *  # noqa: F403
from runner_checks import *  # noqa: F403
from sandbox_checks import *  # noqa: F403
from workspace_checks import *  # noqa: F403

if __name__ == "__main__":
    # A shell that starts us in the background has Ctrl-C ignored, in our children too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main()
