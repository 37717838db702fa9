// expect: race=no unordered=no stale=no
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.StampedLock;

/** Reads under an optimistic stamp: what they gave while another thread wrote is thrown away. */
public class Optimistic {
    private static final StampedLock lock = new StampedLock();
    private static int x, y;

    static int sum() {
        long stamp = lock.tryOptimisticRead();
        int sum = x + y;
        if (!lock.validate(stamp)) {
            stamp = lock.readLock();
            sum = x + y;
            lock.unlockRead(stamp);
        }
        return sum;
    }

    /** Converts the stamp, or begins again with the lock. */
    static void reset() {
        for (long stamp = lock.tryOptimisticRead();; stamp = lock.writeLock()) {
            int sum = x + y;
            long own = lock.tryConvertToWriteLock(stamp);
            if (own != 0) {
                x = sum;
                y = 0;
                lock.unlockWrite(own);
                return;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch written = new CountDownLatch(1), looked = new CountDownLatch(1);
        Thread writer = new Thread(() -> {
            long stamp = lock.writeLock();
            x++;
            written.countDown();
            try {
                looked.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            y++;
            x++;
            lock.unlockWrite(stamp);
        });
        writer.start();
        written.await();
        long stamp = lock.tryOptimisticRead(); // in vain: the other thread has the lock until it is told
        looked.countDown();
        int sum = x + y;
        if (!lock.validate(stamp)) {
            sum = sum();
        }
        reset();
        writer.join();
        System.out.println(sum + sum());
    }
}
