"""All checks of stage 15. Run: python stages/15-shell-dialects/code/checks.py

The checks need no model and no key. What needs bash, Landlock, bubblewrap or a POSIX
system says so; without a PowerShell, a stand-in that knows its phrasebook is asked.
"""

import signal
import unittest

from awkward_checks import *  # noqa: F403
from dialect_check_support import DIALECTS
from dialect_checks import *  # noqa: F403
from dialect_demo_checks import *  # noqa: F403
from fence_checks import *  # noqa: F403
from file_tool_checks import *  # noqa: F403
from marker_checks import *  # noqa: F403
from promise_checks import *  # noqa: F403
from shell_tool_checks import *  # noqa: F403
from wording_checks import *  # noqa: F403

if __name__ == "__main__":
    # A shell that starts us in the background has Ctrl-C ignored, in our children too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for dialect in DIALECTS:
        print(f"asked: {dialect.name} {dialect.label and f'({dialect.label})'}".strip())
    unittest.main()
