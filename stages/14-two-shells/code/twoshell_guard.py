"""Guard the shell tools of an agent that has two executors: copy this one file.

    fp = fingerprint(shell)                     # once, at start, for each executor
    block = dispatch(call.id, call.name, call.input.get("command"), fp, executor=shell)

An executor has `run(argv, timeout_seconds)`, which returns what `Execution` holds;
None is this computer's shell (POSIX only). `CONTRACT` names the tools: make it yours.

What this does not do: it looks at who the executor is, not at the name that the model
chose, so a command meant for `run_in_sandbox` that is wired to the desktop's executor
passes. With `executor=None` it compares no hosts, and hosts of one name are one to it.
It restricts no command. It hides the workspace's path on stderr only, as `fp` has it.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from subprocess import DEVNULL, PIPE, Popen
from typing import NamedTuple

WS_NAME, UNKNOWN = "Workspace", "unknown"
PROBE_SECONDS, STEP_SECONDS, GRACE_STEPS = 10.0, 0.002, 250
CAPTURE_BYTES, SHOWN_CHARACTERS, STDERR_CHARACTERS = 4 << 20, 16_384, 200


@dataclass(frozen=True)
class ToolContract:
    """sees: "workspace" or "nothing of yours"; runs: "desktop" or "cloud"."""

    needs_workspace: bool
    sees: str
    runs: str


CONTRACT: dict[str, ToolContract] = {
    "run_in_sandbox": ToolContract(False, sees="nothing of yours", runs="cloud"),
    "run_on_desktop": ToolContract(True, sees="workspace", runs="desktop"),
}
MESSAGES: dict[str, dict[str, str]] = {}
MESSAGES["en"] = {
    "invalid": "{tool} was not run: `{what}` must be {expected}.",
    "no_workspace": "{tool} was not run: no workspace on {host}. Check the wiring.",
    "swapped": "{tool} was not run: {host} was swapped for {now}. Check the wiring.",
    "no_shell": "{tool} was not run: no usable shell on {host} ({error}).",
    "stopped": "stopped at the limit {limit}",
    "empty": "exit={code} but the output is empty: check where the command ran",
    "not_text": "exit={code} but the output has NUL or bytes that are not UTF-8",
    "as_expected": "(no output, as expected)",
    "left_out": "[... {count} characters left out ...]",
}
MESSAGES["zh-CN"] = {
    "invalid": "{tool} 未执行：`{what}` 应为 {expected}。",
    "no_workspace": "{tool} 未执行：执行端 {host} 上没有工作区。请检查接线。",
    "swapped": "{tool} 未执行：执行端 {host} 已被换成 {now}。请检查接线。",
    "no_shell": "{tool} 未执行：执行端 {host} 上没有可用的 shell（{error}）。",
    "stopped": "达到上限 {limit}，已终止",
    "empty": "exit={code}，但输出为空：请检查命令是在哪里执行的",
    "not_text": "exit={code}，但输出含有 NUL 或不是 UTF-8 的字节",
    "as_expected": "（没有输出，符合预期）",
    "left_out": "[…… 略去 {count} 个字符 ……]",
}
MESSAGES["ja"] = {
    "invalid": "{tool} は未実行：`{what}` は {expected} とすること。",
    "no_workspace": "{tool} は未実行：{host} にワークスペースなし。配線を確認のこと。",
    "swapped": "{tool} は未実行：実行先が {host} から {now} に変更。配線を確認のこと。",
    "no_shell": "{tool} は未実行：実行先 {host} に使えるシェルなし（{error}）。",
    "stopped": "上限 {limit} に達したため停止",
    "empty": "exit={code} だが出力が空：どこで実行されたか確認のこと",
    "not_text": "exit={code} だが出力に NUL か UTF-8 でないバイトあり",
    "as_expected": "（出力なし、想定どおり）",
    "left_out": "[…… {count} 文字を省略 ……]",
}
LANGUAGES = tuple(MESSAGES)
# The command, or the name of the workspace, is $1: it becomes no part of a script.
SHELL = 'command -v bash >/dev/null && exec bash -c "$1"; exec sh -c "$1"'
PROBE = r"""
for w in /sessions/*/mnt/"$1" "${HOME:-.}/mnt/$1" ''; do test -d "$w" && break; done
py=$(python3 -c 'import sys; print(*sys.version_info[:3], sep=".")' || echo none)
printf '\0%s\0%s\0%s\0%s\0' "$(test -d /sessions; echo $?)" "$(uname -n)" "$py" "$w"
"""
# Unicode's categories of what a screen obeys or leaves out, and names of blank letters.
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
BLANK = re.compile("HANGUL.* FILLER|SELECTOR|GRAPHEME JOINER|PATTERN BLANK|INHERENT")
ANSI = re.compile(r"\x1b\[[ -?]*[@-~]")


class Execution(NamedTuple):
    """How a command ended. too_much: it was stopped at `CAPTURE_BYTES` of a stream."""

    returncode: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    too_much: bool = False


def run_local(
    argv: Sequence[str], timeout_seconds: float, *, env: Mapping | None = None
) -> Execution:
    """Run a program in a session of its own, and end its process group with it.

    A process that left the group is not ended; one that holds a pipe is waited for
    about half a second. Raises `OSError` or `ValueError` when nothing was started.
    """
    if os.name != "posix" or signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        raise OSError("needs POSIX, and exit codes, which an ignored SIGCHLD loses")
    deadline = time.monotonic() + timeout_seconds
    words = [word.encode("utf-8", "surrogateescape") for word in argv]
    pipes = {"stdin": DEVNULL, "stdout": PIPE, "stderr": PIPE, "bufsize": 0}
    process = Popen(words, env=env, start_new_session=True, **pipes)
    kept = {process.stdout: bytearray(), process.stderr: bytearray()}

    def read() -> bool:
        """Keep what comes in a moment; whether both pipes are at their end."""
        time.sleep(STEP_SECONDS)
        chunks = [pipe.read(65_536) for pipe in kept]
        for stream, chunk in zip(kept.values(), chunks, strict=True):
            stream += chunk or b""
        return chunks == [b"", b""]

    def fits() -> bool:
        return max(map(len, kept.values())) <= CAPTURE_BYTES

    with process.stdout, process.stderr:
        try:
            for pipe in kept:
                os.set_blocking(pipe.fileno(), False)
            while process.poll() is None and fits() and time.monotonic() < deadline:
                read()
            late = process.poll() is None and fits()
        finally:
            # Also after a success: something may run on in the background.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            for _ in range(GRACE_STEPS):
                if read() and process.poll() is not None:
                    break
    return Execution(process.returncode, *map(bytes, kept.values()), late, not fits())


def fingerprint(executor: object = None, ws_name: str = WS_NAME) -> dict:
    """Ask the executor for "host", "python", "has_sessions" and "workspace".

    "workspace" is the path of `/sessions/*/mnt/<ws_name>` or `~/mnt/<ws_name>`, or
    None. What it does not say in `PROBE_SECONDS` is "unknown"; nothing raises.
    """
    sessions = host = python = workspace = ""
    with contextlib.suppress(Exception):
        run = executor.run if executor is not None else run_local
        said = run(["sh", "-c", PROBE, "sh", ws_name], PROBE_SECONDS).stdout.decode()
        # Counted from the end: a login message may come first.
        *_, sessions, host, python, workspace, _ = said.split("\0")
    return {
        "host": host if host.strip() and host.isprintable() else UNKNOWN,
        "python": python if python.strip() and python.isprintable() else UNKNOWN,
        "has_sessions": sessions == "0",
        "workspace": workspace if workspace.startswith("/") else None,
    }


def dispatch(
    tool_use_id: str,
    name: str,
    command: str,
    fp: dict,
    expect_empty: bool = False,
    *,
    timeout_seconds: float = 30.0,
    language: str = "en",
    executor: object = None,
    accept_exit: Collection[int] = (0,),
) -> dict:
    """Run `command` in bash, or in sh where there is none; return a `tool_result`.

    Whatever goes wrong has `is_error`; so have a code that is not in `accept_exit` and
    an output that nobody can see, unless `expect_empty`. An unknown `language` raises.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}")
    say = MESSAGES[language]
    block = {"type": "tool_result", "tool_use_id": tool_use_id}

    def failed(key: str, **values: str) -> dict:
        text = say[key].format(tool=name, **values)[:SHOWN_CHARACTERS]
        return {**block, "content": text.translate(_escapes(text)), "is_error": True}

    if not isinstance(name, str) or name not in CONTRACT:
        return failed("invalid", what="name", expected=" | ".join(CONTRACT))
    if not isinstance(command, str) or re.search(r"[\0\ud800-\udfff]", command):
        return failed("invalid", what="command", expected="str")
    workspace = fp.get("workspace") or "" if isinstance(fp, Mapping) else None
    if not isinstance(workspace, str) or not isinstance(fp.get("host"), str):
        return failed("invalid", what="fp", expected="fingerprint(executor)")
    if CONTRACT[name].needs_workspace and not workspace:
        return failed("no_workspace", host=fp["host"])
    if executor is not None:
        now = fingerprint(executor)["host"]
        if now != fp["host"] or now == UNKNOWN:
            return failed("swapped", host=fp["host"], now=now)
    try:
        run = executor.run if executor is not None else run_local
        done = run(["sh", "-c", SHELL, "sh", command], timeout_seconds)
        output = done.stdout.decode("utf-8", "backslashreplace")
        errors = done.stderr.decode("utf-8", "backslashreplace")
    except Exception as error:
        # A conversation in which one call has no result cannot go on.
        return failed("no_shell", host=fp["host"], error=type(error).__name__)

    escapes = _escapes(output)
    is_empty = not ANSI.sub("", output).translate(dict.fromkeys(escapes)).strip()
    problem = ""
    if done.timed_out:
        problem = say["stopped"].format(limit=f"timeout_seconds={timeout_seconds}")
    elif getattr(done, "too_much", False):
        problem = say["stopped"].format(limit=f"CAPTURE_BYTES={CAPTURE_BYTES}")
    elif done.returncode not in accept_exit:
        problem = f"exit={done.returncode}"
    elif "\0" in output or output.encode() != done.stdout:
        problem = say["not_text"].format(code=done.returncode)
    elif is_empty and not expect_empty:
        problem = say["empty"].format(code=done.returncode)
    elif is_empty:
        output = say["as_expected"]
    output = output.rstrip("\n").translate(escapes)
    if (left_out := len(output) - SHOWN_CHARACTERS) > 0:
        half = SHOWN_CHARACTERS // 2
        notice = say["left_out"].format(count=left_out)
        output = f"{output[:half]}\n{notice}\n{output[-half:]}"
    errors = errors.replace(workspace, "$WORKSPACE") if workspace else errors
    if errors := errors.translate(_escapes(errors)).strip()[:STDERR_CHARACTERS]:
        errors = f"stderr: {errors}"
    block["content"] = "\n".join(part for part in (problem, output, errors) if part)
    return {**block, "is_error": True} if problem else block


def _escapes(text: str) -> dict[int, str]:
    """How we write those characters that a screen obeys or does not show."""
    return {
        ord(c): c.encode("unicode_escape").decode()
        for c in set(text) - {"\n", "\t"}
        if unicodedata.category(c) in HIDDEN or BLANK.search(unicodedata.name(c, ""))
    }
