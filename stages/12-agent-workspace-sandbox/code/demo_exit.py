"""How every demo of this stage ends, whatever becomes of its output.

A reader presses Ctrl-C, reads on no further, or has a full disk. That is no fault of
the demo, so it is not answered with a traceback, and it never ends with 0.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

REFUSED = 1
INTERRUPTED = 128 + signal.SIGINT  # what a shell makes of that signal


def exit_after(main: Callable[[], int]) -> NoReturn:
    """End this process with the exit code that `main` returns, its output written.

    After Ctrl-C it is 130, and 1 when the system refused something, such as to take
    the output; one line on stderr says so. A reader that left early, as `| head`
    does, is told nothing. Without a standard output `main` is not called.

    Other exceptions are faults of ours and are shown whole. So is a Ctrl-C that comes
    before this call, while modules are imported.
    """
    name = Path(sys.argv[0]).name
    if sys.stdout is None:
        sys.exit(f"{name}: standard output is closed; nothing was done")
    # A path may hold characters that the terminal's encoding does not have.
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            code = main()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        code, reason = INTERRUPTED, "interrupted"
    except BrokenPipeError:
        code, reason = REFUSED, ""
    except OSError as error:
        code, reason = REFUSED, error.strerror or str(error)
    else:
        sys.exit(code)
    if reason:
        print(f"{name}: {reason}", file=sys.stderr)
    # Python empties its buffer once more at the end, and would complain again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
