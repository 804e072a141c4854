"""Rejected by: test_a_name_that_is_taken_is_refused
Also: test_an_existing_file_keeps_its_bytes,
    test_a_file_that_appears_at_the_last_moment_is_left_alone

Renaming over a name shows no half file. What happens to the file that had the name?

改名覆盖不会让人看到半个文件。可原来叫这个名字的文件怎么样了？
"""

import os


def deliver(chunks, destination):
    temporary = destination.with_name("." + destination.name + ".part")
    try:
        with temporary.open("xb") as file:
            for chunk in chunks:
                file.write(chunk)
        os.replace(temporary, destination)
    except BaseException:
        temporary.unlink()
        raise
