"""Sphinx: names of the library in code, such as ``AutoClassifier``, become links to their pages in
the reference.

The pages are read in the repository too, so they are written in plain Markdown, without roles.
"""

from typing import Any

from docutils import nodes
from public_names import target_of
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class LinkedNames(SphinxTransform):
    """Wraps names in running code in references, and ends blocks of code at their last line."""

    default_priority = 450

    def apply(self, **kwargs: Any) -> None:
        """Change the tree of one page."""
        for block in self.document.findall(nodes.literal_block):
            if (
                block.rawsource == block.astext()
            ):  # code, which Sphinx colours as long as these two agree
                block.rawsource = block.astext().rstrip(
                    "\n"
                )  # doctests need an empty line before a fence, readers do not
                block.children = [nodes.Text(block.rawsource)]
        own = self.env.docname
        for literal in [*self.document.findall(nodes.literal)]:
            target = target_of(literal.astext())
            if target is None or own.startswith(("api/", "decisions/")) or _is_linked(literal):
                continue
            link = {
                "refdomain": "py",
                "reftype": "obj",
                "reftarget": target,
                "refexplicit": True,
                "refdoc": own,
                "refwarn": True,
            }
            reference = pending_xref("", **link)
            literal.replace_self(reference)
            reference += literal


def _is_linked(node: nodes.Element) -> bool:
    """Whether a node stands in a link or in a heading already."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, (nodes.reference, pending_xref, nodes.title)):
            return True
    return False


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(LinkedNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
