import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import heddle.junit.HeddleTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Each of these fails along some schedule, and @HeddleTest must find one. */
class BrokenTest {
    private int value;
    private boolean ready;

    static void together(Runnable... tasks) throws InterruptedException {
        Thread[] threads = new Thread[tasks.length];
        for (int i = 0; i < tasks.length; i++) {
            threads[i] = new Thread(tasks[i]);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @HeddleTest(seconds = 5)
    void lostUpdate() throws InterruptedException {
        together(() -> value++, () -> value++);
        assertEquals(2, value);
    }

    @HeddleTest(seconds = 5)
    void lockOrder() throws InterruptedException {
        Object left = new Object(), right = new Object();
        together(() -> {
            synchronized (left) {
                synchronized (right) {
                    value++;
                }
            }
        }, () -> {
            synchronized (right) {
                synchronized (left) {
                    value++;
                }
            }
        });
    }

    @HeddleTest(seconds = 5)
    void reentrantLocks() throws InterruptedException {
        Lock left = new ReentrantLock(), right = new ReentrantLock();
        together(() -> {
            left.lock();
            right.lock();
            right.unlock();
            left.unlock();
        }, () -> {
            right.lock();
            left.lock();
            left.unlock();
            right.unlock();
        });
    }

    @HeddleTest(seconds = 5)
    void lostWakeUp() throws InterruptedException {
        Object monitor = new Object();
        together(() -> {
            if (!ready) {
                synchronized (monitor) {
                    try {
                        monitor.wait();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }, () -> {
            ready = true;
            synchronized (monitor) {
                monitor.notify();
            }
        });
    }

    @HeddleTest(seconds = 5)
    void ifInsteadOfWhile() throws InterruptedException {
        Lock lock = new ReentrantLock();
        Condition more = lock.newCondition();
        List<Integer> items = new ArrayList<>();
        Runnable take = () -> {
            lock.lock();
            try {
                if (items.isEmpty()) {
                    more.awaitUninterruptibly();
                }
                items.remove(0);
            } finally {
                lock.unlock();
            }
        };
        Runnable give = () -> {
            lock.lock();
            items.add(1);
            more.signalAll();
            lock.unlock();
        };
        together(take, take, give, give);
    }

    @HeddleTest(seconds = 5)
    void checkThenAct() throws InterruptedException {
        ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();
        Runnable count = () -> counts.put("a", counts.getOrDefault("a", 0) + 1);
        together(count, count);
        assertEquals(2, counts.get("a"));
    }

    @HeddleTest(seconds = 5)
    void exceptionInAnotherThread() throws InterruptedException {
        together(() -> {
            if (value == 1) {
                throw new IllegalStateException("seen in between");
            }
        }, () -> {
            value = 1;
            value = 2;
        });
    }

    @HeddleTest(seconds = 5)
    void timeOut() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        together(() -> {
            if (value == 0) {
                done.countDown();
            }
        }, () -> {
            value = 1;
            done.countDown();
        });
        assertTrue(done.await(1, TimeUnit.HOURS));
    }

    @HeddleTest(seconds = 5)
    void rareRandomNumber() throws InterruptedException {
        together(() -> value = new Random().nextInt(20), () -> { });
        assertTrue(value != 7);
    }

    @HeddleTest(seconds = 5)
    void tasksOfAPool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.submit(() -> value++);
        pool.submit(() -> value++);
        pool.shutdown();
        assertTrue(pool.awaitTermination(1, TimeUnit.MINUTES));
        assertEquals(2, value);
    }
}
