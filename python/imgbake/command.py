"""Finds the command that was installed with this package."""

from __future__ import annotations

import os
import shutil
from importlib import metadata


class CommandNotFound(Exception):
    """There is no command `imgbake`."""


def command_path() -> str:
    """The path of the command.

    The environment variable `IMGBAKE` names another one, for development.

    Raises:
        CommandNotFound: The command is neither installed with this package nor in PATH, or the
            variable names none.
    """
    named = os.environ.get("IMGBAKE")
    if named:
        path = os.path.abspath(named)
        if not os.path.isfile(path) or not os.access(path, os.X_OK):
            raise CommandNotFound(f"the environment variable IMGBAKE names no command: {named}")
        return path
    path = _installed_path() or shutil.which("imgbake")
    if path is None:
        raise CommandNotFound(
            "the command imgbake is not installed; run 'pip install --force-reinstall imgbake', "
            "or name it in the environment variable IMGBAKE"
        )
    return path


def _installed_path() -> str | None:
    """The path of the command in the list of the files that pip installed."""
    try:
        files = metadata.files("imgbake") or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.parts[-2:] == ("bin", "imgbake"):
            path = os.path.realpath(file.locate())
            if os.access(path, os.X_OK):
                return path
    return None
