"""The child's side of one check run: import the answer, try its promises, report.

`exercise_trial.try_answer` starts it in a workspace; it is not for use by hand.
The verdict has a channel of its own: lines in `work/verdict`, each with a digest
keyed by a random key. The key comes in a file that is removed before the answer is
imported, and stays only inside a hash object, which gives no key back. So whatever
the answer prints, or writes to any descriptor, is no verdict.

Answer and checks share one process. This withstands mistakes and the usual tricks,
and does not withstand a program written to defeat it.
"""

from __future__ import annotations

import builtins
import os
import sys
import unittest
import unittest.case
import unittest.util
from collections.abc import Mapping
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
from pathlib import Path
from types import FunctionType, ModuleType

Why = tuple[str, str, str]  # the answer's line, and a text in two languages


def main() -> None:
    if hasattr(os, "fork"):
        # An answer that ends its parent ends this process and not the runner.
        answering = os.fork()
        if answering:
            os._exit(min(os.waitpid(answering, 0)[1], 1))
    inputs = Path.cwd() / "inputs"
    answer, checks_file = str(inputs / "exercise.py"), str(inputs / "checks.py")
    code = compile(Path(checks_file).read_bytes(), checks_file, "exec")
    checks = ModuleType("checks")
    checks.__file__ = checks_file
    key_file = inputs / "key"
    keyed = blake2b(key=key_file.read_bytes())
    key_file.unlink()
    # The checks of an exercise may import the modules of its stage.
    sys.path[:0] = [str(inputs), *sys.argv[1:]]
    # What the answer later puts into `os`, `builtins` or `__main__` does not count:
    # `report` and `tampered` use local names, bound before it is imported. After
    # each report all other names are still what they were.
    verdict = str(inputs.parent / "work" / "verdict")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    leave, open_file, write, close = os._exit, os.open, os.write, os.close
    modules, run, quote = sys.modules, exec, encode_basestring_ascii
    warned = {"__warningregistry__"}  # a warning adds this name to a module
    guarded: list[tuple[Mapping, dict, bool]] = []
    functions: list[tuple] = []

    def report(event: str, check: str = "-", why: Why = ("0", "", "")) -> None:
        """Write one record, a list of texts in JSON; the last one ends the process."""
        if tampered():
            event = "tampered"
        texts = [quote(text[:600]) for text in (event, check, *why)]
        line = f"[{', '.join(texts)}]".encode()
        signature = keyed.copy()
        signature.update(line)
        # Opened anew each time: an answer that closes descriptors, or writes to
        # all of them, does not find this one.
        file = open_file(verdict, flags, 0o600)
        write(file, signature.hexdigest().encode() + b" " + line + b"\n")
        close(file)
        if event in ("import", "tampered", "finished"):
            # Not `sys.exit`: what the answer left for later, `atexit` or a thread,
            # is over.
            leave(0)

    def tampered() -> bool:
        for function, function_code in functions:
            if function.__code__ is not function_code:
                return True
        for now, before, may_grow in guarded:
            if not may_grow and not now.keys() <= before.keys() | warned:
                return True
            for name, value in before.items():
                if now.get(name) is not value:
                    return True
        return False

    def guard(*namespaces: Mapping, may_grow: bool = False) -> None:
        for now in namespaces:
            guarded.append((now, dict(now), may_grow))
            for value in now.values():
                if isinstance(value, FunctionType):
                    functions.append((value, value.__code__))

    def explain(error: BaseException) -> tuple[str, Why]:
        """Return how a check ended, and why."""
        line, here, trace = 0, False, error.__traceback__
        while trace:
            here = trace.tb_frame.f_code.co_filename == answer
            line = trace.tb_lineno if here else line
            trace = trace.tb_next
        kind, event, told = type(error), "raised", [error]
        try:
            if isinstance(error, unittest.SkipTest):
                event = "not_run"
            elif kind is AssertionError and not here:
                event = "refused"
                # A check may say why in both languages.
                told = error.args if len(error.args) == 2 else told
            elif isinstance(error, SyntaxError) and error.filename == answer:
                told, line = [error.msg], int(error.lineno or 0)
            texts = [str(one) for one in told]
        except BaseException:
            texts = ["(its message cannot be shown)"]
        if event == "raised":
            texts = [f"{kind.__name__}: {texts[0]}".removesuffix(": ")]
        return event, (str(line), texts[0], texts[-1])

    # Honest imports add modules, and submodules to the package.
    guard(modules, vars(unittest), may_grow=True)
    guard(globals(), vars(builtins), vars(os), vars(Path), vars(type(Path())))
    for module in (unittest.case, unittest.util):
        classes = [one for one in vars(module).values() if isinstance(one, type)]
        guard(*map(vars, [module, *classes]))

    report("started")
    try:
        __import__("exercise")
        report("started")  # before the checks are made: a patch may take itself back
        # Not by `import`: the answer may have left a `checks` of its own.
        modules["checks"] = checks
        run(code, checks.__dict__)
    except BaseException as error:
        report("import", why=explain(error)[1])
    cases = [
        value
        for value in vars(checks).values()
        if isinstance(value, type) and issubclass(value, unittest.TestCase)
    ]
    guard(*map(vars, [checks, *cases]))
    for case in cases:
        for name in [name for name in vars(case) if name.startswith("test")]:
            report("started", name)
            event, why = "passed", ("0", "", "")
            test = case(name)
            try:
                test.debug()
            except BaseException as error:
                event, why = explain(error)
                test.doCleanups()
            report(event, name, why)
    report("finished")


if __name__ == "__main__":
    main()
