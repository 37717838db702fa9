import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** Programs that end in every way: Ends HOW. */
public class Ends {
    private static int count;
    private static final Object lock = new Object();
    private static final ReentrantLock p = new ReentrantLock(), q = new ReentrantLock();
    private static final CountDownLatch both = new CountDownLatch(2);

    private static void takeBoth(ReentrantLock first, ReentrantLock second) {
        first.lock();
        both.countDown();
        try {
            both.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        second.lock();
    }

    private static void work(String how) {
        count++;
        if (how.equals("throw")) {
            throw new IllegalStateException("no apples left");
        }
        if (how.equals("assert")) {
            throw new AssertionError("count is " + count);
        }
        if (how.equals("locks")) {
            takeBoth(p, q);
        }
        if (how.equals("wait")) {
            synchronized (lock) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        String how = arguments[0];
        if (how.equals("alone")) {
            return;
        }
        if (how.equals("handled")) {
            Thread.setDefaultUncaughtExceptionHandler((thread, exception) -> System.out.println("handled"));
        }
        Thread other = new Thread(() -> work(how.equals("handled") ? "throw" : how));
        other.start();
        if (how.equals("locks")) {
            takeBoth(q, p);
        }
        other.join();
        count++;
        if (how.equals("status")) {
            System.exit(3);
        }
    }
}
