"""imgbake makes a static site own its images.

The wheel contains the command `imgbake`, a plugin for MkDocs (`plugins: [imgbake]`) and an extension
for Sphinx (`extensions = ["imgbake"]`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up the extension for Sphinx, which calls this function by its name."""
    # Without Sphinx, the rest of the package must still work.
    from imgbake.sphinx import set_up

    return set_up(app)
