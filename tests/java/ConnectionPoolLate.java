// expect: race=yes nondet=yes deadlock=no
/** Clients use a connection once more after they have given it back, when somebody else may have it. */
public class ConnectionPoolLate {
    public static void main(String[] args) throws InterruptedException {
        ConnectionPool.serve(2, 3, true);
    }
}
