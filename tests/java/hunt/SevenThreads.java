// expect: race=yes assertion=yes
/** Seven threads count under one lock; one of them takes another lock, whose name is nearly the same. */
public class SevenThreads {
    static final int THREADS = 7;
    static final Object dataLock = new Object(), dateLock = new Object();
    static int data;

    static void count(Object lock) {
        synchronized (lock) {
            int seen = data;
            data = seen + 1;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            Object lock = i == 4 ? dateLock : dataLock;
            threads[i] = new Thread(() -> count(lock));
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        if (data != THREADS)
            throw new AssertionError("counted " + data);
        System.out.println("counted");
    }
}
