import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/** Two locks, taken in two orders, at different times; then two semaphores that are used as locks. */
public class LockOrder {
    public static void main(String[] args) throws InterruptedException {
        ReentrantLock one = new ReentrantLock();
        ReentrantLock two = new ReentrantLock();
        Semaphore three = new Semaphore(1);
        Semaphore four = new Semaphore(1);
        Thread first = new Thread(() -> {
            both(one, two, 0);
            both(three, four);
        });
        Thread second = new Thread(() -> {
            both(two, one, 200);
            both(four, three);
        });
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println("done");
    }

    private static void both(ReentrantLock outer, ReentrantLock inner, int pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        outer.lock();
        try {
            inner.lock();
            inner.unlock();
        } finally {
            outer.unlock();
        }
    }

    private static void both(Semaphore outer, Semaphore inner) {
        outer.acquireUninterruptibly();
        inner.acquireUninterruptibly();
        inner.release();
        outer.release();
    }
}
