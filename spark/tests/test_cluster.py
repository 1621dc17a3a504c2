"""The program on a cluster of two workers, one of which is lost in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import unittest
from pathlib import Path

from tests.support import SparkTestCase, wait_until


class ClusterTests(SparkTestCase):
    """Runs the program on a standalone cluster on loopback."""

    def test_lost_worker_changes_no_byte(self) -> None:
        """Its parts are baked again by the other one, and no image is asked for again."""
        site, hosts = self.make_site(pages=80, images=60)
        master, workers = self.start_cluster()
        output = self.folder / "public"
        command = self.submission(str(site), "-o", str(output), "--shards", "12", master=master)
        command[1:1] = ["--executor-memory", "512m", "--driver-memory", "512m"]
        with (self.folder / "driver.log").open("w+") as log:
            driver = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
            self.addCleanup(driver.kill)
            marks = lambda: list(output.glob(".imgbake-output-*-of-12"))  # noqa: E731
            wait_until(lambda: len(marks()) >= 3 or driver.poll() is not None, "parts", 120)
            lost = [workers[0].pid, *descendants(workers[0].pid)]
            for process in lost:
                if name(process) == "java":
                    os.kill(process, signal.SIGKILL)
            # The command must not go on where nobody waits for it.
            wait_until(lambda: not any(map(name, lost)), "the end of the worker's processes")
            code = driver.wait(timeout=240)
            log.seek(0)
            text = log.read()
        self.assertEqual(code, 0, text)
        self.assertIn("81 documents, 0 errors, 0 warnings", text)
        self.assertRegex(text, "Lost executor|ExecutorLostFailure|worker lost")
        for host in hosts:
            self.assertEqual(set(host.requests.values()), {1}, host.requests)
            self.assertLessEqual(host.most, 6)
        self.assertEqual(len(marks()), 12)
        self.expect_same_bytes(output, self.bake_whole(site))


def name(process: int) -> str:
    """The name of the program of a process; empty if it has ended."""
    try:
        # A process that has ended has no memory any more.
        if os.readlink(f"/proc/{process}/exe"):
            return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        pass
    return ""


def descendants(parent: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found = list(children.get(parent, []))
    for process in found:
        found += children.get(process, [])
    return found


if __name__ == "__main__":
    unittest.main()
