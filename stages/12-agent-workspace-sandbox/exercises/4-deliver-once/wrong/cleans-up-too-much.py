"""Rejected by: test_a_failed_source_harms_no_existing_file
Also: test_an_existing_file_keeps_its_bytes,
    test_a_file_that_appears_at_the_last_moment_is_left_alone

Your clean-up removes a file after an error. In which case did you not create that file?

出错以后，你的清理会删除一个文件。什么情况下这个文件不是你建的？
"""

def deliver(chunks, destination):
    try:
        with destination.open("xb") as file:
            for chunk in chunks:
                file.write(chunk)
    except BaseException:
        destination.unlink()
        raise
