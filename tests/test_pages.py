"""Text and code cannot disagree: every page, in both languages, against the files."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import page_text
import page_transcripts
import pytest
from page_rules import (
    WORDING,
    bare_headings,
    broken_links,
    stray_excerpts,
    twin_faults,
    typography_faults,
    wrong_words,
)
from page_text import (
    CHINESE,
    ROOT,
    Page,
    all_pages,
    digest_of,
    english_twin,
    read_page,
)

PAGES = all_pages()
CHINESE_PAGES = [path for path in PAGES if path.name.endswith(CHINESE)]
# One file for both languages: what a stage's folder shows on GitHub.
BOTH_LANGUAGES = {*ROOT.glob("stages/*/README.md")}


def name_of(path: Path) -> str:
    """A page's place in the repository, as the name of its test."""
    return path.relative_to(ROOT).as_posix()


each_page = pytest.mark.parametrize("path", PAGES, ids=name_of)
each_chinese_page = pytest.mark.parametrize("path", CHINESE_PAGES, ids=name_of)


# The rules, held against the course's own pages.


@each_page
def test_excerpts_are_the_files_own_text(path):
    """A code block that is titled with a file is that file's own text."""
    assert stray_excerpts(read_page(path)) == []


@each_page
def test_links_lead_somewhere(path):
    """Every relative link and anchor leads to a file and a heading that exist."""
    assert broken_links(read_page(path)) == []


@each_page
def test_words_are_the_glossarys(path):
    """No page uses another word where the glossary fixes one."""
    assert wrong_words(read_page(path)) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("docs/**/*.md")), ids=name_of)
def test_headings_have_ids(path):
    """Every heading of the site has an explicit id."""
    assert bare_headings(read_page(path)) == []


@each_chinese_page
def test_twins_match(path):
    """A Chinese page has its source's structure and records the source's digest."""
    assert twin_faults(read_page(path), read_page(english_twin(path))) == []


@each_chinese_page
def test_chinese_typography(path):
    """A Chinese page is set as Chinese is set, one line a paragraph."""
    assert typography_faults(read_page(path)) == []


def test_every_page_has_a_twin():
    """No page exists in one language only."""
    alone = {
        name_of(path)
        for path in PAGES
        if not path.name.endswith(CHINESE)
        and path not in BOTH_LANGUAGES
        and not path.with_name(path.name.removesuffix(".md") + CHINESE).exists()
    }
    assert alone == set()


PAGES_WITH_COMMANDS = [
    path
    for path in PAGES
    if not path.name.endswith(CHINESE) and page_transcripts.steps_of(read_page(path))
]


@pytest.fixture(scope="module")
def complaints():
    """What is wrong with a page's console blocks; each page's commands run once."""
    known = {}

    def run(path: Path) -> list[str]:
        if path not in known:
            page = read_page(path)
            outputs = page_transcripts.run_steps(page_transcripts.steps_of(page))
            known[path] = page_transcripts.differences(page, outputs)
        return known[path]

    return run


@pytest.mark.skipif(not shutil.which("bash"), reason="the commands are bash's")
@pytest.mark.parametrize("path", PAGES_WITH_COMMANDS, ids=name_of)
def test_transcripts_are_what_the_commands_print(path, complaints):
    """Each console block shows what its commands print; its twin shows the same."""
    assert complaints(path) == []


@pytest.mark.skipif(not shutil.which("bash"), reason="the commands are bash's")
@pytest.mark.parametrize("needed", page_transcripts.WHY_MISSING)
def test_transcripts_that_need_something(needed, complaints):
    """Console blocks that need something are compared too, where that is."""
    reason = page_transcripts.WHY_MISSING[needed]()
    # The gate can install everything but a kernel.
    required = "docker" in os.environ.get("REQUIRE_INTEROP", "")
    if reason and not (required and needed != "Landlock"):
        pytest.skip(reason)
    assert reason == ""
    for path in PAGES_WITH_COMMANDS:
        assert complaints(path) == []


def test_diagrams_are_what_their_command_draws():
    """The committed drawings are those of `docs/diagrams/make.py`, all of them."""
    folder = ROOT / "docs" / "diagrams"
    drawn = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, make; print(json.dumps(make.drawings()))",
        ],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    committed = {path.name: path.read_text("utf-8") for path in folder.glob("*.svg")}
    assert json.loads(drawn.stdout) == committed


# Each rule, shown to fail on a planted page.


def page_with(folder: Path, text: str, name: str = "page.md") -> Page:
    """Write a page into `folder` and take it apart."""
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return read_page(path)


@pytest.mark.parametrize(
    ("excerpt", "good"),
    [
        ("def f():\n    one = 1\n", True),
        ("one = 1\ntwo = 2\n", True),
        ("def f():\n    # …\n    return one + two\n", True),
        ("def f():\n    one = 2\n", False),
        ("two = 2\none = 1\n", False),
        ("one = 1\n# …\ntwo = 2\n", False),
        ("one = 1\nreturn one + two\n", False),
        ("# …\n", False),
        ("", False),
    ],
)
def test_planted_excerpt(tmp_path, excerpt, good):
    """An excerpt that changes, reorders, invents or wrongly omits a line is found."""
    (tmp_path / "stages").mkdir()
    source = "def f():\n    one = 1\n    two = 2\n    return one + two\n"
    (tmp_path / "stages" / "f.py").write_text(source, encoding="utf-8")
    page = page_with(tmp_path, f'```python title="stages/f.py"\n{excerpt}```\n')
    assert (stray_excerpts(page, tmp_path) == []) is good


def test_planted_code_without_a_file(tmp_path):
    """A titled block of a missing file and a block that is no Python are found."""
    page = page_with(
        tmp_path,
        """\
        ```python title="stages/gone.py"
        x = 1
        ```

        ```python
        if x
        ```
        """,
    )
    assert len(stray_excerpts(page)) == 2


@pytest.mark.skipif(not shutil.which("bash"), reason="the commands are bash's")
def test_planted_transcript(tmp_path):
    """A wrong output is found, and one command puts the right one in its place."""
    text = """\
    ```console
    $ echo right; echo "a $$ b"
    right
    a [...] b
    $ echo one \\
      two
    one  two
    $ seq 4
    1
    [...]
    4
    $ cd /
    $ pwd; exit 3
    /
    ```
    """
    page = page_with(tmp_path, text)
    outputs = page_transcripts.run_steps(page_transcripts.steps_of(page))
    [complaint] = page_transcripts.differences(page, outputs)
    assert complaint.startswith("page.md:5: ")
    better = page_transcripts.rewritten(page, outputs)
    assert better == textwrap.dedent(text).replace("one  two", "one two")
    page.path.write_text(better, encoding="utf-8")
    assert page_transcripts.differences(read_page(page.path), outputs) == []


def test_what_a_reader_left_is_no_page(tmp_path, monkeypatch):
    """Files that the chapters' own commands leave disturb no test of the pages."""
    code = "stages/12-agent-workspace-sandbox/code"
    pages = ["README.md", "stages/12-agent-workspace-sandbox/exercises/1-one/task.md"]
    left = [f"{code}/open.md", f"{code}/delivered/report.md"]
    for name in [*pages, *left, f"{code}/demo.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("```\nnever closed\n", encoding="utf-8")
    monkeypatch.setattr(page_text, "ROOT", tmp_path)
    monkeypatch.setattr(page_transcripts, "ROOT", tmp_path)
    assert all_pages() == [tmp_path / name for name in pages]
    with page_transcripts.scratch_copy() as (copy, _):
        assert [path.name for path in (copy / code).iterdir()] == ["demo.py"]
        assert (copy / pages[1]).exists()


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        ("```console\nhello\n```\n", "begin the block"),
        ('```console title="needs luck"\n$ true\n```\n', "needs one of Docker, "),
    ],
)
def test_planted_block_that_cannot_run(tmp_path, block, complaint):
    """A console block that begins with no command, or needs what nobody knows."""
    with pytest.raises(ValueError, match=complaint):
        page_transcripts.steps_of(page_with(tmp_path, block))


SOURCE = """\
# Title {#title}

Text with [a link](other.md) and ![a picture](p.svg).

!!! note

    A note.

```python
x = 1
```
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Title {#title}", "## Title {#title}"),
        ("{#title}", "{#other}"),
        ("(other.md)", "(elsewhere.md)"),
        ("[a link](other.md)", "a link"),
        ("(p.svg)", "(q.svg)"),
        ("!!! note", "!!! warning"),
        ("x = 1", "x = 2"),
        ("```python", "```text"),
    ],
)
def test_planted_difference_between_twins(tmp_path, old, new):
    """A heading, id, link, picture, note or block that differs is found."""
    source = page_with(tmp_path, SOURCE)
    stamp = f"\n<!-- source_sha256: {digest_of(source.path)} -->\n"
    twin = page_with(tmp_path, SOURCE + stamp, "page.zh-CN.md")
    assert twin_faults(twin, source) == []
    assert old in SOURCE
    other = page_with(tmp_path, SOURCE.replace(old, new) + stamp, "page.zh-CN.md")
    assert len(twin_faults(other, source)) == 1


def test_planted_stale_translation(tmp_path):
    """A translation of an older text, or one without a digest, is named."""
    source = page_with(tmp_path, SOURCE)
    twin = page_with(tmp_path, SOURCE, "page.zh-CN.md")
    [complaint] = twin_faults(twin, source)
    assert "records no" in complaint
    stamp = f"\n<!-- source_sha256: {digest_of(source.path)} -->\n"
    twin = page_with(tmp_path, SOURCE + stamp, "page.zh-CN.md")
    source = page_with(tmp_path, SOURCE + "\nOne more sentence.\n")
    [complaint] = twin_faults(twin, source)
    assert "stale" in complaint


def test_planted_links(tmp_path):
    """A link to a missing file, a missing heading or the wrong language is found."""
    page_with(tmp_path, "# There {#there}\n", "other.md")
    page_with(tmp_path, "# 在 {#there}\n", "other.zh-CN.md")
    good = page_with(tmp_path, "[a](other.md#there) [b](https://example.org/x#y)\n")
    assert broken_links(good) == []
    bad = page_with(tmp_path, "[a](gone.md) [b](other.md#here) ![c](p.svg)\n")
    assert len(broken_links(bad)) == 3
    chinese = page_with(tmp_path, "[a](other.md)\n", "page.zh-CN.md")
    assert len(broken_links(chinese)) == 1


def test_planted_word(tmp_path):
    """A word that the glossary replaces is found in either language."""
    assert wrong_words(page_with(tmp_path, "An artefact.\n"))
    assert wrong_words(page_with(tmp_path, "进入沙盒。\n", "page.zh-CN.md"))
    assert not wrong_words(page_with(tmp_path, "进入沙箱。\n", "page.zh-CN.md"))


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("宿主程序（Host）保存 3 个文件。\n", True),
        ("宿主程序保存3个文件。\n", False),
        ("先检查, 再交付.\n", False),
        ("这是第一行，\n这是第二行。\n", False),
        ("- 第一项\n- 第二项\n", True),
    ],
)
def test_planted_typography(tmp_path, text, good):
    """A missing space, half-width punctuation and a broken paragraph are found."""
    page = page_with(tmp_path, text, "page.zh-CN.md")
    assert (typography_faults(page) == []) is good


def test_planted_heading_without_id(tmp_path):
    """A heading without an id is found; a comment in a code block is none."""
    page = page_with(tmp_path, "# One {#one}\n\n## Two\n\n```sh\n# no\n```\n")
    assert len(bare_headings(page)) == 1


def test_planted_open_fence(tmp_path):
    """A fence that is never closed is an error that names its line."""
    with pytest.raises(ValueError, match=r"page\.md:2: "):
        page_with(tmp_path, "\n```python\nx = 1\n")


def test_every_word_rule_is_in_the_glossary():
    """The words that the rules prescribe are the glossary's own."""
    for language, ending in (("en", ".md"), ("zh-CN", CHINESE)):
        glossary = (ROOT / f"docs/glossary{ending}").read_text(encoding="utf-8")
        for rule in WORDING[language]:
            word = re.sub(r"（.*?）", "", rule["use"])
            assert word in glossary, f"{word} is not in the glossary"
