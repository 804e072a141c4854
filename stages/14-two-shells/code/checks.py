"""All checks of stage 14. Run: python stages/14-two-shells/code/checks.py

The checks need neither a model nor a key. What needs a shell or bubblewrap says so.
"""

import signal
import unittest

from executor_checks import *  # noqa: F403
from failure_checks import *  # noqa: F403
from guard_checks import *  # noqa: F403
from turn_checks import *  # noqa: F403
from wording14_checks import *  # noqa: F403

if __name__ == "__main__":
    # A shell that starts us in the background has Ctrl-C ignored, in our children too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main()
