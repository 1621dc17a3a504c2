"""The plugin for MkDocs."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from tests.support import ProjectTestCase

FONTS = Path("/usr/share/fonts/truetype/dejavu")

MATERIAL = """\
theme:
  name: material
  font: false
  features: [navigation.instant, navigation.instant.prefetch, content.code.copy]
markdown_extensions: [attr_list, md_in_html, admonition]
extra_css: [extra.css]
"""
MATERIAL_PLUGINS = "plugins: [search, blog, social"
SETTINGS = "imgbake: {fetch: {allow-private-network: true}}"

PAGES = {
    "docs/index.md": "---\nimage: x\n---\n# Start\n\n![A photograph](ORIGIN/photo.jpg)\n\n"
    '<figure markdown="span">\n![A drawing](ORIGIN/drawing.png){ width="100" }\n</figure>\n',
    "docs/guide/deep.md": '# Deep\n\n<img src="ORIGIN/logo.svg" alt="A logo">\n\n'
    "!!! note\n    ![A drawing](ORIGIN/drawing.png)\n",
    "docs/extra.css": ".md-main { background: url(ORIGIN/drawing.png) }\n",
}
BLOG = {
    "docs/blog/index.md": "# Blog\n",
    "docs/blog/posts/one.md": "---\ndate: 2024-01-31\n---\n# One\n\n![A photograph](ORIGIN/photo.jpg)"
    '\n\n<!-- more -->\n\n<img src="ORIGIN/logo.svg">\n',
}


def configuration(theme: str, plugins: str) -> dict[str, str]:
    """The file mkdocs.yml."""
    head = "site_name: Notes\nsite_url: https://example.org/notes/\n"
    return {"mkdocs.yml": f"{head}{theme}{plugins}"}


class MkDocsTests(ProjectTestCase):
    """Builds sites with MkDocs."""

    def build(self, project: Path, *arguments: str) -> subprocess.CompletedProcess:
        """Run `mkdocs build`."""
        return self.python("mkdocs", "build", *arguments, folder=project)

    def build_small(self, settings: str, *arguments: str) -> subprocess.CompletedProcess:
        """Build a site of one page with the plugin; the settings are in the flow style of YAML."""
        files = {"docs/index.md": "![A](ORIGIN/photo.jpg)\n\n![B](ORIGIN/gone.png)\n"}
        files |= configuration("theme: mkdocs\n", f"plugins: [imgbake: {settings}]\n")
        return self.build(self.write("small", files), *arguments)

    def test_equals_command_with_material(self) -> None:
        """Search, blog, social cards and instant navigation do not matter."""
        for project in ("plain", "equipped"):
            # Without a font in its cache, the social plugin would load one.
            fonts = self.folder / project / ".cache/plugin/social/fonts/Roboto"
            fonts.mkdir(parents=True)
            shutil.copy(FONTS / "DejaVuSans.ttf", fonts / "Regular.ttf")
            shutil.copy(FONTS / "DejaVuSans-Bold.ttf", fonts / "Bold.ttf")
        self.compare_with_command(
            PAGES | BLOG | configuration(MATERIAL, f"{MATERIAL_PLUGINS}]\n"),
            PAGES | BLOG | configuration(MATERIAL, f"{MATERIAL_PLUGINS}, {SETTINGS}]\n"),
            self.build,
            "site",
            "https://example.org/notes/",
        )
        site = self.folder / "equipped/site"
        self.assertTrue((site / "assets/images/social/index.png").exists())
        self.assertTrue((site / "search/search_index.json").exists())
        self.assertEqual(list((site.parent).glob(".imgbake*")), [])

    def test_equals_command_with_own_themes(self) -> None:
        """The themes of MkDocs itself."""
        for theme in ("mkdocs", "readthedocs"):
            with self.subTest(theme):
                extensions = "markdown_extensions: [attr_list, md_in_html]\n"
                options = f"theme: {theme}\nextra_css: [extra.css]\n{extensions}"
                self.compare_with_command(
                    PAGES | configuration(options, "plugins: [search]\n"),
                    PAGES | configuration(options, f"plugins: [search, {SETTINGS}]\n"),
                    self.build,
                    "site",
                    "https://example.org/notes/",
                )

    def test_strict_build_fails_on_missing_image(self) -> None:
        """Without --strict, the same build succeeds and says so."""
        settings = "{fetch: {allow-private-network: true}}"
        plain = self.build_small(settings)
        self.assertIn("[http-status]", self.expect_success(plain))
        self.assertIn(f"{self.origin}/gone.png", plain.stdout)
        strict = self.build_small(settings, "--strict")
        self.assertEqual(strict.returncode, 1, strict.stdout)
        self.assertIn("in strict mode", strict.stdout)

    def test_strict_build_succeeds_with_tolerated_failure(self) -> None:
        """A setting of imgbake decides what is an error."""
        files = {"docs/index.md": "![A](ORIGIN/photo.jpg)\n"}
        files |= configuration("theme: mkdocs\n", f"plugins: [{SETTINGS}]\n")
        self.expect_success(self.build(self.write("whole", files), "--strict"))

    def test_imgbake_names_wrong_settings(self) -> None:
        """The place is that in mkdocs.yml, and the temporary file is removed."""
        result = self.build_small("{max-widht: 3}")
        self.assertEqual(result.returncode, 1, result.stdout)
        wanted = "mkdocs.yml: plugins: imgbake: unknown key 'max-widht'; did you mean 'max-width'?"
        self.assertIn(wanted, result.stdout)
        self.assertEqual(list((self.folder / "small").glob(".imgbake*")), [])

    def test_messages_name_settings_and_documents(self) -> None:
        """Users of the plugin give no options, and have not written the HTML."""
        files = {f"docs/{name}.md": "![A](ORIGIN/photo.jpg)\n" for name in ("index", "b")}
        files |= configuration("theme: mkdocs\n", "plugins: [imgbake]\n")
        output = self.expect_success(self.build(self.write("places", files)))
        self.assertIn(f"docs/b.md: cannot fetch {self.origin}/photo.jpg", output)
        self.assertIn("also at docs/index.md", output)
        self.assertIn("give the setting 'fetch.allow-private-network' if", output)
        self.assertNotIn("--", output)
        self.assertNotIn(".html", output)

    def test_own_option_must_be_boolean(self) -> None:
        """MkDocs judges the option of the plugin."""
        result = self.build_small("{serve: sometimes}")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("serve", result.stdout)

    def test_reads_imgbake_yml_without_settings(self) -> None:
        """As `imgbake site/` does in the folder of mkdocs.yml, from any folder."""
        files = {
            "docs/index.md": "![A](ORIGIN/photo.jpg)\n",
            "imgbake.yml": "image-dir: pictures\nfetch: {allow-private-network: true}\n",
        }
        files |= configuration("theme: mkdocs\n", "plugins: [imgbake]\n")
        project = self.write("project", files)
        result = self.build(self.folder, "--strict", "--config-file", str(project / "mkdocs.yml"))
        self.expect_success(result)
        self.assertEqual(len(list((project / "site/pictures").glob("photo-*"))), 1)

    def test_missing_command_is_named(self) -> None:
        """A command that does not exist is an error of the build."""
        self.environment["IMGBAKE"] = "/nowhere/imgbake"
        result = self.build_small("{}")
        self.assertEqual(result.returncode, 1, result.stdout)
        wanted = "the environment variable IMGBAKE names no command: /nowhere/imgbake"
        self.assertIn(wanted, result.stdout)

    def test_serve_bakes_only_if_told(self) -> None:
        """`mkdocs serve` shows the remote image unless `serve` is true."""
        for serve in (False, True):
            with self.subTest(serve=serve):
                files = {"docs/index.md": "![A](ORIGIN/photo.jpg)\n"}
                options = f"{{serve: {str(serve).lower()}, fetch: {{allow-private-network: true}}}}"
                files |= configuration("theme: mkdocs\n", f"plugins: [imgbake: {options}]\n")
                page = self.serve(self.write(f"serve-{serve}", files))
                self.assertEqual("imgbake/photo-" in page, serve)
                self.assertEqual(f"{self.origin}/photo.jpg" in page, not serve)

    def serve(self, project: Path) -> str:
        """Run `mkdocs serve` until it answers, and return the first page."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"]
        with (project / "log").open("w") as log:
            process = subprocess.Popen(
                command, cwd=project, env=self.environment, stdout=log, stderr=log
            )
        try:
            while process.poll() is None:
                try:
                    url = f"http://127.0.0.1:{port}/notes/"
                    with urllib.request.urlopen(url, timeout=60) as answer:
                        return answer.read().decode()
                except (urllib.error.URLError, OSError):
                    time.sleep(0.1)
            self.fail((project / "log").read_text())
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    unittest.main()
