// expect: race=no deadlock=no unordered=no
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Whoever does not get the lock does something else, which nobody does who gets it. */
public class TryLocks {
    private int shared, read, permitted;
    private static final int ROUNDS = 80;

    public static void main(String[] args) throws InterruptedException {
        TryLocks all = new TryLocks();
        ReentrantLock lock = new ReentrantLock();
        ReentrantReadWriteLock table = new ReentrantReadWriteLock();
        Semaphore permit = new Semaphore(1);
        Runnable work = () -> {
            int missed = 0;
            for (int i = 0; i < ROUNDS; i++) {
                if (lock.tryLock()) {
                    all.shared++;
                    lock.unlock();
                } else {
                    missed++;
                }
                if (table.writeLock().tryLock()) {
                    all.read++;
                    table.writeLock().unlock();
                } else if (table.readLock().tryLock()) {
                    missed += all.read & 1;
                    table.readLock().unlock();
                }
                if (permit.tryAcquire()) {
                    all.permitted++;
                    permit.release();
                }
            }
            if (missed < 0) {
                throw new IllegalStateException();
            }
        };
        Thread other = new Thread(work);
        other.start();
        work.run();
        other.join();
        System.out.println(all.shared + all.read + all.permitted > 0);
    }
}
