"""How Sphinx builds the site: `./dev docs`. Nothing is loaded from a network, neither here nor by the pages."""

project = "Myriad"
author = "The Myriad developers"
copyright = "the Myriad developers, Apache 2.0"  # the name that Sphinx gives it
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
# Blocks without a language are what programs print.
highlight_language = "none"
# JSON of studies may have comments, which the lexer of JSON does not know; a guide may leave out a level of headings.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
html_theme = "alabaster"
html_theme_options = {"description": "Many instances of one small multibody system", "page_width": "75em",
                      "fixed_sidebar": True}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_copy_source = False
html_show_sphinx = False
