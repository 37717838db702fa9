import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Waits of all kinds between reads that could see something else: notified, timed out, by conditions, by a queue's lock. */
public class Waits {
    private final Object monitor = new Object();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition turned = lock.newCondition();
    private int turn, extra;

    void await(int wanted) throws InterruptedException {
        synchronized (monitor) {
            while (turn < wanted) {
                monitor.wait();
            }
        }
        lock.lock();
        try {
            while (turn < wanted) {
                turned.await();
            }
            turned.await(1, TimeUnit.MILLISECONDS);
        } finally {
            lock.unlock();
        }
    }

    void turn() {
        lock.lock();
        try {
            synchronized (monitor) {
                turn++;
                monitor.notifyAll();
            }
            turned.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void extra(int value) {
        synchronized (monitor) {
            extra = extra * 2 + value;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Waits waits = new Waits();
        Thread[] waiters = new Thread[3];
        for (int i = 0; i < waiters.length; i++) {
            int wanted = i + 1;
            waiters[i] = new Thread(() -> {
                try {
                    waits.await(wanted);
                    Thread.sleep(20 * wanted);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                waits.extra(wanted);
            });
            waiters[i].start();
        }
        for (int i = 0; i < waiters.length; i++) {
            Thread.sleep(20);
            waits.turn();
        }
        for (Thread waiter : waiters) {
            waiter.join();
        }
        System.out.println(waits.extra);
    }
}
