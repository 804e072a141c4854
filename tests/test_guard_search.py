"""A search for an output, an exit code or a call that makes stage 14's guard break.

Whatever an executor or a command does, the result must be one that the Messages API
takes: the id of its call, text that is not blank, UTF-8, JSON.
"""

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "stages" / "14-two-shells" / "code"
sys.path.insert(0, str(CODE))

from twoshell_guard import (  # noqa: E402
    CONTRACT,
    LANGUAGES,
    PROBE,
    SHOWN_CHARACTERS,
    STDERR_CHARACTERS,
    WHO,
    Execution,
    dispatch,
    fingerprint,
)

# The same examples each time, so that a failure in CI is one at home.
search = settings(database=None, deadline=None, derandomize=True, max_examples=150)
few = settings(search, max_examples=25)
# The longest message, and the notice of what was left out, with room to spare.
LONGEST = SHOWN_CHARACTERS + STDERR_CHARACTERS + 400

words = st.text(max_size=20)
ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
names = st.one_of(st.sampled_from(sorted(CONTRACT)), words)
languages = st.sampled_from(LANGUAGES)
# Bytes, text with much in it that nobody sees, and outputs beyond the limit.
unseen = st.text(st.characters(categories=["Cc", "Cf", "Mn", "Z", "Lo", "So"]))
outputs = st.one_of(
    st.binary(max_size=60),
    unseen.map(str.encode),
    st.builds(lambda text, n: text.encode() * n, unseen, st.integers(0, 900)),
)
executions = st.builds(
    Execution,
    st.one_of(st.just(0), st.integers(-300, 300), st.none()),
    outputs,
    outputs,
    st.booleans(),
    st.booleans(),
)
# What JSON can hold, in the place of what should be a string or a fingerprint.
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)
    ),
    max_leaves=5,
)
fps = st.one_of(
    anything,
    st.fixed_dictionaries({"host": words, "workspace": st.none() | words}),
    st.just({"host": "scripted", "workspace": "/sessions/x/mnt/Workspace"}),
)
# What an executor of somebody else's might return for an execution.
odd_executions = st.one_of(
    anything,
    st.builds(Execution, anything, anything, anything, anything, anything),
    st.builds(Execution, st.just(0), outputs, outputs, anything, anything),
    st.sampled_from([OSError("x"), RuntimeError("x")]),
)


class Scripted:
    """An executor that says who it is, and answers a command with one execution."""

    name = "scripted"

    def __init__(self, execution: object, probe: bytes | None = None) -> None:
        self.execution = execution
        self.probe = b"\0fp\0scripted\0001\0\0none\0" if probe is None else probe

    def run(self, argv, timeout_seconds):
        if argv[2] in (WHO, PROBE):
            return Execution(0, self.probe, b"")
        if isinstance(self.execution, Exception):
            raise self.execution
        return self.execution


def check_block(block: dict, identifier: str) -> None:
    """What the API demands of a result, and what we promise beyond."""
    expected = {"type", "tool_use_id", "content"}
    assert set(block) in (expected, expected | {"is_error"})
    assert block["type"] == "tool_result"
    assert block["tool_use_id"] == identifier
    assert block.get("is_error", True) is True
    content = block["content"]
    assert isinstance(content, str)
    assert any(c.isprintable() and not c.isspace() for c in content), ascii(content)
    assert all(c.isprintable() or c.isspace() or ord(c) > 0x9F for c in content)
    assert len(content) <= LONGEST
    sent = json.dumps(block, ensure_ascii=False).encode()
    assert json.loads(sent) == block
    assert json.loads(json.dumps(block)) == block


@search
@given(ids, names, executions, languages, st.booleans(), st.sets(st.integers(-2, 3)))
@example("a", "run_in_sandbox", Execution(0, b"\xe2\x80\x8b", b""), "en", False, {0})
def test_any_execution_becomes_a_result(
    identifier, name, execution, language, expect_empty, accept_exit
):
    """Bytes, codes and flags of an execution become a block; only some are healthy."""
    fp = {"host": "scripted", "workspace": "/sessions/x/mnt/Workspace"}
    block = dispatch(
        identifier,
        name,
        "a command",
        fp,
        expect_empty,
        language=language,
        executor=Scripted(execution),
        accept_exit=accept_exit,
    )
    check_block(block, identifier)
    if "is_error" not in block:
        assert name in CONTRACT
        assert execution.returncode in accept_exit
        assert not execution.timed_out and not execution.too_much
        text = execution.stdout.decode()
        assert "\0" not in text
        assert text.strip() or expect_empty
    if name in CONTRACT and "/sessions/x" in block["content"]:
        assert b"/sessions/x" in execution.stdout


paths = st.sampled_from(
    ["/x/mnt/W", "//x//mnt/W", "/x/mnt/W/a", "/x/mnt/W2", "/x/mnt", "W", "/", "的", " "]
)


@search
@given(
    st.lists(paths, max_size=40).map("".join),
    st.sampled_from(["/x/mnt/W", "/x//mnt/W"]),
)
def test_no_stderr_tells_the_workspaces_path(errors, workspace):
    """However words on stderr are put together, the path is not among them."""
    fp = {"host": "scripted", "workspace": workspace}
    execution = Execution(0, b"fine", errors.encode())
    block = dispatch("id", "run_on_desktop", "x", fp, executor=Scripted(execution))
    quoted = block["content"].partition("\n")[2]
    assert not re.search("/+x/+mnt/+W([/ 的]|$)", quoted), quoted
    assert len(quoted) <= len("stderr: ") + STDERR_CHARACTERS


@search
@given(ids, anything, anything, fps, languages)
def test_any_call_becomes_a_result(identifier, name, command, fp, language):
    """Names, commands and fingerprints that are none become a block."""
    for tool in (name, *CONTRACT):
        executor = Scripted(Execution(0, b"fine", b""))
        block = dispatch(
            identifier, tool, command, fp, language=language, executor=executor
        )
        check_block(block, identifier)
        if "is_error" not in block:
            assert tool in CONTRACT and isinstance(command, str)


@search
@given(
    st.one_of(outputs, st.lists(outputs, min_size=4, max_size=6).map(b"\0".join)),
    odd_executions,
)
def test_any_answer_becomes_a_fingerprint(probe, execution):
    """Whatever an executor answers, no value is empty, and a command is answered."""
    executor = Scripted(execution, b"\0fp\0" + probe)
    fp = fingerprint(executor)
    assert list(fp) == ["host", "python", "has_sessions", "workspace"]
    for key in ("host", "python"):
        assert fp[key].strip() and fp[key].isprintable()
    assert isinstance(fp["has_sessions"], bool)
    assert fp["workspace"] is None or fp["workspace"].startswith("/")
    for name in CONTRACT:
        check_block(dispatch("id", name, "x", fp, executor=executor), "id")


@search
@given(odd_executions, st.sampled_from([(0,), {0}, [0, 1], range(3)]))
def test_any_result_of_an_executor_becomes_a_result(execution, accept_exit):
    """Whatever an executor returns or raises for a command, it is answered."""
    fp = {"host": "scripted", "workspace": None}
    block = dispatch(
        "id",
        "run_in_sandbox",
        "x",
        fp,
        executor=Scripted(execution),
        accept_exit=accept_exit,
    )
    check_block(block, "id")


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@few
@given(st.text(max_size=30), ids)
def test_any_command_becomes_a_result(command, identifier):
    """Any text as a command of a real shell becomes a block."""
    # Quoted, because a command of chance could write to a file or remove one.
    quoted = shlex.quote(command.replace("\0", ""))
    fp = {"host": os.uname().nodename, "workspace": None}
    for line in (f"echo {quoted}", f"printf %s {quoted}; exit 3"):
        block = dispatch(identifier, "run_in_sandbox", line, fp)
        check_block(block, identifier)


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@few
@given(st.binary(max_size=40), st.integers(0, 255), st.booleans())
def test_any_output_of_a_real_shell_becomes_a_result(output, code, to_stderr):
    """Any bytes, on either stream of a real shell, with any exit code, give a block."""
    octal = "".join(f"\\{byte:03o}" for byte in output)
    target = " >&2" if to_stderr else ""
    command = f"printf '{octal}'{target}; exit {code}"
    fp = {"host": os.uname().nodename, "workspace": None}
    block = dispatch("id", "run_in_sandbox", command, fp)
    check_block(block, "id")
    scripted = Execution(code, *((b"", output) if to_stderr else (output, b"")))
    same = {"host": "scripted", "workspace": None}
    assert block == dispatch(
        "id", "run_in_sandbox", "x", same, executor=Scripted(scripted)
    )
