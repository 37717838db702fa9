// expect: race=yes deadlock=no
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A lock's monitor is another lock: who synchronizes on a ReentrantLock does not keep those out who call lock(). */
public class MonitorOfLock {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final ReentrantReadWriteLock table = new ReentrantReadWriteLock();
    private static final Condition changed = lock.newCondition();
    private static int value, inBoth;
    private static boolean ready;

    /** Takes the monitors while the other thread holds the locks. */
    private static void monitors() {
        synchronized (lock) {
            value++;
            synchronized (table) {
                synchronized (changed) {
                    ready = true;
                    changed.notifyAll(); // of the monitor
                }
            }
        }
        lock.lock();
        try {
            inBoth++;
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread thread = new Thread(MonitorOfLock::monitors);
        lock.lock();
        table.writeLock().lock();
        try {
            thread.start();
            value++;
            synchronized (changed) {
                while (!ready) {
                    changed.wait(); // the thread goes on under the monitors while this one has the locks
                }
            }
            inBoth++;
        } finally {
            table.writeLock().unlock();
            lock.unlock();
        }
        thread.join();
        System.out.println(value + " " + inBoth);
    }
}
