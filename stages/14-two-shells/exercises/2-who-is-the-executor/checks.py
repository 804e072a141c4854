"""Checks of exercise 14.2."""

import unittest

from exercise import RefusedError, ToolContract, run_tool

PATH = "/home/lin/mnt/Workspace"
NEEDS, NEEDS_NOT = ToolContract(True), ToolContract(False)
CONTRACTS = {
    "run_on_desktop": NEEDS,
    "run_in_sandbox": NEEDS_NOT,
    # Two whose names say the contrary of their contracts.
    "sandbox_report": NEEDS,
    "desktop_clock": NEEDS_NOT,
}


def says(host: str, workspace: object = PATH, python: str = "3.12.1") -> dict:
    return {"host": host, "python": python, "workspace": workspace}


LAPTOP = says("lin-laptop")
CLOUD = says("cloud-side", None)


def shown(fingerprint: dict) -> str:
    return " ".join(f"{key}={value!r}" for key, value in fingerprint.items())


class RecordingExecutor:
    """Gives its answers one after the other, the last for ever; notes what it ran."""

    def __init__(self, *answers: dict):
        self.answers = list(answers)
        self.ran: list[str] = []

    def fingerprint(self) -> dict:
        answer = self.answers[0]
        if len(self.answers) > 1:
            del self.answers[0]
        return dict(answer)

    def run(self, command: str) -> str:
        self.ran.append(command)
        return f"output of {command}"


class ExecutorChecks(unittest.TestCase):
    def runs(self, name: str, stored: dict, *answers: dict) -> None:
        executor = RecordingExecutor(*answers)
        try:
            output = run_tool(name, "ls -l", CONTRACTS, dict(stored), executor)
        except RefusedError as error:
            was, now = shown(stored), shown(answers[0])
            raise AssertionError(
                f"{name} was refused; stored: {was}; now: {now}; {error}",
                f"{name} 被拒绝了；保存的：{was}；现在：{now}；{error}",
            ) from None
        if type(output) is not str or output != "output of ls -l":
            raise AssertionError(
                f"the output of the command is not returned, but {output!r:.80}",
                f"返回的不是命令的输出，而是 {output!r:.80}",
            )
        if executor.ran != ["ls -l"]:
            raise AssertionError(
                f"not once `ls -l`, but {executor.ran}",
                f"不是执行一次 `ls -l`，而是 {executor.ran}",
            )

    def refused(self, name: str, stored: dict, *answers: dict) -> tuple[str, list[str]]:
        """Return the message of the refusal, and what had run before it."""
        executor = RecordingExecutor(*answers)
        try:
            run_tool(name, "ls -l", CONTRACTS, dict(stored), executor)
        except RefusedError as error:
            return str(error), executor.ran
        was, now = shown(stored), " / ".join(map(shown, answers))
        raise AssertionError(
            f"{name} was not refused; stored: {was}; now: {now}",
            f"{name} 没有被拒绝；保存的：{was}；现在：{now}",
        )

    def test_what_is_allowed_runs_once(self):
        """A call that may run runs once, also when Python and the path are new.

        没有理由拒绝的命令执行一次，Python 和路径变了也一样。
        """
        self.runs("run_on_desktop", LAPTOP, LAPTOP)
        self.runs("run_on_desktop", LAPTOP, says("lin-laptop", python="3.13.0"))
        self.runs("run_on_desktop", LAPTOP, says("lin-laptop", "/data/mnt/Workspace"))

    def test_a_tool_that_needs_no_workspace_runs_without_one(self):
        """A tool that needs no workspace runs where there is none.

        不需要工作区的工具，在没有工作区的执行端上也能执行。
        """
        self.runs("run_in_sandbox", CLOUD, CLOUD)

    def test_the_contract_decides_and_not_the_name(self):
        """The contract says what a tool needs, whatever its name promises.

        工具需要什么由契约说了算，名字怎么叫都不算。
        """
        self.runs("desktop_clock", CLOUD, CLOUD)
        self.refused("sandbox_report", CLOUD, CLOUD)

    def test_a_tool_that_needs_the_workspace_is_refused_without_one(self):
        """A tool that needs the workspace is refused where it is None or empty.

        需要工作区的工具，在工作区是 None 或空文本的执行端上要拒绝。
        """
        self.refused("run_on_desktop", CLOUD, CLOUD)
        empty = says("lin-laptop", "")
        self.refused("run_on_desktop", empty, empty)

    def test_what_the_executor_says_now_counts(self):
        """Whether there is a workspace is what the executor says now, not at start.

        有没有工作区，看执行端现在怎么说，不看启动时怎么说。
        """
        unmounted = says("lin-laptop", None)
        self.refused("run_on_desktop", LAPTOP, unmounted)
        self.runs("run_on_desktop", unmounted, LAPTOP)

    def test_another_host_is_refused_for_every_tool(self):
        """An executor with another host is refused, for tools of both kinds.

        执行端的 host 变了就要拒绝，两类工具都一样。
        """
        for host in ("other-laptop", "lin-laptop-2", "lin"):
            self.refused("run_on_desktop", LAPTOP, says(host))
            self.refused("run_in_sandbox", LAPTOP, says(host))

    def test_an_unknown_host_is_nobody(self):
        """An executor that cannot tell its host is refused, even if it never could.

        说不出 host 的执行端要拒绝，哪怕它一直都说不出。
        """
        for name in ("run_on_desktop", "run_in_sandbox"):
            self.refused(name, says("unknown"), says("unknown"))

    def test_host_and_workspace_come_from_one_answer(self):
        """Host and workspace come from one answer, and not each from its own.

        host 和工作区出自同一个回答，不能各问一次。
        """
        unmounted = says("lin-laptop", None)
        self.refused("run_on_desktop", LAPTOP, unmounted, says("cloud-side"))
        self.refused("run_on_desktop", LAPTOP, says("cloud-side"), LAPTOP)

    def test_a_tool_without_a_contract_is_refused(self):
        """A tool without a contract is refused by name, though all else is right.

        没有契约的工具要拒绝，并说出它的名字，哪怕别的条件都满足。
        """
        try:
            message, _ = self.refused("delete_everything", LAPTOP, LAPTOP)
        except KeyError as error:
            raise AssertionError(
                f"delete_everything was not refused, but raised KeyError: {error}",
                f"delete_everything 没有被拒绝，而是抛出了 KeyError：{error}",
            ) from None
        if "delete_everything" not in message:
            raise AssertionError(
                f"delete_everything is not in the message: {message}",
                f"消息里没有 delete_everything：{message}",
            )

    def test_nothing_has_run_when_a_call_is_refused(self):
        """When a call is refused, no command has run.

        调用被拒绝时，还没有执行任何命令。
        """
        for name, stored, now in (
            ("run_on_desktop", CLOUD, CLOUD),
            ("run_on_desktop", LAPTOP, CLOUD),
            ("run_in_sandbox", CLOUD, LAPTOP),
            ("run_in_sandbox", says("unknown"), says("unknown")),
            ("delete_everything", LAPTOP, LAPTOP),
        ):
            _, ran = self.refused(name, stored, now)
            if ran:
                raise AssertionError(
                    f"{name} was refused, but had run {ran}",
                    f"{name} 被拒绝了，可是已经执行了 {ran}",
                )

    def test_a_refusal_names_tool_and_host_and_no_path(self):
        """A refusal names the tool and the host that answered, and holds no path.

        拒绝的消息里有工具名和回答者的 host，没有路径。
        """
        for stored, now in (
            (CLOUD, CLOUD),
            (LAPTOP, says("other-laptop", "/sessions/amber-owl/mnt/Workspace")),
            (LAPTOP, CLOUD),
            (LAPTOP, says("lin-laptop", None)),
        ):
            message, _ = self.refused("run_on_desktop", stored, now)
            for word in ("run_on_desktop", now["host"]):
                if word not in message:
                    raise AssertionError(
                        f"{word} is not in the message: {message}",
                        f"消息里没有 {word}：{message}",
                    )
            for path in ("/home/lin", "amber-owl"):
                if path in message:
                    raise AssertionError(
                        f"a path is in the message: {message}",
                        f"消息里有路径：{message}",
                    )


if __name__ == "__main__":
    unittest.main()
