"""Rejected by: test_the_bytes_arrive_as_they_are

A report is bytes, and its digest is of these bytes. What becomes of a byte that is no
text?

报告是字节，摘要算的也是这些字节。不是文本的字节会变成什么？
"""

def deliver(chunks, destination):
    file = destination.open("x", encoding="utf-8", errors="replace", newline="")
    try:
        with file:
            for chunk in chunks:
                file.write(chunk.decode("utf-8", "replace"))
    except BaseException:
        destination.unlink()
        raise
