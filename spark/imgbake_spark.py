"""Bakes a large site with Apache Spark: `spark-submit imgbake_spark.py SITE -o OUTPUT`.

Three jobs run the command imgbake on the workers:

1. find the URLs of the images, one task for each shard of the site
2. fetch them into the store that `cache.remote` names, all URLs of a host in one task
3. bake the shards with what is in the store, into one folder

A task that is lost is done again, on any worker, and writes the same bytes.

A number names a shard, so no data moves before the command runs. One task fetches all URLs of a
host, so that the limits for a host hold on the whole cluster. Images are encoded by the third job:
otherwise one task would encode all images of a site that are on one host. A mark or a list has the
shard in its name, and equal images have equal names, so a shard may be baked twice at once.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TextIO
from urllib.parse import urlsplit

from pyspark import SparkContext, SparkFiles, StorageLevel, TaskContext
from pyspark.sql import SparkSession

#: The version of imgbake that this belongs to.
__version__ = "0.1.0"
#: The names of archives that Spark unpacks on the workers.
ARCHIVE = re.compile(r"\.(zip|tar\.gz|tgz)$")
#: The image was not fetched by the second job.
NOT_FETCHED = "not-in-cache"
#: The columns of the table of failures.
COLUMNS = (
    "document string, line int, column int, url string, code string, severity string, "
    "reason string, remedy string"
)
#: PR_SET_PDEATHSIG of <linux/prctl.h>: a lost task does not go on where nobody waits for it.
SIGNAL_OF_PARENT = 1


def counted(count: int, noun: str) -> str:
    """Name a number of things, in the singular for one."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def say(line: str, stream: TextIO) -> None:
    """Write a line in one call, so that Spark writes nothing before its end.

    Under spark-submit Python has no buffer, and `print` writes the end of a line in another call.
    """
    stream.write(f"{line}\n")
    stream.flush()


class WorkerError(Exception):
    """A worker cannot do its part. Spark tries another one."""


class UsageError(Exception):
    """The arguments or the settings of Spark cannot be used."""


class Failure(NamedTuple):
    """A place that names an image which was not baked, or another message about a document."""

    document: str | None
    line: int | None
    column: int | None
    url: str | None
    code: str
    severity: str
    reason: str
    remedy: str


@dataclass
class Part:
    """The result of a shard."""

    documents: int
    failures: set[Failure]


@dataclass(frozen=True)
class Command:
    """The command imgbake and a site, as workers see them.

    Relative paths are those of files that Spark gives to the workers.
    """

    site: str
    shards: int
    program: str | None = None
    """The command, or the unpacked archive of a release. If it is None, `IMGBAKE` of the worker's
    environment is used, or the command in PATH."""
    configuration: str | None = None

    def find(self, shard: int) -> list[str]:
        """Find the URLs of the images in a shard."""
        settings = json.loads(self._run("config", "show", ".", "--json").stdout)["settings"]
        if not any(row["key"] == "cache.remote" and row.get("value") for row in settings):
            raise self._error(
                "there is no store; name it in imgbake.yml, as 'cache: {remote: URL}', or in "
                "IMGBAKE_CACHE_REMOTE of the workers' environment"
            )
        result = self._run("prefetch", ".", "--list", "--quiet", "--shard", self._name(shard))
        return [url for url in result.stdout.split("\n") if url]

    def fetch(self, urls: Iterable[str]) -> dict[str, dict[str, str]]:
        """Fetch images into the store; return the messages about those that failed, by their URLs.

        The URLs in messages have no secrets.
        """
        lines = "".join(f"{url}\n" for url in sorted(urls))
        if not lines:
            return {}
        result = self._run("prefetch", "-", "--json", *self._writing, stdin=lines)
        messages = self._messages(result)
        return {item["url"]: item for item in messages["diagnostics"] if item.get("url")}

    def bake(
        self, shard: int, output: str, more: list[str], unfetched: dict[str, dict[str, str]]
    ) -> Part:
        """Bake a shard with the images in the store; no server of an image is asked."""
        if not os.path.isdir(os.path.dirname(output)):
            raise self._error(
                f"there is no folder {os.path.dirname(output)} for the output, which must be in a "
                "file system that all workers see"
            )
        part = ["--shard", self._name(shard), "-o", output, "--from-store"]
        messages = self._messages(self._run("bake", ".", *part, "--json", *self._writing, *more))
        failures = set()
        for item in messages["diagnostics"]:
            if item["code"] == NOT_FETCHED:
                cause = unfetched.get(item.get("url"), item)
                item |= {name: cause[name] for name in ("code", "reason", "remedy")}
            if item["severity"] == "note":
                continue
            for place in item.get("places") or [{}]:
                facts = item | place
                failures.add(Failure(**{name: facts.get(name) for name in Failure._fields}))
        return Part(messages["documents"], failures)

    _writing = ("--cache-remote-mode", "read-write")

    def _name(self, shard: int) -> str:
        return f"{shard}/{self.shards}"

    def _path(self) -> str:
        """The path of the command."""
        path = self.program and os.path.join(SparkFiles.getRootDirectory(), self.program)
        if path and os.path.isdir(path):
            folders = [path, *(item.path for item in os.scandir(path) if item.is_dir())]
            path = shutil.which("imgbake", path=os.pathsep.join(f"{f}/bin" for f in folders))
        else:
            path = shutil.which(path or os.environ.get("IMGBAKE") or "imgbake")
        if path is None:
            raise self._error(
                "there is no command imgbake; install it on each worker, name it with --program, "
                "or give the archive of a release to --program"
            )
        return path

    def _run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run the command in the site's folder."""
        path = self._path()
        site = os.path.join(SparkFiles.getRootDirectory(), self.site)
        if not os.path.isdir(site):
            raise self._error(
                f"there is no folder {self.site}; give a folder that all workers see, or an "
                "archive of the site (.tar.gz or .zip), which Spark copies to them"
            )
        if self.configuration:
            configuration = os.path.join(SparkFiles.getRootDirectory(), self.configuration)
            arguments = (*arguments, "--config", configuration)
        context = TaskContext.get()
        # Spark removes its folders at the end. What is worth keeping is in the store.
        folder = os.environ["SPARK_LOCAL_DIRS"].split(",")[0]
        environment = {
            "IMGBAKE_CACHE_DIR": os.path.join(folder, "imgbake"),
            "IMGBAKE_JOBS": str(context.cpus() if context else 1),
        } | os.environ
        result = subprocess.run(
            [path, *arguments],
            cwd=site,
            env=environment,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            preexec_fn=_end_with_parent,
        )
        if result.returncode not in (0, 1):
            said = result.stderr.strip() or result.stdout.strip()
            raise self._error(f"imgbake {arguments[0]} ended with {result.returncode}: {said}")
        return result

    def _messages(self, result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
        """The object that the command has written."""
        messages: dict[str, Any] = json.loads(result.stdout)
        for item in messages["diagnostics"]:
            if item["code"] == "remote-unusable":
                raise self._error(f"the store cannot be used: {item['reason']}")
        return messages

    def _error(self, text: str) -> WorkerError:
        # The driver finds it in one line of Java's messages.
        return WorkerError(f"worker {socket.gethostname()}: {' / '.join(text.splitlines())}")


def _end_with_parent() -> None:
    """Let the command stop when Spark ends the process that has started it."""
    ctypes.CDLL(None).prctl(SIGNAL_OF_PARENT, signal.SIGTERM)


def host(url: str) -> str:
    """The host of a URL, with its port unless that is the usual one."""
    found = re.match(r"https?://(?:[^/?#]*@)?([^/?#]*)", url.lower())
    return re.sub(r":(80|443)?$", "", found[1]) if found else ""


def number(name: str) -> int:
    """The same number in all processes, for a name."""
    return zlib.crc32(name.encode())


@dataclass
class Run:
    """A bake of a site."""

    context: SparkContext
    command: Command
    output: str
    more: list[str] = field(default_factory=list)

    def bake(self) -> Part:
        """Find, fetch and bake; return the totals."""
        command, output, more = self.command, self.output, self.more
        shards = range(1, command.shards + 1)
        self._describe(1, f"find images in {counted(command.shards, 'part')}")
        parts = self.context.parallelize(shards, command.shards)
        urls = parts.flatMap(command.find).distinct().map(lambda url: (host(url), url))
        urls.persist(StorageLevel.MEMORY_AND_DISK)
        hosts = urls.countByKey()
        images = counted(sum(hosts.values()), "image")
        self._describe(2, f"fetch {images} of {counted(len(hosts), 'host')}")
        # A task for each host would start too many processes where there are many hosts.
        count = max(1, min(len(hosts), command.shards))
        by_host = urls.partitionBy(count, number).values()
        unfetched: dict[str, dict[str, str]] = {}
        for failed in by_host.mapPartitions(lambda urls: [command.fetch(urls)]).collect():
            unfetched |= failed
        urls.unpersist()
        self._describe(3, f"bake {counted(command.shards, 'part')}")
        causes = self.context.broadcast(unfetched)
        baked = parts.map(lambda shard: command.bake(shard, output, more, causes.value)).collect()
        return Part(
            sum(part.documents for part in baked),
            set().union(*(part.failures for part in baked)),
        )

    def _describe(self, step: int, text: str) -> None:
        """Name the stages of the next job in the user interface of Spark."""
        self.context.setJobDescription(f"imgbake {step}/3: {text}")
        say(f"imgbake: {step}/3: {text}", sys.stderr)


def shipped(context: SparkContext, path: str, name: str) -> str:
    """The path of a file or folder for workers; an archive is given to them under a name."""
    if ARCHIVE.search(path):
        context.addArchive(f"{path}#{name}")
        return name
    return shared(path)


def shared(path: str) -> str:
    """The absolute path of a file or folder that workers see, from a path or a URL."""
    scheme = urlsplit(path).scheme
    if scheme not in ("", "file"):
        raise UsageError(f"{path} is not in a file system that workers see")
    return os.path.abspath(urlsplit(path).path)


def argument_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="imgbake-spark",
        description="Bakes a large site with Apache Spark. Images are kept in the store that the "
        "setting cache.remote names.",
        epilog="What follows '--' is given to 'imgbake bake': -- --locked. "
        "Exit codes: 0 success; 1 an image or a document was not baked; 2 the bake did not run.",
    )
    add = parser.add_argument
    add("site", help="the folder of the site, which all workers see, or an archive of it at a URL "
        "that Spark reads, such as s3a://bucket/site.tar.gz")  # fmt: skip
    add("-o", "--output", required=True, help="the folder of the baked copy, which all workers see")
    add("--shards", type=int, required=True, help="the number of parts, such as two for each "
        "machine")  # fmt: skip
    add("--config", help="imgbake.yml, at a URL that Spark reads (default: that of the site)")
    add("--program", help="the command imgbake on the workers, or the archive of a release "
        "(default: $IMGBAKE or imgbake in $PATH of the worker)")  # fmt: skip
    add("--master", help="the master of the cluster (default: that of spark-submit, or of the "
        "configuration of Spark)")  # fmt: skip
    add("--failures", help="where Spark writes the table of failures, as FOLDER/parquet and "
        "FOLDER/json")  # fmt: skip
    return parser


def main() -> int:
    """Bake a site, and return the exit code."""
    own = sys.argv[1:]
    more = own[own.index("--") + 1 :] if "--" in own else []
    options = argument_parser().parse_args(own[: len(own) - len(more) - 1] if more else own)
    is_ours = SparkSession.getActiveSession() is None
    builder = SparkSession.builder.appName("imgbake")
    session = (builder.master(options.master) if options.master else builder).getOrCreate()
    context = session.sparkContext
    try:
        return bake(session, options, more)
    except Exception as error:
        # Java tells the error of a worker among many lines.
        found = re.search(r"WorkerError: (.*)", str(error))
        if found is None and not isinstance(error, UsageError):
            raise
        say(f"imgbake-spark: error: {found[1] if found else error}", sys.stderr)
        return 2
    finally:
        if is_ours:
            context.stop()


def bake(session: SparkSession, options: argparse.Namespace, more: list[str]) -> int:
    """Bake a site in a session of Spark, and return the exit code."""
    context = session.sparkContext
    if context.getConf().get("spark.speculation", "false") == "true":
        raise UsageError("with spark.speculation, two tasks could ask a host at the same time")
    if not 1 <= options.shards <= 9999:
        raise UsageError("--shards is a number from 1 to 9999")
    if __name__ != "__main__":
        context.addPyFile(__file__)
    if options.config:
        context.addFile(options.config)
    command = Command(
        site=shipped(context, options.site, "imgbake-site"),
        shards=options.shards,
        program=options.program and shipped(context, options.program, "imgbake-program"),
        configuration=options.config and os.path.basename(options.config),
    )
    total = Run(context, command, shared(options.output), more).bake()
    if options.failures:
        context.setJobDescription("imgbake: write the table of failures")
        table = session.createDataFrame(sorted(total.failures, key=str), COLUMNS).coalesce(1)
        table.write.mode("overwrite").parquet(f"{options.failures}/parquet")
        table.write.mode("overwrite").json(f"{options.failures}/json")
    kinds = Counter(failure.severity for failure in total.failures)
    counts = (total.documents, "document"), (kinds["error"], "error"), (kinds["warning"], "warning")
    say(", ".join(counted(*count) for count in counts), sys.stdout)
    return 1 if kinds["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
