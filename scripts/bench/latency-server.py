"""Serves the files of a folder on loopback, each response after a delay.

Usage: latency-server.py PORT MILLISECONDS FOLDER

Every file has the entity tag "1" and `Cache-Control: no-cache`. A request that names the tag is
answered 304, without content.
"""

import asyncio
import pathlib
import sys

port, delay, folder = int(sys.argv[1]), int(sys.argv[2]) / 1000, pathlib.Path(sys.argv[3])
FIELDS = b'ETag: "1"\r\nCache-Control: no-cache\r\nContent-Type: image/png\r\n'


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(delay)
            if b'if-none-match: "1"' in head.lower():
                writer.write(b"HTTP/1.1 304 Not Modified\r\n" + FIELDS + b"\r\n")
            else:
                name = head.split(b" ", 2)[1].decode().rsplit("/", 1)[-1]
                body = (folder / name).read_bytes()
                length = b"Content-Length: %d\r\n\r\n" % len(body)
                writer.write(b"HTTP/1.1 200 OK\r\n" + FIELDS + length + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=256)
    async with server:
        await server.serve_forever()


asyncio.run(main())
