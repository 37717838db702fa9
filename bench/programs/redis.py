#!/usr/bin/env python3
"""redis.py PORT: four connections to a redis that send commands at the same time, then a shutdown."""
import socket
import sys
import time


def connect(port):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.1)
    sys.exit("redis.py: nobody listens at port %d" % port)


port = int(sys.argv[1])
clients = [connect(port) for _ in range(4)]
for i in range(40):
    for who, client in enumerate(clients):
        client.sendall(b"SET key%d %d\r\nLPUSH list%d x\r\nINCR number\r\nGET key%d\r\n" % (i % 7, i, who, (i + 3) % 7))
    for client in clients:
        client.recv(65536)
    if i % 20 == 19:  # memory that another thread gives back
        clients[0].sendall(b"RPUSH long%s\r\nUNLINK long\r\n" % (b" y" * 100))
        clients[0].recv(65536)
clients[0].sendall(b"FLUSHALL ASYNC\r\nSHUTDOWN NOSAVE\r\n")
for client in clients:
    client.settimeout(60)
    try:
        while client.recv(65536):
            pass
    except OSError:
        pass
