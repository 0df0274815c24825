"""JSON messages, one per line, between the tasks of the job."""

import json
import socket
import time

CONNECT_SECONDS = 60
ANSWER_SECONDS = 120


class Channel:
    """One end of a connection to another task."""

    def __init__(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.lines = connection.makefile("r", encoding="utf-8")

    def send(self, message):
        self.connection.sendall((json.dumps(message) + "\n").encode("utf-8"))

    def receive(self):
        """The next message; None when the other end has gone."""
        try:
            line = self.lines.readline()
        except socket.timeout as error:
            raise ConnectionError(f"no answer for {ANSWER_SECONDS} s") from error
        return json.loads(line) if line.endswith("\n") else None


def address(endpoint):
    host, _, port = endpoint.rpartition(":")
    return host, int(port)


def listen(endpoint):
    return socket.create_server(address(endpoint))


def connect(endpoint):
    """All tasks start together, so the other one may not listen yet: tries again for a minute."""
    deadline = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            connection = socket.create_connection(address(endpoint), timeout=5)
        except OSError as error:
            if time.monotonic() > deadline:
                raise ConnectionError(f"{endpoint} did not answer for {CONNECT_SECONDS} s: {error}") from error
            time.sleep(0.1)
        else:
            connection.settimeout(ANSWER_SECONDS)
            return Channel(connection)
