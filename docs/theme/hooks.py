"""MkDocs hooks: what the theme and mkdocs-static-i18n leave undone.

Each hook that rewrites text of the theme insists that the text is there, so a
new theme version stops the build and does not quietly undo the repair.
"""

from __future__ import annotations

import functools
import json
import math
import posixpath
import re
from collections.abc import Callable
from pathlib import Path

import jieba  # the search plugin would do without it, and find little Chinese
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.utils import get_relative_url
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import BashLexer, PythonLexer

ROOT = Path(__file__).resolve().parents[2]
CHINESE = "zh-CN"

FENCE = re.compile(r" *(```+|~~~+)")
DIAGRAM = re.compile(r"!\[[^\]]*\]\((?:\.\./)*diagrams/([\w.-]+\.svg)\)")
RELATIVE_LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)\s#]+)(#[^)\s]*)?(?=\))")
CODE_FILE = re.compile(r"stages/([\w-]+)/code/(\w+\.(?:py|sh))")
EXERCISE = re.compile(r"(stages/[\w-]+/exercises/[\w-]+)(?:/task(?:\.zh-CN)?\.md)?")
HEAD_LINK = re.compile(r'\s*<link rel="alternate" href="[^"]*" hreflang="[^"]*">')
CODE_BLOCK = re.compile(
    r'(<div class="(?:language-\w+ )?highlight")>'
    r'((?:<span class="filename">[^<]*</span>)?<pre>.*?</pre>)',
    re.DOTALL,
)
# Browsers break a line behind a hyphen, also that of an option.
SHORT_CODE = re.compile(r"<code>((?:&\w+;|[^<&\s]){1,16})</code>")
SOURCE_SLOT = re.compile(r'<div data-source="([^"]+)"></div>')
# Most of a page's elements, all of one colour.
PLAIN_TOKEN = re.compile(r'<span class="(?:n|w|p|o)">([^<]*)</span>')
SEARCH_DIALOG = 'data-md-component="search" role="dialog"'


def on_config(config):
    """Teach the word splitter the course's own terms, from the glossary."""
    terms = chinese_terms((ROOT / "docs/glossary.zh-CN.md").read_text("utf-8"))
    if not terms:
        raise PluginError("docs/glossary.zh-CN.md: no terms in its headings")
    for term in terms:
        jieba.add_word(term, freq=100_000)
    return config


def chinese_terms(glossary: str) -> list[str]:
    """Return the Chinese words in the glossary's third-level headings."""
    headings = re.findall(r"^### (.*)", glossary, re.MULTILINE)
    return re.findall(r"[\u4e00-\u9fff]{2,}", "\n".join(headings))


def on_page_markdown(markdown, page, config, files):
    """Put diagrams inline, lead outward links home, count minutes, list sources."""
    stage = _stage_of_source_page(page)
    if re.fullmatch(r"stages/[\w-]+(\.zh-CN)?\.md", page.file.src_uri) and not stage:
        page.meta["reading_minutes"] = reading_minutes(markdown)

    def rewrite(line: str) -> str:
        # `tools[name](command)` is code and no link.
        pieces = re.split(r"(`+[^`]+`+)", DIAGRAM.sub(_inline_diagram, line))
        for number in range(0, len(pieces), 2):
            pieces[number] = RELATIVE_LINK.sub(
                lambda link: _outward(link, page, config), pieces[number]
            )
        return "".join(pieces)

    markdown = _outside_fences(markdown, rewrite)
    return (
        markdown + source_listing(ROOT / "stages" / stage / "code")
        if stage
        else markdown
    )


def source_listing(code: Path) -> str:
    """Return a heading and a slot for each file: what teaches first, checks last."""

    def place(path: Path) -> tuple[int, str]:
        is_check = path.stem.endswith(("checks", "check_support"))
        return (2 if is_check else 1 if "demo" in path.stem else 0, path.name)

    files = sorted([*code.glob("*.py"), *code.glob("*.sh")], key=place)
    if not files:
        raise PluginError(f"no source files in {code.relative_to(ROOT).as_posix()}")
    return "".join(
        f"\n\n## {path.name} {{#{_anchor(path.name)}}}\n\n"
        f'<div data-source="{path.relative_to(ROOT).as_posix()}"></div>\n'
        for path in files
    )


def on_page_content(html, page, config, files):
    """Lighten code blocks, keep short code whole, fill the slots of a source page."""
    html = CODE_BLOCK.sub(_light_block, html)
    html = SHORT_CODE.sub(r'<code class="whole">\1</code>', html)
    return SOURCE_SLOT.sub(
        lambda slot: highlighted(
            (ROOT / slot[1]).read_text("utf-8"), slot[1].endswith(".sh")
        ),
        html,
    )


def _light_block(block: re.Match[str]) -> str:
    """Tell the block's lines, with which a browser need not style what is not seen."""
    code = PLAIN_TOKEN.sub(r"\1", block[2])
    lines = code.count("\n")
    return f'{block[1]} style="--lines: {lines}">{code}'


@functools.cache
def highlighted(source: str, shell: bool = False) -> str:
    """Return the source as the theme shows code, with the tokens that stand out."""
    lexer = BashLexer() if shell else PythonLexer()
    html = highlight(source, lexer, HtmlFormatter(nowrap=True))
    html = PLAIN_TOKEN.sub(r"\1", html)
    lines = html.count("\n")
    return (
        f'<div class="highlight listing" style="--lines: {lines}">'
        f"<pre><code>{html}</code></pre></div>"
    )


def _anchor(file: str) -> str:
    return file.replace("_", "-").replace(".", "-")


def reading_minutes(markdown: str) -> int:
    """Minutes to read the prose: 220 words or 400 Han characters each."""
    prose: list[str] = []
    _outside_fences(markdown, lambda line: prose.append(line) or line)
    text = "\n".join(prose)
    han = len(re.findall(r"[\u4e00-\u9fff]", text))
    words = len(re.findall(r"[A-Za-z0-9][\w'’-]*", text, re.ASCII))
    return max(1, math.ceil(han / 400 + words / 220))


def _outside_fences(markdown: str, rewrite: Callable[[str], str]) -> str:
    lines, fence = [], ""
    for line in markdown.split("\n"):
        mark = FENCE.match(line)
        if fence:
            lines.append(line)
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            lines.append(line)
            fence = mark[1]
        else:
            lines.append(rewrite(line))
    return "\n".join(lines)


def _inline_diagram(image: re.Match[str]) -> str:
    """Replace the image by the drawing itself: only then does it follow the theme."""
    path = ROOT / "docs/diagrams" / image[1]
    if not path.is_file():
        raise PluginError(f"no such diagram: docs/diagrams/{image[1]}")
    drawing = path.read_text("utf-8").strip()
    # Its words are in the title and the text around it; twice would spoil search.
    return f'<figure class="diagram" data-search-exclude>{drawing}</figure>'


def _outward(link: re.Match[str], page, config) -> str:
    """Lead a link out of docs/ to a page of the site, else to the repository."""
    address = page.file.src_uri
    here = posixpath.dirname(address) or "."
    # An exercise's page is made from files that lie in its folder, outside docs/.
    exercise = EXERCISE.fullmatch(address.partition(".")[0])
    home = exercise[1] if exercise else posixpath.join("docs", here)
    target = posixpath.normpath(posixpath.join(home, link[1]))
    if target.startswith("docs/"):
        place = posixpath.relpath(target.removeprefix("docs/"), here)
        return f"{place}{link[2] or ''}" if exercise else link[0]
    if target.startswith("..") or not (ROOT / target).exists():
        raise PluginError(f"{address}: no such file: {link[1]}")
    code = CODE_FILE.fullmatch(target)
    if code:
        listing = posixpath.relpath(f"stages/{code[1]}-source.md", here)
        return f"{listing}#{_anchor(code[2])}"
    task = EXERCISE.fullmatch(target)
    if task:
        return f"{posixpath.relpath(task[1], here)}.md{link[2] or ''}"
    kind = "tree" if (ROOT / target).is_dir() else "blob"
    return f"{config.repo_url}/{kind}/main/{target}{link[2] or ''}"


def _stage_of_source_page(page) -> str:
    """Return the folder name of the stage whose files this page shows, or ""."""
    name = posixpath.basename(page.file.src_uri).split(".")[0]
    return name.removesuffix("-source") if name.endswith("-source") else ""


def on_post_page(output, page, config):
    """Repair the head and the search of a page; Chinese pages search their own."""
    output = _repair(output, page.url, config)
    if not page.url.startswith(f"{CHINESE}/"):
        return output
    return _exchange(
        output,
        f'"base": "{get_relative_url(".", page.url)}"',
        f'"base": "{get_relative_url(f"{CHINESE}/", page.url).rstrip("/")}"',
        page.url,
    )


def on_post_template(output_content, template_name, config):
    """Keep the one bilingual 404 page that the English pass has written."""
    if template_name != "404.html":
        return output_content
    if config.theme["language"] == CHINESE:
        return ""  # MkDocs writes no empty file
    return _repair(output_content, template_name, config)


def _repair(output: str, where: str, config) -> str:
    # The theme fetches a sitemap for each of these links and gets a 404;
    # search engines find the languages in the real sitemap.xml.
    output, found = HEAD_LINK.subn("", output)
    if found != 2:
        raise PluginError(f"{where}: {found} language links in the head, not 2")
    label = "搜索" if config.theme["language"] == CHINESE else "Search"
    return _exchange(
        output, SEARCH_DIALOG, f'{SEARCH_DIALOG} aria-label="{label}"', where
    )


def _exchange(output: str, old: str, new: str, where: str) -> str:
    if output.count(old) != 1:
        raise PluginError(f"{where}: the theme has changed, {old!r} is not there once")
    return output.replace(old, new)


@event_priority(-200)  # after mkdocs-static-i18n has merged both languages
def on_post_build(config):
    """Split the search index: a reader of one language finds pages in it."""
    site = Path(config.site_dir)
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))
    prefix = f"{CHINESE}/"
    chinese = [doc for doc in index["docs"] if doc["location"].startswith(prefix)]
    if not chinese:
        return  # the nested build of one language: the outer one comes here again
    english = [doc for doc in index["docs"] if not doc["location"].startswith(prefix)]
    for doc in chinese:
        doc["location"] = doc["location"].removeprefix(prefix)
    for doc in english:
        doc["title"] = doc["title"].replace("\u200b", "")
        doc["text"] = doc["text"].replace("\u200b", "")
    _write_index(site / "search", {**index, "docs": english}, config)
    _write_index(site / CHINESE / "search", {**index, "docs": chinese}, config)


def _write_index(folder: Path, index: dict, config) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (folder / "search_index.json").write_text(text, "utf-8")
    if not config.use_directory_urls:  # from file:// only a script can be loaded
        (folder / "search_index.js").write_text(f"var __index = {text}", "utf-8")
