"""An extension for Sphinx that bakes the pages after they are built."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from imgbake.bake import Bake, BakeError

log = logging.getLogger(__name__)

#: The builders that write a site. Others that write HTML pack it into another format.
SITE_BUILDERS = {"html", "dirhtml", "singlehtml"}


def set_up(app: Sphinx) -> dict[str, Any]:
    """Register the extension and its value in `conf.py`."""
    app.add_config_value("imgbake_config", {}, "", [dict])
    # After the handlers of other extensions, which may write images too.
    app.connect("build-finished", bake_pages, priority=1000)
    try:
        version = metadata.version("imgbake")
    except metadata.PackageNotFoundError:
        version = "unknown"
    return {"version": version, "parallel_read_safe": True, "parallel_write_safe": True}


def bake_pages(app: Sphinx, exception: Exception | None) -> None:
    """Bake the pages in place."""
    if exception is not None or app.builder.name not in SITE_BUILDERS:
        return
    bake = Bake(
        site=str(app.outdir),
        project=str(app.confdir),
        settings=app.config.imgbake_config,
        place="conf.py: imgbake_config",
        site_url=app.config.html_baseurl or None,
        sources=dict(_sources(app)),
    )
    try:
        bake.run(log)
    except BakeError as error:
        raise ExtensionError(str(error), modname="imgbake") from error


def _sources(app: Sphinx) -> Iterator[tuple[str, str]]:
    """The pages, relative to the site, and the documents that they were made of."""
    for name in app.env.found_docs:
        page = os.path.relpath(app.builder.get_outfilename(name), app.outdir)
        yield page, os.path.relpath(app.env.doc2path(name), app.confdir)
