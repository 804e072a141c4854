from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time


class ChildProcess:
    def __init__(self, arguments, *, cwd, env):
        self._process = subprocess.Popen(
            arguments, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            start_new_session=True)
        self.stdout = self._process.stdout
        self.stderr = self._process.stderr
        self._group = self._process.pid
        self._pidfd = os.pidfd_open(self._process.pid)

    def wait(self, deadline):
        poller = select.poll()
        poller.register(self._pidfd, select.POLLIN)
        return bool(poller.poll(max(0, deadline - time.monotonic()) * 1000))

    def signal(self, n):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._group, n)

    def reap(self):
        os.close(self._pidfd)
        return self._process.wait()
