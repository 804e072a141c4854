"""How the demos of this stage end, also when nobody wants their output.

Ctrl-C, a reader who leaves early and a full disk are no faults of a demo: no traceback
is shown for them, and none of them ends with 0.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path


def tell(story: Callable[[], int]) -> int:
    """Run `story`, which prints, and return the exit status: its own when all was well.

    After Ctrl-C it is 130. It is 1 when the system refused something, such as to take
    the output: one line on stderr says what, and none when the reader left. A closed
    standard output is noticed before the story begins. Other exceptions go through.
    """
    name = Path(sys.argv[0]).name
    if sys.stdout is None:
        print(f"{name}: standard output is closed; nothing was done", file=sys.stderr)
        return 1
    # A message of the system may have characters that the terminal's encoding lacks.
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            return story()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        status = 130
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"{name}: {error.strerror or error}", file=sys.stderr)
        status = 1
    # Python empties its buffer once more at the end, and would complain again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
