"""Keep both ends of what a command prints, and count what is left out between.

The beginning says what ran and the end says how it went, so the middle goes. What
is kept is bounded while it is read: a command that prints gigabytes costs time, and
no memory.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from contract import RunContract


class Stream:
    """One of a command's two streams, read to its end, of which the ends are kept.

    ends: how many characters of each end are kept.
    words: what to listen for, in whatever case; `heard` says if any came by.

    Bytes that are not UTF-8 become U+FFFD, one character for each bad sequence.
    """

    def __init__(self, ends: int, words: Sequence[str] = ()) -> None:
        self.length = 0
        self.heard = False
        self._ended = False
        self._ends = ends
        self._words = [word.lower() for word in words]
        self._longest = max(map(len, self._words), default=0)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = ""
        self._tail = ""

    def feed(self, data: bytes, final: bool = False) -> None:
        """Take the next bytes; `final` when there are no more, and none are taken."""
        if self._ended:
            return
        self._ended = final
        # A character may come in two reads, and so may a word that we listen for.
        text = self._decoder.decode(data, final)
        if self._words and not self.heard:
            recent = (self._head + self._tail)[-self._longest :] + text
            self.heard = any(word in recent.lower() for word in self._words)
        self.length += len(text)
        room = self._ends - len(self._head)
        self._head += text[:room]
        self._tail = (self._tail + text[room:])[-self._ends :]

    def first(self, count: int) -> str:
        """The first characters, at most as many as are kept of an end."""
        return self._head[:count]

    def last(self, count: int) -> str:
        """The last characters, at most as many as are kept of an end."""
        return (self._head + self._tail)[-count:] if count else ""

    def whole(self) -> str:
        """Everything, which is there as long as it has fewer than `ends`."""
        return self._head + self._tail


def both_ends(
    stdout: Stream, stderr: Stream, contract: RunContract
) -> tuple[str, str, int]:
    """What of two streams fits into the budget, and how many characters do not.

    The streams count as one text with one gap at most, in whose place a notice
    stands; so a short stderr survives a long stdout, and the other way round.
    """
    total = stdout.length + stderr.length
    heading = len(contract.stderr_heading) + 2 if stderr.length else 0
    if total + heading <= contract.budget:
        return stdout.whole(), stderr.whole(), 0
    # The notice is part of the budget. No number it can carry is longer than this.
    notice = len(contract.left_out.write(total)) + 2
    room = contract.budget - heading - notice
    head = room // 2
    tail = room - head
    left_out = total - room
    gap = f"\n{contract.left_out.write(left_out)}\n"
    if stdout.length <= head:
        start = stderr.first(head - stdout.length)
        return stdout.whole(), start + gap + stderr.last(tail), left_out
    if stderr.length <= tail:
        end = stdout.last(tail - stderr.length)
        return stdout.first(head) + gap + end, stderr.whole(), left_out
    return stdout.first(head) + gap, stderr.last(tail), left_out
