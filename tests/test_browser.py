"""The site in a real browser: what a reader does, in both languages."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from site_in_browser import (
    MOUNTS,
    NARROW,
    SCROLL_THROUGH,
    WIDE,
    browser,
    host,
    serious,
    visit,
)

__all__ = ["browser", "host", "visit"]

ROOT = Path(__file__).resolve().parents[1]
STAGE = "stages/12-agent-workspace-sandbox"
EXERCISE = f"{STAGE}/exercises/1-contain-a-path"
PAGES = ["", f"{STAGE}/", f"{STAGE}-source/", f"{EXERCISE}/", "teach/", "glossary/"]
BOTH = PAGES + [f"zh-CN/{page}" for page in PAGES]
# The other chapters are of the same kind: one language each.
CHAPTERS = ["stages/14-two-shells/", "zh-CN/stages/15-shell-dialects/"]
EVERY = [*BOTH, *CHAPTERS, "no/such/page/"]
PAGE_BUDGET = 350_000


def search(page, words: str) -> list[str]:
    """Type words into the search as a reader does and return where the answers lead."""
    page.keyboard.press("/")
    page.wait_for_selector(".md-search__input:focus")
    page.keyboard.insert_text(words)
    page.keyboard.press("Shift")  # insert_text sends no key event, which search awaits
    page.wait_for_selector(".md-search-result__link")
    return page.eval_on_selector_all(
        ".md-search-result__link", "links => links.map(link => link.href)"
    )


def switch_language(page, language: str) -> None:
    """Choose a language with the mouse; page.click() would scroll when in doubt."""
    page.hover(".md-header .md-select")
    page.wait_for_function(
        "document.querySelector('.md-select__inner').getAnimations().length === 0"
    )
    box = page.locator(f".md-select__link[hreflang='{language}']").bounding_box()
    with page.expect_navigation():
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.parametrize("mount", MOUNTS)
@pytest.mark.parametrize("address", PAGES)
def test_switch_stays_on_the_page(visit, host, mount, address):
    """The switch leads to the same page and back, from any path it is served at."""
    with visit(address, mount=mount) as page:
        switch_language(page, "zh-CN")
        assert page.url == f"{host}{mount}zh-CN/{address}"
        assert page.get_attribute("html", "lang") == "zh-CN"
        switch_language(page, "en")
        assert page.url == f"{host}{mount}{address}"
        assert page.get_attribute("html", "lang") == "en"


@pytest.mark.parametrize("mount", MOUNTS)
@pytest.mark.parametrize(
    ("address", "heading"),
    [
        ("", "planned"),
        (f"{STAGE}-source/", "checks-py"),
        (f"{EXERCISE}/", "your-answer"),
        ("glossary/", "digest"),
    ],
)
def test_switch_stays_at_the_heading(visit, host, mount, address, heading):
    """A reader who has scrolled is at the same heading in the other language."""
    with visit(address, mount=mount) as page:
        page.evaluate(f"document.getElementById('{heading}').scrollIntoView()")
        page.wait_for_function("scrollY > 0")
        switch_language(page, "zh-CN")
        assert page.url == f"{host}{mount}zh-CN/{address}#{heading}"
        page.wait_for_function(
            f"Math.abs(document.getElementById('{heading}')"
            ".getBoundingClientRect().top) < innerHeight / 2"
        )


SEARCHES = [
    (MOUNTS[0], "", "review receipt", "/glossary/#review-receipt"),
    (MOUNTS[1], f"{STAGE}/", "fencing token", "/glossary/#lease"),
    (MOUNTS[0], "teach/", "memory stick", "/teach/#without-network"),
    (MOUNTS[1], "zh-CN/", "检查回执", "/zh-CN/glossary/#review-receipt"),
    (MOUNTS[0], "zh-CN/", "防护令牌", "/zh-CN/glossary/#lease"),
    (MOUNTS[1], f"zh-CN/{STAGE}/", "磁盘", "/zh-CN/teach/#without-network"),
    (MOUNTS[0], "zh-CN/teach/", "后代进程", "/zh-CN/glossary/#child-process"),
    (MOUNTS[0], f"{EXERCISE}/", "place_inside", f"/{EXERCISE}/#write"),
    (MOUNTS[1], "zh-CN/", "把路径留在目录里", f"/zh-CN/{EXERCISE}/"),
]


@pytest.mark.parametrize(("mount", "start", "words", "place"), SEARCHES)
def test_typed_search_finds(visit, mount, start, words, place):
    """Typed words lead to their place, and only to pages in the reader's language."""
    with visit(start, mount=mount) as page:
        answers = [urlsplit(answer) for answer in search(page, words)]
        places = [f"{answer.path}#{answer.fragment}".rstrip("#") for answer in answers]
        assert mount.rstrip("/") + place in places
        chinese = start.startswith("zh-CN/")
        assert all(("/zh-CN/" in path) == chinese for path in places)
        page.keyboard.press("ArrowDown")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.url.startswith(answers[0]._replace(query="", fragment="").geturl())


LUMINANCE = """element => {
    const [r, g, b] = getComputedStyle(element).PROPERTY.match(/[\\d.]+/g).map(Number);
    return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["", f"zh-CN/{STAGE}/"])
def test_diagrams_follow_the_scheme(visit, scheme, address):
    """The system's choice of light or dark decides, for page and diagrams alike."""
    with visit(address, scheme=scheme) as page:
        ground = page.eval_on_selector(
            "body", LUMINANCE.replace("PROPERTY", "backgroundColor")
        )
        drawing = "figure.diagram svg"
        paper = page.eval_on_selector(
            f"{drawing} > rect", LUMINANCE.replace("PROPERTY", "fill")
        )
        ink = page.eval_on_selector(
            f"{drawing} text", LUMINANCE.replace("PROPERTY", "fill")
        )
        assert paper == pytest.approx(ground, abs=0.02)
        assert (ground > 0.9 and ink < 0.4) if scheme == "light" else (ground < 0.2)
        assert abs(ink - paper) > 0.5


def test_chosen_scheme_is_kept_across_languages(visit):
    """The toggle changes the scheme, and the other language keeps the choice."""
    with visit("teach/") as page:
        page.click("#scheme")
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"
        switch_language(page, "zh-CN")
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"


def test_scheme_follows_the_system_until_one_is_chosen(visit):
    """No script of the theme is needed for it, so that no dark page begins white."""
    with visit("teach/", scheme="dark") as page:
        page.route("**/*.js", lambda route: route.fulfill(body=""))
        page.reload()
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"
        page.emulate_media(color_scheme="light")
        page.wait_for_selector("body[data-md-color-scheme=default]")
        page.click("#scheme")
        page.emulate_media(color_scheme="dark")
        page.click("#scheme")
        page.reload()
        assert page.get_attribute("body", "data-md-color-scheme") == "default"
        assert page.evaluate("getComputedStyle(document.body).colorScheme") == "light"


@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("teach/", ["Switch to dark mode", "Switch to light mode"]),
        ("zh-CN/teach/", ["切换到深色模式", "切换到浅色模式"]),
    ],
)
def test_scheme_button_says_what_it_does(visit, address, names):
    """It has a name in the page's language, and one icon of the two."""
    with visit(address) as page:
        for name in names:
            button = page.get_by_role("button", name=name, exact=True)
            assert button.locator("svg:visible").count() == 1
            button.click()


def test_scheme_can_be_chosen_where_nothing_can_be_stored(visit):
    """With the browser's storage blocked, the button works for the page."""
    with visit("teach/") as page:
        page.add_init_script(
            """Object.defineProperty(window, "localStorage", {
                get() { throw new DOMException("blocked", "SecurityError"); }});"""
        )
        page.reload()
        page.click("#scheme")
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"
        page.reload()
        assert page.get_attribute("body", "data-md-color-scheme") == "default"


INKS = """[...document.querySelectorAll("body, h1, article a, pre span, figure text")]
    .map(element => getComputedStyle(element).color + getComputedStyle(element).fill)"""


def test_print_is_the_same_from_dark_and_light(visit):
    """Paper is white whatever the screen was: the same inks, on a light ground."""
    printed = []
    for scheme in ("light", "dark"):
        with visit(f"{STAGE}/", scheme=scheme) as page:
            page.add_style_tag(content="* { transition: none !important; }")
            screen = page.evaluate(INKS)
            page.emulate_media(media="print")
            root = "getComputedStyle(document.documentElement).colorScheme"
            assert page.evaluate(root) == "light"
            printed.append(page.evaluate(INKS))
            assert (printed[-1] == screen) == (scheme == "light")
    assert printed[0] == printed[1]


LONELY_PERMALINKS = """[...document.querySelectorAll(".headerlink")].filter(link => {
    const text = document.createRange();
    text.selectNodeContents(link.parentElement);
    text.setEndBefore(link);
    const last = [...text.getClientRects()].at(-1);
    return last.bottom <= link.getBoundingClientRect().top;
}).map(link => link.parentElement.textContent)"""


@pytest.mark.parametrize("address", EVERY)
def test_no_page_scrolls_sideways(visit, address):
    """The page fits its window; only source code and tables scroll, in themselves."""
    with visit(address) as page:
        for viewport in (WIDE, NARROW):
            page.set_viewport_size(viewport)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= viewport["width"]
            cut = page.evaluate(
                """[...document.querySelectorAll(".language-console code")].filter(
                    code => code.scrollWidth > code.clientWidth).length"""
            )
            assert cut == 0  # what a command printed is read whole
            torn = page.evaluate(
                """[...document.querySelectorAll("article :not(pre) > code")].filter(
                    code => /^\\S{1,16}$/.test(code.textContent)
                        && code.getClientRects().length > 1).map(
                    code => code.textContent)"""
            )
            assert torn == []  # an option is not broken behind its hyphen
            assert page.evaluate(LONELY_PERMALINKS) == []
        smallest = page.evaluate(
            """Math.min(99, ...[...document.querySelectorAll("figure text")].map(
                text => text.getBoundingClientRect().height))"""
        )
        assert smallest >= 10  # pixels: words in diagrams stay legible on a phone


@pytest.mark.parametrize("address", [f"{STAGE}/", f"zh-CN/{STAGE}/"])
@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["narrow", "wide"])
def test_code_is_finished_when_it_comes_into_sight(visit, address, viewport):
    """Each block that has been seen can be copied, and none has changed its height."""
    with visit(address, viewport=viewport) as page:
        page.evaluate(
            "for (const d of document.querySelectorAll('details')) d.open = 1"
        )
        before = page.evaluate("document.documentElement.scrollHeight")
        page.evaluate(SCROLL_THROUGH)
        after = page.evaluate("document.documentElement.scrollHeight")
        blocks = page.locator(".highlight pre").count()
        assert page.locator(".highlight .md-code__button").count() == blocks > 20
        assert after == pytest.approx(before, rel=0.005)


STOPS = """() => {
    const tabbable = "a[href], button, input, select, textarea, summary, [tabindex]";
    return [...document.querySelectorAll(tabbable)].filter(e =>
        e.tabIndex >= 0 && !e.disabled && e.type !== "radio"
        && e.checkVisibility({visibilityProperty: true, opacityProperty: true})
        && e.getBoundingClientRect().width > 0);
}"""


def tab_through(page) -> list[str]:
    """Press Tab around the page once and return what it did not reach."""
    page.evaluate(f"window.missed = new Set(({STOPS})())")
    for _ in range(400):
        page.keyboard.press("Tab")
        if page.evaluate(
            "missed.delete(document.activeElement), document.activeElement"
            " === document.body || missed.size === 0"
        ):
            break
    return page.evaluate("[...missed].map(e => e.outerHTML.slice(0, 120))")


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("address", [f"{STAGE}/", f"{EXERCISE}/", "zh-CN/teach/"])
def test_keyboard_reaches_everything(visit, viewport, address):
    """Tab reaches each link, button and field that can be seen."""
    with visit(address, viewport=viewport) as page:
        assert tab_through(page) == []


def test_keyboard_test_sees_what_is_out_of_reach(visit):
    """The check above fails on a page with a control that Tab passes by."""
    with visit("teach/") as page:
        page.evaluate(
            """document.querySelector("article").insertAdjacentHTML("beforeend",
                "<div inert><button>out of reach</button></div>")"""
        )
        assert "out of reach" in "".join(tab_through(page))


def focus_by_tab(page, selector: str) -> None:
    for _ in range(100):  # the menu grows with the stages
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches('{selector}')"):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_keyboard_works_the_header(visit):
    """The content can be skipped to, scheme and language changed, without a mouse."""
    with visit("teach/") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('.md-skip')")
        focus_by_tab(page, "#scheme")
        page.keyboard.press("Enter")
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"
        focus_by_tab(page, ".md-select__link[hreflang=zh-CN]")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.get_attribute("html", "lang") == "zh-CN"


def test_keyboard_opens_the_menu_of_a_phone(visit):
    """On a narrow screen the menu opens by Enter, and its links are reached."""
    with visit("teach/", viewport=NARROW) as page:
        focus_by_tab(page, "button[for=__drawer]")
        page.keyboard.press("Enter")
        assert page.is_checked("#__drawer")
        focus_by_tab(page, ".md-nav--primary a[href$=\\'glossary/\\']")


@pytest.mark.parametrize("address", EVERY)
def test_axe_finds_nothing_serious(visit, address):
    """Contrast, names, roles and order are in order, in both schemes."""
    with visit(address) as page:
        assert serious(page) == []
        page.click("#scheme")
        page.wait_for_timeout(400)  # colours fade for 250 ms
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"
        assert serious(page) == []


@pytest.mark.parametrize("address", [f"{STAGE}/", "zh-CN/teach/"])
def test_axe_finds_nothing_serious_on_a_phone(visit, address):
    """Nor on a narrow screen."""
    with visit(address, viewport=NARROW) as page:
        assert serious(page) == []


def test_axe_would_find_pale_text(visit):
    """The check above fails on a page with a planted fault."""
    with visit("teach/") as page:
        page.evaluate("document.querySelector('article p').style.color = '#bbb'")
        assert [name for name, _ in serious(page)] == ["color-contrast"]


@pytest.mark.parametrize("address", BOTH)
def test_page_is_light(browser, host, address):
    """A first visit transfers at most 350 KB, search index included."""
    context = browser.new_context()
    page = context.new_page()
    done = []
    page.on("requestfinished", lambda request: done.append(request))
    with page.expect_event("requestfinished", lambda r: "search_index" in r.url):
        page.goto(f"{host}{MOUNTS[0]}{address}", wait_until="networkidle")
    weight = sum(r.sizes()["responseBodySize"] for r in done)
    context.close()
    print(f"{address or '/'}: {weight / 1000:.0f} KB in {len(done)} requests")
    assert weight <= PAGE_BUDGET


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """Build the zip for classrooms by its one command and unpack it."""
    folder = tmp_path_factory.mktemp("zip")
    done = subprocess.run(
        [sys.executable, "docs/theme/zip_site.py", str(folder / "site.zip")],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    room = folder / "教室 1"
    with zipfile.ZipFile(folder / "site.zip") as archive:
        archive.extractall(room)
    return room / "host-first"


@pytest.mark.parametrize(
    ("start", "words", "place"),
    [
        ("index.html", "review receipt", "/glossary.html#review-receipt"),
        (f"{STAGE}.html", "memory stick", "/teach.html#without-network"),
        ("zh-CN/index.html", "检查回执", "/zh-CN/glossary.html#review-receipt"),
        (f"zh-CN/{STAGE}.html", "磁盘", "/zh-CN/teach.html#without-network"),
    ],
)
def test_zip_searches_from_disk(visit, unpacked, start, words, place):
    """Opened from a folder without any server, search finds in both languages."""
    with visit((unpacked / start).as_uri()) as page:
        answers = search(page, words)
        without_mark = [answer.split("?")[0] + _fragment(answer) for answer in answers]
        assert unpacked.as_uri() + place in without_mark
        page.click(".md-search-result__link")
        page.wait_for_selector("article h1")


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (f"{EXERCISE}.html", "cannot run Python"),
        (f"zh-CN/{EXERCISE}.html", "运行不了 Python"),
    ],
)
def test_zip_checks_exercises_at_a_terminal(visit, unpacked, start, sentence):
    """From disk no browser starts Python: the page says so and shows the starter."""
    with visit((unpacked / start).as_uri()) as page:
        assert sentence in page.inner_text("article")
        assert "def place_inside" in page.inner_text("#starter-py")
        assert page.locator("article textarea").count() == 0


def _fragment(address: str) -> str:
    return f"#{urlsplit(address).fragment}" if "#" in address else ""


def test_zip_switches_language_from_disk(visit, unpacked):
    """The switch stays on the page there too."""
    with visit((unpacked / "teach.html").as_uri()) as page:
        switch_language(page, "zh-CN")
        assert page.url == (unpacked / "zh-CN/teach.html").as_uri()
