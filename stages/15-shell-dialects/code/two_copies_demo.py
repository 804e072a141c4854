"""Two renderers, one a shell, on the same ten runs: python two_copies_demo.py

Both were written by hand for the same list of wishes, and each is fair enough. Below
them the one renderer that both dialects use.
"""

from __future__ import annotations

from dataclasses import replace

from contract import CONTRACT, Outcome
from demo_close import close_after
from excerpt import Stream, both_ends
from render import render

LIMIT = 60
LONG = "".join(f"line {number}\n" for number in range(1, 31))

SAMPLES = {
    "one line": Outcome("done\n", exit_code=0),
    "nothing": Outcome(exit_code=0),
    "blanks only": Outcome("\n", exit_code=0),
    "a warning": Outcome("done\n", "careful\n", exit_code=0),
    "a failure": Outcome(exit_code=3),
    "a complaint": Outcome(stderr="no such file\n", exit_code=1),
    "a refusal": Outcome(stderr="refused\n", exit_code=1, denied="read-only"),
    "a signal": Outcome("begun\n", signal=9),
    "a timeout": Outcome("begun\n", timed_out=500, signal=9),
    "long output": Outcome(LONG, exit_code=0),
}


def bash_copy(outcome: Outcome) -> str:
    """What the author of the first tool wrote."""
    text = outcome.stdout or "(no output)"
    if outcome.stderr:
        text += f"\n[stderr]\n{outcome.stderr}"
    if len(text) > LIMIT:
        text = text[:LIMIT] + "[truncated]"
    if outcome.timed_out:
        text += f"\n[timed out after {outcome.timed_out}ms]"
    if outcome.signal:
        text += f"\n[exit code: {128 + outcome.signal}]"
    elif outcome.exit_code:
        text += f"\n[exit code: {outcome.exit_code}]"
    if outcome.denied:
        text += "\n[sandbox: file access denied]"
    return text


def pwsh_copy(outcome: Outcome) -> str:
    """What the author of the second wrote, a year later and from memory."""
    lines = [outcome.stdout.strip(), outcome.stderr.strip()]
    if outcome.denied:
        lines.insert(0, f"[sandbox: file access denied under {outcome.denied} mode]")
    if outcome.timed_out:
        lines.append(f"[timed out after {outcome.timed_out // 1000}s]")
    else:
        lines.append(f"[exit code: {outcome.exit_code}]")
    text = "\n".join(filter(None, lines))
    if len(text) > LIMIT:
        text = text[: LIMIT // 2] + "..." + text[-LIMIT // 2 :]
    return text


def one_renderer(outcome: Outcome) -> str:
    """What serves both, with the same limit."""
    contract = replace(CONTRACT, budget=LIMIT)
    streams = Stream(LIMIT), Stream(LIMIT)
    streams[0].feed(outcome.stdout.encode("utf-8"))
    streams[1].feed(outcome.stderr.encode("utf-8"))
    stdout, stderr, left_out = both_ends(*streams, contract)
    kept = replace(outcome, stdout=stdout, stderr=stderr, left_out=left_out)
    return render(kept, contract)


def shown(text: str) -> str:
    """A text in one line, its middle left out if there is too much of it."""
    line = text.replace("\n", " | ")
    return line if len(line) <= 72 else f"{line[:40]} (…) {line[-26:]}"


def main() -> int:
    """Print what the three make of each run."""
    different = 0
    for name, outcome in SAMPLES.items():
        texts = bash_copy(outcome), pwsh_copy(outcome)
        different += texts[0] != texts[1]
        print(f"{name}:")
        for author, text in zip(("bash", "pwsh"), texts, strict=True):
            print(f"  {author}  {shown(text)}")
        print(f"  both  {shown(one_renderer(outcome))}")
    print(f"The two copies disagree on {different} of {len(SAMPLES)} runs.")
    return 0


if __name__ == "__main__":
    close_after(main)
