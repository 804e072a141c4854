"""Rejected by: test_a_failure_is_told

The folder is clean, and the caller believes that the report has arrived. Who tells it?

文件夹是干净的，可调用方以为报告已经送到了。谁来告诉它？
"""

def deliver(chunks, destination):
    file = destination.open("xb")
    try:
        with file:
            for chunk in chunks:
                file.write(chunk)
    except BaseException:
        destination.unlink()
