// JaConTeBe: a pool closes connections under its lock, a connection goes back to the pool under its own (dbcp)
import java.util.ArrayList;
import java.util.List;

public class PoolAndConnection {
    private final List<Connection> idle = new ArrayList<>();

    class Connection {
        private boolean open = true;

        synchronized void giveBack() {
            if (open) {
                add(this);
            }
        }

        synchronized void close() {
            open = false;
        }
    }

    synchronized void add(Connection connection) {
        idle.add(connection);
    }

    synchronized void closeAll() {
        for (Connection connection : idle) {
            connection.close();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        PoolAndConnection pool = new PoolAndConnection();
        Connection connection = pool.new Connection();
        pool.add(connection);
        Thread user = new Thread(connection::giveBack), owner = new Thread(pool::closeAll);
        user.start();
        Thread.sleep(20);
        owner.start();
        user.join();
        owner.join();
    }
}
