// expect: race=yes deadlock=no
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A write under the read lock. */
public class ReadersWrite {
    private static int hits;

    public static void main(String[] args) throws InterruptedException {
        ReadWriteLock lock = new ReentrantReadWriteLock();
        Runnable look = () -> {
            lock.readLock().lock();
            hits++;
            lock.readLock().unlock();
        };
        Thread other = new Thread(look);
        other.start();
        look.run();
        other.join();
    }
}
