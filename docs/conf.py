"""How the site is built: `make docs`. Nothing is fetched; formulas are set by a MathJax that the
site carries.
"""

import sys
from importlib.metadata import version as _version
from pathlib import Path

import wideberth

sys.path.insert(0, str(Path(__file__).parents[1] / "tools" / "site"))

project = "wideberth"
author = "the wideberth developers"
copyright = "the wideberth developers"  # noqa: A001 - the name that Sphinx asks for
version = release = _version("wideberth")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",
    "linked_names",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = [
    "_build",
    "paper",
    "**sg_execution_times.rst",
    "gallery/*.md5",
    "gallery/**/*.ipynb",
]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3

autosummary_generate = True
default_role = "autolink"  # a name in single backticks is a link if it has a page
autodoc_typehints = "none"
autodoc_default_options = {
    "members": True,
    "exclude-members": "set_fit_request, set_score_request, set_partial_fit_request, "
    "set_predict_request",
}
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

autosummary_context = {
    "at_the_top": wideberth.__all__
}  # a class has one entry, at the address that people type
nitpicky = True
nitpick_ignore_regex = [
    (
        "py:obj",
        r"(?!wideberth\.).*",
    ),  # methods and attributes by their own names, and other libraries
    ("py:obj", r"wideberth(\.\w+){3,}"),  # where something is made, for readers of the sources
    ("py:obj", r"wideberth\.(choice|estimators|objects)\.\w+"),
    (
        "py:obj",
        r"wideberth\.(guarantees\.Certificate|report\.Report)",
    ),  # their entries are at the top
    ("py:obj", r"wideberth\.bounds\.(balls|binomial|compression|margin|named)"),
]

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"__init__|conftest",
    "image_scrapers": ("matplotlib",),
    "capture_repr": ("_repr_html_",),
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1,
    "remove_config_comments": True,
    # that page would fetch scripts; every case says how long it took
    "write_computation_times": False,
    "plot_gallery": "True",
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "wideberth"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["llms.txt"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
#: Pages with tables of many columns, which take the whole width; each by its name, because the
#: theme warns of two patterns.
BENCHMARKS = [
    f"benchmarks/{page.stem}" for page in sorted(Path(__file__).parent.glob("benchmarks/*.md"))
]
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"]} | {page: [] for page in BENCHMARKS},
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}

#: What users ask a classifier or an embedding; the rest of the contract is for those who add one.
ASKED_BY_USERS = {
    "answers",
    "certified_radius",
    "decision_function",
    "explain",
    "fit",
    "fit_transform",
    "kept",
    "path",
    "predict",
    "predict_proba",
    "score",
    "summary",
    "transform",
}


def leave_out_the_contract(app, what, name, obj, skip, options):  # type: ignore[no-untyped-def]
    """Leave methods out of the reference that only the packages of the library call."""
    from wideberth.estimators.metric_classifier import MetricClassifier

    owed = hasattr(MetricClassifier, name) and not name.endswith("_") and name not in ASKED_BY_USERS
    return (
        True
        if what == "class" and owed and getattr(obj, "__module__", "").startswith("wideberth.")
        else None
    )


def setup(app):  # type: ignore[no-untyped-def]
    """Connect what decides on the members that pages show."""
    app.connect("autodoc-skip-member", leave_out_the_contract)
