"""Rejected by: test_a_failed_delivery_leaves_nothing

What lies in the folder when the second piece fails? And what will the next try find
there?

第二块失败的时候，文件夹里有什么？下一次再来会碰到什么？
"""

def deliver(chunks, destination):
    with destination.open("xb") as file:
        for chunk in chunks:
            file.write(chunk)
