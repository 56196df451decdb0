"""How Sphinx builds the documentation; `make docs` runs it, without any network."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]  # own directives; examples and benchmarks

import fewest  # noqa: E402

project = "fewest"
author = "The fewest developers"
copyright = author
version = release = fewest.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "plain_docstrings",
    "mathml",
    "command_line",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
# `name` in a docstring becomes a link where there is such a thing, and code where there is none.
default_role = "py:obj"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "gallery_order.Key",
    "ignore_pattern": r"^_|/_",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 10_000,
    "remove_config_comments": True,
    "capture_repr": (),
    "abort_on_example_error": False,
    "write_computation_times": False,
}

html_theme = "furo"
html_title = f"fewest {release}"
html_static_path = ["_static"]
html_css_files = ["fewest.css"]
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def _skip_what_is_inherited_from_elsewhere(app, what, name, member, skip, options):
    """Leave methods of scikit-learn out: its own pages explain them."""
    return True if str(getattr(member, "__module__", "")).startswith("sklearn.") else None


def _trim_snippets(app, doctree):
    """Leave out the empty line that ends a snippet's output for doctest."""
    from docutils import nodes  # here, so that tests can read the settings without Sphinx

    for block in doctree.findall(nodes.literal_block):
        block.rawsource = block.astext().rstrip()
        block.children = [nodes.Text(block.rawsource)]


def setup(app):
    """Connect to Sphinx."""
    app.connect("doctree-read", _trim_snippets)
    app.connect("autodoc-skip-member", _skip_what_is_inherited_from_elsewhere)
