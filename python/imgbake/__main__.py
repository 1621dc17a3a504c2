"""Runs the command: `python3 -m imgbake site/`."""

import os
import sys

from imgbake.command import CommandNotFound, command_path

try:
    path = command_path()
except CommandNotFound as error:
    sys.exit(f"imgbake: error: {error}")
os.execv(path, [path, *sys.argv[1:]])
