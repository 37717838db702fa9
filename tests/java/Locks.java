// expect: race=no deadlock=no unordered=no
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Locks of java.util.concurrent: with a condition, tried, timed, nested, for readers and writers. */
public class Locks {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final ReentrantReadWriteLock table = new ReentrantReadWriteLock();
    private final Condition written = table.writeLock().newCondition();
    private int value, tried, entries;

    void fill() {
        lock.lock();
        try {
            lock.lock();
            try {
                value = 7;
            } finally {
                lock.unlock();
            }
            filled.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (value == 0) {
                filled.await(5, TimeUnit.SECONDS);
            }
            return value;
        } finally {
            lock.unlock();
        }
    }

    void attempt() throws InterruptedException {
        if (lock.tryLock() || lock.tryLock(5, TimeUnit.SECONDS)) {
            tried++;
            lock.unlock();
        }
    }

    void write() {
        table.writeLock().lock();
        entries++;
        written.signalAll();
        table.writeLock().unlock();
    }

    void awaitEntries(int number) throws InterruptedException {
        table.writeLock().lock();
        while (entries < number) {
            written.await();
        }
        table.writeLock().unlock();
    }

    int read() {
        table.readLock().lock();
        try {
            return entries;
        } finally {
            table.readLock().unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Locks locks = new Locks();
        Thread waiter = new Thread(() -> {
            try {
                locks.await();
                locks.attempt();
                locks.write();
                locks.read();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        waiter.start();
        locks.attempt();
        locks.fill();
        locks.read();
        locks.write();
        locks.awaitEntries(2);
        waiter.join();
        System.out.println(locks.value + locks.tried + locks.entries);
    }
}
