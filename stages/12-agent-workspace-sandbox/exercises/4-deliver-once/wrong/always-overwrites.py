"""Rejected by: test_an_existing_file_keeps_its_bytes
Also: test_a_name_that_is_taken_is_refused, test_a_failed_source_harms_no_existing_file,
    test_a_file_that_appears_at_the_last_moment_is_left_alone

The mode says what becomes of a file that is there already. Which mode refuses?

打开模式决定了已有的文件会怎样。哪种模式会拒绝？
"""

def deliver(chunks, destination):
    file = destination.open("wb")
    try:
        with file:
            for chunk in chunks:
                file.write(chunk)
    except BaseException:
        destination.unlink()
        raise
