"""The built site is whole: links, languages, search, and nothing from elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jieba
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stages"))

from exercise_course import find_exercises
from exercise_gate import record_digests

ROOT = Path(__file__).resolve().parents[1]
CHINESE = "zh-CN"

FETCHING_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload"}
CSS_ADDRESS = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""")


class Page(HTMLParser):
    """What the checks need to know about one HTML file."""

    def __init__(self, path: Path):
        super().__init__()
        self.lang = None
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.listings: dict[str, str] = {}
        self._heading = ""
        self._in_listing = False
        text = path.read_text("utf-8")
        self.fetched += CSS_ADDRESS.findall(text)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "html":
            self.lang = attributes.get("lang")
        self.ids |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        if tag == "h2":
            self._heading = attributes.get("id", "")
        self._in_listing |= tag == "pre"
        if tag == "link":
            fetches = FETCHING_RELATIONS & set(attributes.get("rel", "").split())
            (self.fetched if fetches else self.links).append(attributes.get("href"))
        elif tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        for key in ("src", "srcset", "poster", "data", "action"):
            if attributes.get(key):
                self.fetched.append(attributes[key].split()[0])

    def handle_endtag(self, tag):
        self._in_listing &= tag != "pre"

    def handle_data(self, data):
        if self._in_listing:
            self.listings[self._heading] = self.listings.get(self._heading, "") + data


def pages_of(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def problems(site: Path) -> list[str]:
    """Name all broken links, foreign requests, wrong languages and lonely pages."""
    pages = pages_of(site)
    found = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        for address in page.fetched:
            if urlsplit(address).netloc:
                found.append(f"{name}: fetched from elsewhere: {address}")
        if name == "404.html":
            continue  # its addresses are absolute: it answers at any depth
        found += [
            f"{name}: {problem}"
            for address in page.links + page.fetched
            if (problem := _broken(address, path, pages))
        ]
        chinese = name.startswith(f"{CHINESE}/")
        if page.lang != (CHINESE if chinese else "en"):
            found.append(f"{name}: lang is {page.lang}")
        twin = name.removeprefix(f"{CHINESE}/") if chinese else f"{CHINESE}/{name}"
        if site / twin not in pages:
            found.append(f"{name}: has no twin {twin}")
        elif different := {
            anchor
            for anchor in page.ids ^ pages[site / twin].ids
            if not anchor.startswith("__")
        }:
            found.append(f"{name}: anchors differ from its twin's: {different}")
    for style in site.rglob("*.css"):
        for address in CSS_ADDRESS.findall(style.read_text("utf-8")):
            if urlsplit(address).netloc:
                found.append(f"{style.name}: fetched from elsewhere: {address}")
    return found


def _broken(address: str, path: Path, pages: dict[Path, Page]) -> str:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return f"no such page: {address}"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].ids:
        return f"no such anchor: {address}"
    return ""


def test_strict_build_is_clean(built):
    """The build succeeds and says no warning."""
    assert built.returncode == 0, built.log
    assert "WARNING" not in built.log


def test_site_is_whole(site):
    """No page has a broken link, a foreign request, a wrong language or no twin."""
    assert len(pages_of(site)) >= 11
    assert problems(site) == []


STAGE = "stages/12-agent-workspace-sandbox"


@pytest.mark.parametrize(
    ("folder", "ending", "minutes"),
    [
        ("", ".md", r"(\d+) min read"),
        (f"{CHINESE}/", ".zh-CN.md", r"阅读约 (\d+) 分钟"),
    ],
)
def test_chapter_offers_what_a_reader_needs(site, folder, ending, minutes):
    """Reading time, the page before and after, and this page's own file to edit."""
    text = (site / folder / STAGE / "index.html").read_text("utf-8")
    assert 5 <= int(re.search(minutes, text)[1]) <= 60
    assert 'rel="prev"' in text
    assert 'rel="next"' in text
    edit = re.search(r'href="([^"]*)"[^>]*rel="edit"', text)[1]
    assert edit.endswith(f"/edit/main/docs/{STAGE}{ending}")


def test_no_script_holds_up_the_text(site):
    """Each page's script files run when its text has been painted."""
    for path in pages_of(site):
        scripts = re.findall(r"<script[^>]* src=[^>]*>", path.read_text("utf-8"))
        assert scripts
        assert all(" defer" in script for script in scripts), path


PAGE = '<html lang="{lang}"><body><h2 id="here">x</h2>{body}</body></html>'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<a href="there.html">x</a>', "no such page"),
        ('<a href="#there">x</a>', "no such anchor"),
        ('<img src="https://cdn.example/x.png">', "fetched from elsewhere"),
        ('<script src="//cdn.example/x.js"></script>', "fetched from elsewhere"),
        ('<link rel="stylesheet" href="https://f.example/">', "fetched from elsewhere"),
        ("<style>@import 'https://f.example/';</style>", "fetched from elsewhere"),
        ('<p id="only-here"></p>', "anchors differ"),
    ],
)
def test_planted_fault_is_found(tmp_path, body, expected):
    """Each kind of fault on a page is named, and a page without one is not."""
    (tmp_path / CHINESE).mkdir()
    english = tmp_path / "index.html"
    (tmp_path / CHINESE / "index.html").write_text(
        PAGE.format(lang=CHINESE, body=""), "utf-8"
    )
    english.write_text(PAGE.format(lang="en", body='<a href="#here">x</a>'), "utf-8")
    assert problems(tmp_path) == []

    english.write_text(PAGE.format(lang="en", body=body), "utf-8")
    assert any(expected in problem for problem in problems(tmp_path))


def test_planted_wrong_language_and_lonely_page_are_found(tmp_path):
    """A page in the wrong language and one without a twin are named."""
    (tmp_path / "index.html").write_text(PAGE.format(lang="zh", body=""), "utf-8")
    assert problems(tmp_path) == [
        "index.html: lang is zh",
        "index.html: has no twin zh-CN/index.html",
    ]


# What makes MkDocs itself refuse.


@pytest.fixture
def draft(tmp_path) -> Path:
    """Copy what the build reads, with a short source page, to plant a fault in it."""
    root = tmp_path / "course"
    for path in (
        ROOT / "docs",
        ROOT / "mkdocs.yml",
        *ROOT.glob("stages/exercise*"),
        *ROOT.glob("stages/*/exercises"),
        *ROOT.glob("stages/*/code/checks.py"),
    ):
        copy = root / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if path.is_dir() else shutil.copy)(path, copy)
    return root


def test_strict_build_refuses_broken_pages(draft, build, tmp_path):
    """A dead link, a dead anchor and a missing translation each fail the build."""
    glossary = draft / "docs/glossary.md"
    glossary.write_text(
        glossary.read_text("utf-8") + "\n[x](gone.md) [y](teach.md#gone)\n", "utf-8"
    )
    (draft / "docs/teach.zh-CN.md").unlink()
    broken = build(tmp_path / "site", root=draft)
    assert broken.returncode != 0
    for said in ("'gone.md'", "#gone", "teach.md"):
        assert any("WARNING" in line and said in line for line in _lines(broken)), said


@pytest.mark.parametrize(
    "line",
    [
        "![x](diagrams/gone.svg)",
        "[x](../stages/12-agent-workspace-sandbox/code/gone.py)",
        "[x](../../outside.md)",
        "`f[x](y)` [x](../../outside.md) `f[x](y)`",
    ],
)
def test_build_refuses_what_leads_nowhere(draft, build, tmp_path, line):
    """A diagram or a file of the repository that is not there fails the build."""
    page = draft / "docs/index.md"
    page.write_text(page.read_text("utf-8") + f"\n{line}\n", "utf-8")
    broken = build(tmp_path / "site", root=draft)
    assert broken.returncode != 0
    assert re.search(r"no such (file|diagram): .*(gone|outside)", broken.log)


def test_build_refuses_a_changed_theme(draft, build, tmp_path):
    """A hook that no longer finds its text in the theme fails the build."""
    theme = draft / "docs/theme/partials/search.html"
    theme.write_text('<div data-md-component="search"></div>', "utf-8")
    broken = build(tmp_path / "site", root=draft)
    assert broken.returncode != 0
    assert "the theme has changed" in broken.log


def test_build_refuses_to_do_without_jieba(build, tmp_path):
    """Without the word splitter, which the search plugin does not insist on."""
    (tmp_path / "jieba.py").write_text("raise ImportError('no jieba')\n", "utf-8")
    broken = build(tmp_path / "site", PYTHONPATH=str(tmp_path))
    assert broken.returncode != 0
    assert "no jieba" in broken.log


def _lines(done) -> list[str]:
    return done.log.splitlines()


# Search, by the rule of the theme's script: a word finds the words it begins.


def found(index: dict, query: str) -> list[str]:
    """Return the places where every word of the query begins a word of the text."""
    separator = re.compile(index["config"]["separator"])
    spaced = re.sub(
        r"[\u4e00-\u9fff]+", lambda han: f" {' '.join(jieba.cut(han[0]))} ", query
    )
    wanted = spaced.lower().split()
    places = []
    for doc in index["docs"]:
        words = separator.split(f"{doc['title']} {doc['text']}".lower())
        if all(any(word.startswith(part) for word in words) for part in wanted):
            places.append(doc["location"])
    return places


def _index(folder: Path) -> dict:
    return json.loads((folder / "search/search_index.json").read_text("utf-8"))


def _terms() -> list[str]:
    glossary = (ROOT / "docs/glossary.zh-CN.md").read_text("utf-8")
    headings = "\n".join(re.findall(r"^### (.*)", glossary, re.MULTILINE))
    return re.findall(r"[\u4e00-\u9fff]{2,}", headings)


@pytest.fixture(scope="module")
def with_terms():
    """Give the splitter the words that the build gave it."""
    for term in _terms():
        jieba.add_word(term, freq=100_000)


QUERIES = {
    "Host": "glossary/#host",
    "review receipt": "glossary/#review-receipt",
    "path traversal": "glossary/#path-traversal",
    "fencing token": "glossary/#lease",
    "grace period": "glossary/#deadline",
    "descendant": "glossary/#child-process",
    "monotonic": "glossary/#deadline",
    "without a network": "teach/#without-network",
    "Docker Engine": "#today",
    "memory stick": "teach/#without-network",
    "git clone": "#start",
    "even one that lies inside": f"{STAGE}/exercises/1-contain-a-path/#write",
    "truncation": "glossary/#truncation",
}
CHINESE_QUERIES = {
    "宿主程序": "glossary/#host",
    "检查回执": "glossary/#review-receipt",
    "路径穿越": "glossary/#path-traversal",
    "防护令牌": "glossary/#lease",
    "宽限期": "glossary/#deadline",
    "后代进程": "glossary/#child-process",
    "单调时钟": "glossary/#deadline",
    "没有网络": "teach/#without-network",
    "磁盘": "teach/#without-network",
    "客服": "",
    "强制执行": "glossary/#enforcement",
    "截断": "glossary/#truncation",
    "Docker": "#today",
    "普通字符": f"{STAGE}/exercises/1-contain-a-path/#write",
}


@pytest.mark.parametrize(("query", "place"), QUERIES.items())
def test_english_search_finds(site, query, place):
    """The English index answers with the place that one would look for."""
    assert place in found(_index(site), query)


@pytest.mark.parametrize(("query", "place"), CHINESE_QUERIES.items())
def test_chinese_search_finds(site, with_terms, query, place):
    """The Chinese index answers, words within a sentence included."""
    assert place in found(_index(site / CHINESE), query)


def test_every_glossary_term_is_one_word_of_the_index(site, with_terms):
    """A term of several characters is found as itself, not by its parts."""
    index = _index(site / CHINESE)
    separator = re.compile(index["config"]["separator"])
    words = {
        word
        for doc in index["docs"]
        for word in separator.split(f"{doc['title']} {doc['text']}")
    }
    assert len(_terms()) > 30
    assert set(_terms()) <= words


def test_each_language_searches_its_own_pages(site):
    """Each place of an index is a page of its language, and no page is left out."""
    for folder in (site, site / CHINESE):
        locations = [doc["location"] for doc in _index(folder)["docs"]]
        assert not [place for place in locations if place.startswith(CHINESE)]
        for place in locations:
            assert (folder / place.partition("#")[0] / "index.html").is_file()
        assert {place.split("/")[0] for place in locations} >= {"teach", "glossary"}


def test_unsplit_chinese_would_not_be_found(site, with_terms):
    """The search checks above fail on an index that was built without jieba."""
    index = _index(site / CHINESE)
    for doc in index["docs"]:
        for key in ("title", "text"):
            doc[key] = doc[key].replace("\u200b", "")
    assert "teach/#without-network" not in found(index, "磁盘")


# The stages' own files.


@pytest.mark.parametrize("prefix", ["", f"{CHINESE}/"])
@pytest.mark.parametrize("code", sorted(ROOT.glob("stages/*/code")), ids=str)
def test_source_page_shows_every_file_whole(site, prefix, code):
    """The stage's source page has each file of code/, to the last character."""
    page = Page(site / f"{prefix}stages/{code.parent.name}-source" / "index.html")
    files = {
        re.sub(r"[_.]", "-", path.name): path.read_text("utf-8").strip("\n")
        for path in [*code.glob("*.py"), *code.glob("*.sh")]
    }
    shown = {name: text.strip("\n") for name, text in page.listings.items()}
    assert shown == files


# The exercises.

EXERCISES = find_exercises()
ENDINGS = {"": ".md", f"{CHINESE}/": ".zh-CN.md"}


class ExercisePage(HTMLParser):
    """The text of a page, and how many clicks each part of it is away."""

    def __init__(self, text: str):
        super().__init__()
        self.parts: list[tuple[int, str]] = []
        self._depth = 0
        self._skipped = False
        self.feed(text.partition("<article")[2].partition("</article>")[0])

    def handle_starttag(self, tag, attrs):
        self._depth += tag == "details"
        self._skipped |= tag == "script"

    def handle_endtag(self, tag):
        self._depth -= tag == "details"
        self._skipped &= tag != "script"

    def handle_data(self, data):
        if not self._skipped:
            self.parts.append((self._depth, data))

    def behind(self, clicks: int) -> str:
        """Return the text that so many clicks unfold."""
        text = "".join(data for depth, data in self.parts if depth == clicks)
        return re.sub(r"\s+", " ", text)


def as_shown(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("`", "")).strip()


@pytest.mark.parametrize("prefix", ENDINGS)
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_exercise_page_shows_its_files(site, prefix, exercise):
    """Task and starter at once, hints behind one click, the solution behind two."""
    chinese = bool(prefix)
    address = exercise.folder.relative_to(ROOT).as_posix()
    text = (site / prefix / address / "index.html").read_text("utf-8")
    page = ExercisePage(text)
    task = exercise.read(f"task{ENDINGS[prefix]}").decode()
    for heading, anchor in re.findall(r"^#+ (.*) \{#([\w-]+)\}$", task, re.MULTILINE):
        assert f'id="{anchor}"' in text
        assert as_shown(heading) in page.behind(0)
    starter = exercise.starter().decode()
    assert as_shown(starter) in page.behind(0).replace("`", "")
    for wrong in exercise.wrong_answers():
        assert as_shown(wrong.hint[chinese]) in page.behind(1)
    solution = exercise.read("solution.py").decode()
    assert as_shown(solution) in page.behind(2).replace("`", "")
    own_lines = set(solution.splitlines()) - set(starter.splitlines())
    telling = as_shown(max(own_lines, key=len))
    assert telling not in page.behind(0) + page.behind(1)
    assert f"check {exercise.id}" in page.behind(0)
    edit = re.search(r'href="([^"]*)"[^>]*rel="edit"', text)[1]
    assert edit.endswith(f"/edit/main/{address}/task{ENDINGS[prefix]}")


@pytest.mark.parametrize("prefix", ENDINGS)
def test_exercises_stand_in_the_navigation(site, prefix):
    """Every exercise has its entry, numbered, in its stage's section."""
    text = (site / prefix / "index.html").read_text("utf-8")
    for exercise in EXERCISES:
        title = f"{exercise.id} · {exercise.title()[bool(prefix)]}"
        assert len(re.findall(rf"\s{re.escape(title)}\s", text)) >= 1


def test_search_gives_no_solution_away(site):
    """Hints and solutions are behind clicks, and search does not show them either."""
    for folder, chinese in ((site, False), (site / CHINESE, True)):
        text = (folder / "search/search_index.json").read_text("utf-8")
        text = text.replace("\u200b", "")
        for exercise in EXERCISES:
            assert exercise.title()[chinese] in text
            for wrong in exercise.wrong_answers():
                assert wrong.hint[chinese][:20] not in text
        assert "use a path that begins inside" not in text


def run_data(site: Path, exercise) -> dict | None:
    """Return what the page's script would find, None where there is no button."""
    page = site / exercise.folder.relative_to(ROOT) / "index.html"
    data = re.search(r'id="exercise">(.*?)</script>', page.read_text("utf-8"))
    return json.loads(data[1]) if data else None


def test_without_the_runtime_there_is_no_button(draft, build, tmp_path):
    """A build without a Python for browsers has no button, and no file of it."""
    done = build(tmp_path / "site", root=draft)
    assert done.returncode == 0, done.log
    assert not any(run_data(done.site, exercise) for exercise in EXERCISES)
    assert not (done.site / "assets/pyodide").exists()


def test_exercises_with_processes_have_no_button(draft, build, tmp_path):
    """With the runtime each page has its button, but not where it could not work."""
    (draft / ".pyodide").mkdir()
    (draft / ".pyodide/pyodide.mjs").write_bytes(b"x" * 2_600_000)
    (draft / ".pyodide/version.txt").touch()
    first, second, *others = EXERCISES
    checks = draft / first.folder.relative_to(ROOT) / "checks.py"
    checks.write_text(f"import subprocess\n{checks.read_text('utf-8')}", "utf-8")
    record_digests(draft / "stages")
    done = build(tmp_path / "site", root=draft)
    assert done.returncode == 0, done.log
    assert run_data(done.site, first) is None
    page = done.site / first.folder.relative_to(ROOT) / "index.html"
    assert "starts processes or threads" in page.read_text("utf-8")
    assert all(run_data(done.site, exercise) for exercise in others)
    data = run_data(done.site, second)
    assert data["starter"] == second.read("exercise.py").decode()
    assert data["checks"] == second.read("checks.py").decode()
    assert data["megabytes"] == 3
    assert (done.site / "assets/pyodide/pyodide.mjs").is_file()


def test_build_refuses_changed_checks(draft, build, tmp_path):
    """Checks that are not those recorded do not reach a page."""
    checks = draft / EXERCISES[0].folder.relative_to(ROOT) / "checks.py"
    checks.write_text(f"{checks.read_text('utf-8')}\n# changed\n", "utf-8")
    broken = build(tmp_path / "site", root=draft)
    assert broken.returncode != 0
    assert "is not as the course has it" in broken.log


def test_build_refuses_an_empty_section_of_exercises(draft, build, tmp_path):
    """A folder in the navigation that holds no exercise fails the build."""
    settings = draft / "mkdocs.yml"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("sandbox/exercises/", "sandbox/gone/exercises/"))
    broken = build(tmp_path / "site", root=draft)
    assert broken.returncode != 0
    assert "no exercises in" in broken.log


@pytest.fixture
def fetch(tmp_path):
    """Return a function that runs get_pyodide.py in a folder and with a PATH."""
    script = tmp_path / "docs/theme/get_pyodide.py"
    script.parent.mkdir(parents=True)
    shutil.copy(ROOT / "docs/theme/get_pyodide.py", script)
    programs = tmp_path / "programs"
    programs.mkdir()

    def run(npm: str | None):
        if npm is not None:
            (programs / "npm").write_text(f"#!/bin/sh\n{npm}\n", "utf-8")
            (programs / "npm").chmod(0o755)
        return subprocess.run(
            [sys.executable, script],
            env={**os.environ, "PATH": str(programs)},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for npm is a shell script")
@pytest.mark.parametrize(
    ("npm", "said"),
    [
        (None, "apt-get install npm"),
        ("exit 1", "did not deliver"),
        ("echo another > pyodide-314.0.7.tgz", "SHA-512"),
    ],
)
def test_no_other_runtime_is_taken(fetch, tmp_path, npm, said):
    """Without npm, without the package or with another one, nothing is put in place."""
    done = fetch(npm)
    assert done.returncode == 1
    assert said in done.stderr
    assert not list(tmp_path.glob(".pyodide*"))
