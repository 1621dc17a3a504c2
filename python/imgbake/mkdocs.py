"""A plugin for MkDocs that bakes the site after it is built."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.config.base import Config
from mkdocs.config.config_options import Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger

from imgbake.bake import Bake, BakeError

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.structure.files import Files

log = get_plugin_logger(__name__)


class PluginOptions(Config):
    """The options of the plugin itself. imgbake reads and judges all others."""

    serve = Type(bool, default=False)
    """Whether `mkdocs serve` bakes too, after every change."""


class ImgbakePlugin(BasePlugin[PluginOptions]):
    """Bakes the folder of the built site in place."""

    def __init__(self) -> None:
        self._is_serving = False
        self._settings: dict[str, Any] = {}
        self._sources: dict[str, str] = {}

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[list[tuple[str, Exception]], list[tuple[str, str]]]:
        """Separate the plugin's own options from the settings of imgbake."""
        self._settings = dict(options)
        own = {"serve": self._settings.pop("serve", False)}
        return super().load_config(own, config_file_path)

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember whether the site is published or only looked at."""
        self._is_serving = command == "serve"

    @event_priority(-1000)
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> None:
        """Remember the documents of the pages, for messages."""
        docs = os.path.relpath(config.docs_dir, _project(config))
        self._sources = {
            file.dest_uri: f"{docs}/{file.src_uri}" for file in files.documentation_pages()
        }

    # After all other plugins, which may write images too.
    @event_priority(-1000)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Bake the site."""
        if self._is_serving and not self.config.serve:
            return
        file = config.config_file_path
        bake = Bake(
            site=config.site_dir,
            project=_project(config),
            settings=self._settings,
            place=f"{os.path.basename(file or 'mkdocs.yml')}: plugins: imgbake",
            site_url=config.site_url or None,
            sources=self._sources,
        )
        try:
            bake.run(log)
        except BakeError as error:
            raise PluginError(str(error)) from error


def _project(config: MkDocsConfig) -> str:
    """The folder of the configuration file."""
    file = config.config_file_path
    return os.path.dirname(os.path.abspath(file)) if file else os.getcwd()
