// expect: race=no nondet=yes deadlock=no stale=no
/**
 * Clients share fewer connections than there are clients: who finds none waits. What is sent over a connection is under
 * no lock; it is the client's as long as the client has it. Rounds and clients may be given.
 */
public class ConnectionPool {
    private static final int CONNECTIONS = 2;

    static final class Connection {
        int sent;
        boolean taken; // under the pool's lock
    }

    private final Connection[] connections = {new Connection(), new Connection()};
    private int left = CONNECTIONS;

    synchronized Connection take() throws InterruptedException {
        while (left == 0) {
            wait();
        }
        left--;
        for (Connection connection : connections) {
            if (!connection.taken) {
                connection.taken = true;
                return connection;
            }
        }
        throw new IllegalStateException("none is left");
    }

    synchronized void give(Connection connection) {
        connection.taken = false;
        left++;
        notify();
    }

    /** `late` clients send something more when they have given the connection back. */
    static void serve(int rounds, int clients, boolean late) throws InterruptedException {
        ConnectionPool pool = new ConnectionPool();
        Thread[] threads = new Thread[clients];
        for (int i = 0; i < clients; i++) {
            threads[i] = new Thread(() -> {
                try {
                    for (int round = 1; round <= rounds; round++) {
                        Connection connection = pool.take();
                        connection.sent += round;
                        pool.give(connection);
                        if (late) {
                            connection.sent++;
                        }
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(late || pool.connections[0].sent + pool.connections[1].sent == clients * rounds * (rounds + 1) / 2);
    }

    public static void main(String[] args) throws InterruptedException {
        serve(args.length > 0 ? Integer.parseInt(args[0]) : 2, args.length > 1 ? Integer.parseInt(args[1]) : 3, false);
    }
}
