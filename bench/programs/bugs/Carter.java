// SCTBench: two locks in both orders, but only while two counters are in use
/** The second lock is taken by whoever is the first to use a resource. */
public class Carter {
    private static final Object resource = new Object(), counters = new Object();
    private static int readers, writers;

    private static void read() {
        synchronized (counters) {
            if (++readers == 1) {
                synchronized (resource) {
                    writers += 0;
                }
            }
        }
    }

    private static void write() {
        synchronized (resource) {
            synchronized (counters) {
                writers++;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread reader = new Thread(Carter::read), writer = new Thread(Carter::write);
        reader.start();
        writer.start();
        reader.join();
        writer.join();
    }
}
