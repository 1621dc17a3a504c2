"""The extension for Sphinx."""

from __future__ import annotations

import subprocess
import unittest
from pathlib import Path

from tests.support import ProjectTestCase

PAGES = {
    "index.rst": "Manual\n======\n\n.. image:: ORIGIN/photo.jpg\n\n.. toctree::\n\n   guide/page\n",
    "guide/page.md": "# Page\n\n![A drawing](ORIGIN/drawing.png)\n\n<img src='ORIGIN/logo.svg'>\n",
}
SETTINGS = 'imgbake_config = {"fetch": {"allow-private-network": True}}\n'


def configuration(theme: str, extensions: list[str], more: str = "") -> dict[str, str]:
    """The file conf.py."""
    text = "project = 'Manual'\nhtml_baseurl = 'https://example.org/manual/'\n"
    return {"conf.py": f"{text}html_theme = '{theme}'\nextensions = {extensions}\n{more}"}


class SphinxTests(ProjectTestCase):
    """Builds sites with Sphinx."""

    def build(
        self, project: Path, builder: str = "html", *arguments: str
    ) -> subprocess.CompletedProcess:
        """Run `sphinx-build`, with its own files outside of the site."""
        options = ["-b", builder, "-d", "trees", *arguments]
        return self.python("sphinx", *options, ".", "_site", folder=project)

    def small(self, more: str = SETTINGS) -> Path:
        """A project of one page with two images, of which one is missing."""
        page = "Start\n=====\n\n.. image:: ORIGIN/photo.jpg\n\n.. image:: ORIGIN/gone.png\n"
        return self.write(
            "small", {"index.rst": page} | configuration("alabaster", ["imgbake"], more)
        )

    def test_equals_command(self) -> None:
        """With the usual themes, and pages in folders of their own."""
        for theme, builder in (
            ("furo", "html"),
            ("alabaster", "html"),
            ("alabaster", "dirhtml"),
            ("sphinx_rtd_theme", "html"),
        ):
            with self.subTest(theme=theme, builder=builder):
                self.compare_with_command(
                    PAGES | configuration(theme, ["myst_parser"]),
                    PAGES | configuration(theme, ["myst_parser", "imgbake"], SETTINGS),
                    lambda project, builder=builder: self.build(project, builder, "-E", "-a"),
                    "_site",
                    "https://example.org/manual/",
                )

    def test_other_builders_write_what_they_did(self) -> None:
        """Only the builders of sites bake."""
        for builder in ("text", "epub"):
            project = self.small()
            output = self.expect_success(self.build(project, builder))
            self.assertNotIn("http-status", output)
            self.assertFalse((project / "_site/imgbake").exists())

    def test_warnings_as_errors_fail_on_missing_image(self) -> None:
        """Without -W, the same build succeeds and says so."""
        project = self.small()
        output = self.expect_success(self.build(project))
        self.assertIn("[http-status]", output)
        self.assertIn(f"{self.origin}/gone.png", output)
        strict = self.build(project, "html", "-E", "-a", "-W")
        self.assertEqual(strict.returncode, 1, strict.stdout)

    def test_messages_name_settings_and_documents(self) -> None:
        """Users of the extension give no options, and have not written the HTML."""
        output = self.expect_success(self.build(self.small("")))
        self.assertIn(f"index.rst: cannot fetch {self.origin}/photo.jpg", output)
        self.assertIn("give the setting 'fetch.allow-private-network' if", output)
        self.assertNotIn("index.html", output)

    def test_imgbake_names_wrong_settings(self) -> None:
        """The place is that in conf.py, and the temporary file is removed."""
        project = self.small('imgbake_config = {"max-widht": 3}\n')
        result = self.build(project)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        wanted = "conf.py: imgbake_config: unknown key 'max-widht'; did you mean 'max-width'?"
        self.assertIn(wanted, result.stdout)
        self.assertEqual(list(project.glob(".imgbake*")), [])


if __name__ == "__main__":
    unittest.main()
