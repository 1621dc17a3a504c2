"""Compares a cluster of two workers with one machine; scripts/bench/spark runs it."""

from __future__ import annotations

import os
import re
import resource
import shutil
import time
import unittest
from collections import Counter
from collections.abc import Callable

from tests.support import SparkTestCase, picture

PAGES = int(os.environ["BENCH_PAGES"])
IMAGES = int(os.environ["BENCH_IMAGES"])
TEXT = "<p>The quick brown fox jumps over <a href='other.html'>the lazy dog</a>.</p>\n" * 10


class Bench(SparkTestCase):
    """Bakes a generated site whose images are on four hosts."""

    def test_cluster_and_one_machine(self) -> None:
        """Their outputs are equal; prints seconds and the requests that the store got."""
        sizes = {f"/{n}.jpg": picture(n, 640, "JPEG") for n in range(IMAGES)}
        hosts = [self.host(sizes, delay=0) for _ in range(4)]
        site = self.write_site(
            {
                f"{n // 500:03}/{n}.html": f"<!doctype html>\n<title>{n}</title>\n{TEXT}"
                f"<img src='{hosts[n % IMAGES % 4].url}/{n % IMAGES}.jpg'>"
                for n in range(PAGES)
            }
        )
        print(f"\n{PAGES} pages, {IMAGES} images of {sum(map(len, sizes.values())) // 1000} kB")
        self.clock("one machine, empty cache", lambda: self.bake_whole(site))
        master, _ = self.start_cluster()
        output = self.folder / "public"

        def submit() -> None:
            result = self.submit(str(site), "-o", str(output), "--shards", "4", master=master)
            self.assertEqual(result.returncode, 0, result.stderr)

        for name in ("empty store", "full store"):
            shutil.rmtree(output, ignore_errors=True)
            for host in hosts:
                host.most = 0
            self.clock(f"cluster, {name}", submit)
            print("  simultaneous requests to a host, at most:", max(host.most for host in hosts))
        self.clock("cluster, full store and output", submit)
        self.expect_same_bytes(output, self.folder / "whole")

    def clock(self, name: str, work: Callable[[], object]) -> None:
        """Print the seconds of some work, and the requests that the store got."""
        log = self.folder / "nginx/access.log"
        log.write_text("")
        start = time.monotonic()
        work()
        seconds = time.monotonic() - start
        found = re.findall(r'"(\w+) /store/(\w+)/\S* \S+" (\d+)', log.read_text())
        requests = ", ".join(f"{count} {' '.join(key)}" for key, count in Counter(found).items())
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000
        print(f"{name}: {seconds:.1f} s; {memory} MB so far; {requests or 'no store'}")


if __name__ == "__main__":
    unittest.main()
