"""Exercises tried in the page: Python in Chromium, in both languages."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

import pytest
from site_in_browser import NARROW, REQUIRED, WIDE, browser, host, serious

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs/theme"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stages"))

from exercise_course import find_exercises, promises_of
from exercise_pages import needs
from exercise_trial import OUTPUT_BYTES, RUN_SECONDS, try_answer

__all__ = ["browser", "host"]

ROOT = Path(__file__).resolve().parents[1]
if not (ROOT / ".pyodide/version.txt").is_file() and not REQUIRED:
    pytest.skip(
        "no Python for pages here; python3 docs/theme/get_pyodide.py fetches it",
        allow_module_level=True,
    )

EXERCISES = [exercise for exercise in find_exercises() if not needs(exercise)]
CONTAIN, DRAIN, *_ = EXERCISES
LOAD_MS = 120_000  # 13 MB of WebAssembly on a busy machine
WORDS = {
    "": {"passed": "kept", "failed": "broken", "not_run": "not reached"},
    "zh-CN/": {"passed": "已兑现", "failed": "未兑现", "not_run": "未执行到"},
}

each_language = pytest.mark.parametrize("language", WORDS)


def address_of(exercise, language: str = "") -> str:
    return f"{language}{exercise.folder.relative_to(ROOT).as_posix()}/"


@pytest.fixture(scope="module")
def tabs(browser, host):
    """One tab a language for the whole module, and what went wrong in them.

    The second exercise finds Python in the browser's cache; each run starts one.
    """
    context = browser.new_context()
    opened, complaints = {}, []
    for language in WORDS:
        page = opened[language] = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on(
            "request",
            lambda request: (
                request.url.startswith((host, "data:", "blob:"))
                or complaints.append(f"request to {request.url}")
            ),
        )
        page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning")
                and complaints.append(f"console: {message.text}")
            ),
        )
    yield opened, complaints
    context.close()


@pytest.fixture
def visit(tabs, host):
    """Return a function that shows an exercise in its language's tab.

    What an earlier test did there is gone with `afresh`, else only replaced.
    """
    opened, complaints = tabs
    used = []

    def show(exercise, language="", *, afresh=False):
        page = opened[language]
        used.append(page)
        url = f"{host}/host-first/{address_of(exercise, language)}"
        if afresh and page.url.startswith(host):
            page.evaluate("localStorage.clear()")
        if afresh or page.url != url:
            page.goto(url)
        page.bring_to_front()  # a tab behind another gets less of the processor
        return page

    complaints.clear()
    yield show
    for page in used:
        page.set_viewport_size(WIDE)
        page.emulate_media(color_scheme="light")
    assert complaints == []


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


def assert_like_a_terminal(page, exercise, language: str, answer: bytes | None):
    """The page tells of an answer what a terminal tells; None is what is there."""
    chinese = bool(language)
    results = check(page, answer.decode() if answer else None)
    answer = answer or exercise.starter()
    checks = exercise.read("checks.py")
    trial = try_answer(exercise, answer, checks, chinese=chinese)
    told = {""}
    for (outcome, text), one in zip(results, trial.records, strict=True):
        expected = [f"{WORDS[language][one['outcome']]} {one['promise']}"]
        hints = one["hint"].splitlines()
        if hints:
            told.discard(one["why"])
        labels = [("Why: ", "原因：")[chinese]] + [("Hint: ", "提示：")[chinese]] * 3
        for label, sentence in zip(labels, [one["why"], *hints], strict=False):
            if sentence not in told:
                expected.append(label + sentence)
            told.add(sentence)
        shown = " ".join(expected).replace(
            exercise.name_of("exercise.py"), "exercise.py"
        )
        assert (outcome, words_of(text)) == (one["outcome"], words_of(shown))
    kept = sum(one["outcome"] == "passed" for one in trial.records)
    total = len(results)
    count = f"{kept} of {total} promises kept.", f"共 {total} 条，兑现 {kept} 条。"
    assert page.inner_text(".try-results p >> nth=0") == count[chinese]
    return trial


@pytest.mark.parametrize(
    ("exercise", "language"),
    list(zip(EXERCISES, itertools.cycle(WORDS), strict=False)),
    ids=lambda one: one if isinstance(one, str) else one.id,
)
def test_starter_and_solution_are_judged_as_at_a_terminal(visit, exercise, language):
    """Promise, outcome, reason and hints are a terminal's, and the solution passes."""
    page = visit(exercise, language, afresh=True)
    assert assert_like_a_terminal(page, exercise, language, None).failed
    solution = exercise.read("solution.py")
    assert assert_like_a_terminal(page, exercise, language, solution).passed


ERRORS = (
    b"def place_inside(*a): raise TypeError('mine')\n"
    b"class OutsideError(Exception): pass\n",
    b"place_inside = 1\n",
    b"import sys\nsys.exit(0)\n",
    b"def place_inside(:\n",
)


@each_language
def test_mistakes_are_told_as_at_a_terminal(visit, language):
    """The same holds for answers that are wrong in one way or several, or break."""
    page = visit(CONTAIN, language)
    wrong = sorted(CONTAIN.wrong_answers(), key=lambda one: len(one.rejected_by))
    answers = [CONTAIN.read(wrong[0].file), CONTAIN.read(wrong[-1].file), *ERRORS]
    for answer in answers[bool(language) :: 2]:
        assert not assert_like_a_terminal(page, CONTAIN, language, answer).passed


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


def test_endless_loop_is_stopped(visit):
    """After the time limit the check that hung is broken, and those before it count."""
    page = visit(CONTAIN)
    results = check(page, LOOP)
    expected = ["passed", "failed"] + ["not_run"] * (len(results) - 2)
    assert [outcome for outcome, _ in results] == expected
    assert f"no end after {RUN_SECONDS:g} s" in results[1][1]
    # The loop itself has ended, and the next run is not harmed by it.
    for _ in range(50):
        pythons = [worker for worker in page.workers if "exercise" in worker.url]
        if not pythons:
            break
        page.wait_for_timeout(200)
    assert not pythons
    assert outcomes(check(page, CONTAIN.read("solution.py").decode())) == {"passed"}


def test_stop_button_ends_the_run(visit):
    """Stop ends a run at once, by the keyboard too, and the focus is not lost."""
    page = visit(CONTAIN)
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
    page = visit(CONTAIN, afresh=True)
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
    print(f'["passed", "{name}", "0", "", ""]')
print('["finished", "-", "0", "", ""]')
raise SystemExit(0)
""",
    "speaks to the page": """
import js, pyodide.ffi
records = [f'["passed", "{name}", "0", "", ""]' for name in NAMES]
records.append('["finished", "-", "0", "", ""]')
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
    """Whatever an answer prints, writes or changes, no promise counts as kept.

    The next answer is not harmed: it gets a Python of its own.
    """
    names = list(promises_of(CONTAIN.read("checks.py")))
    page = visit(CONTAIN)
    results = check(page, f"NAMES = {names}\n{FORGERIES[trick]}")
    assert "passed" not in outcomes(results)
    # What was printed is shown, apart from the verdict.
    if trick.startswith("prints"):
        assert f'["passed", "{names[0]}"' in page.inner_text(".try-results pre")
    if trick == "floods":
        assert f"more than {OUTPUT_BYTES:,} bytes" in results[0][1]
        assert len(page.inner_text(".try-results pre")) <= OUTPUT_BYTES
    if trick == "changes unittest":
        assert outcomes(check(page, CONTAIN.read("solution.py").decode())) == {"passed"}


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
                verdict.write(f'00 ["passed", "{{name}}", "0", "", ""]\\n')
    raise OutsideError
"""
    page = visit(CONTAIN)
    results = check(page, answer)
    expected = ["failed"] * 3 + ["passed"] * (len(names) - 3)
    assert [outcome for outcome, _ in results] == expected


def test_a_broken_interpreter_is_told(browser, host):
    """An answer that crashes Python itself keeps no promise, and harms no later run."""
    context = browser.new_context()  # Pyodide puts its crash into the console
    page = context.new_page()
    page.goto(f"{host}/host-first/{address_of(CONTAIN)}")
    results = check(page, "import ctypes\nctypes.string_at(0xFFFFFF00)\n")
    assert outcomes(results) == {"not_run"}
    assert "ended before the checks did" in results[0][1]
    assert "failed" in outcomes(check(page, CONTAIN.starter().decode()))
    context.close()


def test_text_stays_and_can_be_reset(visit):
    """The text survives a reload and a change of language, until it is reset."""
    page = visit(DRAIN, afresh=True)
    starter = page.input_value("#answer-text")
    assert starter == DRAIN.starter().decode()
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
    page = visit(DRAIN, afresh=True)
    page.fill("#answer-text", "# mine\n")
    page.goto(page.url.replace(DRAIN.folder.name, CONTAIN.folder.name))
    assert page.input_value("#answer-text") == CONTAIN.starter().decode()


LOADED = """performance.getEntriesByType("resource").map((entry) => entry.name)
    .filter((name) => /pyodide|worker/.test(name))"""


def test_nothing_is_loaded_before_the_click(visit):
    """The button names the size, and only its click starts the transfer."""
    page = visit(CONTAIN, afresh=True)
    page.wait_for_timeout(500)
    before = [name for name in page.evaluate(LOADED) if "search" not in name]
    assert before == []
    assert re.search(r"\b1[34] MB", button(page, 0).inner_text())
    check(page)
    assert "exercise-worker.mjs" in "".join(page.evaluate(LOADED))
    assert "MB" not in button(page, 0).inner_text()


@pytest.mark.parametrize("file", ["pyodide.mjs", "pyodide.asm.wasm", "stdlib.zip"])
@pytest.mark.parametrize("failure", ["gone", "cut"])
def test_a_failed_transfer_is_told(browser, host, file, failure):
    """Without its files the page says that Python did not come; one may ask again."""

    def fail(route):
        if failure == "gone":
            route.fulfill(status=404, body="no such file")
        else:
            route.abort()

    context = browser.new_context()
    page = context.new_page()
    page.route(f"**/*{file}", fail)
    page.goto(f"{host}/host-first/{address_of(CONTAIN)}")
    button(page, 0).click()
    page.wait_for_selector(".try-buttons button:disabled", timeout=LOAD_MS)
    assert "could not be loaded" in page.inner_text(".try-results")
    page.unroute(f"**/*{file}")
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
    page = visit(CONTAIN, afresh=True)
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
    page = visit(CONTAIN, language)
    page.set_viewport_size(NARROW)
    page.emulate_media(color_scheme=scheme)
    assert outcomes(check(page, answer)) == {"passed", "failed"}
    assert serious(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= NARROW["width"]
