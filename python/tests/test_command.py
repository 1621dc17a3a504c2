"""The command that the package finds and runs."""

from __future__ import annotations

import unittest

from tests.support import ProjectTestCase


class CommandTests(ProjectTestCase):
    """Runs `python3 -m imgbake`."""

    def test_module_runs_the_command(self) -> None:
        """Arguments, output and exit code are those of the command."""
        direct = self.run_in(self.folder, self.environment["IMGBAKE"], "--version")
        module = self.python("imgbake", "--version", folder=self.folder)
        self.assertEqual(module.stdout, direct.stdout)
        wrong = self.python("imgbake", "--no-such-option", folder=self.folder)
        self.assertEqual(wrong.returncode, 2, wrong.stdout)

    def test_missing_command_has_a_remedy(self) -> None:
        """The wheel without programs, as the tests install it, has no command."""
        del self.environment["IMGBAKE"]
        self.environment["PATH"] = "/nowhere"
        result = self.python("imgbake", "--version", folder=self.folder)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("pip install --force-reinstall imgbake", result.stdout)


if __name__ == "__main__":
    unittest.main()
