"""Rejected by: test_a_file_that_appears_at_the_last_moment_is_left_alone

Your look and your opening are two steps, and somebody can pass between them. Which way
of opening asks and creates in one step?

查看和打开是两步，别人可以从中间插进来。哪种打开方式能一步完成询问和创建？
"""

def deliver(chunks, destination):
    if destination.exists():
        raise FileExistsError(destination.name)
    try:
        with destination.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
    except BaseException:
        destination.unlink()
        raise
