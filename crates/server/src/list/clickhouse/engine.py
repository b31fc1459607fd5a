"""ClickHouse's engine behind a socket: python3 -c THIS DATA CONFIGURATION SOCKET.

A request is a statement behind its length. Its answer is a byte, 0 if it is done and 1 if the engine refused it, and
the result or the reason behind its length. A length has four bytes, little-endian.
"""

import socket
import sys
import threading

import chdb

data, configuration, path = sys.argv[1:]


def connect():
    return chdb.connect(f"{data}?config-file={configuration}")


def answer(stream):
    connection = connect()
    requests, answers = stream.makefile("rb"), stream.makefile("wb")
    while length := requests.read(4):
        statement = requests.read(int.from_bytes(length, "little")).decode()
        try:
            refused, text = 0, connection.query(statement, "TabSeparated").bytes()
        except RuntimeError as why:
            refused, text = 1, str(why).encode()
        answers.write(bytes([refused]) + len(text).to_bytes(4, "little") + text)
        answers.flush()


# The engine ends with its last connection.
first = connect()
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
while True:
    threading.Thread(target=answer, args=[listener.accept()[0]], daemon=True).start()
