"""The site served and opened in Chromium, for the test modules that read it there."""

from __future__ import annotations

import functools
import gzip
import os
import shutil
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

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

MOUNTS = ("/host-first/", "/lan/room-1/")  # the published path and any other
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
        self.send_header("Cache-Control", "max-age=600")
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


# A source page lists sixty files, all set alike: the first three in full will do.
SHORTEN = """const listings = [...document.querySelectorAll(".listing code")];
for (const code of listings.slice(3))
    code.textContent = code.textContent.split("\\n", 3).join("\\n");"""

# Contrast is measured for each element, which takes a minute on 4,000 tokens of code:
# three of each kind say the same.
THIN_OUT = """const seen = {};
for (const token of document.querySelectorAll("pre code span")) {
    seen[token.className] = (seen[token.className] ?? 0) + 1;
    if (seen[token.className] > 3) token.replaceWith(...token.childNodes);
}"""

# The theme makes a block that scrolls reachable by Tab when it comes into sight.
SCROLL_THROUGH = """async () => {
    if (window.hasBeenSeen) return;
    window.hasBeenSeen = true;
    for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
        scrollTo({top: y, behavior: "instant"});
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
    }
    scrollTo({top: 0, behavior: "instant"});
}"""


def serious(page) -> list[tuple]:
    """Return what axe finds serious or critical, once all has been in sight."""
    page.evaluate(SHORTEN)
    page.evaluate(SCROLL_THROUGH)
    page.add_style_tag(content="pre { content-visibility: visible !important }")
    page.evaluate(THIN_OUT)
    return [
        (violation["id"], [node["html"][:160] for node in violation["nodes"]])
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
