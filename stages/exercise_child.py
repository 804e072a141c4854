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
import types
import unittest
import unittest.case
import unittest.util
from hashlib import blake2b
from pathlib import Path


def main() -> None:
    if hasattr(os, "fork"):
        # An answer that ends its parent ends this process and not the runner.
        answering = os.fork()
        if answering:
            os._exit(min(os.waitpid(answering, 0)[1], 1))
    # From here on everything is a local name, bound before the answer is imported:
    # what the answer later puts into `os`, `builtins` or `__main__` does not count.
    inputs = Path.cwd() / "inputs"
    source = (inputs / "checks.py").read_bytes()
    key_file = inputs / "key"
    keyed = blake2b(key=key_file.read_bytes())
    key_file.unlink()
    answer, checks_file = str(inputs / "exercise.py"), str(inputs / "checks.py")
    verdict = os.fspath(inputs.parent / "work" / "verdict")
    # The checks of an exercise may import the modules of its stage.
    sys.path[:0] = [str(inputs), *sys.argv[1:]]
    loaded, modules = dict(sys.modules), sys.modules
    leave, open_file, write, close = os._exit, os.open, os.write, os.close
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    run_test, test_case = unittest.TestCase.debug, unittest.TestCase
    skipped, everything, load = unittest.SkipTest, BaseException, exec
    refusal, encode = AssertionError, str.encode
    attribute, pairs, package = getattr, zip, unittest.__dict__
    guarded: list[tuple] = []

    def report(outcome: str, check: str = "-", why: tuple = (0, "", "")) -> None:
        at_line, *texts = why
        told = " ".join(
            [encode(text, "utf-8", "replace")[:1800].hex() for text in texts]
        )
        line = f"{outcome} {check} {at_line} {told}".encode()
        signature = keyed.copy()
        signature.update(line)
        # Opened anew each time: an answer that closes descriptors, or writes to
        # all of them, does not find this one.
        file = open_file(verdict, flags, 0o600)
        write(file, signature.hexdigest().encode() + b" " + line + b"\n")
        close(file)

    def explain(error: BaseException) -> tuple[bool, tuple[int, str, str]]:
        """Say whether a check asserted it; the answer's line, and why, twice."""
        line, here, trace = 0, False, error.__traceback__
        while trace:
            here = trace.tb_frame.f_code.co_filename == answer
            line = trace.tb_lineno if here else line
            trace = trace.tb_next
        kind = type(error)
        asserted = kind is refusal and not here
        try:
            if asserted and len(error.args) == 2:
                # A check may say why in both languages.
                english, chinese = map(str, error.args)
                return True, (line, english, chinese)
            text = str(error)
            if isinstance(error, SyntaxError) and error.filename == answer:
                text, line = error.msg, int(error.lineno or 0)
        except everything:
            text = "(its message cannot be shown)"
        if not asserted and kind is not skipped:
            text = f"{kind.__name__}: {text}" if text else kind.__name__
        return asserted, (line, text, text)

    def guard(*owners: object) -> None:
        for owner in owners:
            owned = dict(owner.__dict__)
            codes = [attribute(value, "__code__", None) for value in owned.values()]
            guarded.append((owner.__dict__, owned, codes))

    def tampered() -> bool:
        for name, module in loaded.items():
            if modules.get(name) is not module:
                return True
        for now, before, codes in guarded:
            # Only the package gets new names honestly, from imports below it.
            if now is not package and now.keys() != before.keys():
                return True
            for (name, value), code in pairs(before.items(), codes):
                if now.get(name) is not value:
                    return True
                if attribute(value, "__code__", None) != code:
                    return True
        return False

    guard(builtins, unittest)
    for module in (unittest.case, unittest.util):
        # A warning adds this name to a module, and is no tampering.
        module.__dict__.setdefault("__warningregistry__", {})
        guard(module, *(v for v in vars(module).values() if isinstance(v, type)))

    report("started")
    checks = types.ModuleType("checks")
    checks.__file__ = checks_file
    checks.__warningregistry__ = {}
    try:
        __import__("exercise")
        # Not by `import`: the answer may have left a `checks` of its own.
        modules["checks"] = checks
        load(compile(source, checks_file, "exec"), checks.__dict__)
    except everything as error:
        report("import", why=explain(error)[1])
        leave(0)
    if tampered():
        report("tampered")
        leave(0)
    cases = [
        value
        for value in checks.__dict__.values()
        if isinstance(value, type) and issubclass(value, test_case)
    ]
    loaded["checks"] = checks
    guard(checks, *cases)
    for case in cases:
        for name in [name for name in case.__dict__ if name.startswith("test")]:
            outcome, why = "passed", (0, "", "")
            report("started", name)
            test = case(name)
            try:
                run_test(test)
            except skipped as error:
                outcome, why = "not_run", explain(error)[1]
            except everything as error:
                by_assertion, why = explain(error)
                outcome = "refused" if by_assertion else "raised"
                test.doCleanups()
            if tampered():
                report("tampered")
                leave(0)
            report(outcome, name, why)
    report("finished")
    # Not `sys.exit`: what the answer left for later, `atexit` or a thread, is over.
    leave(0)


if __name__ == "__main__":
    main()
