// expect: race=no deadlock=no stuck=no
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Order that is easily overlooked. */
public class Subtle {
    private static final class Box {
        int value;

        Box(int value) {
            this.value = value;
        }
    }

    private static final class Settings {
        static int level;
    }

    /** Its initializer sets what belongs to another class. */
    private static class Logger {
        static {
            Settings.level = 3;
        }

        static int level() {
            return Settings.level;
        }
    }

    private static final class FileLogger extends Logger {
        int copied() {
            return Settings.level;
        }
    }

    private static int count;

    private interface Action {
        void run() throws Exception;
    }

    private static Thread thread(Action action) {
        return new Thread(() -> {
            try {
                action.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    private static void both(Action one, Action two) throws InterruptedException {
        Thread first = thread(one), second = thread(two);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    /** Two have to be given before one can be taken. */
    private static void owed() throws InterruptedException {
        Semaphore semaphore = new Semaphore(-1);
        Box box = new Box(0);
        Thread gives = thread(() -> {
            semaphore.release();
            box.value++;
            semaphore.release();
        });
        gives.start();
        semaphore.acquire();
        box.value++;
        gives.join();
    }

    private static void broken() throws InterruptedException {
        CyclicBarrier barrier = new CyclicBarrier(2);
        Box box = new Box(0);
        Thread alone = thread(() -> {
            box.value = 1;
            try {
                barrier.await(1, TimeUnit.MILLISECONDS);
            } catch (Exception e) {
                return;
            }
        });
        alone.start();
        while (!barrier.isBroken()) {
            Thread.onSpinWait();
        }
        box.value++;
        alone.join();
    }

    /** A stream takes from the map when it ends, not when it is made. */
    private static void streamed() throws InterruptedException {
        ConcurrentHashMap<Integer, Box> map = new ConcurrentHashMap<>();
        Action uses = () -> {
            for (int i = 0; i < 10; i++) {
                map.put(i, new Box(i));
                map.values().stream().map(box -> box).mapToInt(box -> box.value).sum();
            }
        };
        both(uses, uses);
    }

    /** Each time in whatever thread, but one after the other. */
    private static void repeated() throws InterruptedException {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(3);
        Box box = new Box(0);
        CountDownLatch done = new CountDownLatch(5);
        pool.scheduleWithFixedDelay(() -> {
            box.value++;
            done.countDown();
        }, 0, 1, TimeUnit.MILLISECONDS);
        done.await();
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
        box.value++;
    }

    /** Who gets a value that another thread computed comes after that. */
    private static void valued() throws InterruptedException {
        ClassValue<Box> values = new ClassValue<>() {
            @Override
            protected Box computeValue(Class<?> type) {
                Box box = new Box(0);
                box.value = 1;
                return box;
            }
        };
        Action looks = () -> {
            if (values.get(Box.class).value != 1) {
                throw new AssertionError();
            }
        };
        both(looks, looks);
    }

    /** Who waits for a thread's end gives up its monitor. */
    private static void joined() throws InterruptedException {
        Thread[] threads = new Thread[2];
        Action counts = () -> {
            synchronized (threads[0]) {
                count++;
            }
        };
        threads[0] = thread(counts);
        threads[1] = thread(counts);
        synchronized (threads[0]) {
            threads[0].start();
            threads[1].start();
            threads[0].join();
            count++;
        }
        threads[1].join();
    }

    public static void main(String[] args) throws InterruptedException {
        both(() -> Logger.level(), () -> new FileLogger().copied());
        owed();
        broken();
        streamed();
        repeated();
        valued();
        joined();
        System.out.println(count);
    }
}
