"""The site in a real browser: what a reader does, in both languages."""

from __future__ import annotations

import functools
import gzip
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[1]
REQUIRED = os.environ.get("REQUIRE_BROWSER") == "1"
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)
MISSING = ""
try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright
except ImportError as error:
    MISSING = f"{error}; pip install -r requirements.txt"
if not CHROMIUM:
    MISSING = "no Chromium here; apt-get install chromium, or name one in CHROMIUM"
if MISSING and not REQUIRED:
    pytest.skip(MISSING, allow_module_level=True)

STAGE = "stages/12-agent-workspace-sandbox"
PAGES = ["", f"{STAGE}/", f"{STAGE}-source/", "teach/", "glossary/"]
BOTH = PAGES + [f"zh-CN/{page}" for page in PAGES]
EVERY = [*BOTH, "no/such/page/"]
MOUNTS = ("/host-first/", "/lan/room-1/")  # the published path and any other
PAGE_BUDGET = 350_000
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 360, "height": 740}


@functools.cache
def compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes())


class Pages(SimpleHTTPRequestHandler):
    """Serve the site under each mount, compressed, with its 404 page: as Pages does."""

    def do_GET(self):
        mount = next((m for m in MOUNTS if self.path.startswith(m)), None)
        path = unquote(urlsplit(self.path).path).removeprefix(mount or "")
        file = Path(self.directory, path)
        if file.is_dir():
            file /= "index.html"
        status = 200 if mount and file.is_file() else 404
        if status == 404:
            file = Path(self.directory, "404.html")
        body = compressed(file)
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def host(site):
    """Serve the built site; returns scheme, name and port."""
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *a: Pages(*a, directory=str(site))
    ) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser():
    """Start Chromium once for this module."""
    assert not MISSING, MISSING
    options = ["--disable-gpu", "--disable-quic", "--disable-background-networking"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, host):
    """Return a context manager that opens a page and minds what it must not do."""

    @contextmanager
    def open_page(address, *, mount=MOUNTS[0], viewport=WIDE, scheme="light"):
        url = address if ":" in address else f"{host}{mount}{address}"
        home = "file://" if url.startswith("file:") else host
        context = browser.new_context(viewport=viewport, color_scheme=scheme)
        complaints = []
        context.on(
            "request",
            lambda r: (
                r.url.startswith((home, "data:", "about:", "blob:"))
                or complaints.append(f"request to {r.url}")
            ),
        )
        page = context.new_page()
        page.on("pageerror", lambda e: complaints.append(f"error: {e}"))
        page.on(
            "console",
            lambda m: (
                complaints.append(f"console: {m.text}")
                if m.type in ("error", "warning")
                else None
            ),
        )
        page.goto(url, wait_until="load")
        yield page
        context.close()
        if "no/such" in url:  # the browser itself notes the status of this one
            complaints = [c for c in complaints if "status of 404" not in c]
        assert complaints == []

    return open_page


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
    [("", "planned"), (f"{STAGE}-source/", "checks-py"), ("glossary/", "digest")],
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
]


@pytest.mark.parametrize(("mount", "start", "words", "place"), SEARCHES)
def test_typed_search_finds(visit, mount, start, words, place):
    """Typed words lead to their place, and only to pages in the reader's language."""
    with visit(start, mount=mount) as page:
        answers = [urlsplit(answer) for answer in search(page, words)]
        places = [f"{answer.path}#{answer.fragment}" for answer in answers]
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
        page.click("label[for=__palette_1]")
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"
        switch_language(page, "zh-CN")
        assert page.get_attribute("body", "data-md-color-scheme") == "slate"


@pytest.mark.parametrize("address", EVERY)
def test_no_page_scrolls_sideways(visit, address):
    """The page fits its window; only code and tables scroll, in themselves."""
    with visit(address) as page:
        for viewport in (WIDE, NARROW):
            page.set_viewport_size(viewport)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= viewport["width"]
        smallest = page.evaluate(
            """Math.min(99, ...[...document.querySelectorAll("figure text")].map(
                text => text.getBoundingClientRect().height))"""
        )
        assert smallest >= 10  # pixels: words in diagrams stay legible on a phone


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
@pytest.mark.parametrize("address", [f"{STAGE}/", "zh-CN/teach/"])
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
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches('{selector}')"):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_keyboard_works_the_header(visit):
    """The content can be skipped to, scheme and language changed, without a mouse."""
    with visit("teach/") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('.md-skip')")
        focus_by_tab(page, "[name=__palette]")
        page.keyboard.press("ArrowDown")
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


# Contrast is measured for each element, which takes a minute on 4,000 tokens of code:
# three of each kind say the same.
THIN_OUT = """const seen = {};
for (const token of document.querySelectorAll("pre code span")) {
    seen[token.className] = (seen[token.className] ?? 0) + 1;
    if (seen[token.className] > 3) token.replaceWith(...token.childNodes);
}"""


def serious(page) -> list[tuple]:
    """Return what axe finds serious or critical."""
    page.add_style_tag(content=".listing pre { content-visibility: visible }")
    page.evaluate(THIN_OUT)
    return [
        (violation["id"], [node["html"][:160] for node in violation["nodes"]])
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("address", EVERY)
def test_axe_finds_nothing_serious(visit, address):
    """Contrast, names, roles and order are in order, in both schemes."""
    with visit(address) as page:
        assert serious(page) == []
        page.click("label[for=__palette_1]")
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


def _fragment(address: str) -> str:
    return f"#{urlsplit(address).fragment}" if "#" in address else ""


def test_zip_switches_language_from_disk(visit, unpacked):
    """The switch stays on the page there too."""
    with visit((unpacked / "teach.html").as_uri()) as page:
        switch_language(page, "zh-CN")
        assert page.url == (unpacked / "zh-CN/teach.html").as_uri()
