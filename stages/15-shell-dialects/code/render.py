"""The one renderer: what the Host saw of a call, as the text that a model reads.

It knows no shell. Two renderers, one a shell, agree on the day they are written.
"""

from __future__ import annotations

from contract import CONTRACT, Outcome, RunContract


def render(outcome: Outcome, contract: RunContract = CONTRACT) -> str:
    """The body, then one line each for a denial, a timeout and how it ended.

    The text proves nothing, because a command can print the same lines. The Host
    keeps the outcome, and never reads its own verdict back from here.
    """
    if outcome.refused:
        return f"not run: {outcome.refused}"
    lines = [_body(outcome, contract)]
    if outcome.denied is not None:
        lines.append(contract.denied.write(outcome.denied))
    if outcome.timed_out is not None:
        lines.append(contract.timed_out.write(outcome.timed_out))
    if outcome.signal is not None:
        lines.append(contract.signal.write(outcome.signal))
    elif outcome.exit_code:
        lines.append(contract.exit_code.write(outcome.exit_code))
    return "\n".join(lines)


def tool_result(outcome: Outcome, contract: RunContract = CONTRACT) -> dict:
    """The text as a tool result; only what was not run at all is an error of it."""
    return {
        "content": render(outcome, contract),
        "is_error": bool(outcome.refused),
    }


def _body(outcome: Outcome, contract: RunContract) -> str:
    if not (outcome.stdout.strip() or outcome.stderr.strip()):
        # A result of blanks only would be taken for none, or be refused by a service.
        return contract.no_output
    parts = []
    if outcome.stdout:
        parts.append(_without_last_newline(outcome.stdout))
    if outcome.stderr:
        parts.append(contract.stderr_heading)
        parts.append(_without_last_newline(outcome.stderr))
    return "\n".join(parts)


def _without_last_newline(text: str) -> str:
    # Only the one that ends the last line: empty lines before it are output.
    return text.removesuffix("\n").removesuffix("\r")
