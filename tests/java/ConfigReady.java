// expect: race=yes deadlock=no
/** A field is written and read outside the lock; what both threads do under it orders nothing, whichever comes first. */
public class ConfigReady {
    private static final Object lock = new Object();
    private static int config, ready;

    private static void publish() {
        config = 1;
        synchronized (lock) {
            ready++;
        }
    }

    private static int use() {
        synchronized (lock) {
            ready += 2;
        }
        return config;
    }

    public static void main(String[] args) throws InterruptedException {
        boolean late = Math.random() < 0.5;
        Thread writer = new Thread(ConfigReady::publish), reader = new Thread(ConfigReady::use);
        (late ? reader : writer).start();
        Thread.sleep(50);
        (late ? writer : reader).start();
        writer.join();
        reader.join();
    }
}
