"""Pipes that are written to by blocking, as on Windows."""

from __future__ import annotations

import os
import threading

from tensorpeek.adapter.streams import BlockingPipe


def test_a_message_is_written_whole() -> None:
    reading, writing = os.pipe()
    lost: list[OSError] = []
    pipe = BlockingPipe(writing, lost.append)
    received = bytearray()

    def read() -> None:
        while data := os.read(reading, 1000):
            received.extend(data)

    reader = threading.Thread(target=read)
    reader.start()
    sent = bytes(range(256)) * 4000
    pipe.write(sent)
    pipe.close()
    reader.join(10)
    os.close(reading)
    assert received == sent
    assert lost == []
    assert pipe.is_closing()


def test_the_end_of_the_reader_is_told_once() -> None:
    reading, writing = os.pipe()
    lost: list[OSError] = []
    pipe = BlockingPipe(writing, lost.append)
    os.close(reading)
    pipe.write(b"x" * 1_000_000)
    assert len(lost) == 1
    assert pipe.is_closing()
