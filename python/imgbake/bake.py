"""Bakes a built site with the command, and hands its messages to a logger.

A plugin does nothing to pages itself, so that it cannot differ from the command. It passes settings
on in a file beside the configuration of the project, because paths in them are relative to it.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from imgbake.command import CommandNotFound, command_path

Words = list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]

#: The exit code of the command for a wrong option or setting.
USAGE = 2


class BakeError(Exception):
    """The command did not run, or refused its settings."""


@dataclass(frozen=True)
class Bake:
    """A built site, and how it is baked in place."""

    site: str
    """The folder of the built site."""
    project: str
    """The folder of the project's configuration file. Paths in settings are relative to it."""
    settings: Mapping[str, Any]
    """Settings with the names of `imgbake.yml`. If it is empty, imgbake looks for that file."""
    place: str
    """Where the user wrote the settings, for messages."""
    site_url: str | None
    """Where the site is published; the setting `site-url` overrides it."""
    sources: Mapping[str, str]
    """The documents that the pages were made of, relative to the project, by the paths of the pages
    in the site."""

    def run(self, log: logging.Logger | logging.LoggerAdapter[Any]) -> None:
        """Bake the site.

        Every message of the command goes to `log`: errors and warnings with their level, and the
        rest as information. An image that cannot be baked is an error in the log, and no exception.

        Raises:
            BakeError: The command did not run, or refused its settings.
        """
        if self.settings and os.path.exists(os.path.join(self.project, "imgbake.yml")):
            log.info("imgbake.yml is not read, because there are settings in %s", self.place)
        with self._configuration() as configuration:
            messages = _Messages(log, self._words(configuration))
            code = _run(self._arguments(configuration), self.project, messages)
        if code == USAGE:
            raise BakeError("imgbake refused its settings")
        if code != 0 and not messages.has_errors:
            log.error("imgbake ended with exit code %d", code)

    def _words(self, configuration: str | None) -> Words:
        """What the messages of the command say otherwise: patterns, and their replacements."""
        # A page of a site that is served is in a temporary folder.
        site = re.escape(os.path.relpath(self.site, self.project))
        words: Words = [
            (re.compile(rf"{site}/([^:,\n]+)(?::\d+)*"), self._source),
            # Users of the plugin have settings, and no command line.
            (re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])"), _setting),
            (re.compile(r"; -v lists each image"), lambda _: ""),
        ]
        if configuration:
            # Positions in the temporary file would mean nothing to the user.
            file = re.compile(rf"(?:\S*/)?{re.escape(configuration)}(?::\d+)*")
            words.append((file, lambda _: self.place))
        return words

    def _source(self, page: re.Match[str]) -> str:
        return self.sources.get(page[1], page[0])

    def _arguments(self, configuration: str | None) -> list[str]:
        arguments = ["bake", os.path.relpath(self.site, self.project)]
        if configuration:
            arguments += ["--config", configuration]
        if self.site_url and "site-url" not in self.settings:
            arguments += ["--site-url", self.site_url]
        return arguments

    @contextmanager
    def _configuration(self) -> Iterator[str | None]:
        """A configuration file with the settings, which is removed afterwards.

        It is in the folder of the project, because paths in it are relative to it.
        """
        if not self.settings:
            yield None
            return
        try:
            text = json.dumps(self.settings, ensure_ascii=False, indent=1)
            file = tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", dir=self.project, prefix=".imgbake-", suffix=".yml"
            )
        except (OSError, TypeError, ValueError) as error:
            raise BakeError(f"{self.place}: cannot pass the settings on: {error}") from error
        with file:
            # JSON is valid YAML.
            file.write(text)
            file.flush()
            yield os.path.basename(file.name)


def _setting(option: re.Match[str]) -> str:
    """The setting of an option, as messages name it; the option, if it has none."""
    keys = _settings()
    return f"the setting '{keys[option[1]]}'" if option[1] in keys else option[0]


@functools.cache
def _settings() -> dict[str, str]:
    """The keys of settings, by the names of their options."""
    output = subprocess.run(
        [command_path(), "config", "show", "--no-config", "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    ).stdout
    try:
        rows = json.loads(output)["settings"]
    except (ValueError, KeyError):
        return {}
    return {row["option"]: row["key"] for row in rows if "option" in row}


class _Messages:
    """Sends the lines that the command prints to a logger."""

    def __init__(self, log: logging.Logger | logging.LoggerAdapter[Any], words: Words) -> None:
        self.has_errors = False
        self._log = log
        self._words = words

    def read(self, lines: Iterable[str]) -> None:
        """Log each message with the indented lines that follow it."""
        message: list[str] = []
        for line in lines:
            line = line.rstrip()
            if message and not line.startswith(" "):
                self._send(message)
                message = []
            if line:
                message.append(line)
        if message:
            self._send(message)

    def _send(self, lines: list[str]) -> None:
        text = "\n".join(lines)
        for pattern, replacement in self._words:
            text = pattern.sub(replacement, text)
        text = text.removeprefix("imgbake: ")
        if text.startswith("error: "):
            self.has_errors = True
            self._log.error("%s", text.removeprefix("error: "))
        elif text.startswith("warning: "):
            self._log.warning("%s", text.removeprefix("warning: "))
        else:
            self._log.info("%s", text)


def _run(arguments: list[str], folder: str, messages: _Messages) -> int:
    """Run the command in a folder, and return its exit code."""
    try:
        process = subprocess.Popen(
            [command_path(), *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
    except CommandNotFound as error:
        raise BakeError(str(error)) from error
    except OSError as error:
        raise BakeError(f"cannot run {error.filename}: {error.strerror}") from error
    assert process.stdout is not None
    try:
        messages.read(process.stdout)
    finally:
        # After Ctrl-C, the command finishes the documents that it has begun.
        process.stdout.close()
        code = process.wait()
    return code
