"""Exercises tried in the page: Python in Chromium, in both languages."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

import pytest
from site_in_browser import NARROW, REQUIRED, browser, host, serious, visit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stages"))

from exercise_course import find_exercises, promises_of
from exercise_trial import OUTPUT_BYTES, RUN_SECONDS, try_answer

__all__ = ["browser", "host", "visit"]

ROOT = Path(__file__).resolve().parents[1]
if not (ROOT / ".pyodide/version.txt").is_file() and not REQUIRED:
    pytest.skip(
        "no Python for pages here; python docs/theme/get_pyodide.py fetches it",
        allow_module_level=True,
    )

EXERCISES = find_exercises()  # none needs what a browser lacks, so all are tried
CONTAIN, DRAIN, *_ = EXERCISES
LOAD_MS = 120_000  # 13 MB of WebAssembly on a busy machine
WORDS = {
    "": {"passed": "kept", "failed": "broken", "not_run": "not reached"},
    "zh-CN/": {"passed": "通过", "failed": "未通过", "not_run": "未执行到"},
}

each_language = pytest.mark.parametrize("language", ["", "zh-CN/"])


def address_of(exercise, language: str = "") -> str:
    return f"{language}{exercise.folder.relative_to(ROOT).as_posix()}/"


def button(page, number: int):
    """The buttons in their order: 0 checks, 1 stops, 2 starts again."""
    return page.locator(".try-buttons button").nth(number)


def check(page, answer: str | None = None) -> list[tuple[str, str]]:
    """Try the answer, or what is there; return each promise's outcome and text."""
    if answer is not None:
        page.fill("#answer-text", answer)
    button(page, 0).click()
    page.wait_for_selector(".try-buttons button:disabled", timeout=LOAD_MS)
    items = page.locator(".try-results li")
    assert items.count(), page.inner_text(".try-results")
    return [
        (item.get_attribute("class").removeprefix("try-"), item.inner_text())
        for item in items.all()
    ]


def outcomes(results: list[tuple[str, str]]) -> set[str]:
    return {outcome for outcome, _ in results}


def plain(text: str) -> str:
    """Return a hint or a promise as the page shows it."""
    return text.replace("`", "")


@pytest.mark.parametrize(
    ("exercise", "language"),
    [*((exercise, "") for exercise in EXERCISES), (DRAIN, "zh-CN/")],
    ids=lambda one: one if isinstance(one, str) else one.id,
)
def test_solution_keeps_and_starter_breaks(visit, exercise, language):
    """Every promise is shown, kept by the solution and some broken by the starter."""
    with visit(address_of(exercise, language)) as page:
        results = check(page)
        chinese = bool(language)
        promises = promises_of(exercise.read("checks.py")).values()
        for (outcome, text), promise in zip(results, promises, strict=True):
            line = f"{WORDS[language][outcome]} {plain(promise[chinese])}"
            assert text.startswith(line)
        assert "failed" in outcomes(results)

        results = check(page, exercise.read("solution.py").decode())
        assert outcomes(results) == {"passed"}
        kept = len(promises)
        said = page.inner_text(".try-results p")
        assert said in (
            f"{kept} of {kept} promises kept.",
            f"共 {kept} 条，通过 {kept} 条。",
        )


@pytest.mark.parametrize(
    ("exercise", "language"),
    list(zip(EXERCISES, itertools.cycle(WORDS), strict=False)),
    ids=lambda one: one if isinstance(one, str) else one.id,
)
def test_wrong_answer_gets_its_hint(visit, exercise, language):
    """Outcome, reason and hint of a wrong answer are those of the terminal."""
    chinese = bool(language)
    wrong_answers = sorted(
        exercise.wrong_answers(), key=lambda one: one.rejected_by[1:]
    )
    with visit(address_of(exercise, language)) as page:
        for wrong in (wrong_answers[0], wrong_answers[-1]):
            answer = exercise.read(wrong.file)
            trial = try_answer(answer, exercise.read("checks.py"))
            results = check(page, answer.decode())
            for (outcome, text), one in zip(results, trial.outcomes, strict=True):
                assert outcome == one.outcome, wrong.file
                if outcome == "failed":
                    why = one.why[chinese]
                    hint = exercise.hints(one.check, trial.failed)[0][chinese]
                    told = (
                        f"原因：{why} 提示：{hint}"
                        if chinese
                        else (f"Why: {why} Hint: {hint}")
                    )
                    assert words_of(told) in words_of(text)


def words_of(text: str) -> str:
    """Leave out what the page sets differently, and addresses of objects."""
    return re.sub(r"0x[0-9a-f]+", "0x", " ".join(plain(text).split()))


LOOP = """
class OutsideError(ValueError):
    pass

def place_inside(root, relative, is_link):
    if "notes" in relative:
        while True:
            pass
    return f"{root}/{relative}".replace("/./", "/").replace("//", "/")
"""


@each_language
def test_endless_loop_is_stopped(visit, language):
    """After the time limit the check that hung is broken, and those before it count."""
    with visit(address_of(CONTAIN, language)) as page:
        results = check(page, LOOP)
        expected = ["passed", "failed"] + ["not_run"] * 5
        assert [outcome for outcome, _ in results] == expected
        seconds = f"{RUN_SECONDS:g} "
        assert f"no end after {seconds}s" in results[1][1] or (
            language and f"{seconds}秒还没有结束" in results[1][1]
        )
        # The loop itself has ended, and the next run is not harmed by it.
        for _ in range(50):
            pythons = [worker for worker in page.workers if "exercise" in worker.url]
            if len(pythons) == 1:
                break
            page.wait_for_timeout(200)
        assert len(pythons) == 1
        assert outcomes(check(page, CONTAIN.read("solution.py").decode())) == {"passed"}


def test_stop_button_ends_the_run(visit):
    """Stop ends a run at once, by the keyboard too, and the focus is not lost."""
    with visit(address_of(CONTAIN)) as page:
        page.fill("#answer-text", LOOP)
        button(page, 0).click()
        page.wait_for_function(
            "document.querySelector('.try-results').textContent === 'Checking…'",
            timeout=LOAD_MS,
        )
        button(page, 1).focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".try-results li", timeout=2_000)
        assert "when you stopped it" in page.inner_text(".try-results")
        assert button(page, 0).evaluate("e => e === document.activeElement")
        assert button(page, 1).is_disabled()


def test_stop_button_ends_the_loading(visit):
    """Who thinks better of 13 MB can stop them, and start them again."""
    with visit(address_of(CONTAIN)) as page:
        page.evaluate(
            "document.querySelectorAll('.try-buttons button')[0].click();"
            "document.querySelectorAll('.try-buttons button')[1].click()"
        )
        page.wait_for_function(
            "document.querySelector('.try-results').textContent === 'Stopped.'"
        )
        assert outcomes(check(page, CONTAIN.read("solution.py").decode())) == {"passed"}


FORGERIES = {
    "prints what a verdict looks like": """
for name in NAMES:
    print("passed", name, "")
print("finished - ")
raise SystemExit(0)
""",
    "speaks to the page": """
import js, pyodide.ffi
records = [f"passed {name} " for name in NAMES] + ["finished - "]
js.postMessage(pyodide.ffi.to_js({"ended": "finished", "records": records},
               dict_converter=js.Object.fromEntries))
""",
    "changes unittest": """
import unittest
unittest.TestCase.assertEqual = unittest.TestCase.assertIs = lambda *a, **k: None
unittest.TestCase.assertRaises = lambda *a, **k: __import__("contextlib").suppress(
    BaseException)
class OutsideError(ValueError): pass
def place_inside(*a): raise OutsideError
""",
    "changes unittest half way": """
import unittest
class OutsideError(ValueError): pass
def place_inside(root, relative, is_link):
    if "src..old" in relative:
        unittest.TestCase.assertEqual = lambda *a, **k: None
    return "/srv/run/work/report.md"
""",
    "leaves": "import sys\nsys.exit(0)\n",
    "floods": "while True: print('x' * 1000)\n",
}


@pytest.mark.parametrize("trick", FORGERIES)
def test_verdict_cannot_be_forged(visit, trick):
    """Whatever an answer prints, writes or changes, no promise counts as kept."""
    names = list(promises_of(CONTAIN.read("checks.py")))
    with visit(address_of(CONTAIN)) as page:
        results = check(page, f"NAMES = {names}\n{FORGERIES[trick]}")
        assert "passed" not in outcomes(results)
        # What was printed is shown, apart from the verdict.
        if trick.startswith("prints"):
            assert f"passed {names[0]}" in page.inner_text(".try-results pre")
        if trick == "floods":
            assert f"more than {OUTPUT_BYTES:,} bytes" in results[0][1]
            assert len(page.inner_text(".try-results pre")) <= OUTPUT_BYTES


def test_records_of_the_answer_do_not_count(visit):
    """An answer that finds the channel of the verdict cannot sign what it writes."""
    names = list(promises_of(CONTAIN.read("checks.py")))
    answer = f"""
class OutsideError(ValueError):
    pass

def place_inside(root, relative, is_link):
    if "latest" in relative:
        with open("/trial/work/verdict", "w") as verdict:
            for name in {names}:
                verdict.write(f"00 passed {{name}} \\n")
    raise OutsideError
"""
    with visit(address_of(CONTAIN)) as page:
        results = check(page, answer)
        expected = ["failed"] * 3 + ["passed"] * 4
        assert [outcome for outcome, _ in results] == expected


def test_a_broken_interpreter_is_told(browser, host):
    """An answer that crashes Python itself keeps no promise, and harms no later run."""
    context = browser.new_context()  # Pyodide puts its crash into the console
    page = context.new_page()
    page.goto(f"{host}/host-first/{address_of(CONTAIN)}")
    results = check(page, "import ctypes\nctypes.string_at(0xFFFFFF00)\n")
    assert outcomes(results) == {"not_run"}
    assert "ended before the checks did" in results[0][1]
    assert "failed" in outcomes(check(page, CONTAIN.read("exercise.py").decode()))
    context.close()


def test_each_run_starts_afresh(visit):
    """What one answer changes in its Python is gone in the next run."""
    with visit(address_of(CONTAIN)) as page:
        check(page, FORGERIES["changes unittest"])
        assert "failed" in outcomes(check(page, CONTAIN.read("exercise.py").decode()))


def test_text_stays_and_can_be_reset(visit):
    """The text survives a reload and a change of language, until it is reset."""
    with visit(address_of(DRAIN)) as page:
        starter = page.input_value("#answer-text")
        assert starter == DRAIN.read("exercise.py").decode()
        page.fill("#answer-text", "# 我的答案\n")
        page.reload()
        assert page.input_value("#answer-text") == "# 我的答案\n"
        page.goto(page.url.replace("/stages/", "/zh-CN/stages/"))
        assert page.input_value("#answer-text") == "# 我的答案\n"

        page.once("dialog", lambda dialog: dialog.dismiss())
        button(page, 2).click()
        assert page.input_value("#answer-text") == "# 我的答案\n"
        page.once("dialog", lambda dialog: dialog.accept())
        button(page, 2).click()
        assert page.input_value("#answer-text") == starter
        page.reload()
        assert page.input_value("#answer-text") == starter


def test_exercises_do_not_share_their_text(visit):
    """Each exercise keeps its own."""
    with visit(address_of(DRAIN)) as page:
        page.fill("#answer-text", "# mine\n")
        page.goto(page.url.replace(DRAIN.folder.name, CONTAIN.folder.name))
        assert page.input_value("#answer-text") == CONTAIN.read("exercise.py").decode()


LOADED = """performance.getEntriesByType("resource").map((entry) => entry.name)
    .filter((name) => /pyodide|worker/.test(name))"""


@each_language
def test_nothing_is_loaded_before_the_click(visit, language):
    """The button names the size, and only its click starts the transfer."""
    with visit(address_of(CONTAIN, language)) as page:
        page.wait_for_timeout(500)
        before = [name for name in page.evaluate(LOADED) if "search" not in name]
        assert before == []
        assert re.search(r"\b1[34] MB", button(page, 0).inner_text())
        check(page)
        assert "exercise-worker.mjs" in "".join(page.evaluate(LOADED))
        assert "MB" not in button(page, 0).inner_text()


def test_a_failed_transfer_is_told(browser, host):
    """Without its files the page says that Python did not come; one may ask again."""
    context = browser.new_context()
    page = context.new_page()
    page.route("**/*.wasm", lambda route: route.abort())
    page.goto(f"{host}/host-first/{address_of(CONTAIN)}")
    button(page, 0).click()
    page.wait_for_selector(".try-buttons button:disabled", timeout=LOAD_MS)
    assert "could not be loaded" in page.inner_text(".try-results")
    page.unroute("**/*.wasm")
    assert "failed" in outcomes(check(page))
    context.close()


def test_a_browser_that_keeps_nothing_says_so(browser, host):
    """Where storage is refused the exercise works, and the note warns."""
    context = browser.new_context()
    context.add_init_script(
        """Storage.prototype.setItem = Storage.prototype.getItem =
            () => { throw new DOMException("no", "SecurityError"); }"""
    )
    page = context.new_page()
    page.goto(f"{host}/host-first/{address_of(CONTAIN)}")
    assert "keeps nothing" in page.inner_text("#answer-note")
    page.fill("#answer-text", "# mine\n")
    assert page.input_value("#answer-text") == "# mine\n"
    context.close()


def test_keyboard_and_screen_reader(visit):
    """The text is a plain field with a name; Tab leaves it; results are announced."""
    with visit(address_of(CONTAIN)) as page:
        field = page.get_by_label("Your exercise.py")
        assert field.evaluate("e => e.tagName") == "TEXTAREA"
        field.focus()
        page.keyboard.press("f")  # no shortcut of the theme
        assert field.input_value().endswith("\nf")
        page.keyboard.press("Tab")
        assert button(page, 0).evaluate("e => e === document.activeElement")
        page.keyboard.press("Shift+Tab")
        assert field.evaluate("e => e === document.activeElement")
        assert page.get_attribute(".try-results", "aria-live") == "polite"


@pytest.mark.parametrize(("language", "scheme"), [("", "light"), ("zh-CN/", "dark")])
def test_results_are_readable(visit, language, scheme):
    """Results with hints and output: nothing serious for axe, no sideways scrolling."""
    answer = "print('x' * 300)\n" + LOOP.replace("while True:", "if True:")
    with visit(address_of(CONTAIN, language), viewport=NARROW, scheme=scheme) as page:
        assert outcomes(check(page, answer)) == {"passed", "failed"}
        assert serious(page) == []
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= NARROW["width"]
