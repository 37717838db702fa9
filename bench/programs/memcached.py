#!/usr/bin/env python3
"""memcached.py PORT: two connections to a memcached, a few commands on the same keys, then a shutdown."""
import socket
import sys
import time


def connect(port):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.1)
    sys.exit("memcached.py: nobody listens at port %d" % port)


def ask(connection, text):
    connection.sendall(text.encode())
    return connection.recv(65536)


port = int(sys.argv[1])
both = [connect(port), connect(port)]
for i in range(60):
    for who in both:
        ask(who, "set key%d 0 0 5\r\nhello\r\n" % (i % 7))
        ask(who, "get key%d\r\n" % ((i + 3) % 7))
        ask(who, "incr number 1\r\n" if i else "set number 0 0 1\r\n1\r\n")
    if i % 10 == 9:
        ask(both[0], "delete key%d\r\n" % (i % 7))
        ask(both[1], "stats\r\n")
both[0].sendall(b"shutdown graceful\r\n")
for who in both:
    while who.recv(65536):
        pass
