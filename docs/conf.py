"""How Sphinx builds these pages: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

import inducer

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "inducer"
author = "the inducer authors"
copyright = f"2026, {author}"
version = release = inducer.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "course_map",
    "bars",
    "own_members",
]
exclude_patterns = ["_build", "_ext", "_templates"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3

default_role = "py:obj"
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = f"inducer {version}"
html_static_path = ["_static"]
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
