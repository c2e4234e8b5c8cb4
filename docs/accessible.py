"""What the theme leaves out for keyboards and screen readers: named landmarks, levels of captions, boxes that scroll.

A Sphinx extension: finished pages are corrected, since themes have no option for it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

#: What the theme writes, and what stands there instead.
REPLACED = {
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Contents of the site">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    'role="heading">': 'role="heading" aria-level="2">',
    "<pre>": '<pre tabindex="0">',
}
#: A box around a table, whatever else its class says.
_TABLE = re.compile(r'(<div class="table-wrapper[^">]*")>')


def corrected(page: str) -> str:
    """The HTML of a page; correcting it twice changes nothing more."""
    for old, new in REPLACED.items():
        page = page.replace(old, new)
    return _TABLE.sub(r'\1 tabindex="0">', page)


def correct_pages(app: Any, error: Exception | None) -> None:
    """Correct every page that was built."""
    if error is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            text = path.read_text(encoding="utf-8")
            if (better := corrected(text)) != text:
                path.write_text(better, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", correct_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
