"""Guard the shell tools of an agent that has two executors: copy this one file.

    fp = fingerprint(shell)                     # once, at start, for each executor
    block = dispatch(call.id, call.name, call.input.get("command"), fp, executor=shell)

All blocks of an answer go back in one user message. `CONTRACT` names the tools: make
it yours. An executor has `run(argv, timeout_seconds)`, which returns what `Execution`
holds, at the deadline too; `too_much` may be missing. It passes each word of argv on
as it is: over ssh, send `shlex.join(argv)`. None is this computer's shell (POSIX only).

What this does not do: it looks at who the executor is, not at the name that the model
chose, so a command meant for `run_in_sandbox` that is wired to the desktop's executor
passes. Hosts of one name are one to it. It restricts no command. It hides the
workspace's path on stderr only, as `fp` has it: not what a link to it leads to.
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
COMMAND_BYTES, CAPTURE_BYTES = 100_000, 4 << 20
SHOWN_CHARACTERS, STDERR_CHARACTERS = 16_384, 200


@dataclass(frozen=True)
class ToolContract:
    """Only `needs_workspace` is enforced; `sees` and `runs` make descriptions."""

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
    "no_answer": "{tool} was not run: {host} did not say who it is. Check the wiring.",
    "swapped": "{tool} was not run: {host} was swapped for {now}. Check the wiring.",
    "no_result": "{tool} has no result on {host} ({error}): it may have run or not",
    "stopped": "stopped at the limit {limit}",
    "empty": "exit={code} but the output is empty: check where the command ran",
    "not_text": "exit={code} but the output has NUL or bytes that are not UTF-8",
    "as_expected": "(no output, as expected)",
    "left_out": "[... {count} characters left out ...]",
}
MESSAGES["zh-CN"] = {
    "invalid": "{tool} 未执行：`{what}` 应为 {expected}。",
    "no_workspace": "{tool} 未执行：执行端 {host} 上没有工作区。请检查接线。",
    "no_answer": "{tool} 未执行：执行端 {host} 没有说明自己是谁。请检查接线。",
    "swapped": "{tool} 未执行：执行端 {host} 已被换成 {now}。请检查接线。",
    "no_result": "执行端 {host} 上的 {tool} 没有结果（{error}）：不知是否已执行",
    "stopped": "达到上限 {limit}，已终止",
    "empty": "exit={code}，但输出为空：请检查命令是在哪里执行的",
    "not_text": "exit={code}，但输出含有 NUL 或不是 UTF-8 的字节",
    "as_expected": "（没有输出，符合预期）",
    "left_out": "[…… 略去 {count} 个字符 ……]",
}
MESSAGES["ja"] = {
    "invalid": "{tool} は未実行：`{what}` は {expected} とすること。",
    "no_workspace": "{tool} は未実行：{host} にワークスペースなし。配線を確認のこと。",
    "no_answer": "{tool} は未実行：実行先 {host} が名乗らず。配線を確認のこと。",
    "swapped": "{tool} は未実行：実行先が {host} から {now} に変更。配線を確認のこと。",
    "no_result": "実行先 {host} で {tool} の結果なし（{error}）：実行の有無は不明",
    "stopped": "上限 {limit} に達したため停止",
    "empty": "exit={code} だが出力が空：どこで実行されたか確認のこと",
    "not_text": "exit={code} だが出力に NUL か UTF-8 でないバイトあり",
    "as_expected": "（出力なし、想定どおり）",
    "left_out": "[…… {count} 文字を省略 ……]",
}
LANGUAGES = tuple(MESSAGES)
# The command, or the name of the workspace, is $1: no part of a script, and no option.
SHELL = 'command -v bash >/dev/null && exec bash -c -- "$1"; exec sh -c -- "$1"'
WHO = r"""printf '\0fp\0%s\0' "$(uname -n)" """
# What may hang comes last.
PROBE = rf"""{WHO}
for w in /sessions/*/mnt/"$1" "${{HOME:-.}}/mnt/$1" ''; do test -d "$w" && break; done
printf '%s\0%s\0' "$(test -d /sessions; echo $?)" "$w"
py=$(python3 -I -S -c 'import sys; print(*sys.version_info[:3], sep=".")' || echo none)
printf '%s\0' "$py"
"""
# Unicode's categories of what a screen obeys or leaves out, and names of blank letters.
HIDDEN = {"Cc", "Cf", "Cn", "Cs", "Zl", "Zp"}
BLANK = re.compile(
    "HANGUL.* FILLER|SCRIPT FILLER|SELECTOR|GRAPHEME J|PATTERN BLANK|INHERENT|NULL NOTE"
)
# A terminal's commands: those with numbers, a window's title, and the short ones.
ANSI = re.compile(r"(\x1b\[|\x9b)[ -?]*[@-~]|\x1b(][^\0-\x1f]*(\a|\x1b\\)|[ -/]*[0-~])")


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

    It does not end what left the group (`setsid`, `set -m`, `timeout`), what a killed
    Host leaves, or what Ctrl-C meets at its start or end in the main thread. It waits
    half a second for a held pipe; raises `OSError` or `ValueError` if nothing started.
    """
    if os.name != "posix" or signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        raise ChildProcessError("needs POSIX, and a SIGCHLD that is not ignored")
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
    return _ask(executor, PROBE, ws_name, PROBE_SECONDS)


def _ask(executor: object, script: str, ws_name: str, seconds: float) -> dict:
    """What the executor answers to a script, as far as it does in these seconds."""
    fields = []
    with contextlib.suppress(Exception):
        run = executor.run if executor is not None else run_local
        said = run(["sh", "-c", script, "sh", ws_name], seconds).stdout
        said = said.decode("utf-8", "backslashreplace")
        # A login message may come first; after the last NUL nothing is complete.
        fields = said.split("\0fp\0")[1].split("\0")[:-1]
    host, sessions, workspace, python, *_ = [*fields, "", "", "", ""]
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
    """Run `command` in a new shell, bash or else sh; return a `tool_result`.

    fp: of this executor, which is first asked for its host again. That comes on top,
        in `timeout_seconds` or `PROBE_SECONDS`, the shorter.
    language: "en", "zh-CN" or "ja".

    Whatever goes wrong has `is_error`; so have a code that is not in `accept_exit` and
    an output of nothing but characters known to be unseen, unless `expect_empty`.
    Each command starts anew, with an empty input, and what it left running is ended, a
    server too, but not what left its group (see `run_local`). What a screen hides is
    written in escapes, also the joiners of emoji and Persian and the return before a
    newline; a cut may halve one. Only mistakes of the program raise `ValueError` or
    `TypeError`, before a run: an unknown language, no codes, not `0 < seconds < 1e9`.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}")
    if not isinstance(timeout_seconds, (int, float)) or not 0 < timeout_seconds < 1e9:
        raise ValueError("timeout_seconds must be a number above 0 and below 1e9")
    accept_exit = tuple(map(int.__index__, accept_exit))
    say = MESSAGES[language]
    block = {"type": "tool_result", "tool_use_id": tool_use_id}

    def failed(key: str, **values: object) -> dict:
        text = say[key].format(tool=name, **values)
        text = text.translate(_escapes(text))[:SHOWN_CHARACTERS]
        return {**block, "content": text, "is_error": True}

    if not isinstance(name, str) or name not in CONTRACT:
        return failed("invalid", what="name", expected=" | ".join(CONTRACT))
    is_text = isinstance(command, str) and not re.search(r"[\0\ud800-\udfff]", command)
    if not is_text or len(command.encode()) > COMMAND_BYTES:
        limits = f"len(command.encode()) <= {COMMAND_BYTES}, '\\0' not in command"
        return failed("invalid", what="command", expected=f"str, {limits}")
    host = workspace = None
    with contextlib.suppress(Exception):
        host, workspace = fp["host"], fp.get("workspace") or ""
    if not isinstance(host, str) or not isinstance(workspace, str):
        return failed("invalid", what="fp", expected="fingerprint(executor)")
    if CONTRACT[name].needs_workspace and not workspace:
        return failed("no_workspace", host=host)
    now = _ask(executor, WHO, "", min(PROBE_SECONDS, timeout_seconds))["host"]
    if UNKNOWN in (host, now):
        return failed("no_answer", host=host)
    if now != host:
        return failed("swapped", host=host, now=now)
    try:
        run = executor.run if executor is not None else run_local
        done = run(["sh", "-c", SHELL, "sh", command], timeout_seconds)
        code = None if done.returncode is None else int(done.returncode)
        late, too_much = bool(done.timed_out), bool(getattr(done, "too_much", False))
        output = done.stdout.decode("utf-8", "backslashreplace")
        errors = done.stderr.decode("utf-8", "backslashreplace")
        is_text = "\0" not in output and output.encode() == done.stdout
    except Exception as error:
        # A conversation in which one call has no result cannot go on.
        return failed("no_result", host=host, error=type(error).__name__)
    escapes = _escapes(output)
    is_empty = not ANSI.sub("", output).translate(dict.fromkeys(escapes)).strip()
    problem = ""
    if late:
        problem = say["stopped"].format(limit=f"timeout_seconds={timeout_seconds}")
    elif too_much:
        problem = say["stopped"].format(limit=f"CAPTURE_BYTES={CAPTURE_BYTES}")
    elif code not in accept_exit:
        problem = f"exit={code}"
    elif not is_text:
        problem = say["not_text"].format(code=code)
    elif is_empty and not expect_empty:
        problem = say["empty"].format(code=code)
    elif is_empty:
        output = say["as_expected"]
    output = output.rstrip("\n").translate(escapes)
    if (left_out := len(output) - SHOWN_CHARACTERS) > 0:
        half = SHOWN_CHARACTERS // 2
        notice = say["left_out"].format(count=left_out)
        output = f"{output[:half]}\n{notice}\n{output[-half:]}"
    if parts := [re.escape(part) for part in workspace.split("/") if part]:
        # With any number of slashes, and not the beginning of a longer name.
        path = "(?<!/)/+" + "/+".join(parts) + "(?![.-]?[0-9A-Za-z_])"
        errors = re.sub(path, "$WORKSPACE", errors)
    # Its end, because that is where a traceback has its reason.
    if errors := errors.translate(_escapes(errors)).strip()[-STDERR_CHARACTERS:]:
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
