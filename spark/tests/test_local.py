"""The program on one machine, with two tasks at once."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest
from contextlib import redirect_stderr
from unittest import mock

from pyspark.sql import SparkSession

from tests.support import IMGBAKE, LOCAL, PROGRAM, SparkTestCase, picture

import imgbake_spark


class LocalTests(SparkTestCase):
    """Runs `spark-submit --master local[2,4] imgbake_spark.py`."""

    def test_recipe_bakes_what_one_machine_bakes(self) -> None:
        """Each image is asked for once, the limit for each host holds, and the jobs have names."""
        site, hosts = self.make_site(pages=60, images=40)
        shutil.copytree(PROGRAM.parent, self.folder / "spark")
        (self.folder / "bin").mkdir()
        (self.folder / "bin/imgbake").symlink_to(IMGBAKE)
        del self.environment["IMGBAKE_CACHE_REMOTE"], self.environment["IMGBAKE"]
        programs = [str(self.folder / "bin"), os.path.dirname(sys.executable)]
        self.environment["PATH"] = os.pathsep.join([*programs, self.environment["PATH"]])
        [submit, install] = self.blocks("shell")
        (self.folder / "imgbake.yml").write_text(self.blocks("yaml")[0])
        first = self.run_script(submit)
        self.assertIn("\n61 documents, 0 errors, 0 warnings\n", first)
        for host in hosts:
            self.assertEqual(set(host.requests.values()), {1}, host.requests)
            self.assertEqual(len(host.requests), 20)
            self.assertLessEqual(host.most, 6)
        self.assertEqual(
            self.descriptions(),
            ["imgbake 1/3: find images in 4 parts", "imgbake 2/3: fetch 40 images of 2 hosts",
             "imgbake 3/3: bake 4 parts", "imgbake: write the table of failures"],
        )  # fmt: skip
        output = self.folder / "public"
        output.rename(self.folder / "first")
        self.assertIn("\n61 documents, 0 errors, 0 warnings\n", self.run_script(install))
        whole = self.bake_whole(site)
        self.expect_same_bytes(self.folder / "first", whole)
        self.expect_same_bytes(output, whole)

    def blocks(self, language: str) -> list[str]:
        """The blocks of docs/scale.md, with the addresses of this test."""
        text = (PROGRAM.parent.parent / "docs/scale.md").read_text()
        for name, value in {
            "https://cache.example.org/imgbake/": self.store,
            "spark://spark.example.org:7077": LOCAL,
            "/shared": str(self.folder),
        }.items():
            self.assertIn(name, text)
            text = text.replace(name, value)
        return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)

    def run_script(self, script: str) -> str:
        """Run a script in the folder of the test, and return what it prints."""
        result = subprocess.run(
            ["sh", "-eu", "-c", script], cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def descriptions(self) -> list[str]:
        """What the user interface of Spark shows for each job, once."""
        logs = "".join(path.read_text() for path in (self.folder / "events").iterdir())
        found = re.findall(r'"spark\.job\.description":"([^"]*)"', logs)
        return list(dict.fromkeys(found))

    def test_failed_images_are_one_table(self) -> None:
        """Each place has the cause of the failure, without the secrets of its URL."""
        host = self.host({"/good.png": picture(1), "/bad.png": picture(2)[:40]})
        url = host.url
        site = self.write_site(
            {
                "a.html": f"<img src='{url}/good.png?X-Amz-Signature=s3cret'>\n"
                f"<img src='{url}/gone.png?X-Amz-Signature=s3cret'><img src='{url}/bad.png'>",
                "b.html": f"<img src='{url}/gone.png?X-Amz-Signature=s3cret'>",
            }
        )
        output, failures = self.folder / "public", self.folder / "failures"
        result = self.submit(
            str(site), "-o", str(output), "--shards", "2", "--failures", f"file://{failures}"
        )
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(set(host.requests.values()), {1}, host.requests)
        self.assertNotIn("s3cret", result.stdout + result.stderr)
        [table] = failures.glob("json/part-*.json")
        rows = [json.loads(line) for line in table.read_text().splitlines()]
        found = sorted((row["document"], row["line"], row["code"]) for row in rows)
        self.assertEqual(
            found,
            [("a.html", 2, "damaged-image"), ("a.html", 2, "http-status"),
             ("b.html", 1, "http-status")],
        )  # fmt: skip
        self.assertNotIn("s3cret", table.read_text())
        self.assertEqual(len(list(failures.glob("parquet/part-*.parquet"))), 1)
        self.expect_same_bytes(output, self.bake_whole(site))

    def test_site_and_command_can_be_archives(self) -> None:
        """Spark unpacks them on the workers. Options after '--' are those of a bake."""
        site, _ = self.make_site(pages=8, images=4)
        release = self.folder / "release/imgbake-1.0.0"
        (release / "bin").mkdir(parents=True)
        script = release / "bin/imgbake"
        script.write_text(f'#!/bin/sh\nexec {IMGBAKE} "$@"\n')
        script.chmod(0o755)
        del self.environment["IMGBAKE"]
        (self.folder / "settings.yml").write_text("max-width: 40\n")
        archives = [
            shutil.make_archive(str(self.folder / name), "gztar", self.folder / name)
            for name in ("site", "release")
        ]
        site.rename(self.folder / "elsewhere")
        output = self.folder / "public"
        result = self.submit(
            f"file://{archives[0]}", "-o", f"file://{output}", "--shards", "2",
            "--program", archives[1], "--config", f"file://{self.folder}/settings.yml",
            "--", "--quality", "50",
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        options = ["--max-width", "40", "--quality", "50"]
        self.expect_same_bytes(output, self.bake_whole(self.folder / "elsewhere", *options))

    def test_what_workers_lack_is_named(self) -> None:
        """Each message is one line and names the worker."""
        site = self.write_site({"a.html": f"<img src='{self.store}none.png'>"})
        (self.folder / "settings.yml").write_text(f"cache: {{remote: {self.store}}}\n")
        (self.folder / "down.yml").write_text("cache: {remote: 'http://127.0.0.1:9/'}\n")
        config, output = f"--config={self.folder}/settings.yml", f"-o{self.folder}/public"
        program = f"--program={IMGBAKE}"
        none = self.folder / "none"
        cases = [
            ([f"{none}", output, program, config], f"worker .*: there is no folder {none}"),
            ([str(site), output, program], "worker .*: there is no store"),
            ([str(site), output, config, f"--program={none}"], "worker .*: .* no command imgbake"),
            ([str(site), output, config, program, "--", "--none"], "Unknown option '--none'"),
            ([str(site), output, program, f"--config={self.folder}/down.yml"],
             "worker .*: the store cannot be used"),
            ([str(site), f"-o{none}/public", program, config],
             f"worker .*: there is no folder {none} for the output"),
            ([str(site), output, "--shards=0"], "--shards is a number from 1 to 9999"),
            (["s3a://bucket/site", output], "is not in a file system that workers see"),
            ([str(site), "-os3a://bucket/site"], "is not in a file system that workers see"),
        ]  # fmt: skip
        self.environment.pop("IMGBAKE_CACHE_REMOTE")
        with mock.patch.dict(os.environ, self.environment, clear=True):
            session = SparkSession.builder.master("local[1]").getOrCreate()
            self.addCleanup(session.stop)
            session.sparkContext.setLogLevel("OFF")
            for arguments, message in cases:
                with self.subTest(message):
                    code, text = self.run_here(arguments)
                    self.assertEqual(code, 2, text)
                    # Spark leaves connections open, of which Python warns.
                    self.assertRegex(text.splitlines()[-1], f"^imgbake-spark: error: .*{message}")
            session.stop()
            session = SparkSession.builder.config("spark.speculation", "true").getOrCreate()
            self.addCleanup(session.stop)
            code, text = self.run_here([str(site), output])
            self.assertEqual(code, 2, text)
            self.assertIn("spark.speculation", text)

    def test_urls_of_a_host_have_one_name(self) -> None:
        """All URLs with the same name are fetched by the same task."""
        for url in ("https://a.example/b", "http://A.example:80/@c", "https://u:p@a.example:443?d"):
            self.assertEqual(imgbake_spark.host(url), "a.example")
        self.assertEqual(imgbake_spark.host("http://[::1]:8080/b"), "[::1]:8080")
        self.assertEqual(imgbake_spark.host("http://[::80]/b"), "[::80]")

    def test_line_is_written_in_one_call(self) -> None:
        """Otherwise lines of Spark could be between the text and its end."""
        reader, writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(reader.close)
        with writer:
            program = "import imgbake_spark, sys; imgbake_spark.say('a line', sys.stdout)"
            subprocess.run(
                [sys.executable, "-u", "-c", program], cwd=PROGRAM.parent, stdout=writer, check=True
            )
        self.assertEqual([reader.recv(100), reader.recv(100)], [b"a line\n", b""])

    def run_here(self, arguments: list[str]) -> tuple[int, str]:
        """Run the program in the session of this process; return the exit code and the errors."""
        text = io.StringIO()
        given = ["imgbake-spark", "--shards=2", *arguments]
        with mock.patch.object(sys, "argv", given), redirect_stderr(text):
            code = imgbake_spark.main()
        return code, text.getvalue()

    def test_version_is_that_of_the_command(self) -> None:
        """They are released together."""
        told = subprocess.run([IMGBAKE, "--version"], capture_output=True, text=True, check=True)
        self.assertIn(imgbake_spark.__version__, told.stdout)


if __name__ == "__main__":
    unittest.main()
