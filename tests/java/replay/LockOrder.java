import java.util.concurrent.locks.ReentrantLock;

/** Two locks, taken in two orders, at different times. */
public class LockOrder {
    public static void main(String[] args) throws InterruptedException {
        ReentrantLock one = new ReentrantLock();
        ReentrantLock two = new ReentrantLock();
        Thread first = new Thread(() -> both(one, two, 0));
        Thread second = new Thread(() -> both(two, one, 200));
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
}
