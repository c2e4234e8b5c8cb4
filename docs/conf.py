"""Sphinx configuration."""

import sys
from pathlib import Path

import palmares

sys.path.insert(0, str(Path(__file__).parent))

project = "Palmares"
author = "The Palmares developers"
copyright = "The Palmares developers"
release = palmares.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml", "reference", "accessible"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
default_role = "code"

html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["palmares.css", "reference.css"]
html_title = f"Palmares {release}"
html_show_sourcelink = False
