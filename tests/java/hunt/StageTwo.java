// expect: race=no assertion=yes
/** A hundred threads: each value is published in two stages, under a lock each. Who looks between them sees half. */
public class StageTwo {
    static final int THREADS = 100;
    static final Object firstLock = new Object(), secondLock = new Object();
    static int first, second;

    static void publish() {
        int value;
        synchronized (firstLock) {
            value = ++first;
        }
        synchronized (secondLock) {
            if (second < value + 1)
                second = value + 1;
        }
    }

    static void look() {
        int seen, then;
        synchronized (firstLock) {
            seen = first;
        }
        if (seen == 0)
            return;
        synchronized (secondLock) {
            then = second;
        }
        if (then < seen + 1)
            throw new AssertionError("half published");
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(i % 10 == 9 ? StageTwo::look : StageTwo::publish);
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("published");
    }
}
