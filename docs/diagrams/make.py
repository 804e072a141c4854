"""Draw the course's diagrams: one function each, one SVG a language.

    python docs/diagrams/make.py

Authors run this after a change and commit the SVG; readers and CI do not need it.
A diagram is named after its function; `drawing.py` has what it is drawn with.
"""

from __future__ import annotations

import sys
from pathlib import Path

import home
import stage_12
import stage_14
import stage_15
from drawing import LANGUAGES, Drawing

HERE = Path(__file__).resolve().parent
PARTS = (home, stage_12, stage_14, stage_15)


def drawings() -> dict[str, str]:
    """Return every file name with its content."""
    files = {}
    for part in PARTS:
        for draw, (height, title, description) in part.DRAWINGS.items():
            name = draw.__name__.replace("_", "-")
            for language, suffix in LANGUAGES.items():
                if name + suffix in files:
                    sys.exit(f"{part.__name__}: another part has a {name} too")
                drawing = Drawing(name, height, title, description, language)
                draw(drawing)
                files[name + suffix] = drawing.svg()
    return files


if __name__ == "__main__":
    for file_name, content in drawings().items():
        (HERE / file_name).write_text(content, "utf-8", newline="\n")
        print(file_name)
