// SCTBench: one of the threads takes another lock
public class WrongLock {
    private static final Object one = new Object(), other = new Object();
    private static int data;

    private static void count(Object lock) {
        synchronized (lock) {
            data++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            Object lock = i == 3 ? other : one;
            threads[i] = new Thread(() -> count(lock));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
