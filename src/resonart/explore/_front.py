"""The front end: our own files of JavaScript and CSS, joined into one module and one sheet."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
from functools import cache
from importlib.resources import files

from ._messages import Message, frame

# Joined in this order they make one module: each part uses those before it.
PARTS = ("looks", "messages", "geometry", "painter", "plot", "panels", "explorer")

# The script of a served page: the module, with a web socket.
START = (
    "import { openPage } from './explorer.js';\nopenPage(document.getElementById('explorer'));\n"
)
# The last line of a file's script: the module, with the content of the file.
OPEN = "\nopenFile(document.getElementById('explorer'), document.getElementById('content'));\n"


@cache
def module() -> str:
    """Return the front end as one ES module, for anywidget, the server and a file."""
    folder = files(__package__).joinpath("front")
    return "\n".join(folder.joinpath(f"{part}.js").read_text("utf-8") for part in PARTS)


@cache
def sheet() -> str:
    """Return the style sheet."""
    return files(__package__).joinpath("front", "explorer.css").read_text("utf-8")


def page(title: str) -> str:
    """Return the page that the server sends."""
    return _document(
        title,
        '<link rel="stylesheet" href="explorer.css">\n'
        '<script type="module" src="start.js"></script>',
    )


def html_file(title: str, content: Message) -> str:
    """Return one file that contains everything and makes no request.

    Its security policy allows only its own script and style sheet, by their digests: a name or a
    value that looks like markup could not run even if it were not shown as text.
    """
    script, style = module() + OPEN, sheet()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    packed = base64.b64encode(gzip.compress(frame(content), 6, mtime=0)).decode("ascii")
    return _document(
        title,
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n'
        f"<style>{style}</style>",
        f'<script type="application/octet-stream" id="content">{packed}</script>\n'
        f'<script type="module">{script}</script>\n',
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _document(title: str, head: str, end: str = "") -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(title)}</title>\n{head}\n</head>\n"
        f'<body>\n<div id="explorer"></div>\n{end}</body>\n</html>\n'
    )
