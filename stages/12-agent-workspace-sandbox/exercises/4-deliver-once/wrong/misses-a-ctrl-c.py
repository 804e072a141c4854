"""Rejected by: test_a_failed_delivery_leaves_nothing

Not everything that can be raised is an `Exception`. What happens at a Ctrl-C between two
pieces?

能抛出的东西，不全是 `Exception`。在两块之间按下 Ctrl-C，会怎么样？
"""


def deliver(chunks, destination):
    file = destination.open("xb")
    try:
        with file:
            for chunk in chunks:
                file.write(chunk)
    except Exception:
        destination.unlink()
        raise
