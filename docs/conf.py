"""How Sphinx builds the site (``make docs``). tests/repository/test_docs.py has a quick build."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
# A copy of the pages can be built elsewhere, as the tests do; then this says where the rest is.
ROOT = Path(os.environ.get("RESONART_ROOT", DOCS.parent)).resolve()
sys.path.insert(0, str(DOCS / "_ext"))

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

project = "resonart"
author = copyright = "the resonart developers"
release = PROJECT["version"]
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "public_members",
    "check_links",
    "repository_pages",
    "site_files",
]

exclude_patterns = [
    "_ext",
    "_templates",
    "gallery/*.ipynb",
    "gallery/*.py",
    "**/GALLERY_HEADER.rst",
]
templates_path = ["_templates"]
highlight_language = "none"
smartquotes = False  # options begin with two dashes
nitpicky = True
# A hidden option, whose variable sphinx-click tells nevertheless.
suppress_warnings = ["ref.option"]
# Words of parameter types that are not names of anything, and names of other libraries.
nitpick_ignore_regex = [(r"py:.*", r"(sklearn|numpy|scipy|pandas|matplotlib|dask|river|click)\..*")]

# Pages: Markdown that a code host shows as well.
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3

# Reference: a page for each public name, from its docstring.
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
toc_object_entries_show_parents = "hide"  # beside a page there is no room for them
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Gallery: the examples of examples/gallery, run in the full build.
sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "plot_gallery": os.environ.get("RESONART_DOCS", "full") == "full",
    "abort_on_example_error": True,
    "doc_module": ("resonart",),
    "reference_url": {"resonart": None},
    "backreferences_dir": "gallery/backreferences",
    "within_subsection_order": "gallery_order.sort_key",
    "download_all_examples": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1_000,
    "matplotlib_animations": False,
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
    "copyfile_regex": r"^$",
    "write_computation_times": False,
}

# Where the site is published, and as which version: RESONART_SITE=https://host/resonart.
SITE = os.environ.get("RESONART_SITE", "").rstrip("/")
SITE_VERSION = os.environ.get("RESONART_SITE_VERSION", "dev")
# Here this version stands alone; packaging/site.py puts it among the others.
site_versions = [SITE_VERSION]
site_url = SITE
repository_root = str(ROOT)
repository_url = PROJECT.get("urls", {}).get("Repository", "").rstrip("/")

html_theme = "pydata_sphinx_theme"
html_title = f"resonart {release}"
html_static_path = ["_static"]
html_css_files = ["resonart.css"]
html_favicon = "_static/logo.svg"
html_baseurl = f"{SITE}/{SITE_VERSION}/" if SITE else ""
html_show_sourcelink = True
html_theme_options: dict[str, Any] = {
    "logo": {
        "text": "resonart",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
    },
    "navbar_align": "left",
    "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    "navbar_persistent": ["search-button"],
    "show_prev_next": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc", "sourcelink", "sg_download_links"],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "switcher": {"json_url": f"{SITE}/switcher.json", "version_match": SITE_VERSION},
    "check_switcher": False,
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"start": [], "which": [], "index": []}
if repository_url:
    html_theme_options["icon_links"] = [
        {"name": "Source code", "url": repository_url, "icon": "fa-solid fa-code-branch"}
    ]
