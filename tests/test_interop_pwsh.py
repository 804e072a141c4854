"""Real counterparts of the second dialect: PowerShell's grammar, and PowerShell.

The grammar (tree-sitter-powershell) shows that the phrasebook is PowerShell's syntax,
which a stand-in cannot show. Whether it does what it should is asked of a real `pwsh`
where there is one on the PATH, as hosted CI systems have it; REQUIRE_INTEROP=pwsh
makes it a failure that there is none.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

tree_sitter = pytest.importorskip("tree_sitter", reason="pip install tree-sitter")
grammar = pytest.importorskip(
    "tree_sitter_powershell", reason="pip install tree-sitter-powershell"
)

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "stages" / "15-shell-dialects" / "code"
sys.path.insert(0, str(CODE))

from asking import script  # noqa: E402
from contract import FULL_ACCESS, MODES, Policy  # noqa: E402
from dialects import BASH, PWSH, STAND_IN  # noqa: E402
from fences import BWRAP, LANDLOCK, NO_FENCE  # noqa: E402
from promises import check  # noqa: E402
from shell_tool import ShellTool  # noqa: E402

WORDS = ("plain", "two words", "it's", "‘curly’", '"$HOME" `x` {0}; #', "林.txt", "")
NUMBERS = ("count to", "fail with", "sleep", "spawn")
SECONDS = 120


def syntax_errors(text: str) -> list[str]:
    """Where PowerShell's grammar does not know what a text means."""
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    found, nodes = [], [parser.parse(text.encode("utf-8")).root_node]
    while nodes:
        node = nodes.pop()
        if node.is_missing or node.type == "ERROR":
            found.append(f"{node.type} at {node.start_point}")
        nodes += node.children
    return found


def said(phrase: str, word: str) -> str:
    """A phrase with its places filled, as it is handed over."""
    words = (word, word) if phrase not in NUMBERS else (3,)
    return PWSH.preamble + PWSH.say(phrase, *words)


@pytest.mark.parametrize("phrase", PWSH.phrases)
def test_each_phrase_is_powershell(phrase):
    """The grammar knows every phrase, whatever word is in it, alone and in a row."""
    for word in WORDS:
        text = said(phrase, word)
        assert syntax_errors(text) == [], text
        assert syntax_errors(f"{text}; {PWSH.say('print', word)}") == [], text


def test_a_word_stays_one_word():
    """In the grammar's eyes, a quoted word is one literal, and nothing of it code."""
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    for word in WORDS:
        text = PWSH.say("print", word)
        root = parser.parse(text.encode("utf-8")).root_node
        nodes, literals = [root], []
        while nodes:
            node = nodes.pop()
            if node.type == "verbatim_string_characters":
                literals.append(node.text.decode("utf-8"))
            nodes += node.children
        assert literals == [PWSH.quote(word)], root


def test_the_grammar_refuses_something():
    """The grammar can say no: to half a phrase, and to bash."""
    broken = ["Write-Output 'a", "if (", BASH.say("spawn", 3)]
    assert [text for text in broken if not syntax_errors(text)] == []


def test_what_is_said_beside_phrases_is_powershell():
    """So are the sentence on exit codes, as its check asks for it, and numbers."""
    assert syntax_errors(f"{said('run', 'x')}; exit $LASTEXITCODE") == []
    assert syntax_errors(PWSH.say("run", "timeout", 999, "sleep", 60.5)) == []


def real_pwsh() -> str:
    """The real PowerShell's version, or a skip that says why not."""
    if not shutil.which("pwsh"):
        reason = "needs PowerShell 7 (pwsh) on the PATH: aka.ms/powershell"
        required = "pwsh" in os.environ.get("REQUIRE_INTEROP", "").split(",")
        (pytest.fail if required else pytest.skip)(reason)
    done = subprocess.run(
        ["pwsh", "-NoProfile", "-Command", "$PSVersionTable.PSVersion.ToString()"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fence", (NO_FENCE, LANDLOCK, BWRAP), ids=lambda f: f.name)
def test_a_real_powershell_keeps_every_promise(mode, fence):
    """All that the tool promises is true of a real PowerShell, in every mode."""
    version = real_pwsh()
    with tempfile.TemporaryDirectory() as name:
        tool = ShellTool(PWSH, Policy(mode, Path(name)), fence)
        assert check(tool) == [], version


def test_stand_in_and_powershell_agree():
    """What the stand-in prints for a phrase, a real PowerShell prints too."""
    real_pwsh()
    if not STAND_IN.command_line():
        pytest.skip("needs a system that can run the stand-in (POSIX)")
    rows = [
        [("print", word) for word in WORDS if word],
        [("count to", 3), ("get",), ("set", "x"), ("get",)],
        [("define", "hello"), ("call",), ("home",), ("where",)],
        [("fail with", 7)],
    ]
    with tempfile.TemporaryDirectory() as name:
        policy = Policy(FULL_ACCESS, Path(name))
        for row in rows:
            answers = []
            for dialect in (PWSH, STAND_IN):
                tool = ShellTool(dialect, policy, NO_FENCE)
                outcome = tool.run(script(tool, *row))
                lines = dialect.without_label(outcome.stdout).splitlines()
                answers.append((lines, outcome.exit_code))
            assert answers[0] == answers[1], row
