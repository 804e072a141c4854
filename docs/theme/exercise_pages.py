"""MkDocs hooks: a page for each exercise, made from the exercise's own files.

Where `docs/theme/get_pyodide.py` has left a Python for browsers, the pages can also
run the checks. Exercises whose files import what a browser lacks stay without.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "stages"))

from exercise_course import WORDS, CourseError, Exercise, find_exercises, promises_of

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / ".pyodide"
NOT_IN_A_BROWSER = {
    "concurrent",
    "multiprocessing",
    "socket",
    "subprocess",
    "threading",
}
# What the page's script says as a terminal does.
WORDS_OF_A_RUN = (
    "at",
    "early",
    "failed",
    "flooded",
    "guess",
    "import",
    "late",
    "not_run",
    "passed",
    "printed",
    "tampered",
)
EXERCISES = {exercise.folder: exercise for exercise in find_exercises(ROOT / "stages")}

COMMANDS = """\
```sh
python3 stages/exercises.py check {id}
python3 stages/exercises.py watch {id}
python3 stages/exercises.py reset {id}
```"""
LAYOUT = {
    False: """\
---
title: "{id} · {title}"
---

{task}

## Your answer {{#your-answer}}

You begin with this `exercise.py`:

{starter}

{terminal}{remark}

{commands}

## Hints {{#hints}}

A promise can break in several ways. When one breaks in your answer, open it here.

{hints}

## A solution {{#solution}}

{solution}
""",
    True: """\
---
title: "{id} · {title}"
---

{task}

## 你的答案 {{#your-answer}}

开始时的 `exercise.py` 是这样的：

{starter}

{terminal}{remark}

{commands}

## 提示 {{#hints}}

同一条承诺可能以几种方式落空。你的答案没做到哪一条，就打开哪一条。

{hints}

## 参考答案 {{#solution}}

{solution}
""",
}
AT_A_TERMINAL = {
    False: (
        "At a terminal, edit [the file](exercise.py) and check it from the root of the "
        "repository. `watch` checks again whenever you save; `reset` brings back what "
        "you began with and keeps a copy of yours. On Windows, say `py`, not `python3`."
    ),
    True: (
        "在终端里，修改[这个文件](exercise.py)，然后在仓库根目录检查。"
        "`watch` 会在每次保存后重新检查；"
        "`reset` 恢复成开始时的样子，你的版本会另存一份。"
        "在 Windows 上，请把 `python3` 换成 `py`。"
    ),
}
BEFORE_THE_SOLUTION = {
    False: (
        "Show a solution",
        "Other answers are as good. You will get more out of this one with your own "
        "beside it.",
        "Show it now",
    ),
    True: (
        "查看参考答案",
        "好的答案不止这一种。先写出自己的，再对照着看，收获会更大。",
        "现在就看",
    ),
}
AT_A_TERMINAL_ONLY = {
    "processes": (
        " This exercise starts processes or threads, which a page cannot do.",
        "这道练习要启动进程或线程，网页里做不到。",
    ),
    "stage": (
        " This exercise uses the stage's own files, which a page does not have.",
        "这道练习要用到本阶段自己的代码文件，网页里没有。",
    ),
    "file": (
        " A page opened from a folder, such as this one, cannot run Python; "
        "a page of the site on the web can.",
        "像这样从文件夹里打开的网页运行不了 Python，要在线上的网站里才行。",
    ),
}


def on_config(config):
    """Put the exercises of a stage where the navigation names their folder."""
    _expand(config.nav)
    return config


def _expand(items: list) -> None:
    for item in filter(lambda item: isinstance(item, dict), items):
        for title, value in item.items():
            if isinstance(value, list):
                _expand(value)
            elif value.endswith("/exercises/"):
                item[title] = [
                    address
                    for exercise in EXERCISES.values()
                    if (address := address_of(exercise, ".md")).startswith(value)
                ]
                if not item[title]:
                    raise PluginError(f"mkdocs.yml: no exercises in {value}")


def address_of(exercise: Exercise, ending: str) -> str:
    """Return where the exercise's page lies below docs/, if it were a file."""
    return f"{exercise.folder.relative_to(ROOT).as_posix()}{ending}"


def on_files(files, config):
    """Announce the pages, which are in memory only."""
    for exercise in EXERCISES.values():
        for ending in (".md", ".zh-CN.md"):
            address = address_of(exercise, ending)
            files.append(
                File(
                    address,
                    config.docs_dir,
                    config.site_dir,
                    config.use_directory_urls,
                )
            )
    return files


def on_page_read_source(page, config):
    """Return the Markdown of an exercise's page; None leaves other pages to MkDocs."""
    exercise, chinese = _exercise_of(page)
    if exercise is None:
        return None
    try:
        return page_of(exercise, chinese, _why_not_here(exercise, config))
    except CourseError as error:
        raise PluginError(error.args[0]) from error


def on_page_markdown(markdown, page, config, files):
    """Let `edit` lead to the task, and hand the page what its button needs."""
    exercise, chinese = _exercise_of(page)
    if exercise is None:
        return
    task = exercise.name_of("task.zh-CN.md" if chinese else "task.md")
    page.edit_url = f"{config.repo_url}/edit/main/{task}"
    if (RUNTIME / "version.txt").is_file() and not _why_not_here(exercise, config):
        page.meta["exercise"] = run_data(exercise, chinese)


def on_post_build(config):
    """Add the Python for browsers, and the program that tries an answer in it."""
    if (RUNTIME / "version.txt").is_file() and config.use_directory_urls:
        assets = Path(config.site_dir, "assets")
        shutil.copytree(RUNTIME, assets / "pyodide", dirs_exist_ok=True)
        shutil.copy(ROOT / "stages/exercise_child.py", assets)


def _exercise_of(page) -> tuple[Exercise | None, bool]:
    address = page.file.src_uri.removesuffix(".md")
    folder = ROOT / address.removesuffix(".zh-CN")
    return EXERCISES.get(folder), address.endswith(".zh-CN")


def _why_not_here(exercise: Exercise, config) -> str:
    """Return why no page could run the checks: a key of AT_A_TERMINAL_ONLY, or ""."""
    reason = needs(exercise)
    return reason if reason or config.use_directory_urls else "file"


def needs(exercise: Exercise) -> str:
    """Return which imports no page can offer: "processes", "stage", or "" for none."""
    names = set()
    for source in (
        exercise.starter(),
        exercise.read("checks.py"),
        exercise.read("solution.py"),
    ):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add((node.module or "").partition(".")[0])
    if names & NOT_IN_A_BROWSER:
        return "processes"
    return "" if names <= sys.stdlib_module_names | {"exercise"} else "stage"


def page_of(exercise: Exercise, chinese: bool, why_not_here: str) -> str:
    """Return the Markdown of the exercise's page in one language."""
    summary, before, button = BEFORE_THE_SOLUTION[chinese]
    code = listing("solution", exercise.read("solution.py"))
    remark = AT_A_TERMINAL_ONLY.get(why_not_here, ("", ""))[chinese]
    return LAYOUT[chinese].format(
        id=exercise.id,
        title=exercise.title()[chinese],
        task=exercise.read("task.zh-CN.md" if chinese else "task.md").decode(),
        starter=listing("starter", exercise.starter()),
        terminal=AT_A_TERMINAL[chinese],
        remark=remark,
        commands=COMMANDS.format(id=exercise.id),
        hints="\n\n".join(hints_of(exercise, chinese)),
        solution=folded(summary, f"{before}\n\n{folded(button, code)}"),
    )


def hints_of(exercise: Exercise, chinese: bool) -> list[str]:
    """Return a folded part for each promise, with what its wrong answers hint."""
    wrong = exercise.wrong_answers()
    parts = []
    for check, promise in promises_of(exercise.trusted_checks()).items():
        fitting = [one for one in wrong if one.rejected_by[:1] == (check,)]
        fitting = fitting or [one for one in wrong if check in one.rejected_by]
        hints = "\n".join(f"- {one.hint[chinese]}" for one in fitting)
        parts.append(folded(promise[chinese], hints))
    return parts


def folded(summary: str, text: str) -> str:
    """Return Markdown that one click unfolds; search does not find what is in it."""
    return (
        '<details markdown="1" data-search-exclude>\n'
        f'<summary markdown="span">{summary}</summary>\n\n{text}\n\n</details>'
    )


def listing(name: str, source: bytes) -> str:
    """Return a code block with an id, which search leaves out."""
    text = source.decode().replace("\r\n", "\n").strip("\n")
    return (
        f'<div id="{name}-py" markdown="1" data-search-exclude>\n\n'
        f"~~~~~python\n{text}\n~~~~~\n\n</div>"
    )


def run_data(exercise: Exercise, chinese: bool) -> dict:
    """Return what the page's script has to know: docs/assets/exercise.js."""
    checks = exercise.trusted_checks()
    size = sum(path.stat().st_size for path in RUNTIME.iterdir())
    return {
        "id": exercise.id,
        "megabytes": round(size / 1e6),
        "starter": re.sub(r"\r\n?", "\n", exercise.starter().decode()),
        "words": {key: WORDS[key][chinese] for key in WORDS_OF_A_RUN},
        "checks": checks.decode(),
        "promises": [
            {"check": check, "text": promise[chinese]}
            for check, promise in promises_of(checks).items()
        ],
        "wrong": [
            {"rejectedBy": one.rejected_by, "hint": one.hint[chinese]}
            for one in exercise.wrong_answers()
        ],
    }
