"""The last lines of every demo here: its exit code, and what may come in between.

A reader presses Ctrl-C, `| head` has seen enough, a disk is full. Nothing of that is
a mistake in the demo, so none of it ends in a traceback, and none of it ends as 0.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

FAILED = 1
INTERRUPTED = 130  # 128 + SIGINT, as a shell has it


def close_after(main: Callable[[], int]) -> NoReturn:
    """Call `main`, see that its output is written, and exit with what it returned.

    The exit code is 130 after Ctrl-C, and 1 after an error of the system. One line on
    stderr names either, except that nobody reads on. With stdout closed from the
    start, nothing is done. Any other exception is a fault of ours, and goes through.

    Not covered: Ctrl-C before this call, while the modules are imported.
    """
    name = Path(sys.argv[0]).name
    if sys.stdout is None:
        sys.exit(f"{name}: standard output is closed; nothing was done")
    # A path or an output may have characters that the terminal cannot show.
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            code = main()
        finally:
            sys.stdout.flush()
        sys.exit(code)
    except KeyboardInterrupt:
        code, words = INTERRUPTED, "interrupted"
    except BrokenPipeError:
        code, words = FAILED, ""
    except OSError as error:
        code, words = FAILED, error.strerror or str(error)
    if words:
        print(f"{name}: {words}", file=sys.stderr)
    # At its end Python writes what is left in the buffer, and would complain again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
