"""The learner's runner: bad answers of every kind, and each command as it is used.

What is tried here are mistakes and the usual tricks. A program written to defeat this
runner can do so: answer and checks share one process, which is no sandbox.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stages"))

from bad_answers import BAD, HANGS
from exercise_course import PROGRAM
from exercise_gate import record_digests
from exercise_trial import try_answer
from exercises import wrapped
from small_course import CHECKS, RIGHT, STARTER, Course, course, pristine, write

__all__ = ["course", "pristine"]

NAME = "stages/01-small/exercises/1-double/exercise.py"


@pytest.fixture(scope="module")
def unpassed(pristine, tmp_path_factory):
    """One course for all answers that must not pass, and so leave nothing behind."""
    root = tmp_path_factory.mktemp("unpassed") / "课 程"
    shutil.copytree(pristine, root)
    return Course(root)


def flowing(text: str) -> str:
    """Return a text as it was before it was broken into lines."""
    return " ".join(text.split())


@pytest.mark.parametrize("case", BAD)
def test_a_bad_answer_gets_a_clear_result(case, unpassed):
    """No bad answer passes, none is noted, and the runner says what is wrong."""
    answer, expected = BAD[case]
    result = unpassed.try_answer(answer)
    assert result.returncode == 1, result
    assert expected in flowing(result.stdout), result.stdout
    assert result.stderr == ""
    # What an answer prints may look like anything, but it stands behind a bar.
    own = "\n".join(
        line for line in result.stdout.splitlines() if not line.startswith("  | ")
    )
    assert not re.search(r"3 of 3|FOUND|Traceback", own)
    assert "\x1b" not in result.stdout
    assert not unpassed.progress.exists()


def test_there_are_bad_answers_enough():
    """At least twenty dishonest or broken answers are tried, on every system."""
    assert len(BAD) + len(HANGS) >= 20


def test_good_answers_pass(course):
    """The control: a right answer passes, also one that prints, warns and threads."""
    for answer in (
        RIGHT,
        "print('debugging')\n" + RIGHT,
        "import warnings\nwarnings.warn('old')\n" + RIGHT,
        # A warning leaves its mark where it points to: in the checks, in unittest.
        "from warnings import warn\ndef double(value):\n    warn('old', stacklevel=2)\n"
        "    warn('old', stacklevel=3)\n    return value + value\n",
        "from unittest import mock, IsolatedAsyncioTestCase\n" + RIGHT,
        "import threading\nthreading.Thread(target=print, args=('x',)).start()\n"
        + RIGHT,
        "from __future__ import annotations\n# 中文\r\n" + RIGHT,
        "import os\nos.chdir(os.sep)\n" + RIGHT,
    ):
        course.progress.unlink(missing_ok=True)
        result = course.try_answer(answer)
        assert result.returncode == 0, result
        assert "3 of 3 promises kept" in result.stdout
        assert re.search(
            r"^01\.1 \d{4}-\d\d-\d\d$",
            course.progress.read_text(encoding="utf-8"),
            re.MULTILINE,
        )


@pytest.mark.parametrize("case", HANGS)
def test_an_answer_that_hangs_is_ended(case, unpassed):
    """The deadline ends what hangs; promises kept before it stay kept."""
    answer, outcomes, expected = HANGS[case]
    started = time.monotonic()
    trial = try_answer(unpassed.exercise, answer.encode(), CHECKS.encode(), seconds=2)
    elapsed = time.monotonic() - started
    assert [one["outcome"] for one in trial.records] == outcomes
    assert not trial.passed
    assert expected in trial.records[-1]["why"] + trial.records[0]["why"]
    assert elapsed < 2 + 1 + 0.5 + 5, elapsed


def test_what_an_answer_prints_is_shown_in_part(course):
    """The first lines of an answer's output are shown, shortened, each behind a bar."""
    result = course.try_answer("for n in range(50):\n    print(n, 'x' * 900)\n" + RIGHT)
    lines = [line for line in result.stdout.splitlines() if line.startswith("  | ")]
    assert len(lines) == 21
    assert lines[0].startswith("  | 0 xxx")
    assert len(lines[0]) == 4 + 200
    assert lines[-1] == "  | [...]"
    assert "3 of 3 promises kept" in result.stdout


def test_the_answer_finds_no_key_in_its_surroundings(course):
    """Neither arguments, environment nor a file hold what signs the verdict."""
    result = course.try_answer(
        "import os, sys\n"
        "print(sorted(os.environ), sys.argv[1:], sys.orig_argv[1:-1])\n"
        "print(sorted(os.listdir('inputs')), os.listdir('work'))\n" + RIGHT
    )
    assert result.returncode == 0
    assert "'checks.py', 'exercise.py'] ['verdict']" in result.stdout
    assert not re.search(r"[0-9a-f]{32}", result.stdout)


def test_temporary_files_go_with_the_run(course, tmp_path):
    """Neither the workspace of a run nor its temporary files stay."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    variables = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    write(course.answer, "import tempfile\nprint(tempfile.mkdtemp())\n" + RIGHT)
    result = course.run("check", "01.1", **variables)
    made = re.search(r"^  \| (.+)$", result.stdout, re.MULTILINE)[1]
    assert made.startswith(str(scratch.resolve()))
    assert list(scratch.iterdir()) == []


def test_checks_that_promise_nothing_pass_nothing(unpassed):
    """Without a single promise there is nothing to pass."""
    exercise, answer = unpassed.exercise, RIGHT.encode()
    assert try_answer(exercise, answer, CHECKS.encode()).passed
    assert not try_answer(exercise, answer, b"import exercise\n").passed


def test_checks_may_use_the_code_of_their_stage(course):
    """Checks import the modules of their own stage, as those lie in its `code/`."""
    write(course.folder.parents[1] / "code" / "twice.py", "TWO = 2\n")
    checks = CHECKS.replace("import double", "import double\nfrom twice import TWO")
    checks = checks.replace("double(3), 6", "double(3), 3 * TWO").encode()
    assert try_answer(course.exercise, RIGHT.encode(), checks).passed
    assert not try_answer(course.exercise, STARTER.encode(), checks).passed


@pytest.mark.parametrize("change", ["more", "less", "gone", "no list"])
def test_changed_checks_are_reported_and_not_used(change, course):
    """A `checks.py` that is not the course's own is never run."""
    checks = course.folder / "checks.py"
    if change == "more":
        write(checks, "raise SystemExit('RUN')\n" + CHECKS)
    elif change == "less":
        write(checks, CHECKS.replace("self.assert", "lambda *a: a #"))
    elif change == "gone":
        checks.unlink()
    else:
        (course.root / "stages" / "exercises.sha256").unlink()
    result = course.try_answer(RIGHT)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "is not as the course has it, so it is not used" in flowing(result.stderr)
    assert "git restore stages/" in result.stderr
    assert not course.progress.exists()


def test_line_ends_of_windows_are_no_change(course):
    """Checks that Git checked out with CRLF are still the course's own."""
    checks = course.folder / "checks.py"
    checks.write_bytes(checks.read_bytes().replace(b"\n", b"\r\n"))
    assert course.try_answer(RIGHT).returncode == 0


def test_json_is_one_record_a_check(course):
    """`--json` prints one object a line, with exactly the fields agreed on."""
    result = course.try_answer(STARTER, "--json")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.returncode == 1
    assert [record["check"] for record in records] == [
        "test_a_number",
        "test_a_list",
        "test_zero",
    ]
    assert records[0] == {
        "stage": "01",
        "exercise": "01.1",
        "check": "test_a_number",
        "promise": "A number is doubled.",
        "outcome": "failed",
        "why": "3 != 6",
        "hint": "(a guess) Hint about square.",
    }
    assert records[2]["outcome"] == "passed"
    assert records[2]["why"] == records[2]["hint"] == ""

    result = course.try_answer("import os\nos._exit(0)\n", "--json")
    assert {json.loads(line)["outcome"] for line in result.stdout.splitlines()} == {
        "not_run"
    }
    assert course.try_answer(RIGHT, "--json").returncode == 0


def test_the_list_tells_what_is_next(course):
    """Without arguments: a bar per stage, what is next, and how to ask for a hint."""
    before = course.run()
    assert before.returncode == 0
    assert "01-small  [-]  0/1" in before.stdout
    assert "[ ] 01.1  Double" in before.stdout
    assert "Next: 01.1  Double" in before.stdout
    assert "stages/01-small/exercises/1-double/task.md" in before.stdout
    assert "stages/01-small/exercises/1-double/exercise.py" in before.stdout
    assert f"{PROGRAM} hint 01.1" in before.stdout
    course.try_answer(RIGHT)
    after = course.run("list")
    assert "01-small  [#]  1/1" in after.stdout
    assert "[x] 01.1  Double" in after.stdout
    assert "All exercises are passed." in after.stdout


def test_commands_without_an_id_take_the_next_exercise(course):
    """`check` and `hint` alone mean the next open exercise, if there is one."""
    assert "01.1  Double" in course.run("check").stdout
    assert "Hint about" in course.run("hint").stdout
    course.try_answer(RIGHT)
    for command in ("check", "hint", "watch"):
        result = course.run(command)
        assert (result.returncode, result.stdout) == (0, "All exercises are passed.\n")
    assert course.run("check", "--json").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["check", "12.9"], "There is no exercise 12.9"),
        (["check", "../.."], "There is no exercise"),
        (["chekc"], "invalid choice"),
        (["reset"], "reset needs an id"),
        (["solution"], "solution needs an id"),
        (["list", "--json"], "--json belongs to check"),
        (["--lang", "fr"], "invalid choice"),
    ],
)
def test_a_wrong_command_is_an_error(arguments, expected, course):
    """What cannot be done ends with 2 and one reason, and no traceback."""
    result = course.run(*arguments)
    assert result.returncode == 2
    assert expected in result.stderr
    assert "Traceback" not in result.stderr


def test_a_hint_fits_the_mistake(course):
    """The hint is that of the wrong answer which the same check rejects."""
    wrong = course.folder / "wrong" / "or_one.py"
    result = course.try_answer(wrong.read_text(encoding="utf-8"))
    assert "hint: Hint about or_one." in result.stdout
    assert "Hint about square" not in result.stdout
    hint = course.run("hint", "01.1")
    assert hint.stdout == "Zero stays zero.\n  - Hint about or_one.\n"
    assert course.run("hint", "01.1", "--lang", "zh-CN").stdout == (
        "零还是零。\n  - 关于 or_one 的提示。\n"
    )
    course.answer.write_text(RIGHT, encoding="utf-8")
    assert flowing(course.run("hint", "01.1").stdout) == (
        f"Every promise is kept. To have it noted, run `{PROGRAM} check 01.1`."
    )
    passed = course.run("check", "01.1").stdout
    assert f"`{PROGRAM} solution 01.1`" in flowing(passed)
    assert course.run("hint", "01.1").stdout == "Every promise is kept.\n"


@pytest.mark.parametrize(
    "answer",
    [
        "def double(value):\n    return value + valeu\n",
        "def double(value):\n    return value + 'x'\n",
        "def double(value):\n    assert value == [], 'mine'\n",
    ],
)
def test_an_error_explains_itself_without_a_hint(answer, course):
    """An error in the answer is shown with kind, text and line, and without a hint."""
    result = course.try_answer(answer)
    kind = "NameError" if "valeu" in answer else "TypeError"
    kind = "AssertionError: mine" if "mine" in answer else kind
    shown = flowing(result.stdout)
    assert f"why: {kind}" in shown
    assert f"({NAME}, line 2)" in shown
    assert "hint: " not in shown
    records = course.try_answer(answer, "--json").stdout.splitlines()
    assert {json.loads(record)["hint"] for record in records} == {""}
    hint = flowing(course.run("hint", "01.1").stdout)
    assert hint.startswith(f"A number is doubled. - {kind}")
    assert "Hint about" not in hint


def test_hints_that_fit_equally_are_all_shown(course):
    """Of wrong answers that fail the same checks each hint is shown, at most three."""
    for number in range(4):
        write(
            course.folder / "wrong" / f"zero_{number}.py",
            f'"""Rejected by: test_zero\n\nZero {number}.\n\n零 {number}。\n"""\n',
        )
    (course.folder / "wrong" / "or_one.py").unlink()
    result = course.try_answer("def double(value):\n    return value + value or 1\n")
    shown = [line.strip() for line in result.stdout.splitlines() if "hint: " in line]
    assert shown == ["hint: Zero 0.", "hint: Zero 1.", "hint: Zero 2."]
    hint = course.run("hint", "01.1").stdout
    assert hint == "Zero stays zero.\n  - Zero 0.\n  - Zero 1.\n  - Zero 2.\n"


def test_the_best_fitting_hint_comes_first(course):
    """With several hints for one check, that of the most alike is shown, once."""
    write(
        course.folder / "wrong" / "a_constant.py",
        '"""Rejected by: test_zero\nAlso: test_a_number, test_a_list\n\n'
        'Hint about all.\n\n关于全部的提示。\n"""\n',
    )
    constant = course.try_answer("def double(value):\n    return 'x'\n").stdout
    assert constant.count("Hint about all.") == 1
    assert "why: str is not int" in flowing(constant)
    # Two of its three failures are a closer likeness than one of two, and a guess.
    two = course.try_answer("def double(value):\n    return 0 if value == 0 else 'x'\n")
    assert two.stdout.count("hint: ") == 1
    assert "hint: (a guess) Hint about all." in two.stdout
    one = course.try_answer("def double(value):\n    return value + value or 1\n")
    assert "hint: Hint about or_one." in one.stdout
    assert "Hint about all." not in one.stdout


def wait_for(log: Path, process: subprocess.Popen, text: str) -> None:
    """Wait until `text` stands in the file that the process prints to."""
    deadline = time.monotonic() + 30
    while text not in log.read_text(encoding="utf-8"):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < deadline, log.read_text(encoding="utf-8")
        time.sleep(0.02)


@contextlib.contextmanager
def watching(course, log: Path, *arguments: str):
    """`watch` in the background, printing to `log`."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            course.command("watch", *arguments),
            env=course.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_watch_checks_again_on_each_save(course, tmp_path):
    """`watch` tries each save, waits in between, and ends when all is passed."""
    log = tmp_path / "log"
    with watching(course, log) as process:
        wait_for(log, process, "1 of 3 promises kept.\nWaiting for the next save.")
        write(course.answer, "def double(value:\n")
        wait_for(log, process, "SyntaxError")
        # As many editors save: away with the old file, then a new one.
        course.answer.unlink()
        draft = course.folder / "draft"
        write(draft, RIGHT)
        time.sleep(0.5)
        draft.rename(course.answer)
        assert process.wait(timeout=30) == 0
    text = log.read_text(encoding="utf-8")
    assert text.endswith("All exercises are passed.\n")
    assert text.count("Waiting for the next save.") == 2
    assert "Traceback" not in text


def test_watch_with_an_id_ends_when_that_exercise_is_passed(course, tmp_path):
    """`watch 01.1` ends with 0 when the answer is right, also at the first look."""
    write(course.answer, RIGHT)
    log = tmp_path / "log"
    with watching(course, log, "01.1") as process:
        assert process.wait(timeout=30) == 0
    assert "3 of 3 promises kept." in log.read_text(encoding="utf-8")


def processor_seconds(pid: int) -> float:
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="reads processor time from /proc"
)
def test_watch_is_no_busy_loop_and_ends_on_interrupt(course, tmp_path):
    """Two seconds of waiting cost next to no processor time; Ctrl-C ends it quietly."""
    log = tmp_path / "log"
    with watching(course, log, "01.1") as process:
        wait_for(log, process, "Waiting for the next save.")
        before = processor_seconds(process.pid)
        time.sleep(2)
        used = processor_seconds(process.pid) - before
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130
    assert used < 0.2, used
    assert "Traceback" not in log.read_text(encoding="utf-8")


def git(course, *arguments):
    subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=n@invalid", *arguments],
        cwd=course.root,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def clone(course):
    if shutil.which("git") is None:
        pytest.skip("needs git")
    git(course, "init", "-q")
    git(course, "add", "-A")
    git(course, "commit", "-qm", "the course")
    return course


def test_reset_asks_and_keeps_a_copy(clone):
    """`reset` changes nothing without a yes, and never loses an answer."""
    clone.try_answer(RIGHT)
    for no in ("", "\n", "n\n", "what\n"):
        result = clone.run("reset", "01.1", stdin=no)
        assert result.returncode == 1
        assert "A copy of yours stays. [y/N]" in result.stdout
        assert clone.answer.read_text(encoding="utf-8") == RIGHT
    assert clone.run("reset", "01.1", stdin="y\n").returncode == 0
    assert clone.answer.read_text(encoding="utf-8") == STARTER
    first = clone.folder / "exercise.kept-1.py"
    assert first.read_text(encoding="utf-8") == RIGHT
    assert "0/1" in clone.run().stdout

    write(clone.answer, "# second\n")
    assert clone.run("reset", "01.1", "--yes").returncode == 0
    assert first.read_text(encoding="utf-8") == RIGHT
    second = clone.folder / "exercise.kept-2.py"
    assert second.read_text(encoding="utf-8") == "# second\n"
    clone.answer.unlink()
    assert clone.run("reset", "01.1", "--yes").returncode == 0
    assert clone.answer.read_text(encoding="utf-8") == STARTER


def test_reset_finds_the_starter_under_a_committed_answer(clone):
    """A learner who committed an answer still gets the starter back."""
    write(clone.answer, RIGHT)
    git(clone, "commit", "-qam", "my answer")
    assert clone.run("reset", "01.1", "--yes").returncode == 0
    assert clone.answer.read_text(encoding="utf-8") == STARTER


def test_reset_without_git_says_what_to_do(course):
    """Where Git has no starter, `reset` says so and leaves the answer alone."""
    write(course.answer, RIGHT)
    result = course.run("reset", "01.1", "--yes")
    assert result.returncode == 2
    assert "Git does not have the starter here" in result.stderr
    assert course.answer.read_text(encoding="utf-8") == RIGHT


def test_the_solution_waits_for_a_pass(course):
    """`solution` shows nothing before a pass, unless told to."""
    locked = course.run("solution", "01.1")
    assert locked.returncode == 1
    assert "return" not in locked.stdout
    assert course.run("solution", "01.1", "--reveal").stdout == RIGHT
    course.try_answer(RIGHT)
    opened = course.run("solution", "01.1")
    assert (opened.returncode, opened.stdout) == (0, RIGHT)


@pytest.mark.parametrize(
    ("variables", "chinese"),
    [
        ({}, False),
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, False),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, True),
    ],
)
def test_the_language_comes_from_the_environment(variables, chinese, course):
    """`LC_ALL`, `LC_MESSAGES` and `LANG` choose the language, in this order."""
    assert ("下一题" in course.run(**variables).stdout) is chinese


def test_the_option_goes_before_the_environment(course):
    """`--lang` decides, before or after the command, for all that is printed."""
    for arguments in (
        ["--lang", "zh-CN", "check", "01.1"],
        ["check", "01.1", "--lang", "zh-CN"],
    ):
        text = course.run(*arguments, LANG="en_US.UTF-8").stdout
        assert text == (
            "01.1  加倍\n"
            "  未兑现    数会加倍。\n"
            "      原因：3 != 6\n"
            "      提示：（猜测）关于 square 的提示。\n"
            "  未兑现    列表保持原样。\n"
            "      原因：Lists differ: [1, 2] != [1, 2, 1, 2]\n"
            "      提示：（猜测）关于 in_place 的提示。\n"
            "  已兑现    零还是零。\n"
            "共 3 条，兑现 1 条。\n"
        )
    assert "kept" in course.run("check", "--lang", "en", LANG="zh_CN.UTF-8").stdout


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "latin-1"])
def test_a_console_of_another_encoding_works(encoding, course):
    """On a GBK console Chinese is readable; where it cannot be, nothing breaks."""
    write(course.answer, "print('caf\u00e9 \U0001f600 报告')\n" + STARTER)
    for arguments, code in (
        (["list"], 0),
        (["check"], 1),
        (["hint", "01.1"], 0),
        (["--help"], 0),
    ):
        result = course.run(
            *arguments, encoding=encoding, PYTHONUTF8="0", LANG="zh_CN.GBK"
        )
        assert result.returncode == code, result
        assert result.stderr == ""
        if encoding == "gbk":
            assert re.search("下一题|caf. . 报告|提示|练习", result.stdout)
    result = course.run("check", "01.1", "--json", encoding=encoding, LANG="zh_CN")
    assert json.loads(result.stdout.splitlines()[0])["promise"] == "数会加倍。"


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_colours_are_for_terminals_only(course):
    """A terminal gets colours, unless NO_COLOR or TERM=dumb says otherwise."""
    import pty

    for variables, coloured in (
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ):
        terminal, end = pty.openpty()
        process = subprocess.Popen(
            course.command("check", "01.1"),
            env=course.environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=end,
            start_new_session=True,
        )
        os.close(end)
        shown = b""
        # Linux reports the end of a terminal as an error.
        with contextlib.suppress(OSError):
            while piece := os.read(terminal, 4096):
                shown += piece
        os.close(terminal)
        assert process.wait(timeout=30) == 1
        assert b"1 of 3 promises kept" in shown
        assert (b"\x1b[31mbroken" in shown) is coloured
        assert (b"\x1b" in shown) is coloured


@pytest.mark.parametrize(
    "content",
    [
        b"01.1\n",
        b"\xff\xfe0\x001\x00",
        b"01.1 2026-11-30\nand what else\n",
        b"{}",
        b"\0" * 64,
        None,
    ],
)
def test_a_broken_progress_file_is_set_aside(content, course):
    """A progress file that cannot be read keeps its bytes under another name."""
    if content is None:
        course.progress.mkdir()
    else:
        course.progress.write_bytes(content)
    result = course.run()
    assert result.returncode == 0
    aside = course.root / "exercises-progress.broken-1.txt"
    assert result.stderr == (
        f"The progress file could not be read and is now {aside.name}.\n"
    )
    assert aside.is_dir() if content is None else aside.read_bytes() == content
    assert course.try_answer(RIGHT).returncode == 0
    assert "1/1" in course.run().stdout


def test_progress_is_text_that_a_learner_may_edit(course):
    """Comments, blank lines and CRLF are read; deleting a line reopens an exercise."""
    notes = "\ufeff# mine\r\n\r\n01.1 2001-02-03\r\n07.3 2001-02-02\r\n"
    write(course.progress, notes)
    assert "1/1" in course.run().stdout
    course.try_answer(RIGHT)
    text = course.progress.read_text(encoding="utf-8")
    assert "01.1 2001-02-03\n07.3 2001-02-02\n" in text
    write(course.progress, text.replace("01.1 2001-02-03\n", ""))
    assert "0/1" in course.run().stdout


def test_progress_that_cannot_be_written_is_told(course):
    """A pass stays a pass when it cannot be noted, and `watch` still ends."""
    (course.root / "exercises-progress.new.txt").mkdir()
    result = course.try_answer(RIGHT)
    assert result.returncode == 0
    assert "3 of 3 promises kept" in result.stdout
    assert result.stderr.startswith("The progress file cannot be written: ")
    assert course.run("watch").returncode == 0


@pytest.mark.parametrize("file", ["task.md", "wrong/square.py"])
def test_a_damaged_course_is_told(file, course):
    """A file that is missing or broken gives one line and no traceback."""
    path = course.folder / file
    path.unlink()
    if file.startswith("wrong"):
        write(path, "def")
    result = course.run("check", "01.1")
    assert (result.returncode, result.stdout) == (2, "")
    said = f"`stages/01-small/exercises/1-double/{file}` is not as the course has it"
    assert flowing(result.stderr).startswith(said)
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_what_the_system_refuses_is_told(course):
    """An error of the system is one sentence and 2, and no traceback."""
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            course.command("list"),
            env=course.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
    assert result.returncode == 2
    assert result.stderr.startswith("The system refused it: ")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("instead", ["nothing", "a folder", "a link to nothing"])
def test_a_missing_answer_is_told_and_brought_back(instead, clone):
    """Without an `exercise.py` each command names it and the `reset` that helps."""
    clone.answer.unlink()
    if instead == "a folder":
        clone.answer.mkdir()
    elif instead != "nothing":
        clone.answer.symlink_to(clone.root / "elsewhere.py")
    for command in ("check", "hint", "watch"):
        result = clone.run(command, "01.1")
        assert (result.returncode, result.stdout) == (2, "")
        assert flowing(result.stderr) == (
            f"There is no file `{NAME}`. Bring the starter back: `{PROGRAM} reset 01.1`"
        )
    assert clone.run("reset", "01.1", "--yes").returncode == 0
    assert clone.answer.read_text(encoding="utf-8") == STARTER
    assert not clone.answer.is_symlink()
    assert not (clone.root / "elsewhere.py").exists()


def test_no_line_is_wider_than_a_terminal(course):
    """Promises, reasons and hints fill 80 columns at most, and Chinese marks do not
    begin a line; a Han character counts for two columns."""
    long = (
        "我们在这里写一句很长的话，看它“在哪里”断开：是不是（真的）不超过八十列？" * 3
    )
    checks = CHECKS.replace("零还是零。", long).replace(
        "Zero stays zero.", "Zero stays zero, " * 12 + "and `a b c d e` whole."
    )
    write(course.folder / "checks.py", checks)
    record_digests(course.root / "stages")
    write(
        course.folder / "wrong" / "or_one.py",
        f'"""Rejected by: test_zero\n\n{"A hint of many words. " * 9}\n\n{long}\n"""\n',
    )
    write(course.answer, "def double(value):\n    return value + value or 1\n")
    for language, marks in (("en", "~"), ("zh-CN", "，。：？”）")):
        for command in ("check", "hint"):
            text = course.run(command, "01.1", "--lang", language).stdout
            lines = [line for line in text.splitlines() if line]
            for line in lines:
                assert sum(1 + (ord(char) > 0x2E7F) for char in line) <= 80, line
                assert line.strip()[0] not in marks, line
            joined = "".join(line.strip() + " " * (marks == "~") for line in lines)
            assert (long if marks != "~" else "A hint of many words. " * 9) in joined
            assert "`a b c d e`" in text or language != "en"
    for length in range(60, 90):
        lines = wrapped("x" * length + "好）。”再来（好）").splitlines()
        assert "".join(lines) == "x" * length + "好）。”再来（好）"
        assert not any(line[0] in "）。”" or line[-1] == "（" for line in lines)


def test_every_command_is_explained(course):
    """`--help` says in both languages what each command and each option does."""
    text = course.run("--help").stdout
    for word in ("list", "check", "hint", "watch", "reset", "solution", "--lang"):
        assert re.search(rf"^  {word} .*\w · .*[一-鿿]", text, re.MULTILINE), word
    for word in ("--json", "--yes", "--reveal", "id"):
        assert re.search(rf"^  {word} .*\w · .*[一-鿿]", text, re.MULTILINE), word


def test_every_sentence_is_in_both_languages_and_used():
    """Each sentence has the same gaps in English and Chinese, and is said somewhere."""
    stages = Path(__file__).resolve().parents[1] / "stages"
    source = "".join(
        path.read_text(encoding="utf-8") for path in stages.glob("exercise*.py")
    )
    spoken = json.loads((stages / "exercise_words.json").read_text(encoding="utf-8"))
    for key, (english, chinese) in spoken.items():
        gaps = [set(re.findall(r"\{\w+", text)) for text in (english, chinese)]
        assert gaps[0] == gaps[1], key
        assert not re.search("[一-鿿]", english), key
        assert re.search("[一-鿿]|: $", chinese) or key == "at", key
        assert f'"{key.removeprefix("help of ")}"' in source, key


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_reasons_of_ours_are_in_the_language(language, course):
    """What the runner or a check says of a failure is in the learner's language."""
    checks = CHECKS.replace(
        "self.assertEqual(double(3), 6)",
        "double(3) == 6 or self.fail()\n"
        "        raise AssertionError('in English', '用中文')",
    ).replace(
        "self.assertIs(type(double(0)), int)",
        "raise AssertionError('in English', '用中文')",
    )
    write(course.folder / "checks.py", checks)
    record_digests(course.root / "stages")
    chinese = language == "zh-CN"
    for answer, said in (
        # Each check tells its own reason, also when another has told the same.
        (RIGHT, ("why: in English", "原因：用中文")),
        ("def double(:\n", (f"({NAME}, line 1)", f"（{NAME} 第 1 行）")),
        ("import os\nos._exit(0)\n", ("the program ended", "检查还没做完")),
    ):
        write(course.answer, answer)
        result = course.run("check", "01.1", "--lang", language)
        assert flowing(result.stdout).count(said[chinese]) == 1 + (answer is RIGHT)
        assert said[not chinese] not in flowing(result.stdout)


def test_commands_work_from_any_folder(course):
    """The program finds the course beside itself, wherever it is started."""
    for folder in (course.root / "stages", course.folder, Path(course.root.anchor)):
        result = subprocess.run(
            course.command("check", "01.1"),
            env=course.environment(),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert "1 of 3 promises kept" in result.stdout


def test_digests_are_what_sha256sum_says(course):
    """The file of digests is in the format of `sha256sum`, for those who have it."""
    if shutil.which("sha256sum") is None:
        pytest.skip("needs sha256sum")
    result = subprocess.run(
        ["sha256sum", "--quiet", "-c", "stages/exercises.sha256"], cwd=course.root
    )
    assert result.returncode == 0
