/** Two threads put and two take, one thing at a time, at one monitor. Everybody is notified, so nobody waits forever. */
public class NotifiedAll {
    private static final Object monitor = new Object();
    private static boolean full;

    private static void change(boolean to) {
        synchronized (monitor) {
            try {
                while (full == to) {
                    monitor.wait();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            full = to;
            monitor.notifyAll();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            boolean to = i % 2 == 0;
            threads[i] = new Thread(() -> change(to));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
