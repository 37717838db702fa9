import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import heddle.junit.HeddleTest;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** None of these fails, whatever the schedule. */
class CorrectTest {
    private static ExecutorService older;
    private static int instances;
    private int value;
    private volatile boolean ready;
    private int before;

    @BeforeAll
    static void startPool() throws Exception {
        older = Executors.newFixedThreadPool(2);
        older.submit(() -> 1).get();
    }

    @BeforeEach
    void prepare() {
        before++;
        instances++;
    }

    @AfterEach
    void check() {
        assertEquals(1, before);
    }

    private synchronized void add() {
        value++;
    }

    @HeddleTest(seconds = 0.25)
    void synchronizedMethod() throws InterruptedException {
        BrokenTest.together(this::add, this::add, this::add);
        assertEquals(3, value);
    }

    @HeddleTest(seconds = 0.25)
    void queue() throws InterruptedException {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
        BrokenTest.together(() -> IntStream.range(0, 3).forEach(i -> {
            try {
                queue.put(i);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }), () -> IntStream.range(0, 3).forEach(i -> {
            try {
                value += queue.take();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }));
        assertEquals(3, value);
    }

    private synchronized void await() {
        while (!ready) {
            try {
                wait(1000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        value = 1;
    }

    private synchronized void announce() {
        ready = true;
        notify();
    }

    @HeddleTest(seconds = 0.25)
    void waitAndNotify() throws InterruptedException {
        BrokenTest.together(this::await, this::announce);
        assertEquals(1, value);
    }

    @HeddleTest(seconds = 0.25)
    void busyWait() throws InterruptedException {
        BrokenTest.together(() -> {
            while (!ready) {
                continue;
            }
            value = 1;
        }, () -> ready = true);
        assertEquals(1, value);
    }

    @HeddleTest(seconds = 0.25)
    void timesAndTimeOuts() throws Exception {
        Timer timer = new Timer(true);
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        CountDownLatch latch = new CountDownLatch(4);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                latch.countDown();
            }
        }, 60_000, 60_000);
        pool.scheduleAtFixedRate(latch::countDown, 1, 1, TimeUnit.MINUTES);
        Thread.sleep(1000);
        assertTrue(latch.await(10, TimeUnit.MINUTES));
        timer.cancel();
        pool.shutdownNow();
        assertFalse(new CountDownLatch(1).await(1, TimeUnit.MINUTES));
    }

    @HeddleTest(seconds = 0.25)
    void barrierAndSemaphore() throws InterruptedException {
        CyclicBarrier barrier = new CyclicBarrier(3);
        Semaphore semaphore = new Semaphore(1);
        AtomicInteger arrived = new AtomicInteger();
        Runnable task = () -> {
            try {
                arrived.incrementAndGet();
                barrier.await();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            assertEquals(3, arrived.get());
            semaphore.acquireUninterruptibly();
            value++;
            semaphore.release();
        };
        BrokenTest.together(task, task, task);
        assertEquals(3, value);
    }

    /** A bin of the map is locked, by the JDK, while the function runs. */
    @HeddleTest(seconds = 0.25)
    void functionInsideTheJdk() throws InterruptedException {
        ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();
        Runnable count = () -> counts.merge("a", 1, (x, y) -> {
            ready = !ready;
            return x + y;
        });
        BrokenTest.together(count, count);
        assertEquals(2, counts.get("a"));
    }

    /** Its threads are not controlled. */
    @HeddleTest(seconds = 0.25)
    void poolOlderThanTheTest() throws Exception {
        Thread thread = new Thread(this::add);
        thread.start();
        assertEquals(1, older.submit(() -> {
            Thread.sleep(30);
            return 1;
        }).get(10, TimeUnit.SECONDS));
        thread.join();
    }

    @HeddleTest(seconds = 0.25)
    void poolThatIsNeverShutDown() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        assertEquals(1, pool.submit(() -> 1).get());
        assertEquals(3, CompletableFuture.supplyAsync(() -> 1)
            .thenCombine(CompletableFuture.supplyAsync(() -> 2), Integer::sum).get(3, TimeUnit.SECONDS));
    }

    @HeddleTest(seconds = 0.25)
    void interrupt() throws InterruptedException {
        Object monitor = new Object();
        Thread thread = new Thread(() -> {
            synchronized (monitor) {
                try {
                    monitor.wait();
                } catch (InterruptedException e) {
                    value = 1;
                }
            }
        });
        thread.start();
        thread.interrupt();
        thread.join();
        assertEquals(1, value);
    }

    @HeddleTest(seconds = 60, runs = 40)
    void eachRunHasItsInstance() throws InterruptedException {
        BrokenTest.together(this::add, this::add);
        assertEquals(2, value);
        assertTrue(instances > 0);
    }

    @HeddleTest(seconds = 60)
    void noThreads() {
        value++;
    }

    @Test
    void anOrdinaryTest() throws InterruptedException {
        BrokenTest.together(this::add, this::add);
        assertEquals(2, value);
    }
}
