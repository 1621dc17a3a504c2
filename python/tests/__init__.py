"""Tests of the plugin and the extension, with the real tools, command and requests."""
