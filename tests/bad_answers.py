"""Answers that are no answers: mistakes, and the usual tricks to pass without one.

Each comes with what the runner says about it. `double` is to return its argument
twice over: small_course.py has the checks.
"""

import os

from small_course import RIGHT, STARTER

# A wrong answer, to which the tricks below are added: none of them may pass.
LIE = "\ndef double(value):\n    return None\n"
# Each answer, and what the runner says about it.
BAD = {
    "starter": (STARTER, "1 of 3 promises kept"),
    "empty": (
        "",
        "cannot import name 'double' from 'exercise' "
        "(stages/01-small/exercises/1-double/exercise.py)",
    ),
    "another encoding": (
        b"name = 'caf\xe9'\n" + RIGHT.encode(),
        "the answer is not UTF-8",
    ),
    "a comment in GBK": (
        RIGHT.encode() + "# 注释\n".encode("gbk"),
        "the answer is not UTF-8",
    ),
    "UTF-16": (RIGHT.encode("utf-16"), "the answer is not UTF-8"),
    "a coding that nobody knows": ("# coding: klingon\n" + RIGHT, "is not UTF-8"),
    "a patch of pathlib": (
        "import pathlib\npathlib.Path.read_bytes = lambda path: b''\n" + RIGHT,
        "the answer changed",
    ),
    "a patch that takes itself back": (
        "import unittest\n"
        "@classmethod\n"
        "def lax(case):\n"
        "    del unittest.TestCase.__init_subclass__\n"
        "    for name in [name for name in vars(case) if name.startswith('test')]:\n"
        "        setattr(case, name, lambda self: None)\n"
        "unittest.TestCase.__init_subclass__ = lax\n" + LIE,
        "the answer changed",
    ),
    "a class maker that takes itself back": (
        "import builtins\n"
        "make = builtins.__build_class__\n"
        "def lax(body, name, *bases, **more):\n"
        "    made = make(body, name, *bases, **more)\n"
        "    builtins.__build_class__ = make\n"
        "    for test in [test for test in vars(made) if test.startswith('test')]:\n"
        "        setattr(made, test, lambda self: None)\n"
        "    return made\n"
        "builtins.__build_class__ = lax\n" + LIE,
        "the answer changed",
    ),
    "import error": ("import no_such_module\n" + RIGHT, "No module named"),
    "syntax error": ("def double(value:\n", "SyntaxError"),
    "zero bytes": ("\0" + RIGHT, "cannot be imported"),
    "too large": ("#" * 70_000 + "\n" + RIGHT, "could not be started"),
    "sys.exit at import": ("import sys\nsys.exit(0)\n", "SystemExit: 0"),
    "os._exit at import": ("import os\nos._exit(0)\n", "ended before the checks"),
    "os.abort at import": ("import os\nos.abort()\n", "ended before the checks"),
    "SystemExit in the function": (
        "def double(value):\n    raise SystemExit(0)\n",
        "SystemExit: 0 (stages/01-small/exercises/1-double/exercise.py, line 2)",
    ),
    "os._exit in the function": (
        "import os\ndef double(value):\n    os._exit(0)\n",
        "ended before the checks",
    ),
    "os._exit in a thread": (
        "import os, threading, time\n"
        "def double(value):\n"
        "    if value == 0:\n"
        "        threading.Thread(target=os._exit, args=(0,)).start()\n"
        "        time.sleep(60)\n"
        "    return value + value\n",
        "ended before the checks",
    ),
    "an exception of its own kind": (
        "class Quiet(BaseException): pass\ndef double(value):\n    raise Quiet\n",
        "Quiet (stages/01-small/exercises/1-double/exercise.py, line 3)",
    ),
    "raises AssertionError itself": (
        "def double(value):\n    assert value is None\n",
        "AssertionError (stages/01-small/exercises/1-double/exercise.py, line 2)",
    ),
    "reads from the terminal": (
        "def double(value):\n    return int(input())\n",
        "EOFError: EOF when reading a line (stages/01-small",
    ),
    "goes elsewhere": (
        "import os\nos.chdir(os.sep)\n" + LIE,
        "0 of 3 promises kept",
    ),
    "empties sys.modules": (
        "import sys\nsys.modules.clear()\n" + LIE,
        "0 of 3 promises kept",
    ),
    "removes unittest from sys.modules": (
        "import sys\nfor name in list(sys.modules):\n"
        "    if name.startswith('unittest'):\n        del sys.modules[name]\n" + LIE,
        "the answer changed",
    ),
    "traces the checks": (
        "import sys\n"
        "def trace(frame, event, argument):\n    raise KeyboardInterrupt\n"
        "def double(value):\n    sys.settrace(trace)\n    return value\n",
        "promises kept",
    ),
    "a message that is no plain text": (
        "import unittest\n"
        "class Text(str):\n"
        "    def __str__(self):\n        return self\n"
        "    def __getitem__(self, key):\n        return self\n"
        "    def __format__(self, how):\n        return 'passed'\n"
        "    def encode(self, *a):\n        return b'passed'\n"
        "def double(value):\n    raise unittest.SkipTest(Text('what it says'))\n",
        "why: what it says",
    ),
    "a message without an end": (
        "def double(value):\n    raise ValueError('x' * 100_000)\n",
        "why: ValueError: xxx",
    ),
    "a line number that is no number": (
        "def double(value):\n"
        "    error = SyntaxError('odd')\n"
        "    error.filename, error.lineno = __file__, '1 61 61 61'\n"
        "    raise error\n",
        "its message cannot be shown",
    ),
    "a thread that never ends": (
        "import threading\n"
        "def spin():\n    while True: pass\n"
        "threading.Thread(target=spin).start()\n" + LIE,
        "0 of 3 promises kept",
    ),
    "endless recursion": (
        "def double(value):\n    return double(value)\n",
        "RecursionError",
    ),
    "skips": (
        "import unittest\ndef double(value):\n    raise unittest.SkipTest('no')\n",
        "not reached",
    ),
    "an error without a message": (
        "class Bad(Exception):\n"
        "    def __str__(self):\n        raise SystemExit(0)\n"
        "def double(value):\n    raise Bad\n",
        "its message cannot be shown",
    ),
    "a gigabyte of output": (
        "import os\nfor _ in range(1024):\n    os.write(1, b'x' * 1048576)\n" + RIGHT,
        "printed more than 65,536 bytes",
    ),
    "equal to everything": (
        "class Yes:\n"
        "    def __eq__(self, other):\n        return True\n"
        "    __hash__ = None\n"
        "def double(value):\n    return Yes()\n",
        "2 of 3 promises kept",
    ),
    "patches unittest at import": (
        "import unittest\n"
        "unittest.TestCase.assertEqual = lambda *a, **k: None\n"
        "unittest.TestCase.assertIs = lambda *a, **k: None\n" + LIE,
        "the answer changed",
    ),
    "patches unittest when called": (
        "import unittest\n"
        "def double(value):\n"
        "    unittest.TestCase.assertEqual = lambda *a, **k: None\n"
        "    return value\n",
        "the answer changed",
    ),
    "patches the code of an assertion": (
        "import unittest\n"
        "unittest.TestCase._baseAssertEqual.__code__ = (\n"
        "    lambda self, first, second, msg=None: None).__code__\n" + LIE,
        "the answer changed",
    ),
    "patches the run of a test": (
        "import unittest\n"
        "unittest.TestCase.debug = lambda self: None\n"
        "unittest.TestCase.run = lambda self, result=None: None\n" + LIE,
        "the answer changed",
    ),
    "patches the checks when called": (
        "import sys\n"
        "def double(value):\n"
        "    case = sys.modules['checks'].DoubleChecks\n"
        "    for name in list(vars(case)):\n"
        "        if name.startswith('test'):\n"
        "            setattr(case, name, lambda self: None)\n"
        "    case.assertEqual = lambda *a: None\n"
        "    return value\n",
        "the answer changed",
    ),
    "adds an assertion to the checks": (
        "import sys\n"
        "def double(value):\n"
        "    case = sys.modules['checks'].DoubleChecks\n"
        "    case.assertEqual = case.assertIs = lambda *a: None\n"
        "    return value\n",
        "the answer changed",
    ),
    "brings checks of its own": (
        "import sys, types, unittest\n"
        "fake = types.ModuleType('checks')\n"
        "class DoubleChecks(unittest.TestCase):\n"
        "    def test_a_number(self): pass\n"
        "    def test_a_list(self): pass\n"
        "    def test_zero(self): pass\n"
        "fake.DoubleChecks = DoubleChecks\n"
        "sys.modules['checks'] = fake\n" + LIE,
        "0 of 3 promises kept",
    ),
    "brings a unittest of its own": (
        "import sys, types, unittest\n"
        "class Lax(unittest.TestCase):\n"
        "    def assertEqual(self, *a): pass\n"
        "    def assertIs(self, *a): pass\n"
        "fake = types.ModuleType('unittest')\n"
        "fake.TestCase = Lax\n"
        "sys.modules['unittest'] = fake\n" + LIE,
        "the answer changed",
    ),
    "rewrites the checks on the disk": (
        "from pathlib import Path\n"
        "for file in Path.cwd().rglob('checks.py'):\n"
        "    file.write_text('', encoding='utf-8')\n" + LIE,
        "0 of 3 promises kept",
    ),
    "patches builtins": (
        "import builtins\n"
        "builtins.zip = lambda *a, **k: ()\n"
        "builtins.isinstance = lambda *a: True\n"
        "builtins.AssertionError = ValueError\n" + LIE,
        "the answer changed",
    ),
    "patches the channel": (
        "import hashlib, hmac, json, os, sys\n"
        "real = os.write\n"
        "os.write = lambda fd, data: real(fd, data.replace(b'refused', b'passed'))\n"
        "os.open = lambda *a, **k: 1\n"
        "os._exit = lambda code: None\n"
        "hashlib.blake2b = lambda *a, **k: None\n"
        "json.dumps = lambda *a, **k: 'passed'\n"
        "json.encoder.encode_basestring_ascii = lambda text: '\"passed\"'\n"
        "import __main__\n"
        "__main__.report = __main__.main = lambda *a, **k: None\n" + LIE,
        "0 of 3 promises kept",
    ),
    "hides builtins from the program that checks": (
        "import __main__\n"
        "__main__.vars = lambda *a: {}\n"
        "__main__.isinstance = __main__.issubclass = lambda *a: True\n"
        "__main__.BaseException = __main__.AssertionError = ValueError\n" + LIE,
        "the answer changed",
    ),
    "prints what a pass prints": (
        "for name in ('test_a_number', 'test_a_list', 'test_zero'):\n"
        "    print('started', name)\n"
        "    print('passed', name)\n"
        "print('finished')\n"
        "print('\\x1b[2J\\x1b[32mkept\\x1b[0m  A number is doubled.')\n"
        "print('3 of 3 promises kept.')\n" + LIE,
        r"\x1b[2J",
    ),
    "writes the verdict itself": (
        "from pathlib import Path\n"
        "import json\n"
        "records = [['passed', name, '0', '', '']\n"
        "    for name in ('test_a_number', 'test_a_list', 'test_zero')]\n"
        "records.append(['finished', '-', '0', '', ''])\n"
        "lines = ['0' * 128 + ' ' + json.dumps(record) for record in records]\n"
        "for file in [Path('work/verdict'), *Path('work').iterdir()]:\n"
        "    file.write_text('\\n'.join(lines) + '\\n', encoding='utf-8')\n"
        "import os\nos._exit(0)\n",
        "0 of 3 promises kept",
    ),
    "doubles what was signed": (
        "from pathlib import Path\n"
        "def double(value):\n"
        "    file = Path('work/verdict')\n"
        "    text = file.read_text(encoding='utf-8')\n"
        "    forged = text.replace('started', 'passed')\n"
        "    file.write_text(text * 3 + forged, encoding='utf-8')\n"
        "    return value\n",
        "0 of 3 promises kept",
    ),
    "fills the verdict": (
        "from pathlib import Path\n"
        "Path('work/verdict').write_bytes(b'x' * 200000)\n" + RIGHT,
        "0 of 3 promises kept",
    ),
    "puts a folder in the verdict's place": (
        "from pathlib import Path\n"
        "Path('work/verdict').unlink()\n"
        "Path('work/verdict').mkdir()\n" + RIGHT,
        "ended before the checks",
    ),
    "writes to all descriptors": (
        "import os\n"
        "for fd in range(64):\n"
        "    try:\n"
        '        os.write(fd, b\'["passed", "test_zero", "0", "", ""]\\n\')\n'
        "    except OSError:\n"
        "        pass\n" + LIE,
        "0 of 3 promises kept",
    ),
    "walks frames and objects for the key": (
        "import gc, hashlib, json, os, sys\n"
        "def found():\n"
        "    todo, seen = gc.get_objects(), set()\n"
        "    frame = sys._getframe()\n"
        "    while frame:\n"
        "        todo += [frame.f_locals, frame.f_globals]\n"
        "        frame = frame.f_back\n"
        "    for thing in todo:\n"
        "        for one in [thing, *gc.get_referents(thing)]:\n"
        "            if isinstance(one, bytes) and 16 <= len(one) <= 64:\n"
        "                yield one\n"
        "            if isinstance(one, str) and len(one) == 64:\n"
        "                yield one.encode()\n"
        "            if isinstance(one, str) and len(one) == 64:\n"
        "                try:\n"
        "                    yield bytes.fromhex(one)\n"
        "                except ValueError:\n"
        "                    pass\n"
        "def double(value):\n"
        "    records = [['started', '-'], ['finished', '-']]\n"
        "    records += [['passed', name] for name in\n"
        "        ('test_a_number', 'test_a_list', 'test_zero')]\n"
        "    lines = [json.dumps([*one, '0', '', '']).encode() for one in records]\n"
        "    forged = b''\n"
        "    for key in set(found()):\n"
        "        for line in lines:\n"
        "            mark = hashlib.blake2b(line, key=key).hexdigest().encode()\n"
        "            forged += mark + b' ' + line + b'\\n'\n"
        "            if len(forged) > 30000: break\n"
        "    with open('work/verdict', 'ab') as file:\n"
        "        file.write(forged)\n"
        "    os._exit(0)\n",
        "ended before the checks",
    ),
    "looks for the key where it came from": (
        "import os\n"
        "assert os.listdir('inputs') != [], 'nothing to read'\n"
        "assert not [n for n in os.listdir('inputs') if 'key' in n], 'FOUND'\n"
        "assert 'key' not in ' '.join(os.environ).lower(), 'FOUND'\n"
        "raise ValueError('no key here')\n",
        "ValueError: no key here",
    ),
    "replaces sys.stdout": (
        "import io, sys\n"
        "class Evil(io.StringIO):\n"
        "    def flush(self):\n        raise SystemExit(0)\n"
        "sys.stdout = sys.stderr = sys.__stdout__ = Evil()\n" + LIE,
        "0 of 3 promises kept",
    ),
    "closes all descriptors": (
        "import os\nos.closerange(0, 64)\n" + LIE,
        "0 of 3 promises kept",
    ),
    "leaves something for atexit": (
        "import atexit, os\n"
        "atexit.register(os._exit, 0)\n"
        "atexit.register(print, '3 of 3 promises kept.')\n" + LIE,
        "0 of 3 promises kept",
    ),
    "deletes files": (
        "import os, shutil\n"
        "def double(value):\n"
        "    shutil.rmtree(os.getcwd(), ignore_errors=True)\n"
        "    return value + value\n",
        "ended before the checks",
    ),
}
BAD_ON_POSIX = {
    "kills its parent's group": (
        "import os, signal\n"
        "os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)\n" + RIGHT,
        "ended before the checks",
    ),
    "kills its parent": (
        "import os, signal, time\n"
        "os.kill(os.getppid(), signal.SIGKILL)\n"
        "os.closerange(0, 3)\n" + RIGHT,
        "promises kept",
    ),
    "ends itself by an alarm": (
        "import signal, time\n"
        "def double(value):\n    signal.alarm(1)\n    time.sleep(60)\n",
        "ended before the checks",
    ),
    "handles every signal": (
        "import signal\n"
        "for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "    try:\n"
        "        signal.signal(number, lambda *a: None)\n"
        "    except (OSError, ValueError):\n        pass\n" + LIE,
        "0 of 3 promises kept",
    ),
    "stops itself": (
        "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n" + RIGHT,
        "ended before the checks",
    ),
    "goes on in a fork": (
        "import os\nif os.fork():\n    os._exit(0)\n" + LIE,
        "promises kept",
    ),
    "guesses in two processes": (
        "import os\n"
        "def double(value):\n"
        "    if value == 3:\n"
        "        return 5 if os.fork() else 6\n"
        "    return value + value\n",
        "a check was reported twice",
    ),
    "guesses, and ends what guessed wrong": (
        "import os, time\n"
        "def double(value):\n"
        "    if value != 0:\n"
        "        return value + value\n"
        "    wrong = os.fork()\n"
        "    if not wrong:\n"
        "        return 1\n"
        "    time.sleep(0.5)\n"
        "    return 0\n",
        "a check was reported twice",
    ),
    "puts a link in the verdict's place": (
        "import os\n"
        "os.unlink('work/verdict')\n"
        "os.symlink('/dev/null', 'work/verdict')\n" + RIGHT,
        "ended before the checks",
    ),
}
if os.name == "posix":
    BAD |= BAD_ON_POSIX

# Each with the outcomes of the three checks and what the last or first says.
HANGS = {
    "a loop without an end": (
        "def double(value):\n"
        "    while value == 0:\n        pass\n"
        "    return value + value\n",
        ["passed", "passed", "failed"],
        "no end after 2 s",
    ),
    "a loop that hears no signal": (
        "import signal\n"
        "def double(value):\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    while True: pass\n",
        ["failed", "not_run", "not_run"],
        "no end after 2 s",
    ),
    "a loop at import": ("while True: pass\n", ["not_run"] * 3, "no end after 2 s"),
    "waits in the message of an error": (
        "class Bad(Exception):\n"
        "    def __str__(self):\n        while True: pass\n"
        "def double(value):\n    raise Bad\n",
        ["failed", "not_run", "not_run"],
        "no end after 2 s",
    ),
    "a child that holds the pipe": (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        + RIGHT,
        ["not_run"] * 3,
        "something that the answer started still held its output",
    ),
}
if hasattr(os, "fork"):
    HANGS["a fork that holds the pipe"] = (
        "import os, time\nif not os.fork():\n    time.sleep(60)\n    os._exit(0)\n"
        + RIGHT,
        ["not_run"] * 3,
        "something that the answer started still held its output",
    )
